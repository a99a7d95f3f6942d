#include "top/counts.h"

#include "support/diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <tuple>
#include <unistd.h>

namespace heddle {

using llvm::StringRef;
using llvm::Twine;

namespace {

constexpr const char* name_hint = "give the file that the program's HEDDLE_COUNTERS names, or --pid";
constexpr const char* wrong_hint =
    "it may have been cut off or overwritten: start the program again with another HEDDLE_COUNTERS";

uint64_t nanoseconds_since_boot() {
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return uint64_t(time.tv_sec) * 1000000000u + uint64_t(time.tv_nsec);
}

// State and beginning of a process: the third and the 22nd word of its line. Its name, the second, may hold anything.
bool is_alive(const heddle_counters_process& process) {
  auto line = llvm::MemoryBuffer::getFileAsStream("/proc/" + std::to_string(process.number) + "/stat");
  if (!line) return kill(pid_t(process.number), 0) == 0 || errno == EPERM;
  llvm::SmallVector<StringRef, 64> words;
  (*line)->getBuffer().rsplit(')').second.trim().split(words, ' ');
  uint64_t ticks = 0;
  if (words.size() < 20 || words[0] == "Z" || words[0] == "X" || words[19].getAsInteger(10, ticks))
    return false;
  // Ticks are coarse: it may seem to have begun a little later than it has.
  const double began = (double(ticks) - 1) / double(sysconf(_SC_CLK_TCK));
  return began <= double(process.since) / 1e9;
}

// What lies in the file, looked at as what it is meant to be.
class Image {
public:
  explicit Image(StringRef bytes) : bytes_(bytes) {}

  template <typename T> const T* at(uint64_t offset) const {
    return reinterpret_cast<const T*>(bytes_.data() + offset);
  }
  const heddle_counters_head& head() const { return *at<heddle_counters_head>(0); }
  const heddle_counters_body& body(unsigned number) const {
    return *at<heddle_counters_body>(sizeof(heddle_counters_head) + number * sizeof(heddle_counters_body));
  }
  const heddle_counters_slot& slot(unsigned number) const {
    return *at<heddle_counters_slot>(before_slots() + number * head().slot_size);
  }

  // Empty: it is whole.
  std::string wrong() const {
    if (bytes_.size() < sizeof(uint64_t) || head().magic != HEDDLE_COUNTERS_MAGIC)
      return "not a file of counters";
    if (bytes_.size() < sizeof(heddle_counters_head)) return "cut off";
    if (head().version != HEDDLE_COUNTERS_VERSION)
      return "of version " + std::to_string(head().version) + "; this heddle reads version " +
             std::to_string(HEDDLE_COUNTERS_VERSION);
    const heddle_counters_head& own = head();
    const uint64_t row_bytes = uint64_t(own.rows) * sizeof(heddle_counters_row);
    const bool slots_fit = own.slot_size >= sizeof(heddle_counters_slot) + row_bytes &&
                           own.slot_size % 8 == 0 && own.slot_size <= own.size &&
                           before_slots() + uint64_t(own.slots) * own.slot_size <= own.size;
    if (!slots_fit) return "damaged: its parts do not fit into each other";
    if (bytes_.size() < own.size) return "cut off";
    for (unsigned b = 0; b != own.bodies; ++b)
      if (uint64_t(body(b).first_row) + body(b).rows > own.rows) return "damaged: a body has no counters";
    return "";
  }

private:
  uint64_t before_slots() const {
    return sizeof(heddle_counters_head) + uint64_t(head().bodies) * sizeof(heddle_counters_body);
  }

  StringRef bytes_;
};

template <size_t Size> std::string text(const char (&field)[Size]) {
  return std::string(field, strnlen(field, Size));
}

// Applies `change` to all counts of the two.
template <typename Change> void for_each_count(Counts& a, const Counts& b, Change change) {
  for (auto count : {&Counts::packets, &Counts::one_by_one, &Counts::batches, &Counts::crossings,
                     &Counts::alone, &Counts::deferred, &Counts::visits, &Counts::held, &Counts::received})
    change(a.*count, b.*count);
  for (size_t i = 0; i != a.sizes.size(); ++i)
    change(a.sizes[i], b.sizes[i]);
  for (size_t i = 0; i != a.bodies.size(); ++i)
    for (size_t s = 0; s != a.bodies[i].stages.size(); ++s)
      for (auto count : {&heddle_counters_row::visits, &heddle_counters_row::packets,
                         &heddle_counters_row::left_out, &heddle_counters_row::waited})
        change(a.bodies[i].stages[s].*count, b.bodies[i].stages[s].*count);
}

Counts counts_of(const Image& image, const heddle_counters_slot& slot) {
  Counts counts;
  counts.packets = slot.packets;
  counts.one_by_one = slot.one_by_one;
  counts.batches = slot.batches;
  counts.crossings = slot.crossings;
  counts.alone = slot.alone;
  counts.deferred = slot.deferred;
  counts.visits = slot.visits;
  counts.held = slot.held;
  counts.received = slot.received;
  std::copy(std::begin(slot.sizes), std::end(slot.sizes), counts.sizes.begin());
  for (unsigned b = 0; b != image.head().bodies; ++b) {
    const heddle_counters_body& body = image.body(b);
    const heddle_counters_row* rows = slot.rows + body.first_row;
    counts.bodies.push_back({text(body.name), {rows, rows + body.rows}});
  }
  return counts;
}

} // namespace

uint64_t largest_of(unsigned size_class) {
  return size_class + 1 < HEDDLE_BATCH_SIZES ? uint64_t(1) << size_class : 0;
}

llvm::Expected<Counts> read_counts(StringRef path) {
  llvm::sys::fs::file_status status;
  if (std::error_code ec = llvm::sys::fs::status(path, status))
    return diagnose("cannot read the counters: " + ec.message(), name_hint, path);
  if (status.type() != llvm::sys::fs::file_type::regular_file)
    return diagnose("not a file of counters", name_hint, path);
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/true);
  if (!buffer)
    return diagnose("cannot read the counters: " + buffer.getError().message(),
                    "the user that runs the program may read them", path);
  const Image image((*buffer)->getBuffer());
  if (const std::string wrong = image.wrong(); !wrong.empty())
    return diagnose(wrong,
                    StringRef(wrong).starts_with("of version") ? "use the heddle that built the program"
                    : StringRef(wrong).starts_with("not a")    ? name_hint
                                                               : wrong_hint,
                    path);
  const heddle_counters_head& head = image.head();
  Counts sum = counts_of(image, image.slot(0));
  for (unsigned i = 1; i < head.slots; ++i)
    for_each_count(sum, counts_of(image, image.slot(i)), [](uint64_t& a, uint64_t b) { a += b; });
  sum.program = text(head.program);
  sum.slotless = head.slotless;
  for (const heddle_counters_place& place : head.places)
    if (place.state == 2) sum.alone_at.push_back({text(place.name), place.packets});
  llvm::sort(sum.alone_at, [](const CountedPlace& a, const CountedPlace& b) {
    return std::tie(b.packets, a.name) < std::tie(a.packets, b.name);
  });
  sum.seconds = double(nanoseconds_since_boot() - head.made) / 1e9;
  for (const heddle_counters_process& process : head.processes)
    if (process.number != 0 && is_alive(process)) sum.processes.push_back(process.number);
  if (sum.processes.empty())
    return diagnose("stale: the program '" + sum.program + "' that wrote it was killed",
                    "remove it, or start the program again with the same HEDDLE_COUNTERS", path);
  return sum;
}

Counts since(const Counts& now, const Counts& before) {
  Counts passed = now;
  if (now.bodies.size() != before.bodies.size()) return passed;
  for_each_count(passed, before, [](uint64_t& a, uint64_t b) { a = a < b ? 0 : a - b; });
  for (CountedPlace& place : passed.alone_at)
    for (const CountedPlace& earlier : before.alone_at)
      if (earlier.name == place.name) place.packets -= std::min(place.packets, earlier.packets);
  passed.seconds = now.seconds - before.seconds;
  return passed;
}

llvm::Expected<std::string> counters_of_process(uint32_t process) {
  const std::string maps = "/proc/" + std::to_string(process) + "/maps";
  auto list = llvm::MemoryBuffer::getFileAsStream(maps);
  if (!list) {
    if (list.getError() == std::errc::no_such_file_or_directory)
      return diagnose("no such process", "see its number with `ps`", "--pid " + Twine(process));
    return diagnose("cannot see what the process uses: " + list.getError().message(),
                    "run heddle top as the user that runs it", maps);
  }
  llvm::SmallVector<StringRef, 256> lines;
  (*list)->getBuffer().split(lines, '\n');
  for (StringRef line : lines) {
    // Shared and writable, and a file: "7f..-7f.. rw-s 00000000 00:1b 1234   /path".
    const size_t path_at = line.find('/');
    if (path_at == StringRef::npos || line.split(' ').second.take_front(4) != "rw-s") continue;
    const StringRef path = line.substr(path_at);
    llvm::sys::fs::file_status status;
    if (llvm::sys::fs::status(path, status) || status.type() != llvm::sys::fs::file_type::regular_file)
      continue;
    auto begin = llvm::MemoryBuffer::getFileSlice(path, sizeof(uint64_t), 0, /*IsVolatile=*/true);
    if (begin && *(*begin)->getBuffer().bytes_begin() == uint8_t(HEDDLE_COUNTERS_MAGIC & 0xff) &&
        Image((*begin)->getBuffer()).head().magic == HEDDLE_COUNTERS_MAGIC)
      return path.str();
  }
  return diagnose("the process has no counters", "start the optimized program with HEDDLE_COUNTERS=FILE",
                  "--pid " + Twine(process));
}

} // namespace heddle
