#include "specialize/bpf/index_maps.h"

#include "specialize/bpf/own_map.h"
#include "specialize/bpf/running.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <bpf/bpf.h>
#include <cerrno>
#include <utility>

namespace heddle {

using llvm::Expected;

Expected<IndexMaps> make_index_maps(Index index, const Table& table) {
  IndexMaps maps;
  maps.key_bytes = table.key_bytes;
  maps.node_count = index.nodes.size();
  maps.value_count = index.values.size();
  maps.value_stride = llvm::alignTo(table.value_bytes, 8);
  if (index.hashed) maps.value_stride += llvm::alignTo(table.key_bytes, 8);
  auto nodes = make_own_map("heddle_nodes", size_t(4) * maps.node_count,
                            [&](char* at) { memcpy(at, index.nodes.data(), size_t(4) * maps.node_count); });
  if (!nodes) return nodes.takeError();
  auto values = make_own_map("heddle_values", size_t(maps.value_stride) * maps.value_count, [&](char* at) {
    for (const std::string& value : index.values)
      llvm::copy(value, std::exchange(at, at + maps.value_stride));
  });
  if (!values) return values.takeError();
  if (bpf_map_freeze(nodes->get()) != 0 || bpf_map_freeze(values->get()) != 0)
    return bpf_error("the maps of an index cannot be frozen", errno, table.name);
  maps.nodes = std::move(*nodes);
  maps.values = std::move(*values);
  index.nodes.clear();
  index.values.clear();
  maps.index = std::move(index);
  return maps;
}

} // namespace heddle
