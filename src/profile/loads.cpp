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

Error make_loads_file(StringRef path, size_t loads, const DataCaches& caches, uint64_t most_accesses) {
  heddle_loads_header header = {};
  header.loads = loads;
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
  });
}

Expected<std::vector<LoadCounts>> read_loads_file(StringRef path, Module& module) {
  auto file = read_file(path);
  if (!file) return file.takeError();
  const std::vector<CountedLoad> loads = counted_loads(module);
  StringRef bytes = (*file)->getBuffer();
  if (bytes.size() != sizeof(heddle_loads_header) + 3 * loads.size() * sizeof(heddle_load_counts))
    return diagnose("the counts of loads are damaged", "profile again", path);
  bytes = bytes.drop_front(sizeof(heddle_loads_header));
  auto entry = [&](size_t index) {
    heddle_load_counts counts;
    std::memcpy(&counts, bytes.data() + index * sizeof counts, sizeof counts);
    return counts;
  };
  std::vector<LoadCounts> result;
  for (size_t i = 0; i != loads.size(); ++i) {
    const heddle_load_counts all = entry(i), early = entry(2 * loads.size() + i);
    if (all.accesses == early.accesses) continue;
    result.push_back({loads[i].place, all.accesses - early.accesses, all.found[0] - early.found[0],
                      all.found[1] - early.found[1], all.found[2] - early.found[2], all.walks - early.walks});
  }
  return result;
}

} // namespace heddle
