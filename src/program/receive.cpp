// Finding the packet loop.
//
// The receive call itself is known by name. The loop over what it delivered is not: it may stand behind the
// call in the same function (nginx), in a caller of a wrapper, in a callee that is given array and count, or
// in another function that shares nothing with the first but a field of a struct (Knot keeps the count in
// `rcvd` and runs the loop in the next entry of a table of functions). Matching source patterns would fix one
// program at a time; whole points-to is not available this early and not needed. So the *count* is followed
// forwards from the call: through casts, selections and simple arithmetic, returns to callers, arguments to
// callees, and through places (variables and fields by type). A loop whose exit test compares it is a
// candidate; so is a loop that walks the array the call filled (poll's loop is bounded by the number of
// descriptors, not by the result). Function pointers are resolved through fields that hold functions.
//
// The following is not sound and need not be: a loop that is not over packets would still be
// outlined correctly. What is chosen is only a matter of gain, so candidates are ranked by the code they
// reach; loops that contain the receive call are the loop around the packet loop; loops over nothing but
// prefetches or frees rank last.
#include "program/receive.h"

#include "program/call_sites.h"
#include "program/datagrams.h"
#include "program/loop_region.h"
#include "program/modelled.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace heddle {
namespace {

class Finder {
public:
  Finder(Module& module, std::vector<Remark>& remarks) : module_(module), sites_(module), remarks_(remarks) {}

  std::vector<FoundBody> run() {
    for (Function& function : module_) {
      if (receive_interface(function)) continue; // its own insides
      for (Instruction& instruction : instructions(function)) {
        auto* call = dyn_cast<CallBase>(&instruction);
        Function* callee = call ? call->getCalledFunction() : nullptr;
        const ReceiveInterface* interface = callee ? receive_interface(*callee) : nullptr;
        if (callee && takes_verdicts(*callee)) refuse_verdicts(*call, callee->getName());
        if (!interface) continue;
        if (interface->callback >= 0)
          find_callback(*call, *interface);
        else
          find_loop(*call, *interface);
      }
    }
    return std::move(found_);
  }

  uint64_t size_of_loop(const Loop& loop);
  FunctionAnalyses& analyses(Function& function) {
    auto& entry = analyses_[&function];
    if (!entry) entry = std::make_unique<FunctionAnalyses>(function);
    return *entry;
  }

private:
  void find_callback(CallBase& call, const ReceiveInterface& interface);
  void refuse_verdicts(const CallBase& call, StringRef name);
  void find_loop(CallBase& call, const ReceiveInterface& interface);
  void follow_counts(CallBase& call);
  void follow_count(Value& value);
  void follow_array(Value* pointer);
  void follow_test(ICmpInst& test, Value& count);
  void scan_array_loops();
  void count(Value& value) {
    if (counts_.insert(&value)) work_.push_back(&value);
  }
  void propose(Loop& loop) { candidates_.insert({loop.getHeader(), &loop}); }
  bool contains_receive(const Loop& loop, const CallBase& receive);
  bool reads_received(const Loop& loop);
  uint64_t reachable_size(Function& function, SmallPtrSetImpl<Function*>& seen);

  Module& module_;
  CallSites sites_;
  std::vector<Remark>& remarks_;
  std::vector<FoundBody> found_;
  DenseMap<Function*, std::unique_ptr<FunctionAnalyses>> analyses_;

  // Of the receive call at hand.
  SetVector<Value*> counts_;
  std::vector<Value*> work_;
  SmallPtrSet<Value*, 16> arrays_; // base pointers
  std::vector<Value*> array_work_;
  MapVector<BasicBlock*, Loop*> candidates_;
};

void Finder::find_callback(CallBase& call, const ReceiveInterface& interface) {
  SmallVector<Function*, 4> targets = sites_.functions_of(call.getArgOperand(interface.callback));
  bool usable = targets.size() == 1 && !targets[0]->isDeclaration() && targets[0]->arg_size() == 3 &&
                !targets[0]->isVarArg();
  if (usable) {
    found_.push_back({interface.kind, &call, nullptr, targets[0], {}});
    return;
  }
  remarks_.push_back({"callback-unknown", location_of(call).str(),
                      "the callback of " + interface.name.str() + " is one of " +
                          std::to_string(targets.size()) + " functions",
                      "name the callback with --body"});
}

// libDAQ 2 takes the verdict on a packet as its callback's result and acts on it at once: it forwards the packet, as the
// callback has left it in libDAQ's own buffer, or drops it. Only then does it bring the next one. A packet that is
// suspended has given no verdict, so there is never a second one to run meanwhile. That would not change if all verdicts were
// the same: to return before the packet has ended would forward what it has yet to change, and a packet that
// makes the program end would have been forwarded.
void Finder::refuse_verdicts(const CallBase& call, StringRef name) {
  remarks_.push_back({"verdict-per-packet", location_of(call).str(),
                      name.str() + " needs each packet's verdict before it brings the next packet",
                      "libDAQ 3 brings many packets before it needs a verdict (daq_instance_msg_receive)"});
}

// From the results of the call, and of every wrapper that returns them.
void Finder::follow_count(Value& value) {
  for (User* user : value.users()) {
    if (auto* test = dyn_cast<ICmpInst>(user)) {
      follow_test(*test, value);
    } else if (isa<CastInst>(user) || isa<FreezeInst>(user) || isa<PHINode>(user) || isa<SelectInst>(user)) {
      count(*user);
    } else if (auto* gep = dyn_cast<GetElementPtrInst>(user)) {
      if (gep->getPointerOperand() != &value) // the end of the array
        count(*gep);
    } else if (auto* operation = dyn_cast<BinaryOperator>(user)) {
      bool simple = isa<Constant>(operation->getOperand(1)) || operation->getOpcode() == Instruction::Sub ||
                    operation->getOpcode() == Instruction::And;
      if (simple) count(*operation);
    } else if (isa<MinMaxIntrinsic>(user)) {
      count(*user);
    } else if (auto* store = dyn_cast<StoreInst>(user)) {
      auto place = named_place_of(store->getPointerOperand(), module_.getDataLayout());
      if (place && store->getValueOperand() == &value)
        for (LoadInst* load : sites_.loads(*place))
          count(*load);
    } else if (isa<ReturnInst>(user)) {
      for (CallBase* caller : sites_.callers(*cast<Instruction>(user)->getFunction()))
        count(*caller);
    } else if (auto* call = dyn_cast<CallBase>(user)) {
      for (Function* callee : sites_.callees(*call))
        if (!callee->isDeclaration() && !is_modelled_inline(source_name(*callee)))
          for (Argument& argument : callee->args())
            if (argument.getArgNo() < call->arg_size() && call->getArgOperand(argument.getArgNo()) == &value)
              count(argument);
    }
  }
}

// True if `test` decides (alone or with others) where `block` goes.
bool decides(const ICmpInst& test, const BasicBlock& block) {
  auto* branch = dyn_cast<BranchInst>(block.getTerminator());
  if (!branch || !branch->isConditional()) return false;
  SmallVector<const Value*, 8> work{branch->getCondition()};
  for (unsigned i = 0; i < work.size() && i < 16; ++i) {
    if (work[i] == &test) return true;
    if (isa<BinaryOperator>(work[i]) || isa<SelectInst>(work[i]) || isa<PHINode>(work[i]))
      append_range(work, cast<Instruction>(work[i])->operand_values());
  }
  return false;
}

void Finder::follow_test(ICmpInst& test, Value& count) {
  Function& function = *test.getFunction();
  for (Loop* loop = analyses(function).loops.getLoopFor(test.getParent()); loop;
       loop = loop->getParentLoop()) {
    bool varies = any_of(test.operands(), [&](Value* operand) {
      auto* instruction = dyn_cast<Instruction>(operand);
      // A value out of memory is what the loop looks for (an error text by its code), not how far it runs.
      return instruction && loop->contains(instruction) && !isa<LoadInst>(operand);
    });
    SmallVector<BasicBlock*, 8> exiting;
    loop->getExitingBlocks(exiting);
    if (varies && any_of(exiting, [&](BasicBlock* block) { return decides(test, *block); })) propose(*loop);
  }
}

// The array by its base: a variable, what is loaded from a place, or an argument.
void Finder::follow_array(Value* pointer) {
  while (auto* gep = dyn_cast<GEPOperator>(pointer))
    pointer = gep->getPointerOperand();
  if (isa<ConstantPointerNull>(pointer) || !arrays_.insert(pointer).second) return;
  array_work_.push_back(pointer);
  auto* load = dyn_cast<LoadInst>(pointer);
  if (auto place = load ? named_place_of(load->getPointerOperand(), module_.getDataLayout()) : std::nullopt)
    for (LoadInst* other : sites_.loads(*place))
      follow_array(other);
  if (auto* argument = dyn_cast<Argument>(pointer))
    for (CallBase* caller : sites_.callers(*argument->getParent()))
      if (argument->getArgNo() < caller->arg_size())
        follow_array(caller->getArgOperand(argument->getArgNo()));
}

// Loops that read the array at an index of theirs, and functions that are handed the array.
void Finder::scan_array_loops() {
  while (!array_work_.empty()) {
    SmallVector<Value*, 16> pointers{array_work_.back()};
    array_work_.pop_back();
    for (unsigned i = 0; i < pointers.size(); ++i) {
      for (User* user : pointers[i]->users()) {
        auto* gep = dyn_cast<GetElementPtrInst>(user);
        if (gep) {
          pointers.push_back(gep);
          Loop* loop = analyses(*gep->getFunction()).loops.getLoopFor(gep->getParent());
          bool moves =
              loop && any_of(gep->indices(), [&](Value* index) { return !loop->isLoopInvariant(index); });
          if (moves) propose(*loop);
        }
        auto* call = dyn_cast<CallBase>(user);
        for (Function* callee : call ? sites_.callees(*call) : SmallVector<Function*, 4>())
          if (!callee->isDeclaration() && !receive_interface(*callee) &&
              !is_modelled_inline(source_name(*callee)))
            for (Argument& argument : callee->args())
              if (argument.getArgNo() < call->arg_size() &&
                  call->getArgOperand(argument.getArgNo()) == pointers[i] && arrays_.insert(&argument).second)
                array_work_.push_back(&argument);
      }
    }
  }
}

uint64_t Finder::reachable_size(Function& function, SmallPtrSetImpl<Function*>& seen) {
  uint64_t size = 0;
  SmallVector<Function*, 32> work{&function};
  while (!work.empty()) {
    Function* next = work.pop_back_val();
    if (next->isDeclaration() || is_modelled_inline(source_name(*next)) || !seen.insert(next).second)
      continue;
    for (Instruction& instruction : instructions(*next)) {
      ++size;
      if (auto* call = dyn_cast<CallBase>(&instruction)) work.append(sites_.callees(*call));
    }
  }
  return size;
}

// Instructions in the loop and in all that it calls; a call that cannot be followed counts for a lot.
uint64_t Finder::size_of_loop(const Loop& loop) {
  constexpr uint64_t unknown_call = 500;
  SmallPtrSet<Function*, 32> seen;
  uint64_t size = 0;
  for (BasicBlock* block : loop.blocks())
    for (Instruction& instruction : *block) {
      auto* call = dyn_cast<CallBase>(&instruction);
      ++size;
      if (!call || isa<IntrinsicInst>(call) || call->isInlineAsm()) continue;
      if (call->isIndirectCall()) size += unknown_call;
      for (Function* callee : sites_.callees(*call))
        size += reachable_size(*callee, seen);
    }
  return size;
}

// Directly, or in a function that only stands between the loop and the call.
bool Finder::contains_receive(const Loop& loop, const CallBase& receive) {
  SmallVector<const CallBase*, 8> work{&receive};
  SmallPtrSet<const CallBase*, 16> seen;
  while (!work.empty()) {
    const CallBase* call = work.pop_back_val();
    if (!seen.insert(call).second) continue;
    if (loop.contains(call)) return true;
    for (CallBase* caller : sites_.callers(*call->getFunction()))
      work.push_back(caller);
  }
  return false;
}

// AF_XDP's rings of received and of sent packets are read by the same function; what tells them apart is how a loop gets at
// an entry.
bool Finder::reads_received(const Loop& loop) {
  SmallVector<Function*, 16> work;
  SmallPtrSet<Function*, 16> seen;
  bool found = false;
  auto scan = [&](BasicBlock& block) {
    for (Instruction& instruction : block)
      if (auto* call = dyn_cast<CallBase>(&instruction))
        for (Function* callee : sites_.callees(*call)) {
          found |= source_name(*callee) == "xsk_ring_cons__rx_desc";
          if (!callee->isDeclaration() && seen.insert(callee).second) work.push_back(callee);
        }
  };
  for (BasicBlock* block : loop.blocks())
    scan(*block);
  while (!work.empty() && !found)
    for (BasicBlock& block : *work.pop_back_val())
      scan(block);
  return found;
}

void Finder::find_loop(CallBase& call, const ReceiveInterface& interface) {
  counts_.clear();
  arrays_.clear();
  candidates_.clear();
  count(call);
  while (!work_.empty()) {
    Value* value = work_.back();
    work_.pop_back();
    follow_count(*value);
  }
  if (interface.array >= 0) follow_array(call.getArgOperand(interface.array));
  scan_array_loops();
  const bool ring = interface.kind == ReceiveKind::XskRing;
  const size_t all = candidates_.size();
  if (ring) candidates_.remove_if([&](auto& candidate) { return !reads_received(*candidate.second); });
  if (ring && candidates_.size() != all && candidates_.empty()) return; // takes back what has been sent

  Loop* best = nullptr;
  uint64_t best_size = 0;
  std::vector<std::pair<Loop*, uint64_t>> others;
  for (auto [header, loop] : candidates_) {
    if (contains_receive(*loop, call)) continue;
    uint64_t size = size_of_loop(*loop);
    if (best) others.push_back(size > best_size ? std::pair(best, best_size) : std::pair(loop, size));
    if (!best || size > best_size) best = loop, best_size = size;
  }
  if (!best) {
    remarks_.push_back({"no-packet-loop", location_of(call).str(),
                        "no loop over what " + interface.name.str() + " delivers was found",
                        "name the function that holds the loop with --body"});
    return;
  }
  for (auto [loop, size] : others)
    remarks_.push_back({"packet-loop-candidate", location_of(*loop->getHeader()->getTerminator()).str(),
                        "another loop over what " + interface.name.str() + " delivers (" +
                            std::to_string(size) + " instructions against " + std::to_string(best_size) + ")",
                        "to stage it instead: --body " + source_name(*loop->getHeader()->getParent()).str()});
  BasicBlock* header = best->getHeader();
  if (none_of(found_, [&](const FoundBody& body) { return body.header == header; }))
    found_.push_back({interface.kind, &call, header, nullptr, {}});
}

Error no_such_body(const Twine& what) {
  return diagnose(
      what, "`heddle inspect` lists what can be named: --body FUNCTION, FUNCTION:INDEX or FUNCTION:LINE");
}

Loop* choose_loop(Finder& finder, FunctionAnalyses& analyses, std::optional<unsigned> which) {
  SmallVector<Loop*, 8> loops = analyses.loops.getLoopsInPreorder();
  if (!which) {
    Loop* best = nullptr;
    for (Loop* loop : loops)
      if (!loop->getParentLoop() && (!best || finder.size_of_loop(*loop) > finder.size_of_loop(*best)))
        best = loop;
    return best;
  }
  if (*which < loops.size()) return loops[*which];
  Loop* best = nullptr;
  for (Loop* loop : loops)
    if (DebugLoc start = loop->getStartLoc(); start && start.getLine() == *which && !best) best = loop;
  return best;
}

} // namespace

std::vector<FoundBody> find_bodies(Module& module, std::vector<Remark>& remarks) {
  return Finder(module, remarks).run();
}

Expected<FoundBody> named_body(Module& module, StringRef text) {
  std::optional<unsigned> which;
  StringRef name = text;
  if (auto [left, right] = text.rsplit(':');
      !right.empty() && all_of(right, isDigit) && !left.ends_with(":")) {
    name = left;
    which = 0;
    right.getAsInteger(10, *which);
  }
  auto found = find_if(module, [&](Function& f) { return !f.isDeclaration() && is_called(f, name); });
  if (found == module.end()) return no_such_body("--body: no function " + name + " in the program");
  Function& function = *found;
  std::vector<Remark> ignored;
  if (!which)
    for (FoundBody& body :
         concat<FoundBody>(find_bodies(module, ignored), find_datagram_loops(module, ignored)))
      if (body.callback == &function || (body.header && body.header->getParent() == &function)) return body;
  Finder finder(module, ignored);
  Loop* loop = choose_loop(finder, finder.analyses(function), which);
  if (!loop)
    return no_such_body("--body: " + name +
                        (which ? " has no such loop" : " has no loop and is no callback"));
  return FoundBody{ReceiveKind::UserNamed, nullptr, loop->getHeader(), nullptr,
                   datagrams_of(module, *loop->getHeader())};
}

} // namespace heddle
