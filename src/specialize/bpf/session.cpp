#include "specialize/bpf/session.h"

#include "specialize/bpf/host_costs.h"
#include "specialize/bpf/own_map.h"
#include "specialize/bpf/state.h"
#include "support/diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"

#include <linux/bpf.h>
#include <set>
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

Remark remark_of(const char* code, const char* so, Error why) {
  Remark remark{code, "", "", ""};
  llvm::handleAllErrors(std::move(why), [&](const Diagnostic& diagnostic) {
    remark = {code, diagnostic.where(), diagnostic.what() + ": " + so, diagnostic.hint()};
  });
  return remark;
}

std::vector<std::string> specialize_pass_names() {
  return {std::begin(specialize_passes), std::end(specialize_passes)};
}

BpfSession::BpfSession(std::unique_ptr<State> state) : state_(std::move(state)) {}
BpfSession::BpfSession(BpfSession&&) noexcept = default;
BpfSession::~BpfSession() = default;

Expected<std::unique_ptr<ChainProgram>> ChainProgram::open(ChainSource& source, RunningProgram running) {
  auto program = std::make_unique<ChainProgram>(source, std::move(running));
  auto function = function_of(source.object.bytes, source.object.path, program->running);
  if (!function) return function.takeError();
  program->function = std::move(*function);
  if (Error error = check_object_matches(program->loading(), program->running)) return std::move(error);
  auto missed = make_counter("heddle_missed");
  if (!missed) return missed.takeError();
  program->missed = std::move(*missed);
  program->views = view_maps(source.compiler->module(), program->running);
  for (const std::string& pass : source.options.disabled)
    program->disabled.insert(pass);
  return program;
}

Expected<BpfSession> BpfSession::open(const SpecializeOptions& options,
                                      llvm::ArrayRef<std::string> restored) {
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
  ChainSource& source = state->source;
  source.options = options;
  source.object = std::move(*object);
  auto compiler = BpfCompiler::open(source.object.bitcode, source.context, source.object.path);
  if (!compiler) return compiler.takeError();
  compiler->optimize();
  source.compiler.emplace(std::move(*compiler));
  auto entry = ChainProgram::open(source, std::move(*running));
  if (!entry) return entry.takeError();
  for (const std::string& map : options.excluded) {
    bool known = llvm::any_of((*entry)->views, [&](const MapView& view) { return view.uses.name == map; });
    if (!known)
      return diagnose("the program has no map " + map, "`heddle specialize --dry-run` lists its maps",
                      "--exclude-map");
    source.excluded.insert(map);
  }
  state->programs.push_back(std::move(*entry));
  for (const std::string& place : restored)
    state->programs.front()->remarks.push_back(
        {"left-behind", place,
         "a version was left here by a Heddle that was killed with its keeper: the original is back",
         "nothing to do"});
  state->learn_costs();
  if (Error error = state->follow_tail_calls()) return std::move(error);
  return BpfSession(std::move(state));
}

void BpfSession::State::learn_costs() {
  if (!source.options.measure_costs) return;
  if (auto costs = measure_host_costs())
    source.costs = *costs;
  else
    programs.front()->remarks.push_back(
        remark_of("costs-not-measured", "ways are chosen by built-in figures", costs.takeError()));
}

Expected<std::unique_ptr<ChainProgram>>
BpfSession::State::open_behind(ChainProgram& caller, const RunningMap& array, ArrayElement element) {
  constexpr size_t most_programs = 32; // that the kernel lets one packet meet
  std::string name = "program " + std::to_string(element.program);
  auto leave = [&](const char* code, const llvm::Twine& what, const char* hint) {
    std::string where = array.name + "[" + std::to_string(element.key) + "]";
    caller.remarks.push_back({code, where, (name + what).str(), hint});
    return nullptr;
  };
  if (element.program == programs.front()->running.id)
    return leave("calls-itself", " is the one in front: behind the tail call it runs as it is",
                 "nothing to do");
  if (programs.size() == most_programs)
    return leave("long-chain", " is not specialized: there are more than 32",
                 "specialize it by itself, with --prog");
  auto running = open_running_program(element.program);
  if (!running) return running.takeError();
  auto program = ChainProgram::open(source, std::move(*running));
  if (!program) {
    llvm::consumeError(program.takeError());
    return leave("other-object", " is not from " + source.object.path + ", and runs as it is",
                 "specialize it by itself, with --prog and its own --object");
  }
  (*program)->element = {array.id, element.key};
  return program;
}

Error BpfSession::State::follow_tail_calls() {
  std::set<uint32_t> seen; // arrays
  for (size_t at = 0; at != programs.size(); ++at) {
    ChainProgram& caller = *programs[at];
    for (const RunningMap& map : caller.running.maps) {
      if (map.type != BPF_MAP_TYPE_PROG_ARRAY || !seen.insert(map.id).second) continue;
      for (ArrayElement element : programs_in(map)) {
        auto program = open_behind(caller, map, element);
        if (!program) return program.takeError();
        if (*program) programs.push_back(std::move(*program));
      }
    }
  }
  return Error::success();
}

std::vector<uint32_t> BpfSession::State::ids() const {
  std::vector<uint32_t> ids;
  for (const auto& program : programs)
    ids.push_back(program->running.id);
  return ids;
}

std::vector<uint32_t> BpfSession::State::candidates() const {
  std::set<uint32_t> ids;
  for (const auto& program : programs)
    for (const MapView& view : program->views)
      if (view.running && view.reason.empty()) ids.insert(view.running->id);
  return {ids.begin(), ids.end()};
}

namespace {

Expected<AnalysisReport> analyse(const ChainProgram& program, const std::vector<uint32_t>& own) {
  std::vector<MapView> views = program.views;
  leave_shared_maps(views, own);
  const RunningProgram& running = program.running;
  AnalysisReport report{running.id, program.function, running.tag, running.code.size() / 8, {}, {}};
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
    map.written_bytes = table->written_bytes();
  }
  return report;
}

} // namespace

Expected<std::vector<AnalysisReport>> BpfSession::analysis() const {
  std::vector<AnalysisReport> reports;
  for (const auto& program : state_->programs) {
    auto report = analyse(*program, state_->ids());
    if (!report) return report.takeError();
    reports.push_back(std::move(*report));
  }
  reports.front().costs = state_->source.costs;
  return reports;
}

} // namespace heddle
