#include "specialize/bpf/session.h"

#include "specialize/bpf/state.h"
#include "support/diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"

#include <linux/bpf.h>
#include <unistd.h>

namespace heddle {

using llvm::Error;
using llvm::Expected;

namespace {

Expected<uint32_t> find_program(const ProgramChoice& choice) {
  if (!choice.interface.empty()) return program_on_interface(choice.interface);
  if (!choice.pin.empty()) return program_pinned_at(choice.pin);
  return choice.id;
}

} // namespace

std::vector<std::string> specialize_pass_names() {
  return {std::begin(specialize_passes), std::end(specialize_passes)};
}

BpfSession::BpfSession(std::unique_ptr<State> state) : state_(std::move(state)) {}
BpfSession::BpfSession(BpfSession&&) noexcept = default;
BpfSession::~BpfSession() = default;

Expected<BpfSession> BpfSession::open(const SpecializeOptions& options) {
  auto id = find_program(options.program);
  if (!id) return id.takeError();
  auto running = open_running_program(*id);
  if (!running) return running.takeError();
  if (running->type != BPF_PROG_TYPE_XDP)
    return diagnose("is not an XDP program", "Heddle specializes XDP programs; `bpftool prog` lists them",
                    "program " + std::to_string(running->id));
  auto object = read_bpf_object(options.object);
  if (!object) return object.takeError();
  auto state = std::make_unique<State>();
  state->options = options;
  state->object = std::move(*object);
  state->running = std::move(*running);
  auto function = function_of(state->object.bytes, state->object.path, state->running);
  if (!function) return function.takeError();
  state->function = std::move(*function);
  if (Error error = check_object_matches(state->loading(), state->running)) return std::move(error);
  auto compiler = BpfCompiler::open(state->object.bitcode, state->context, state->object.path);
  if (!compiler) return compiler.takeError();
  compiler->optimize();
  state->views = view_maps(compiler->module(), state->running);
  state->compiler.emplace(std::move(*compiler));
  for (const std::string& pass : options.disabled)
    state->disabled.insert(pass);
  for (const std::string& map : options.excluded) {
    bool known = llvm::any_of(state->views, [&](const MapView& view) { return view.uses.name == map; });
    if (!known)
      return diagnose("the program has no map " + map, "`heddle specialize --dry-run` lists its maps",
                      "--exclude-map");
    state->excluded.insert(map);
  }
  return BpfSession(std::move(state));
}

Expected<AnalysisReport> BpfSession::analysis() const {
  const State& s = *state_;
  std::vector<MapView> views = s.views;
  leave_shared_maps(views, {s.running.id});
  AnalysisReport report{s.running.id, s.function, s.running.tag, s.running.code.size() / 8, {}};
  for (const MapView& view : views) {
    if (!view.running) continue;
    MapReport& map = report.maps.emplace_back();
    map.name = view.uses.name;
    map.type = name_of_map_type(view.running->type);
    map.most_entries = view.running->most_entries;
    map.key_bytes = view.running->key_bytes;
    map.value_bytes = view.running->value_bytes;
    map.lookups = view.uses.lookups.size();
    map.updates = view.uses.updates.size();
    map.deletes = view.uses.deletes.size();
    map.left_alone = {view.reason, view.where, view.what, view.hint};
    if (!view.reason.empty()) continue;
    auto table = read_table(view);
    if (!table) return table.takeError();
    if (table->complete) map.entries = table->entries.size();
  }
  return report;
}

} // namespace heddle
