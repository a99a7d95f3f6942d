#include "profile/raw_trace.h"

#include "profile/runtime/raw_format.h"
#include "support/diagnostic.h"
#include "support/file.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace heddle {

namespace {

// A call of the body that leaves the loop after at most so many blocks, fewer than any call that went on,
// found the loop's condition false and ran no packet.
constexpr uint64_t loop_test_blocks = 4;

struct Chunk {
  uint32_t thread;
  llvm::ArrayRef<char> words;
};

uint32_t word_at(llvm::ArrayRef<char> words, size_t index) {
  uint32_t word;
  memcpy(&word, words.data() + index * sizeof word, sizeof word);
  return word;
}

llvm::Error damaged(llvm::StringRef path) {
  return diagnose("the raw trace is damaged",
                  "see whether the program writes to file descriptors it did not open", path);
}

// Which of a thread's packets are kept: of each stretch of its packets, the first ones that were recorded.
class Stretches {
public:
  // Of `packets` that the thread saw, keep about `size.count`.
  Stretches(uint64_t packets, SampleSize size)
      : run_(size.run),
        length_(packets > size.count ? double(packets) * double(size.run) / double(size.count) : 0) {}

  // Packets come in the order of their numbers.
  bool keeps(uint64_t number) {
    if (length_ == 0) return true;
    auto stretch = uint64_t(double(number) / length_);
    if (stretch != current_) kept_ = 0;
    current_ = stretch;
    return kept_++ < run_;
  }

private:
  uint64_t run_, current_ = 0, kept_ = 0;
  double length_;
};

// Appends the packets of one chunk, and what each returned. False when marks do not match.
bool read_chunk(llvm::ArrayRef<char> words, Stretches& stretches, Trace& trace,
                std::vector<uint32_t>& results) {
  std::vector<size_t> open;
  bool kept = true; // the outermost packet that is open
  size_t depth = 0;
  size_t count = words.size() / sizeof(uint32_t);
  for (size_t i = 0; i < count; ++i) {
    uint32_t word = word_at(words, i);
    if (word < HEDDLE_FIRST_MARK) {
      if (kept) trace.events.push_back(word);
    } else if (word == HEDDLE_MARK_BEGIN && i + 3 < count) {
      if (depth++ == 0) kept = stretches.keeps(word_at(words, i + 3));
      if (kept) {
        open.push_back(trace.packets.size());
        trace.packets.push_back({word_at(words, i + 1), word_at(words, i + 2), trace.events.size(), 0});
        results.push_back(0);
      }
      i += 3;
    } else if (word == HEDDLE_MARK_END && i + 1 < count && depth != 0 && !kept) {
      --depth;
      ++i;
    } else if (word == HEDDLE_MARK_END && i + 1 < count && !open.empty()) {
      trace.packets[open.back()].end = trace.events.size();
      results[open.back()] = word_at(words, ++i);
      open.pop_back();
      --depth;
    } else {
      return false;
    }
  }
  return depth == 0;
}

void drop_loop_tests(Trace& trace, llvm::ArrayRef<uint32_t> results) {
  std::map<uint32_t, uint64_t> shortest; // of each body, among the calls that went on
  for (size_t i = 0; i < results.size(); ++i) {
    const TracedPacket& packet = trace.packets[i];
    if (results[i] != 0) continue;
    auto [known, fresh] = shortest.try_emplace(packet.body, packet.end - packet.begin);
    if (!fresh) known->second = std::min(known->second, packet.end - packet.begin);
  }
  size_t i = 0;
  std::erase_if(trace.packets, [&](const TracedPacket& packet) {
    uint64_t blocks = packet.end - packet.begin;
    auto known = shortest.find(packet.body);
    return results[i++] != 0 && blocks <= loop_test_blocks && known != shortest.end() &&
           blocks < known->second;
  });
}

llvm::Expected<Trace> read_raw(llvm::StringRef path, llvm::StringRef bytes, const heddle_raw_header& header,
                               SampleSize size) {
  if (bytes.size() < header.file_bytes) return damaged(path);
  std::vector<Chunk> chunks;
  for (uint64_t at = HEDDLE_RAW_HEADER_BYTES; at < header.file_bytes;) {
    heddle_raw_chunk chunk;
    if (header.file_bytes - at < sizeof chunk) return damaged(path);
    memcpy(&chunk, bytes.data() + at, sizeof chunk);
    at += sizeof chunk;
    if (chunk.magic != HEDDLE_RAW_CHUNK || chunk.words > (header.file_bytes - at) / sizeof(uint32_t))
      return damaged(path);
    chunks.push_back({chunk.thread, llvm::ArrayRef<char>(bytes.data() + at, chunk.words * sizeof(uint32_t))});
    at += chunk.words * sizeof(uint32_t);
  }
  // Threads one after the other, so that a batch is not torn apart.
  llvm::sort(chunks, [](const Chunk& a, const Chunk& b) {
    return std::pair(a.thread, a.words.data()) < std::pair(b.thread, b.words.data());
  });
  Trace trace;
  trace.program = header.program;
  trace.packets_seen = header.packets_seen;
  trace.packets_dropped = header.packets_dropped;
  std::vector<uint32_t> results;
  std::map<uint32_t, Stretches> of_threads;
  for (const Chunk& chunk : chunks) {
    Stretches& stretches = of_threads.try_emplace(chunk.thread, header.packets_seen, size).first->second;
    if (!read_chunk(chunk.words, stretches, trace, results)) return damaged(path);
  }
  drop_loop_tests(trace, results);
  return trace;
}

bool read_header(llvm::StringRef bytes, heddle_raw_header& header) {
  if (bytes.size() < HEDDLE_RAW_HEADER_BYTES) return false;
  memcpy(&header, bytes.data(), sizeof header);
  header.program[sizeof header.program - 1] = 0;
  return memcmp(header.magic, HEDDLE_RAW_MAGIC, sizeof header.magic) == 0 &&
         header.version == HEDDLE_RAW_VERSION;
}

// `path` and its neighbours path.PID.
std::vector<std::string> raw_files(llvm::StringRef path) {
  std::vector<std::string> files;
  std::error_code ec;
  std::string prefix = path.str();
  for (llvm::sys::fs::directory_iterator it(llvm::sys::path::parent_path(path), ec), end; it != end && !ec;
       it.increment(ec))
    if (it->path() == prefix || llvm::StringRef(it->path()).starts_with(prefix + "."))
      files.push_back(it->path());
  std::sort(files.begin(), files.end());
  return files;
}

// The finished file with most packets; `best` stays empty when there is none.
llvm::Error choose(llvm::StringRef path, std::string& best) {
  uint64_t most = 0;
  bool unfinished = false, not_begun = false;
  for (const std::string& file : raw_files(path)) {
    auto buffer = read_file(file);
    heddle_raw_header header;
    if (!buffer) return buffer.takeError();
    if (!read_header((*buffer)->getBuffer(), header)) {
      not_begun |= (*buffer)->getBufferSize() < HEDDLE_RAW_HEADER_BYTES;
      continue;
    }
    if (header.error)
      return diagnose(llvm::Twine("cannot write the trace: ") + strerror(int(header.error)),
                      "free some space in TMPDIR or record fewer packets (--count)", file);
    unfinished |= !header.finished;
    if (!header.finished || (!best.empty() && header.packets_traced <= most)) continue;
    best = file;
    most = header.packets_traced;
  }
  if (best.empty() && unfinished)
    return diagnose("the program was killed before its trace was complete",
                    "let it end by itself or by SIGTERM, or record fewer packets (--count)");
  if (best.empty() && not_begun)
    return diagnose("cannot write the trace: no space for its first page", "free some space in TMPDIR", path);
  return llvm::Error::success();
}

} // namespace

llvm::Expected<Trace> read_raw_traces(llvm::StringRef path, llvm::StringRef program_id, SampleSize size) {
  std::string best;
  if (llvm::Error error = choose(path, best)) return std::move(error);
  if (best.empty())
    return diagnose("the program wrote no trace", "see whether it clears its environment or never starts",
                    path);
  auto buffer = read_file(best);
  if (!buffer) return buffer.takeError();
  heddle_raw_header header;
  if (!read_header((*buffer)->getBuffer(), header)) return damaged(best);
  if (program_id != header.program)
    return diagnose("the trace is of another program", "see whether the program starts another one like it",
                    best);
  return read_raw(best, (*buffer)->getBuffer(), header, size);
}

uint64_t raw_progress(llvm::StringRef path) {
  uint64_t packets = 0;
  for (const std::string& file : raw_files(path)) {
    auto buffer = llvm::MemoryBuffer::getFileSlice(file, HEDDLE_RAW_HEADER_BYTES, 0);
    heddle_raw_header header;
    if (buffer && read_header((*buffer)->getBuffer(), header)) packets += header.packets_traced;
  }
  return packets;
}

} // namespace heddle
