// Finding loops over datagrams.
//
// A UDP server without a batch interface takes one datagram in each iteration of a loop, bounded or endless. The
// iteration is the packet's body, and a batch is what is there without waiting; that nothing waits for more is the
// runtime's business (src/runtime/receive.cpp).
//
// Which loop. The innermost one around the call that does anything but receive: loops that only call again after a
// signal (EINTR), or that only count or drop what comes, are passed over. The call may stand in a function that the
// loop calls, also through a table of functions. A loop that itself waits for something else (poll, select, accept) is
// an event loop: an iteration is one wake-up and maybe no datagram, so neither it nor those around it are taken.
//
// Streams. recv and recvmsg read streams as well, and a loop that reads one often collects a single message: what one
// call returns is then no packet, and order within the message is all there is. So a loop is taken only where the
// datagram shows: the sender's address is asked for, which streams do not have, or the descriptor is the result of
// socket() with SOCK_DGRAM wherever it is set. The others are named in a remark, for --body. What libpcap delivers is
// always one packet.
//
// Against batch interfaces. Where the program has a loop over what epoll_wait, poll, recvmmsg or DPDK delivers, that is
// the body, also if one of its events is "this socket has datagrams" and a loop over recvfrom lies inside. The inner
// loop would often be the better body of a pure UDP server, and the worse one of all others: within it only the code of
// one protocol is staged, and an event of any other kind is not. Both cannot be staged at once (a loop inside a body runs
// unstaged), and which one traffic takes, the code does not say. So the choice is the user's: the remark
// packet-loop-candidate names the inner loop. Where an event library or select() drives the program, no batch
// interface is seen, and the loop over datagrams is the body.
#include "program/datagrams.h"

#include "program/call_sites.h"
#include "program/loop_region.h"
#include "program/modelled.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <map>
#include <sys/socket.h>

using namespace llvm;

namespace heddle {
namespace {

StringRef outside_name(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  return callee && callee->isDeclaration() ? callee->getName() : "";
}

// Anything but receiving and looking at what came of it.
bool works(const Instruction& instruction, const CallBase& way) {
  const auto* call = dyn_cast<CallBase>(&instruction);
  return call && call != &way && !isa<IntrinsicInst>(call) && !datagram_receive(*call) &&
         outside_name(*call) != "__errno_location";
}

class DatagramLoops {
public:
  DatagramLoops(Module& module, std::vector<Remark>& remarks)
      : module_(module), sites_(module), remarks_(remarks) {}

  std::vector<FoundBody> run() {
    std::vector<FoundBody> found;
    for_each_receive([&](CallBase& call, const DatagramReceive& entry) {
      for (Loop* loop : loops_around(call, true)) {
        if (!takes_datagrams(call, entry)) {
          remarks_.push_back({"stream-or-datagrams", location_of(call).str(),
                              "a loop around " + entry.name.str() + " that may read a stream",
                              "if each call gives one datagram: --body " + name_of(*loop)});
          continue;
        }
        auto known = find_if(found, [&](const FoundBody& body) { return body.header == loop->getHeader(); });
        if (known == found.end()) {
          found.push_back({entry.kind, &call, loop->getHeader(), nullptr, {}});
          known = std::prev(found.end());
        }
        known->datagrams.push_back(&call);
      }
    });
    return found;
  }

  SmallVector<CallBase*, 2> of(const BasicBlock& header) {
    SmallVector<CallBase*, 2> calls;
    for_each_receive([&](CallBase& call, const DatagramReceive&) {
      if (any_of(loops_around(call, false), [&](Loop* loop) { return loop->getHeader() == &header; }))
        calls.push_back(&call);
    });
    return calls;
  }

  static std::string name_of(const Loop& loop) {
    std::string name = source_name(*loop.getHeader()->getParent()).str();
    DebugLoc start = loop.getStartLoc();
    return start ? name + ":" + std::to_string(start.getLine()) : name;
  }

private:
  void for_each_receive(function_ref<void(CallBase&, const DatagramReceive&)> visit) {
    for (Function& function : module_)
      for (Instruction& instruction : instructions(function)) {
        auto* call = dyn_cast<CallBase>(&instruction);
        const DatagramReceive* entry = call ? datagram_receive(*call) : nullptr;
        if (entry) visit(*call, *entry);
      }
  }

  FunctionAnalyses& analyses(Function& function) {
    auto& entry = analyses_[&function];
    if (!entry) entry = std::make_unique<FunctionAnalyses>(function);
    return *entry;
  }

  // The packet loops of a receive call: one, or one per way in which the function with the call is reached.
  SmallVector<Loop*, 2> loops_around(CallBase& receive, bool but_event_loops) {
    struct Way {
      CallBase* call;
      bool works; // what lies between this call and the receive
    };
    SmallVector<Loop*, 2> result;
    SmallVector<Way, 8> ways{{&receive, false}};
    SmallPtrSet<CallBase*, 16> seen{&receive};
    while (!ways.empty()) {
      auto [call, worked] = ways.pop_back_val();
      Function& function = *call->getFunction();
      Loop* loop = analyses(function).loops.getLoopFor(call->getParent());
      auto here = [&](Instruction& instruction) { return works(instruction, *call); };
      while (loop && !worked &&
             none_of(loop->blocks(), [&](BasicBlock* block) { return any_of(*block, here); }))
        loop = loop->getParentLoop();
      if (loop && !(but_event_loops && is_event_loop(*loop)) && !is_contained(result, loop))
        result.push_back(loop);
      if (loop) continue;
      worked |= any_of(instructions(function), here);
      for (CallBase* caller : sites_.callers(function))
        if (seen.insert(caller).second) ways.push_back({caller, worked});
    }
    return result;
  }

  bool is_event_loop(const Loop& loop) {
    for (BasicBlock* block : loop.blocks())
      for (Instruction& instruction : *block) {
        auto* call = dyn_cast<CallBase>(&instruction);
        if (!call || !waits_for_input(*call)) continue;
        remarks_.push_back({"packet-loop-waits", location_of(*call).str(),
                            "the loop that receives datagrams waits in " + outside_name(*call).str() +
                                " as well, and no packet may wait while others are in flight",
                            "receive in a loop of its own until there is no datagram left"});
        return true;
      }
    return false;
  }

  bool takes_datagrams(const CallBase& call, const DatagramReceive& entry) {
    if (is_capture(entry.kind)) return true;
    if (entry.kind == ReceiveKind::Recvfrom && !isa<ConstantPointerNull>(call.getArgOperand(4))) return true;
    if (entry.kind == ReceiveKind::Recvmsg && asks_for_sender(*call.getArgOperand(1))) return true;
    return is_datagram_socket(call.getArgOperand(0));
  }

  // msg_name is the first field of a msghdr.
  bool asks_for_sender(const Value& header) const {
    const DataLayout& layout = module_.getDataLayout();
    APInt at(64, 0), offset(64, 0);
    const Value* base = header.stripAndAccumulateConstantOffsets(layout, at, true);
    SmallVector<const Value*, 8> pointers{base};
    for (size_t i = 0; i < pointers.size() && i < 256; ++i)
      for (const User* user : pointers[i]->users()) {
        if (isa<GEPOperator>(user)) pointers.push_back(user);
        const auto* store = dyn_cast<StoreInst>(user);
        if (!store || store->getPointerOperand() != pointers[i]) continue;
        offset = 0;
        bool same =
            pointers[i]->stripAndAccumulateConstantOffsets(layout, offset, true) == base && offset == at;
        if (same && store->getValueOperand()->getType()->isPointerTy() &&
            !isa<ConstantPointerNull>(store->getValueOperand()))
          return true;
      }
    return false;
  }

  // Wherever the value may come from, it is a socket made for datagrams, or negative.
  bool is_datagram_socket(Value* descriptor) {
    SmallVector<Value*, 16> work{descriptor};
    SmallPtrSet<Value*, 16> seen;
    bool made = false;
    while (!work.empty()) {
      Value* value = work.pop_back_val();
      if (!seen.insert(value).second) continue;
      if (seen.size() > 256) return false;
      if (auto* constant = dyn_cast<ConstantInt>(value)) {
        if (!constant->isNegative()) return false;
      } else if (isa<PHINode>(value) || isa<SelectInst>(value)) {
        auto* choice = cast<Instruction>(value);
        work.append(choice->op_begin() + isa<SelectInst>(value), choice->op_end());
      } else if (auto* call = dyn_cast<CallBase>(value); call && outside_name(*call) == "socket") {
        auto* type = dyn_cast<ConstantInt>(call->getArgOperand(1));
        if (!type || (type->getZExtValue() & 0xf) != SOCK_DGRAM) return false;
        made = true;
      } else if (!add_sources(*value, work)) {
        return false;
      }
    }
    return made;
  }

  // What may be assigned to a variable, a field or an argument, or returned. False if that is not known.
  bool add_sources(Value& value, SmallVectorImpl<Value*>& work) {
    if (auto* call = dyn_cast<CallBase>(&value)) {
      Function* callee = call->getCalledFunction();
      if (!callee || callee->isDeclaration()) return false;
      for (Instruction& instruction : instructions(*callee))
        if (auto* ret = dyn_cast<ReturnInst>(&instruction)) work.push_back(ret->getReturnValue());
      return true;
    }
    if (auto* argument = dyn_cast<Argument>(&value)) {
      const Function& function = *argument->getParent();
      for (CallBase* caller : sites_.callers(function)) {
        if (argument->getArgNo() >= caller->arg_size()) return false;
        work.push_back(caller->getArgOperand(argument->getArgNo()));
      }
      return !function.hasAddressTaken() && !sites_.callers(function).empty();
    }
    auto* load = dyn_cast<LoadInst>(&value);
    auto place = load ? named_place_of(load->getPointerOperand(), module_.getDataLayout()) : std::nullopt;
    if (!place) return false;
    for (StoreInst* store : stores_to(*place))
      work.push_back(store->getValueOperand());
    return true;
  }

  ArrayRef<StoreInst*> stores_to(NamedPlace place) {
    if (stores_.empty())
      for (Function& function : module_)
        for (Instruction& instruction : instructions(function))
          if (auto* store = dyn_cast<StoreInst>(&instruction))
            if (auto to = named_place_of(store->getPointerOperand(), module_.getDataLayout()))
              stores_[*to].push_back(store);
    return stores_[place];
  }

  Module& module_;
  CallSites sites_;
  std::vector<Remark>& remarks_;
  DenseMap<Function*, std::unique_ptr<FunctionAnalyses>> analyses_;
  std::map<NamedPlace, std::vector<StoreInst*>> stores_;
};

} // namespace

std::vector<FoundBody> find_datagram_loops(Module& module, std::vector<Remark>& remarks) {
  return DatagramLoops(module, remarks).run();
}

SmallVector<CallBase*, 2> datagrams_of(Module& module, BasicBlock& header) {
  std::vector<Remark> ignored;
  return DatagramLoops(module, ignored).of(header);
}

void receive_through_runtime(CallBase& call) {
  const DatagramReceive& entry = *datagram_receive(call);
  const Function& original = *call.getCalledFunction();
  Module& module = *call.getModule();
  FunctionCallee instead =
      module.getOrInsertFunction(entry.stand_in, original.getFunctionType(), original.getAttributes());
  if (auto* function = dyn_cast<Function>(instead.getCallee()))
    function->setVisibility(GlobalValue::HiddenVisibility);
  call.setCalledFunction(instead);
}

const Instruction* sets_low_water(const Module& module) {
  const Function* function = module.getFunction("setsockopt");
  if (!function) return nullptr;
  auto may_be = [](const Value& value, int wanted) {
    const auto* constant = dyn_cast<ConstantInt>(&value);
    return !constant || constant->getSExtValue() == wanted;
  };
  for (const User* user : function->users()) {
    const auto* call = dyn_cast<CallBase>(user);
    if (call && call->getCalledFunction() == function &&
        !(may_be(*call->getArgOperand(1), SOL_SOCKET) && may_be(*call->getArgOperand(2), SO_RCVLOWAT)))
      continue;
    if (const auto* at = dyn_cast<Instruction>(user)) return at;
  }
  return nullptr;
}

} // namespace heddle
