#include "verify/dependencies/check.h"

#include "analysis/loop_control.h"
#include "program/deferrable.h"
#include "program/modelled.h"
#include "support/file.h"
#include "support/installed.h"
#include "support/progress.h"
#include "toolchain/codegen.h"
#include "transform/build.h"
#include "verify/dependencies/instrument.h"
#include "verify/dependencies/library.h"
#include "verify/dependencies/runtime/format.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <tuple>

using namespace llvm;

namespace heddle {

namespace {

using dependencies::File;
using dependencies::ObjectKind;
using dependencies::Pair;
using dependencies::Relaxation;
using Clock = std::chrono::steady_clock;

Expected<std::string> dependencies_runtime(StringRef name) {
  std::string path = installed_file(name);
  if (!sys::fs::exists(path))
    return diagnose("the dependency checker's runtime is missing",
                    "set HEDDLE_LIB to the folder that holds it", path);
  return path;
}

Expected<CheckedProgram> build(const ProgramImage& image, const Program& program, const Plan& plan,
                               const TemporaryFolder& folder, const std::string& executable, Order order) {
  const bool staged = order == Order::Staged;
  auto runtime =
      dependencies_runtime(staged ? "libheddle_dependencies_staged_rt.a" : "libheddle_dependencies_rt.a");
  if (!runtime) return runtime.takeError();
  std::vector<std::string> archives{*runtime};
  if (staged) {
    auto scheduler = runtime_library();
    if (!scheduler) return scheduler.takeError();
    archives.push_back(*scheduler);
  }
  std::unique_ptr<Module> clone = CloneModule(*program.module);
  auto checked = instrument_accesses(*clone, program, plan, order);
  if (!checked) return checked;
  const std::string object = folder.file("checked.o");
  if (Error error = emit_object(*clone, object)) return std::move(error);
  if (Error error = relink(image, {object}, archives, executable)) return std::move(error);
  return checked;
}

// The file that the run fills: a header, and nothing else yet.
Error make_file(const std::string& path, const Program& program) {
  return write_file(path, [&](raw_ostream& out) {
    auto file = std::make_unique<File>();
    std::memcpy(file->magic, dependencies::file_magic, sizeof file->magic);
    std::strncpy(file->program, program.id.c_str(), sizeof file->program - 1);
    out.write(reinterpret_cast<const char*>(file.get()), sizeof *file);
  });
}

// Turns the runtime's numbers into what a person can read.
class Reader {
public:
  Reader(const CheckedProgram& program, const Plan& plan, Order order)
      : program_(program), plan_(plan), order_(order) {}

  DependencyResult read(const File& file) {
    DependencyResult result;
    result.packets = file.packets;
    result.batches = file.batches;
    result.staged = file.staged_packets;
    result.alone = file.alone;
    result.accesses = file.accesses;
    result.lost_pairs = file.lost_pairs;
    result.lost_records = file.lost_records;
    for (const Pair& pair : file.pairs)
      if (pair.first_place && (pair.object_kind != ObjectKind::HeldLock || relies_on_locks())) add(pair);
    for (ReversedPair& pair : pairs_)
      (pair.relaxation.empty() ? result.violations : result.let_through).push_back(std::move(pair));
    for (auto* pairs : {&result.violations, &result.let_through})
      llvm::sort(*pairs, [](const ReversedPair& a, const ReversedPair& b) {
        return std::tie(b.count, a.earlier.place.at, a.later.place.at) <
               std::tie(a.count, b.earlier.place.at, b.later.place.at);
      });
    for (size_t i = 0; i < program_.unseen.size() && i < dependencies::most_unseen; ++i)
      if (file.unseen[i]) result.unseen.emplace_back(program_.unseen[i], file.unseen[i]);
    return result;
  }

private:
  // Where locks have windows, a packet that never releases one holds it at sites as it would without them.
  bool relies_on_locks() const {
    return any_of(plan_.bodies, [](const BodyPlan& body) {
      return any_of(body.relaxed, [](const PlannedRelaxation& relaxed) { return relaxed.verdict == "lock"; });
    });
  }

  // Only variables can be told by the name that a declaration has for them, and exits of the loop: not which.
  bool is_declared(const Pair& pair) const {
    const bool variable = pair.object_kind == ObjectKind::Global || pair.object_kind == ObjectKind::Thread;
    if (!variable && pair.object_kind != ObjectKind::LoopControl) return false;
    StringRef name = !variable                               ? late_exit
                     : pair.object < program_.globals.size() ? StringRef(program_.globals[pair.object])
                                                             : "?";
    return any_of(plan_.declarations.trusted(plan_.trust).all, [&](const Declaration& declaration) {
      StringRef rest = declaration.kind == "declared" ? StringRef(declaration.names.front()) : "";
      return rest.consume_front(name) &&
             (!variable || rest.empty() || rest.front() == '.' || rest.front() == '[');
    });
  }

  // Output of an earlier packet, and what a later one has received ahead of it.
  static bool is_received_ahead(const Pair& pair, const ReversedPair& read) {
    auto is_output = [](StringRef name) {
      return any_of(deferrable_functions(), [&](const DeferrableFunction& known) {
        return name == known.name || name == known.stand_in || name == known.sure;
      });
    };
    return pair.object_kind == ObjectKind::Descriptor && is_output(read.earlier.place.call) &&
           receives_ahead(read.later.place.call);
  }

  // A relaxation that the plan does not use lets nothing through.
  std::string relaxation_of(const Pair& pair, const ReversedPair& read) const {
    static constexpr StringRef names[] = {"declared", "commutative", "allocator", "commuting",
                                          "scratch",  "errno",       "lock",      "keyed"};
    const bool ahead = is_received_ahead(pair, read);
    if (pair.relaxation == Relaxation::None && !ahead && !is_declared(pair)) return "";
    if (pair.relaxation == Relaxation::Errno &&
        none_of(plan_.bodies, [](const BodyPlan& b) { return b.own_errno; }))
      return "";
    if (pair.relaxation == Relaxation::Lock && !relies_on_locks()) return "";
    StringRef name = ahead ? "received-ahead" : names[unsigned(pair.relaxation)];
    return is_contained(plan_.relaxations, name) ? name.str() : "";
  }

  std::string object_of(const Pair& pair) const {
    auto global = [&] { return pair.object < program_.globals.size() ? program_.globals[pair.object] : "?"; };
    auto within = [&] {
      return " (byte " + std::to_string(pair.offset) + " of " + std::to_string(pair.object_size) + ")";
    };
    switch (pair.object_kind) {
    case ObjectKind::Global:
      return global() + within();
    case ObjectKind::Thread:
      return "thread-local " + global() + within();
    case ObjectKind::Heap: {
      const AccessPlace& made = program_.places[pair.object];
      return "memory allocated at " + made.at + " in " + made.function + within();
    }
    case ObjectKind::Stack:
      return "a variable of the function that holds the packet loop, or of one of its callers";
    case ObjectKind::Stream:
      return "a C stream";
    case ObjectKind::Descriptor:
      return "file descriptor " + std::to_string(pair.object);
    case ObjectKind::System:
      return "the system's state: " + system_state_name(pair.object).str();
    case ObjectKind::HeldLock:
      return "a lock that the packet holds where it may be suspended";
    case ObjectKind::LoopControl:
      return "the packet loop's control: packets after this one have begun by then";
    case ObjectKind::Unknown:
      break;
    }
    return "memory that the program did not allocate itself";
  }

  void add(const Pair& pair) {
    ReversedPair read;
    read.earlier = {program_.places[pair.first_place], pair.first_writes != 0, pair.first_packet,
                    pair.first_stage};
    read.later = {program_.places[pair.second_place], pair.second_writes != 0, pair.second_packet,
                  pair.second_stage};
    if (order_ == Order::Staged) { // who came first there is the later one of the original
      std::swap(read.earlier, read.later);
      read.earlier.stage = read.later.stage = std::nullopt;
    }
    read.count = pair.count;
    read.batch = pair.batch;
    read.object = object_of(pair);
    read.relaxation = relaxation_of(pair, read);
    pairs_.push_back(std::move(read));
  }

  const CheckedProgram& program_;
  const Plan& plan_;
  Order order_;
  std::vector<ReversedPair> pairs_;
};

Error check_end(const ProgramImage& image, const ProcessResult& ended, const CommandLine& command) {
  if (ended.timed_out)
    return diagnose("the checked program did not end within " + Twine(command.timeout_seconds) + " s",
                    "allow it more time (--timeout), or give it less input: it runs some 20 times slower",
                    image.path);
  const int signal = ended.exit_status - 128;
  if (signal <= 0 || signal >= NSIG || signal == SIGTERM || signal == SIGINT || signal == SIGHUP)
    return Error::success();
  return diagnose(Twine("the checked program crashed: ") + strsignal(signal) + " (signal " + Twine(signal) +
                      ")",
                  "run the original on the same arguments; if that does not crash, report this", image.path);
}

} // namespace

Expected<DependencyResult> check_dependencies(const ProgramImage& image, const Program& program,
                                              const Plan& plan, const CommandLine& command, Order order) {
  auto folder = TemporaryFolder::create("heddle-dependencies");
  if (!folder) return folder.takeError();
  const std::string executable = folder->file(sys::path::filename(image.path)), log = folder->file("pairs");
  const Clock::time_point begin = Clock::now();
  auto checked = build(image, program, plan, *folder, executable, order);
  if (!checked) return checked.takeError();
  const std::chrono::duration<double> building = Clock::now() - begin;
  if (Error error = make_file(log, program)) return std::move(error);

  auto sandbox = Sandbox::create(command);
  if (!sandbox) return sandbox.takeError();
  progress_at("running, with every access watched");
  auto run = sandbox->run({"checked",
                           executable,
                           {{"HEDDLE_DEPENDENCIES_OUT", log}, {"HEDDLE_BATCH", std::to_string(plan.batch)}}});
  if (!run) return run.takeError();
  if (Error error = check_end(image, run->process, command)) return std::move(error);

  auto bytes = read_file(log);
  if (!bytes) return bytes.takeError();
  if ((*bytes)->getBufferSize() != sizeof(File))
    return diagnose("the checked run's log is damaged", "see that TMPDIR has room, and run it again", log);
  const auto& file = *reinterpret_cast<const File*>((*bytes)->getBufferStart());
  if (file.packets == 0)
    return diagnose("the checked run saw no packet", "give it traffic, as for `heddle profile`", image.path);
  DependencyResult result = Reader(*checked, plan, order).read(file);
  result.batch = plan.batch;
  result.instructions = checked->accesses;
  result.exit_status = run->process.exit_status;
  result.build_seconds = building.count();
  result.run_seconds = run->process.wall_seconds;
  result.cpu_seconds = run->process.user_seconds + run->process.system_seconds;
  result.peak_memory_kib = run->process.peak_memory_kib;
  return result;
}

} // namespace heddle
