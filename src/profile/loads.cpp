#include "profile/loads.h"

#include "profile/icache.h"
#include "profile/runtime/loads_format.h"
#include "support/file.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>

using namespace llvm;

namespace heddle {

Expected<DataCaches> data_caches(StringRef text) {
  DataCaches caches = host_dcaches();
  if (text.empty()) return caches;
  auto geometries = parse_geometries(text);
  if (!geometries) return geometries.takeError();
  if (geometries->size() != std::size(caches.levels))
    return diagnose("'" + text + "' has " + Twine(geometries->size()) + " levels of data cache, not three",
                    "write SIZE:WAYS of each level, for example 48K:12,2M:16,32M:16", "--dcache");
  for (size_t level = 0; level != geometries->size(); ++level)
    caches.levels[level] = {(*geometries)[level].bytes, (*geometries)[level].ways};
  return caches;
}

// The function's own variables stay in the first level; constants are few.
static bool is_counted(const Value& address) {
  return !isa<AllocaInst>(getUnderlyingObject(&address)) && address.getType()->getPointerAddressSpace() == 0;
}

std::vector<CountedLoad> counted_loads(Module& module) {
  std::vector<CountedLoad> loads;
  const BlockTable blocks(module);
  for (BlockId id = 0; id != blocks.size(); ++id) {
    uint32_t number = 0;
    for (const MemoryRead& read : reads_of(*blocks.block(id))) {
      if (is_counted(*read.address)) loads.push_back({read, {id, number}});
      ++number;
    }
  }
  return loads;
}

static bool is_timed(const CallInst& call) {
  const Function* callee = call.getCalledFunction();
  return callee && callee->isDeclaration() && !callee->isIntrinsic() &&
         !callee->getName().starts_with("heddle") && !call.isMustTailCall() && !call.doesNotReturn() &&
         !call.hasFnAttr(Attribute::ReturnsTwice);
}

std::vector<TimedCall> timed_calls(Module& module) {
  std::vector<TimedCall> calls;
  const BlockTable blocks(module);
  for (BlockId id = 0; id != blocks.size(); ++id)
    for (Instruction& instruction : *const_cast<BasicBlock*>(blocks.block(id)))
      if (auto* call = dyn_cast<CallInst>(&instruction); call && is_timed(*call)) calls.push_back({call, id});
  return calls;
}

Error make_loads_file(StringRef path, size_t loads, size_t calls, const DataCaches& caches,
                      uint64_t most_accesses) {
  heddle_loads_header header = {};
  header.loads = loads;
  header.calls = calls;
  header.most_accesses = most_accesses;
  header.page_bytes = caches.page;
  header.translations = caches.translations;
  header.translation_ways = caches.translation_ways;
  header.line_bytes = caches.line;
  for (size_t level = 0; level != std::size(caches.levels); ++level) {
    header.ways[level] = caches.levels[level].ways;
    header.sets[level] = std::max<uint64_t>(1, caches.levels[level].bytes / caches.line / header.ways[level]);
  }
  return write_file(path, [&](raw_ostream& out) {
    out.write(reinterpret_cast<const char*>(&header), sizeof header);
    out.write_zeros(unsigned(3 * loads * sizeof(heddle_load_counts)));
    out.write_zeros(unsigned(calls * sizeof(heddle_call_times)));
  });
}

// The quarter of the calls that took least ended at this bucket's lower end.
static CallTime time_of(const heddle_call_times& times) {
  CallTime time;
  for (uint32_t calls : times.calls)
    time.calls += calls;
  uint64_t so_far = 0;
  for (unsigned bucket = 0; bucket != HEDDLE_CALL_BUCKETS; ++bucket) {
    so_far += times.calls[bucket];
    if (4 * so_far < time.calls) continue;
    time.ticks = bucket < 8 ? 0 : uint64_t(4 + bucket % 4) << (bucket / 4 - 2);
    break;
  }
  return time;
}

Expected<LoadsFile> read_loads_file(StringRef path, Module& module) {
  auto file = read_file(path);
  if (!file) return file.takeError();
  const std::vector<CountedLoad> loads = counted_loads(module);
  StringRef bytes = (*file)->getBuffer();
  const std::vector<TimedCall> calls = timed_calls(module);
  const size_t counted = 3 * loads.size() * sizeof(heddle_load_counts);
  if (bytes.size() != sizeof(heddle_loads_header) + counted + calls.size() * sizeof(heddle_call_times))
    return diagnose("the counts of loads are damaged", "profile again", path);
  bytes = bytes.drop_front(sizeof(heddle_loads_header));
  auto entry = [&](size_t index) {
    heddle_load_counts counts;
    std::memcpy(&counts, bytes.data() + index * sizeof counts, sizeof counts);
    return counts;
  };
  LoadsFile result;
  for (size_t i = 0; i != calls.size(); ++i) {
    heddle_call_times times;
    std::memcpy(&times, bytes.data() + counted + i * sizeof times, sizeof times);
    CallTime time = time_of(times);
    time.block = calls[i].block;
    time.number = uint32_t(i);
    if (time.calls > 0) result.calls.push_back(time);
  }
  for (size_t i = 0; i != loads.size(); ++i) {
    const heddle_load_counts all = entry(i), early = entry(2 * loads.size() + i);
    if (all.accesses == early.accesses) continue;
    result.loads.push_back({loads[i].place, all.accesses - early.accesses, all.found[0] - early.found[0],
                            all.found[1] - early.found[1], all.found[2] - early.found[2],
                            all.walks - early.walks});
  }
  return result;
}

} // namespace heddle
