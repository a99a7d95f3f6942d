#include "specialize/bpf/attachment.h"

#include "support/diagnostic.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <linux/if_link.h>
#include <memory>
#include <net/if.h>

namespace heddle {

using llvm::Error;
using llvm::Expected;

Expected<Attachment> Attachment::element(uint32_t map, uint32_t key) {
  auto array = open_map(map);
  if (!array) return array.takeError();
  Attachment place;
  place.array_ = std::move(array->fd);
  place.key_ = key;
  place.where_ = array->name + "[" + std::to_string(key) + "]";
  return place;
}

Expected<Attachment> Attachment::find(const RunningProgram& program) {
  std::vector<Attachment> found;
  // A program that a link holds is on the interface, too, and only the link's owner may replace it there.
  std::vector<int> linked;
  for (uint32_t id = 0; bpf_link_get_next_id(id, &id) == 0;) {
    Descriptor fd(bpf_link_get_fd_by_id(id));
    bpf_link_info info{};
    uint32_t bytes = sizeof info;
    if (!fd || bpf_obj_get_info_by_fd(fd.get(), &info, &bytes) != 0 || info.prog_id != program.id) continue;
    Attachment place;
    place.link_ = id;
    place.where_ = "link " + std::to_string(id);
    if (info.type == BPF_LINK_TYPE_XDP) {
      linked.push_back(static_cast<int>(info.xdp.ifindex));
      char name[IF_NAMESIZE] = "";
      if (if_indextoname(info.xdp.ifindex, name))
        place.where_ = std::string(name) + " (" + place.where_ + ")";
    }
    found.push_back(std::move(place));
  }
  std::unique_ptr<struct if_nameindex, decltype(&if_freenameindex)> interfaces(if_nameindex(),
                                                                               if_freenameindex);
  for (const struct if_nameindex* it = interfaces.get(); it && it->if_index != 0; ++it) {
    int index = static_cast<int>(it->if_index);
    LIBBPF_OPTS(bpf_xdp_query_opts, query);
    if (llvm::is_contained(linked, index) || bpf_xdp_query(index, 0, &query) != 0) continue;
    for (auto [id, mode] :
         {std::pair{query.drv_prog_id, XDP_FLAGS_DRV_MODE}, std::pair{query.skb_prog_id, XDP_FLAGS_SKB_MODE},
          std::pair{query.hw_prog_id, XDP_FLAGS_HW_MODE}}) {
      if (id != program.id) continue;
      Attachment place;
      place.interface_ = index;
      place.mode_ = mode;
      place.where_ = it->if_name;
      found.push_back(std::move(place));
    }
  }
  std::string name = "program " + std::to_string(program.id);
  bool attached = !found.empty();
  for (uint32_t id = 0; !attached && bpf_map_get_next_id(id, &id) == 0;) {
    auto map = open_map(id);
    if (!map) {
      llvm::consumeError(map.takeError()); // gone meanwhile
      continue;
    }
    if (map->type != BPF_MAP_TYPE_PROG_ARRAY) continue;
    for (ArrayElement element : programs_in(*map)) {
      if (element.program != program.id) continue;
      auto place = Attachment::element(id, element.key);
      if (!place) return place.takeError();
      found.push_back(std::move(*place));
    }
  }
  if (found.empty())
    return diagnose("is not attached to a network interface of this namespace",
                    "attach it first; run Heddle in the interface's network namespace (`ip netns exec`)",
                    name);
  if (found.size() > 1)
    return diagnose("is attached in " + llvm::Twine(found.size()) +
                        " places, which Heddle does not specialize",
                    "load a program of its own for each interface", name);
  return std::move(found.front());
}

bool Attachment::holds(uint32_t id) const {
  if (array_) {
    uint32_t found = 0;
    return bpf_map_lookup_elem(array_.get(), &key_, &found) == 0 && found == id;
  }
  if (link_ != 0) {
    Descriptor link(bpf_link_get_fd_by_id(link_));
    bpf_link_info info{};
    uint32_t bytes = sizeof info;
    if (!link || bpf_obj_get_info_by_fd(link.get(), &info, &bytes) != 0 || info.prog_id != id) return false;
    return info.type != BPF_LINK_TYPE_XDP || info.xdp.ifindex != 0; // the link outlives its interface
  }
  uint32_t found = 0;
  return bpf_xdp_query_id(interface_, static_cast<int>(mode_), &found) == 0 && found == id;
}

Error Attachment::replace(int now, int next) const {
  int error = 0;
  if (array_) {
    bpf_prog_info info{};
    uint32_t bytes = sizeof info;
    if (bpf_obj_get_info_by_fd(now, &info, &bytes) != 0)
      error = errno;
    else if (!holds(info.id))
      error = EEXIST;
    else if (bpf_map_update_elem(array_.get(), &key_, &next, BPF_ANY) != 0)
      error = errno;
  } else if (link_ != 0) {
    Descriptor link(bpf_link_get_fd_by_id(link_));
    LIBBPF_OPTS(bpf_link_update_opts, options);
    options.flags = BPF_F_REPLACE;
    options.old_prog_fd = now;
    if (!link)
      error = ENOLINK;
    else if (bpf_link_update(link.get(), next, &options) != 0)
      error = errno;
  } else {
    LIBBPF_OPTS(bpf_xdp_attach_opts, options);
    options.old_prog_fd = now;
    error = -bpf_xdp_attach(interface_, next, mode_ | XDP_FLAGS_REPLACE, &options);
  }
  if (error == 0) return Error::success();
  if (error == EEXIST || error == EPERM || error == ENOLINK || error == ENODEV)
    return diagnose(error == ENODEV || error == ENOLINK
                        ? "is gone, and the program with it"
                        : "has another program now: somebody else has replaced or removed it",
                    "start `heddle specialize` again on what runs there now", where_);
  return bpf_error("the program cannot be replaced", error, where_);
}

} // namespace heddle
