#include "specialize/bpf/maps.h"

#include "specialize/bpf/load.h"
#include "support/diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/Support/MathExtras.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <linux/bpf.h>
#include <memory>

namespace heddle {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

constexpr uint32_t most_entries_read = 65536;

std::optional<TableKind> kind_of(uint32_t type) {
  switch (type) {
  case BPF_MAP_TYPE_HASH:
    return TableKind::Exact;
  case BPF_MAP_TYPE_LPM_TRIE:
    return TableKind::Lpm;
  case BPF_MAP_TYPE_ARRAY:
    return TableKind::Array;
  default:
    return std::nullopt;
  }
}

// Whether a value holds what a system call does not show as the program sees it: locks, timers, pointers to kernel objects.
bool has_special_field(const btf& types, uint32_t id, unsigned depth = 0) {
  const btf_type* type = btf__type_by_id(&types, id);
  while (type && (btf_is_mod(type) || btf_is_typedef(type) || btf_is_type_tag(type)))
    type = btf__type_by_id(&types, type->type);
  if (!type || btf_is_ptr(type) || depth > 16) return true;
  if (btf_is_array(type)) return has_special_field(types, btf_array(type)->type, depth + 1);
  if (!btf_is_composite(type)) return false;
  if (StringRef(btf__name_by_offset(&types, type->name_off)).starts_with("bpf_")) return true;
  llvm::ArrayRef<btf_member> members(btf_members(type), btf_vlen(type));
  return llvm::any_of(
      members, [&](const btf_member& member) { return has_special_field(types, member.type, depth + 1); });
}

bool has_special_field(const RunningMap& map) {
  bpf_map_info info{};
  uint32_t bytes = sizeof info;
  if (bpf_obj_get_info_by_fd(map.fd.get(), &info, &bytes) != 0) return true;
  if (info.btf_id == 0 || info.btf_value_type_id == 0) return false; // special fields are declared by type
  std::unique_ptr<btf, decltype(&btf__free)> types(btf__load_from_kernel_by_id(info.btf_id), btf__free);
  return !types || has_special_field(*types, info.btf_value_type_id);
}

void leave(MapView& view, StringRef reason, const llvm::Twine& what, StringRef hint, StringRef where = "") {
  if (!view.reason.empty()) return;
  view.reason = reason;
  view.what = what.str();
  view.hint = hint;
  view.where = where;
}

// Maps of what the kernel knows by address: there are no values to be known.
void leave_without_values(MapView& view) {
  switch (view.running->type) {
  case BPF_MAP_TYPE_ARRAY_OF_MAPS:
  case BPF_MAP_TYPE_HASH_OF_MAPS:
    return leave(view, "map-of-maps", "which map it finds is known at run time alone",
                 "nothing to do; other maps of the program are specialized", view.uses.where);
  case BPF_MAP_TYPE_PROG_ARRAY:
    return leave(view, "tail-calls", "it holds programs, and each of them is specialized by itself",
                 "nothing to do", view.uses.where);
  default:
    return;
  }
}

void leave_by_use(MapView& view) {
  const MapUses& uses = view.uses;
  // The elements of other types are changed in place by system calls, too, or are one per processor.
  bool replaced = view.running->type == BPF_MAP_TYPE_HASH || view.running->type == BPF_MAP_TYPE_LPM_TRIE;
  if (uses.reason.empty() && !uses.written.empty() && !replaced)
    leave(view, "data-plane-writes", "the program changes it",
          "tables that only the control plane changes are specialized", uses.first_write);
  if (uses.reason == "data-plane-updates" || uses.reason == "data-plane-writes")
    leave(view, uses.reason, "the program changes it",
          "tables that only the control plane changes are specialized", uses.where);
  else if (uses.reason == "value-escapes")
    leave(view, uses.reason, "a pointer to its values goes where Heddle does not follow it",
          "inline the function that takes it (static __always_inline)", uses.where);
  else if (!uses.reason.empty())
    leave(view, uses.reason, "it is used other than by lookup, update and delete",
          "nothing to do, where that is meant", uses.where);
}

void leave_by_type(MapView& view) {
  const RunningMap& map = *view.running;
  if (auto kind = kind_of(map.type))
    view.kind = *kind;
  else
    return leave(view, "table-type", "maps of type " + name_of_map_type(map.type) + " are left alone",
                 "hash, array and lpm_trie are specialized");
  if ((map.flags & BPF_F_MMAPABLE) && !map.frozen)
    return leave(view, "memory-mapped", "it can be written through memory, unnoticed",
                 "freeze it once it is complete, or leave BPF_F_MMAPABLE out");
  if (has_special_field(map))
    leave(view, "special-field", "its values hold locks, timers or pointers",
          "nothing to do, where that is meant");
}

} // namespace

std::string name_of_map_type(uint32_t type) {
  const char* name = libbpf_bpf_map_type_str(static_cast<bpf_map_type>(type));
  return name ? name : "type " + std::to_string(type);
}

std::vector<MapView> view_maps(llvm::Module& module, const RunningProgram& running) {
  std::vector<MapView> views;
  for (MapUses& uses : find_map_uses(module)) {
    MapView& view = views.emplace_back();
    view.uses = std::move(uses);
    view.running = find_running_map(running, view.uses.name);
    if (!view.running) {
      leave(view, "not-used", "the running program does not use it", "nothing to do");
      continue;
    }
    leave_without_values(view);
    leave_by_use(view);
    leave_by_type(view);
  }
  return views;
}

namespace {

// Ids of the maps that are in the map of maps.
std::vector<uint32_t> maps_in(int fd, uint32_t key_bytes) {
  std::vector<uint32_t> ids;
  std::string key(key_bytes, '\0'), before;
  const char* last = nullptr;
  while (ids.size() < most_entries_read && bpf_map_get_next_key(fd, last, key.data()) == 0) {
    uint32_t id = 0;
    if (bpf_map_lookup_elem(fd, key.data(), &id) == 0) ids.push_back(id);
    before = key;
    last = before.data();
  }
  return ids;
}

} // namespace

void leave_shared_maps(std::vector<MapView>& views, const std::vector<uint32_t>& own) {
  auto leave_map = [&](uint32_t id, StringRef reason, const llvm::Twine& what, StringRef hint) {
    for (MapView& view : views)
      if (view.running && view.running->id == id) leave(view, reason, what, hint);
  };
  for (uint32_t id = 0; bpf_prog_get_next_id(id, &id) == 0;) {
    if (llvm::is_contained(own, id)) continue;
    Descriptor fd(bpf_prog_get_fd_by_id(id));
    if (!fd) continue; // gone meanwhile
    std::vector<uint32_t> maps(64);
    bpf_prog_info info{};
    do {
      maps.resize(std::max<size_t>(maps.size(), info.nr_map_ids));
      info = {};
      info.nr_map_ids = maps.size();
      info.map_ids = reinterpret_cast<uintptr_t>(maps.data());
      uint32_t bytes = sizeof info;
      if (bpf_obj_get_info_by_fd(fd.get(), &info, &bytes) != 0) info.nr_map_ids = 0;
    } while (info.nr_map_ids > maps.size());
    maps.resize(info.nr_map_ids);
    for (uint32_t map : maps)
      leave_map(map, "shared-program",
                "program " + llvm::Twine(id) + " (" + info.name + ") uses it, too, and may write it",
                "give each program maps of its own, where that is possible");
    // Such a program makes system calls of its own, which no tracepoint sees.
    if (info.type == BPF_PROG_TYPE_SYSCALL)
      for (MapView& view : views)
        if (view.running) leave(view, "syscall-program", "a program of type syscall is loaded", "unload it");
  }
  for (uint32_t id = 0; bpf_map_get_next_id(id, &id) == 0;) {
    Descriptor fd(bpf_map_get_fd_by_id(id));
    bpf_map_info info{};
    uint32_t bytes = sizeof info;
    if (!fd || bpf_obj_get_info_by_fd(fd.get(), &info, &bytes) != 0) continue;
    if (info.type != BPF_MAP_TYPE_ARRAY_OF_MAPS && info.type != BPF_MAP_TYPE_HASH_OF_MAPS) continue;
    for (uint32_t inner : maps_in(fd.get(), info.key_size))
      leave_map(inner, "inner-map",
                "it is in map " + llvm::Twine(id) + " (" + info.name + "), by which others may write it",
                "give each program maps of its own, where that is possible");
  }
  for (uint32_t id = 0; bpf_link_get_next_id(id, &id) == 0;) {
    Descriptor fd(bpf_link_get_fd_by_id(id));
    bpf_link_info info{};
    uint32_t bytes = sizeof info;
    if (!fd || bpf_obj_get_info_by_fd(fd.get(), &info, &bytes) != 0 || info.type != BPF_LINK_TYPE_ITER)
      continue;
    leave_map(info.iter.map.map_id, "iterated", "an iterator over it may write its values",
              "close the iterator");
  }
}

Expected<Table> read_table(const MapView& view) {
  const RunningMap& map = *view.running;
  Table table{view.uses.name, view.kind, map.key_bytes, map.value_bytes, map.most_entries, {}};
  table.written = view.uses.written;
  auto incomplete = [&] {
    table.complete = false;
    table.entries.clear();
    return std::move(table);
  };
  if (view.kind == TableKind::Array && map.most_entries > most_entries_read) return incomplete();
  uint32_t most =
      4096; // entries that are read at once; the kernel wants to give those of a hash bucket together
  std::string at(std::max<size_t>(map.key_bytes, 8), '\0'); // where the kernel goes on
  for (bool first = true;;) {
    std::string keys(size_t(most) * map.key_bytes, '\0');
    std::string values(size_t(most) * llvm::alignTo(map.value_bytes, 8), '\0');
    uint32_t count = most;
    bool more = bpf_map_lookup_batch(map.fd.get(), first ? nullptr : at.data(), at.data(), keys.data(),
                                     values.data(), &count, nullptr) == 0;
    if (!more && errno == EINTR) return incomplete(); // deleted meanwhile
    if (!more && errno == ENOSPC) {
      most *= 2;
      continue;
    }
    if (!more && errno != ENOENT) return bpf_error("cannot be read", errno, "map " + view.uses.name);
    first = false;
    if (table.entries.size() + count > most_entries_read) return incomplete();
    for (size_t i = 0; i != count; ++i) {
      std::string value = values.substr(i * map.value_bytes, map.value_bytes);
      for (uint64_t at = 0; at != value.size(); ++at)
        if (table.is_written(at, 1)) value[at] = 0;
      table.entries.push_back({keys.substr(i * map.key_bytes, map.key_bytes), std::move(value)});
    }
    if (!more) return table;
  }
}

Expected<std::optional<std::string>> look_up(const MapView& view, StringRef key) {
  std::string value(view.running->value_bytes, '\0');
  if (bpf_map_lookup_elem(view.running->fd.get(), key.data(), value.data()) == 0) return value;
  if (errno == ENOENT) return std::nullopt;
  return bpf_error("cannot be read", errno, "map " + view.uses.name);
}

} // namespace heddle
