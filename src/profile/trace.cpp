// The profile file: a header in little-endian fields, and one zstd frame with the packets and their blocks.
//
//     magic[8]  version:4  id_bytes:4  id[id_bytes]
//     packets_seen:8  packets_dropped:8  packets:8  events:8  loads:8  calls:8  payload_bytes:8
//     payload: zstd( packets x (body:4 batch:4 events:8 begin:8)  events x block:4
//                    loads x (block:4 number:4 accesses:8 level2:8 level3:8 memory:8 walks:8)
//                    calls x (block:4 number:4 calls:8 ticks:8) )
//
// Packets repeat each other's paths, which is what zstd is good at; 20,000 packets of 3,000 blocks take a few
// megabytes.
#include "profile/trace.h"

#include "support/diagnostic.h"
#include "support/file.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <zstd.h>

#include <cstring>

namespace heddle {

namespace {

constexpr llvm::StringLiteral magic = "HEDDLEPF";
constexpr uint32_t version = 3;
constexpr size_t packet_bytes = 24, load_bytes = 48, call_bytes = 24;
constexpr const char* again = "make a new one with heddle profile";

void put32(std::string& out, uint32_t value) {
  char bytes[4];
  llvm::support::endian::write32le(bytes, value);
  out.append(bytes, sizeof bytes);
}

void put64(std::string& out, uint64_t value) {
  char bytes[8];
  llvm::support::endian::write64le(bytes, value);
  out.append(bytes, sizeof bytes);
}

// Takes fields off the front; remembers when there were too few bytes.
class Reader {
public:
  explicit Reader(llvm::StringRef bytes) : bytes_(bytes) {}

  llvm::StringRef take(size_t count) {
    if (count > bytes_.size()) {
      short_ = true;
      return {};
    }
    llvm::StringRef front = bytes_.take_front(count);
    bytes_ = bytes_.drop_front(count);
    return front;
  }
  uint32_t u32() {
    llvm::StringRef field = take(4);
    return field.empty() ? 0 : llvm::support::endian::read32le(field.data());
  }
  uint64_t u64() {
    llvm::StringRef field = take(8);
    return field.empty() ? 0 : llvm::support::endian::read64le(field.data());
  }
  bool was_short() const { return short_; }

private:
  llvm::StringRef bytes_;
  bool short_ = false;
};

std::string payload_of(const Trace& trace) {
  std::string payload;
  payload.reserve(trace.packets.size() * packet_bytes + trace.events.size() * 4);
  for (const TracedPacket& packet : trace.packets) {
    put32(payload, packet.body);
    put32(payload, packet.batch);
    put64(payload, packet.end - packet.begin);
    put64(payload, packet.begin);
  }
  for (BlockId block : trace.events)
    put32(payload, block);
  for (const LoadCounts& load : trace.loads) {
    put32(payload, load.place.block);
    put32(payload, load.place.number);
    for (uint64_t field : {load.accesses, load.level2, load.level3, load.memory, load.walks})
      put64(payload, field);
  }
  for (const CallTime& call : trace.calls) {
    put32(payload, call.block);
    put32(payload, call.number);
    put64(payload, call.calls);
    put64(payload, call.ticks);
  }
  return payload;
}

// False when a packet lies outside of the events.
bool parse_payload(Reader payload, size_t packets, size_t events, size_t loads, size_t calls, Trace& trace) {
  trace.packets.reserve(packets);
  for (size_t i = 0; i < packets; ++i) {
    TracedPacket packet;
    packet.body = payload.u32();
    packet.batch = payload.u32();
    uint64_t length = payload.u64();
    packet.begin = payload.u64();
    if (packet.begin > events || length > events - packet.begin) return false;
    packet.end = packet.begin + length;
    trace.packets.push_back(packet);
  }
  trace.events.reserve(events);
  for (size_t i = 0; i < events; ++i)
    trace.events.push_back(payload.u32());
  for (size_t i = 0; i < loads; ++i) {
    LoadCounts& load = trace.loads.emplace_back();
    load.place.block = payload.u32();
    load.place.number = payload.u32();
    for (uint64_t* field : {&load.accesses, &load.level2, &load.level3, &load.memory, &load.walks})
      *field = payload.u64();
  }
  for (size_t i = 0; i < calls; ++i) {
    CallTime& call = trace.calls.emplace_back();
    call.block = payload.u32();
    call.number = payload.u32();
    call.calls = payload.u64();
    call.ticks = payload.u64();
  }
  return !payload.was_short();
}

} // namespace

void Trace::keep_body(uint32_t body) {
  std::erase_if(packets, [&](const TracedPacket& packet) { return packet.body != body; });
}

llvm::Error write_trace(const Trace& trace, llvm::StringRef path) {
  std::string payload = payload_of(trace), compressed;
  compressed.resize(ZSTD_compressBound(payload.size()));
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  size_t size =
      ZSTD_compress2(context.get(), compressed.data(), compressed.size(), payload.data(), payload.size());
  if (ZSTD_isError(size))
    return diagnose(llvm::Twine("cannot compress the profile: ") + ZSTD_getErrorName(size),
                    "free some memory", path);
  compressed.resize(size);

  std::string header = magic.str();
  put32(header, version);
  put32(header, uint32_t(trace.program.size()));
  header += trace.program;
  for (uint64_t field : {trace.packets_seen, trace.packets_dropped, uint64_t(trace.packets.size()),
                         uint64_t(trace.events.size()), uint64_t(trace.loads.size()),
                         uint64_t(trace.calls.size()), uint64_t(compressed.size())})
    put64(header, field);
  return write_file(path, [&](llvm::raw_ostream& out) { out << header << compressed; });
}

llvm::Expected<Trace> read_trace(llvm::StringRef path, llvm::StringRef program_id) {
  if (!llvm::sys::fs::exists(path))
    return diagnose("there is no such profile", "make it with `heddle profile PROGRAM -- ARGS`", path);
  auto file = read_file(path);
  if (!file) return file.takeError();
  Reader reader((*file)->getBuffer());
  if (reader.take(magic.size()) != magic) return diagnose("not a profile", again, path);
  uint32_t found = reader.u32();
  if (found > version)
    return diagnose("made by a newer Heddle (format " + llvm::Twine(found) + ", this one reads " +
                        llvm::Twine(version) + ")",
                    again, path);

  if (!reader.was_short() && found < version)
    return diagnose("made by an older Heddle (format " + llvm::Twine(found) + ", this one reads " +
                        llvm::Twine(version) + ")",
                    again, path);

  Trace trace;
  trace.program = reader.take(reader.u32()).str();
  if (!reader.was_short() && !program_id.empty() && trace.program != program_id)
    return diagnose("made from another build of the program (the profile is of " +
                        llvm::StringRef(trace.program).take_front(16) + ", the program is " +
                        program_id.take_front(16) + ")",
                    "run heddle profile on this build", path);
  trace.packets_seen = reader.u64();
  trace.packets_dropped = reader.u64();
  uint64_t packets = reader.u64(), events = reader.u64(), loads = reader.u64(), calls = reader.u64();
  llvm::StringRef compressed = reader.take(reader.u64());
  if (reader.was_short()) return diagnose("the profile is cut short", again, path);

  constexpr uint64_t most = uint64_t{1} << 36; // keeps a damaged header from asking for all memory
  uint64_t bytes = packets * packet_bytes + events * 4 + loads * load_bytes + calls * call_bytes;
  if (packets > most || events > most || loads > most || calls > most ||
      ZSTD_getFrameContentSize(compressed.data(), compressed.size()) != bytes)
    return diagnose("damaged: its header and its contents do not agree", again, path);
  std::string payload(bytes, '\0');
  size_t size = ZSTD_decompress(payload.data(), payload.size(), compressed.data(), compressed.size());
  if (ZSTD_isError(size)) return diagnose(llvm::Twine("damaged: ") + ZSTD_getErrorName(size), again, path);
  if (!parse_payload(Reader(payload), packets, events, loads, calls, trace))
    return diagnose("damaged: a packet lies outside of the trace", again, path);
  return trace;
}

} // namespace heddle
