#include "specialize/bpf/running.h"

#include "support/diagnostic.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <cstring>
#include <linux/if_link.h>
#include <net/if.h>

namespace heddle {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

Error bpf_error(const llvm::Twine& what, int error, const llvm::Twine& where) {
  const char* hint =
      "the kernel may lack what is needed: Linux 5.10 with CONFIG_BPF_SYSCALL and BTF is enough";
  if (error == EPERM || error == EACCES) hint = "run as root, or with CAP_SYS_ADMIN and CAP_NET_ADMIN";
  if (error == ENOENT) hint = "it has gone: `bpftool prog` and `ip link` list what is there";
  if (error == ENOMEM) hint = "raise the limit of locked memory (`ulimit -l unlimited`), or free memory";
  return diagnose(what + ": " + strerror(error), hint, where);
}

namespace {

template <typename Info> Error read_info(int fd, Info& info, const llvm::Twine& what) {
  uint32_t bytes = sizeof info;
  if (bpf_obj_get_info_by_fd(fd, &info, &bytes) == 0) return Error::success();
  return bpf_error("cannot be inspected", errno, what);
}

// The kernel tells that a map is frozen in /proc alone.
Expected<bool> is_frozen(int fd) {
  std::string path = "/proc/self/fdinfo/" + std::to_string(fd);
  auto text = llvm::MemoryBuffer::getFileAsStream(path);
  if (!text) return diagnose("cannot be read: " + text.getError().message(), "mount /proc", path);
  for (StringRef line : llvm::split((*text)->getBuffer(), '\n'))
    if (line.consume_front("frozen:")) return line.trim() == "1";
  return false;
}

} // namespace

Expected<RunningMap> open_map(uint32_t id) {
  RunningMap map;
  std::string where = "map " + std::to_string(id);
  map.fd = Descriptor(bpf_map_get_fd_by_id(id));
  if (!map.fd) return bpf_error("cannot be opened", errno, where);
  bpf_map_info info{};
  if (Error error = read_info(map.fd.get(), info, where)) return std::move(error);
  auto frozen = is_frozen(map.fd.get());
  if (!frozen) return frozen.takeError();
  map.id = id;
  map.name = info.name;
  map.type = info.type;
  map.key_bytes = info.key_size;
  map.value_bytes = info.value_size;
  map.most_entries = info.max_entries;
  map.flags = info.map_flags;
  map.frozen = *frozen;
  return map;
}

Expected<RunningProgram> open_running_program(Descriptor fd) {
  RunningProgram program;
  bpf_prog_info sizes{};
  if (Error error = read_info(fd.get(), sizes, "program")) return std::move(error);
  std::string where = "program " + std::to_string(sizes.id);
  std::vector<uint32_t> ids(sizes.nr_map_ids);
  program.code.resize(sizes.xlated_prog_len);
  bpf_prog_info info{};
  info.nr_map_ids = ids.size();
  info.map_ids = reinterpret_cast<uintptr_t>(ids.data());
  info.xlated_prog_len = program.code.size();
  info.xlated_prog_insns = reinterpret_cast<uintptr_t>(program.code.data());
  if (Error error = read_info(fd.get(), info, where)) return std::move(error);
  if (!info.xlated_prog_insns || info.xlated_prog_len != program.code.size())
    return diagnose("the kernel does not show its instructions",
                    "set net.core.bpf_jit_harden and kernel.kptr_restrict to 0 or 1, and run as root", where);
  program.fd = std::move(fd);
  program.id = info.id;
  program.name = info.name;
  program.type = info.type;
  program.verified = info.verified_insns;
  program.tag = llvm::toHex(llvm::ArrayRef(info.tag), /*LowerCase=*/true);
  for (uint32_t map_id : ids) {
    auto map = open_map(map_id);
    if (!map) return map.takeError();
    program.maps.push_back(std::move(*map));
  }
  return program;
}

Expected<RunningProgram> open_running_program(uint32_t id) {
  Descriptor fd(bpf_prog_get_fd_by_id(id));
  if (!fd) return bpf_error("cannot be opened", errno, "program " + std::to_string(id));
  return open_running_program(std::move(fd));
}

std::vector<ArrayElement> programs_in(const RunningMap& array) {
  std::vector<ArrayElement> found;
  for (uint32_t key = 0, id = 0; key != array.most_entries; ++key)
    if (bpf_map_lookup_elem(array.fd.get(), &key, &id) == 0) found.push_back({key, id});
  return found;
}

Expected<uint32_t> program_pinned_at(StringRef path) {
  Descriptor fd(bpf_obj_get(path.str().c_str()));
  if (!fd) return bpf_error("cannot be opened", errno, path);
  bpf_prog_info info{};
  if (Error error = read_info(fd.get(), info, path)) return std::move(error);
  return info.id;
}

Expected<uint32_t> program_on_interface(StringRef name) {
  unsigned index = if_nametoindex(name.str().c_str());
  if (index == 0) return diagnose("no such network interface", "`ip link` lists those that are there", name);
  LIBBPF_OPTS(bpf_xdp_query_opts, query);
  if (int error = bpf_xdp_query(static_cast<int>(index), 0, &query))
    return bpf_error("cannot be asked for its XDP program", -error, name);
  if (query.prog_id != 0) return query.prog_id;
  if (query.attach_mode == XDP_ATTACHED_MULTI)
    return diagnose("has several XDP programs, in different modes", "name one of them by --prog", name);
  return diagnose("has no XDP program", "load one first, with any loader", name);
}

} // namespace heddle
