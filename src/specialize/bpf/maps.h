// Which of the program's maps may be specialized, and what is in them.
#pragma once

#include "specialize/bpf/running.h"
#include "specialize/bpf/sites.h"
#include "specialize/table.h"

#include <optional>

namespace heddle {

struct MapView {
  MapUses uses;
  const RunningMap* running = nullptr; // null: the running program does not use it
  TableKind kind = TableKind::Exact;
  // Why it is left alone: a reason code, where that is decided, and what to do. Empty: it may be specialized.
  std::string reason, where, what, hint;
};

// Every map of the program, in the order of the source.
std::vector<MapView> view_maps(llvm::Module& module, const RunningProgram& running);

// Maps that somebody beside this program may write without a system call that names them: another program (those in `own` are
// versions of this one), or an iterator over the map. Such views get a reason. To be asked again for every version.
void leave_shared_maps(std::vector<MapView>& views, const std::vector<uint32_t>& own);

// The map's shape, and all entries; not complete where it has more than can be read in a moment, or changes meanwhile.
llvm::Expected<Table> read_table(const MapView& view);

// What a lookup of the key finds; nothing: no entry matches.
llvm::Expected<std::optional<std::string>> look_up(const MapView& view, llvm::StringRef key);

// How the kernel calls the type of map, as "lpm_trie".
std::string name_of_map_type(uint32_t type);

} // namespace heddle
