#include "specialize/bpf/index_maps.h"

#include "specialize/bpf/running.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MathExtras.h"

#include <bpf/bpf.h>
#include <cerrno>
#include <sys/mman.h>

namespace heddle {

using llvm::Error;
using llvm::Expected;

namespace {

// A map of one value, filled through memory.
Expected<Descriptor> make_map(const char* name, size_t bytes, llvm::function_ref<void(char*)> fill) {
  LIBBPF_OPTS(bpf_map_create_opts, options);
  options.map_flags = BPF_F_MMAPABLE;
  Descriptor fd(bpf_map_create(BPF_MAP_TYPE_ARRAY, name, 4, bytes, 1, &options));
  if (!fd) return bpf_error("the maps of an index cannot be made", errno, name);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED) return bpf_error("the maps of an index cannot be filled", errno, name);
  fill(static_cast<char*>(memory));
  munmap(memory, bytes);
  return fd;
}

} // namespace

Expected<IndexMaps> make_index_maps(Index index, const Table& table) {
  IndexMaps maps;
  maps.key_bytes = table.key_bytes;
  maps.node_count = index.nodes.size();
  maps.value_count = index.values.size();
  maps.value_stride = llvm::alignTo(table.value_bytes, 8);
  auto nodes = make_map("heddle_nodes", size_t(4) * maps.node_count,
                        [&](char* at) { memcpy(at, index.nodes.data(), size_t(4) * maps.node_count); });
  if (!nodes) return nodes.takeError();
  auto values = make_map("heddle_values", size_t(maps.value_stride) * maps.value_count, [&](char* at) {
    for (const std::string& value : index.values)
      llvm::copy(value, std::exchange(at, at + maps.value_stride));
  });
  if (!values) return values.takeError();
  maps.nodes = std::move(*nodes);
  maps.values = std::move(*values);
  index.nodes.clear();
  index.values.clear();
  maps.index = std::move(index);
  return maps;
}

} // namespace heddle
