#include "host/arena.h"

#include "host/machine_code.h"
#include "support/diagnostic.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <sys/mman.h>
#include <vector>

namespace heddle {

namespace {

constexpr uint64_t large_page = 2 << 20;

// KiB of the mapping at `address` that lie on large pages, by /proc/self/smaps.
uint64_t large_kib_at(const char* address) {
  auto buffer = llvm::MemoryBuffer::getFileAsStream("/proc/self/smaps");
  if (!buffer) return 0;
  llvm::SmallVector<llvm::StringRef, 256> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  bool here = false;
  for (llvm::StringRef line : lines) {
    auto [begin, rest] = line.split('-');
    auto [end, more] = rest.split(' ');
    uint64_t first = 0, last = 0, kib = 0;
    if (!begin.getAsInteger(16, first) && !end.getAsInteger(16, last))
      here = first <= uint64_t(address) && uint64_t(address) < last;
    else if (here && line.consume_front("AnonHugePages:") &&
             !line.trim().split(' ').first.getAsInteger(10, kib))
      return kib;
  }
  return 0;
}

} // namespace

llvm::Expected<Arena> Arena::make(uint64_t kib, bool large) {
  // Whole large pages, also where only a part of one is used.
  const uint64_t used = kib * 1024, bytes = large ? std::max(used, large_page) : used;
  // One large page more, so that the first one can begin at a multiple of its size.
  char* memory = static_cast<char*>(
      mmap(nullptr, bytes + large_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (memory == MAP_FAILED)
    return diagnose(llvm::Twine("cannot have ") + llvm::Twine(kib) + " KiB of memory: " + strerror(errno),
                    "free some memory, and calibrate again");
  char* aligned = memory + (large_page - uint64_t(memory) % large_page) % large_page;
  if (aligned != memory) munmap(memory, size_t(aligned - memory));
  munmap(aligned + bytes, size_t(memory + large_page - aligned));
  Arena arena(aligned, bytes, used);
  if (madvise(aligned, bytes, large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) != 0 && large)
    return llvm::createStringError("the kernel has no transparent large pages");
  for (uint64_t at = 0; at < bytes; at += 4096)
    aligned[at] = 1;
  if (large && large_kib_at(aligned) * 10 * 1024 < bytes * 9)
    return llvm::createStringError(
        "the kernel gave no large pages (see /sys/kernel/mm/transparent_hugepage/enabled)");
  return std::move(arena);
}

Arena::~Arena() {
  if (memory_) munmap(memory_, bytes_);
}

void Arena::link() {
  // Sattolo's shuffle: one cycle, whatever is drawn.
  std::vector<uint32_t> next(lines());
  std::iota(next.begin(), next.end(), 0);
  for (uint64_t i = next.size() - 1; i > 0; --i)
    std::swap(next[i], next[scramble(i) % i]);
  for (uint64_t i = 0; i != next.size(); ++i) {
    char* to = memory_ + uint64_t(next[i]) * 64;
    *reinterpret_cast<char**>(memory_ + i * 64) = to;
  }
}

} // namespace heddle
