// Deferred output.
//
// Problem: a write to a log, a file or a socket ties all the code between the first and the last of them together,
// although the body never looks at what comes of it. Staged as it is, packet 2 would write before packet 1.
// Alternatives: one buffer per channel and packet (loses the order between channels), or a copy of each channel's
// state (there is none to be had). Choice: keep the calls, arguments and data, in one queue per packet, and make
// them in packet order (src/runtime/deferred.cpp). The order of all calls that are kept is then the original's, on
// each channel and between channels.
//
// A channel is a stream (a FILE of its own, by points-to) or all descriptors, or the system's log, or what the functions of
// [[output]] write to descriptors. A stream whose
// descriptor the program may use by itself is part of the channel of descriptors as well (streams.h). It is
// deferred when all of this holds:
//   - every access of common code is a direct call of a function that can be kept (deferrable.h), whose result
//     nothing uses, or the user declares (program/declared_output.h). So nothing in common code observes the channel: no read, flush, seek, close, fork, no
//     unknown function. Rare code may do all of that: what is kept is made before a packet is alone, and an
//     alone packet's calls are made at once;
//   - the stream does not write to memory that the program can read (open_memstream);
//   - an exit is in rare code or behind a gate of its own (exits.h), so that it finds the output made;
//   - no function with such a call may run in a signal handler of which the runtime does not know (rarity.h): it
//     would find the queue half written. Others write at once, as they come at no particular time; a packet that
//     raises a signal itself is taken to observe all channels;
//   - in a program with threads or processes of its own: no packet goes on to synchronise with another thread
//     after its write. What that thread writes next has to come after it. The user says so of declared output;
//   - no such call is made within a call that is declared to commute: where there is no memory to keep it, the
//     packet becomes alone, and others run in the middle of what has to be atomic;
//   - each call is kept in all the bodies that may make it, and all channels that a call is an access to are
//     deferred, or none.
// Datagrams that packets receive are a channel of their own, with a window, unless common code does anything else to
// descriptors: then all of them are one (locations.cpp, received-ahead).
// Whatever a call reads is read when the packet makes it. errno of a kept call is not available.
#include "analysis/channels.h"

#include "analysis/names.h"
#include "analysis/rarity.h"
#include "program/deferrable.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle {

bool holds_channels(SystemLocation location) {
  return location == SystemLocation::StdioChannel || location == SystemLocation::FileDescriptor ||
         location == SystemLocation::Syslog || location == SystemLocation::DeclaredOutput;
}

namespace {

std::string place_of(const Instruction& at) {
  return location_of(at).str() + " in " + innermost_function(at).str();
}

// Does the program have more than one thread, or processes that share its channels?
bool runs_in_parallel(const Module& module) {
  static constexpr StringRef starters[] = {"pthread_create",
                                           "thrd_create",
                                           "clone",
                                           "fork",
                                           "rte_eal_remote_launch",
                                           "rte_eal_mp_remote_launch",
                                           "rte_ctrl_thread_create",
                                           "rte_thread_create",
                                           "rte_thread_create_control"};
  return any_of(module, [](const Function& function) {
    return function.isDeclaration() && (is_contained(starters, function.getName()) ||
                                        function.getName().starts_with("_ZNSt6thread15_M_start_thread"));
  });
}

class ChannelFinder {
public:
  ChannelFinder(const BodyGraph& graph, const Effects& effects, const AccessTable& table,
                const ChannelOptions& options)
      : graph_(graph), effects_(effects), points_to_(effects.points_to()), table_(table), options_(options) {}

  Channels run() {
    for (ObjectId object : table_.objects()) {
      const MemoryObject& memory = points_to_.objects()[object];
      if (memory.kind == ObjectKind::System && holds_channels(memory.system)) divide(memory);
    }
    find_calls();
    for (Channel& channel : result_.all)
      channel.obstacle = obstacle_to(channel);
    settle_calls();
    for (Channel& channel : result_.all)
      channel.deferred = channel.obstacle.empty();
    for (const KeepableCall& call : calls_)
      if (all_of(call.channels, [&](uint32_t c) { return result_.all[c].deferred; }))
        result_.kept.push_back(call.call);
      else
        result_.some_stay = true;
    return std::move(result_);
  }

private:
  const AccessKey& key(uint32_t number) const { return table_.keys()[number]; }
  // Datagrams that are received ahead and output are two channels.
  bool apart(Flow a, Flow b) const {
    return options_.receive_ahead &&
           ((a == Flow::Receives && b == Flow::Sends) || (a == Flow::Sends && b == Flow::Receives));
  }
  bool overlap(uint32_t a, uint32_t b) const {
    return !apart(key(a).flow, key(b).flow) &&
           may_overlap(key(a).place, key(a).size, key(b).place, key(b).size);
  }

  // The channels of a location: accesses of common code that may meet, directly or by way of others. What rare
  // code does belongs to each channel that it may touch.
  void divide(const MemoryObject& object) {
    SmallVector<uint32_t, 16> common, rare;
    for (uint32_t number : table_.keys_of(object.id))
      (key(number).rare ? rare : common).push_back(number);
    if (common.empty()) return add(object, {rare.begin(), rare.end()});
    IntEqClasses classes(common.size());
    for (unsigned i = 0; i != common.size(); ++i)
      for (unsigned k = 0; k != i; ++k)
        if (overlap(common[i], common[k])) classes.join(i, k);
    classes.compress();
    std::vector<std::vector<uint32_t>> parts(classes.getNumClasses());
    for (unsigned i = 0; i != common.size(); ++i)
      parts[classes[i]].push_back(common[i]);
    for (std::vector<uint32_t>& part : parts) {
      const size_t own = part.size();
      for (uint32_t number : rare)
        if (any_of(ArrayRef(part).take_front(own), [&](uint32_t other) { return overlap(number, other); }))
          part.push_back(number);
      add(object, std::move(part));
    }
  }

  // Streams whose descriptors nobody uses are no channel of descriptors.
  void add(const MemoryObject& object, std::vector<uint32_t> keys) {
    if (all_of(keys, [&](uint32_t number) { return key(number).implied; })) return;
    Channel& channel = result_.all.emplace_back();
    channel.object = object.id;
    channel.name = system_location_name(object.system).str();
    if (object.system == SystemLocation::StdioChannel) channel.name += streams_in(keys);
    channel.received = options_.receive_ahead &&
                       all_of(keys, [&](uint32_t number) { return key(number).flow == Flow::Receives; });
    if (channel.received) channel.name += " (received)";
    channel.keys = std::move(keys);
  }

  std::string streams_in(ArrayRef<uint32_t> keys) const {
    bool in = false, out = false, opened = false;
    const bool only_rare = all_of(keys, [&](uint32_t number) { return key(number).rare; });
    for (uint32_t number : keys) {
      if (key(number).rare && !only_rare) continue;
      if (!key(number).place.exact()) return "";
      const int64_t stream = key(number).place.offset / stream_size;
      in |= stream == int64_t(StandardStream::In);
      out |= stream == int64_t(StandardStream::Out);
      opened |= key(number).place.offset < 0 || key(number).place.offset >= first_opened_stream;
    }
    std::string names;
    for (auto [is, name] : {std::pair(in, "stdin"), {out, "stdout, stderr"}, {opened, "opened stream"}})
      if (is) names += (names.empty() ? "" : ", ") + std::string(name);
    return " (" + names + ")";
  }

  // A call of common code that could be kept, with the channels that it is an access to.
  struct KeepableCall {
    const CallBase* call;
    SmallVector<uint32_t, 2> channels;
  };

  void find_calls() {
    DenseSet<const Function*> reached(effects_.reach(body()).begin(), effects_.reach(body()).end());
    for (const Function& function : points_to_.module()) {
      if (!reached.contains(&function)) continue;
      for (const Instruction& instruction : instructions(function)) {
        const auto* call = dyn_cast<CallBase>(&instruction);
        if (!call || !is_deferrable(*call)) continue;
        KeepableCall found{call, {}};
        for (const Access& access : effects_.of(*call))
          if (access.deferrable && !access.rare) add_channels(found, access);
        if (!found.channels.empty()) calls_.push_back(std::move(found));
      }
    }
  }

  void add_channels(KeepableCall& call, const Access& access) const {
    for (uint32_t c = 0; c != result_.all.size(); ++c) {
      const Channel& channel = result_.all[c];
      bool touched = channel.object == access.object && any_of(channel.keys, [&](uint32_t number) {
                       return !apart(access.flow, key(number).flow) &&
                              may_overlap(access.place, access.size, key(number).place, key(number).size);
                     });
      if (touched && !is_contained(call.channels, c)) call.channels.push_back(c);
    }
  }

  // A call is kept or made where it is, as a whole.
  void settle_calls() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const KeepableCall& call : calls_) {
        const auto stays =
            find_if(call.channels, [&](uint32_t c) { return !result_.all[c].obstacle.empty(); });
        if (stays == call.channels.end()) continue;
        for (uint32_t c : call.channels)
          if (result_.all[c].obstacle.empty()) {
            result_.all[c].obstacle = place_of(*call.call) + " also writes to " + result_.all[*stays].name +
                                      ", where " + result_.all[*stays].obstacle;
            changed = true;
          }
      }
    }
  }

  std::string obstacle_to(const Channel& channel) {
    if (!options_.defer) return "the relaxation is off";
    for (uint32_t number : channel.keys)
      if (!key(number).rare && !key(number).deferrable)
        return observer(*table_.made_by(number).front().second);
    if (std::string exits = exit_in_common_code(); !exits.empty()) return exits;
    const uint32_t index = uint32_t(&channel - result_.all.data());
    for (const KeepableCall& call : calls_) {
      if (!is_contained(call.channels, index)) continue;
      if (options_.fixed.contains(call.call))
        return place_of(*call.call) + " is called from another packet loop, too, where it cannot be kept";
      if (in_handlers().contains(call.call->getFunction()))
        return place_of(*call.call) + " may run in a signal handler";
    }
    return synchronised_after(channel);
  }

  std::string observer(const Instruction& at) const {
    const auto* call = dyn_cast<CallBase>(&at);
    const Function* function = call ? call->getCalledFunction() : nullptr;
    const std::string what =
        place_of(at) + (function ? " (" + function->getName().str() + ")" : std::string());
    if (!call || !deferrable_function(*call)) return what + " may observe the channel";
    if (!call->use_empty()) return "the result is used at " + what;
    if (any_of(effects_.of(at), [](const Access& access) { return access.deferrable; }))
      return what + " is within a call that is declared to commute";
    return "the stream is not known at " + what;
  }

  std::string exit_in_common_code() const {
    for (uint32_t number : table_.keys_of(points_to_.system_object(SystemLocation::ProcessExit)))
      if (!key(number).rare)
        return "the program may end at " + place_of(*table_.made_by(number).front().second);
    return "";
  }

  const DenseSet<const Function*>& in_handlers() {
    if (!in_handlers_) in_handlers_ = run_by_signals(points_to_);
    return *in_handlers_;
  }

  bool synchronises(const Access& access) const {
    if (access.rare) return false; // alone: its output is made by then
    const MemoryObject& object = points_to_.objects()[access.object];
    if (object.kind == ObjectKind::System)
      return object.system == SystemLocation::Lock || object.system == SystemLocation::Thread;
    return access.atomic && access.write && access.update == UpdateOp::None &&
           object.kind != ObjectKind::Stack;
  }

  // An instruction of common code by which another thread may learn how far the packet has come; null: none.
  const Instruction* synchronising_in(const BasicBlock& block) {
    for (const Instruction& instruction : block) {
      if (const auto* fence = dyn_cast<FenceInst>(&instruction);
          fence && fence->getSyncScopeID() == SyncScope::System)
        return &instruction;
      const auto* call = dyn_cast<CallBase>(&instruction);
      const auto* assembly = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
      if (assembly && StringRef(assembly->getConstraintString()).contains("~{memory}")) return &instruction;
      for (const Access& access : effects_.of(instruction))
        if (synchronises(access)) return &instruction;
    }
    return nullptr;
  }

  const Instruction* synchronising_in(const Function& function) {
    auto [known, fresh] = synchronising_functions_.try_emplace(&function, nullptr);
    for (auto block = function.begin(); fresh && block != function.end() && !known->second; ++block)
      known->second = synchronising_in(*block);
    return known->second;
  }

  // Of each node, closed calls included.
  const std::vector<const Instruction*>& synchronising() {
    if (!synchronising_.empty()) return synchronising_;
    synchronising_.resize(graph_.nodes.size());
    for (uint32_t n = 0; n != graph_.nodes.size(); ++n) {
      const BodyNode& node = graph_.nodes[n];
      if (node.rare) continue;
      synchronising_[n] = synchronising_in(*node.block);
      for (const CallBase* call : node.closed_calls)
        for (const Function* callee : points_to_.callees(*call))
          for (const Function* reached : effects_.reach(*callee))
            if (!synchronising_[n]) synchronising_[n] = synchronising_in(*reached);
    }
    return synchronising_;
  }

  // In the nodes that write, what comes first is not known.
  std::string synchronised_after(const Channel& channel) {
    const bool declared = points_to_.objects()[channel.object].system == SystemLocation::DeclaredOutput;
    if (declared || !runs_in_parallel(points_to_.module())) return "";
    std::vector<uint32_t> work;
    std::vector<bool> seen(graph_.nodes.size());
    auto reach = [&](uint32_t node) {
      if (!seen[node]) work.push_back(node);
      seen[node] = true;
    };
    for (uint32_t number : channel.keys)
      if (!key(number).rare)
        for (const AccessTable::Carrier& carrier : table_.carriers(number))
          reach(carrier.node);
    if (next_.empty()) {
      next_.resize(graph_.nodes.size());
      for (const BodyEdge& edge : graph_.edges)
        next_[edge.from].push_back(edge.to);
    }
    while (!work.empty()) {
      const uint32_t node = work.back();
      work.pop_back();
      if (const Instruction* at = synchronising()[node])
        return "other threads may go on from " + place_of(*at) + ", which comes after a write";
      for (uint32_t to : next_[node])
        reach(to);
    }
    return "";
  }

  const Function& body() const { return *graph_.contexts.front().function; }

  const BodyGraph& graph_;
  const Effects& effects_;
  const PointsTo& points_to_;
  const AccessTable& table_;
  const ChannelOptions& options_;
  std::vector<KeepableCall> calls_;
  std::optional<DenseSet<const Function*>> in_handlers_;
  std::vector<const Instruction*> synchronising_; // per node
  DenseMap<const Function*, const Instruction*> synchronising_functions_;
  std::vector<std::vector<uint32_t>> next_; // nodes
  Channels result_;
};

} // namespace

Channels find_channels(const BodyGraph& graph, const Effects& effects, const AccessTable& table,
                       const ChannelOptions& options) {
  return ChannelFinder(graph, effects, table, options).run();
}

} // namespace heddle
