// Upward-exposed reads, byte by byte, through calls.
//
// Problem. Whether a packet finds in a variable only what it has put there itself is a question about all paths from the
// body's entry, and the writes and reads are often in functions that get the variable's address. Alternatives. MemorySSA
// answers for one function, and every call is a barrier there. The points-to analysis knows which objects a
// pointer may reach, but a helper that fills two variables in turn is sure of neither. Choice: a forward data-flow
// analysis per function, repeated for what its arguments are known to be: the object at an offset, surely something else,
// or unknown. A state is the set of bytes written on every way to a point; a function's result is what it may read
// outside of that, and what it has written whenever it returns.
//
// Written are bytes that a store covers, or a copy or fill of constant length, through a pointer that leads to the object
// for certain. Whatever is less sure (a loop over a variable's length, a library function that fills up to n bytes) writes
// nothing here and reads everything in its reach. Functions that call themselves, on whatever way, are taken to
// read all and to write nothing. A way that does not come back from a call has nothing written.
//
// errno is written by a store, and by a call where a branch on its result tells that it has failed; a call that succeeds
// leaves it as it was.
#include "analysis/exposure.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>

using namespace llvm;

namespace heddle {

struct Exposure::Walk {
  const Arguments& arguments;
  BitVector state; // bytes written so far
  Result& result;
  BitVector on_unwinding; // the state before the call that ends the block
};

Exposure::Exposure(const Effects& effects, ArrayRef<const Function*> bodies, ObjectId object, uint64_t size,
                   ExposureOptions options)
    : effects_(effects), points_to_(effects.points_to()), bodies_(bodies), object_(object),
      size_(unsigned(size)), options_(options) {}

const Instruction* Exposure::exposed_read(const Function& function) {
  return result_of(function, Arguments(function.arg_size())).at;
}

const Instruction* Exposure::read_after_packets(const Function& function) {
  return result_of(function, Arguments(function.arg_size()), true).at;
}

BitVector Exposure::bytes(int64_t begin, uint64_t size) const {
  BitVector set(size_);
  const uint64_t most = size_;
  const uint64_t first = begin < 0 ? 0 : std::min<uint64_t>(uint64_t(begin), most);
  const uint64_t end =
      size > most ? most : uint64_t(std::clamp<int64_t>(begin + int64_t(size), 0, int64_t(most)));
  if (first < end) set.set(unsigned(first), unsigned(end));
  return set;
}

BitVector Exposure::bytes(const Place& place, uint64_t size) const {
  if (place.exact()) return bytes(place.offset, size);
  if (place.low <= 0 || place.high >= int64_t(size_) || size >= size_) return BitVector(size_, true);
  return bytes(place.low, uint64_t(place.high - 1 - place.low) + size);
}

Exposure::Pointer Exposure::pointer(const Value& value, const Arguments& arguments) {
  APInt offset(64, 0);
  const Value* base = value.stripAndAccumulateConstantOffsets(points_to_.module().getDataLayout(), offset,
                                                              /*AllowNonInbounds=*/true);
  if (const auto* argument = dyn_cast<Argument>(base)) {
    Pointer known = arguments[argument->getArgNo()];
    known.offset += known.kind == Pointer::At ? offset.getSExtValue() : 0;
    if (known.kind != Pointer::May) return known;
  }
  auto [cached, fresh] = pointers_.try_emplace(&value);
  if (fresh) cached->second = by_points_to(value);
  return cached->second;
}

Exposure::Pointer Exposure::by_points_to(const Value& value) const {
  std::vector<Pointee> pointees = points_to_.points_to(&value);
  auto leads_here = [&](const Pointee& pointee) { return pointee.object == object_; };
  if (none_of(pointees, leads_here)) return {Pointer::Not, 0};
  if (pointees.size() == 1 && options_.of_errno) return {Pointer::At, 0};
  if (pointees.size() == 1 && pointees.front().place.exact())
    return {Pointer::At, pointees.front().place.offset};
  return {};
}

void Exposure::read(Walk& walk, const Instruction& at, const Pointer& pointer, uint64_t size) const {
  if (pointer.kind == Pointer::Not) return;
  if (pointer.kind == Pointer::May) return by_model(walk, at);
  BitVector exposed = bytes(pointer.offset, size);
  exposed.reset(walk.state);
  if (exposed.none()) return;
  if (!walk.result.at) walk.result.at = &at;
  walk.result.exposed |= exposed;
}

void Exposure::write(Walk& walk, const Pointer& pointer, uint64_t size) const {
  if (pointer.kind == Pointer::At) walk.state |= bytes(pointer.offset, size);
}

// By what the points-to analysis says of the instruction: reads first.
void Exposure::by_model(Walk& walk, const Instruction& at) const {
  const auto* call = dyn_cast<CallBase>(&at);
  if (call && !options_.unknown_functions_read && points_to_.reaches_outside(*call)) return;
  for (const Access& access : effects_.of(at)) {
    if (access.object != object_ || access.write) continue;
    BitVector exposed = bytes(access.place, access.size);
    exposed.reset(walk.state);
    if (exposed.any() && !walk.result.at) walk.result.at = &at;
    walk.result.exposed |= exposed;
  }
}

bool Exposure::touches(const Function& function) {
  auto [known, fresh] = touches_.try_emplace(&function, false);
  if (fresh)
    known->second = any_of(effects_.summary(function), [&](const Access& a) { return a.object == object_; });
  return known->second;
}

bool Exposure::runs_body(const Function& function) {
  auto [known, fresh] = runs_body_.try_emplace(&function, false);
  if (fresh)
    known->second = any_of(effects_.reach(function),
                           [&](const Function* reached) { return is_contained(bodies_, reached); });
  return known->second;
}

void Exposure::call(Walk& walk, const CallBase& call) {
  walk.on_unwinding = walk.state;
  by_model(walk, call);
  ArrayRef<const Function*> callees = points_to_.callees(call);
  if (callees.empty()) return;
  // A library function runs them some time, or never.
  const bool direct = !isa<IntrinsicInst>(call) && points_to_.external_callees(call).empty();
  BitVector written(size_, direct);
  bool packets_came = false;
  for (const Function* callee : callees) {
    packets_came |= runs_body(*callee);
    if (!touches(*callee)) {
      written.reset();
      continue;
    }
    Arguments arguments(callee->arg_size());
    if (direct)
      for (unsigned i = 0; i != std::min<size_t>(callee->arg_size(), call.arg_size()); ++i)
        if (call.getArgOperand(i)->getType()->isPointerTy())
          arguments[i] = pointer(*call.getArgOperand(i), walk.arguments);
    // What is read behind packets is read there whatever was written before the call.
    const bool packets = direct && runs_body(*callee);
    const Result& result = result_of(*callee, std::move(arguments), packets && walk.state.all());
    // What a library function's callback finds in errno, that function may have left there.
    BitVector exposed = direct || !options_.of_errno ? result.exposed : BitVector(size_);
    if (direct && !packets) exposed.reset(walk.state);
    if (exposed.any() && !walk.result.at) walk.result.at = result.at;
    walk.result.exposed |= exposed;
    if (direct) written &= result.written;
  }
  if (packets_came) {
    walk.state.reset();
    walk.on_unwinding.reset();
  }
  walk.state |= written;
}

void Exposure::step(Walk& walk, const Instruction& instruction) {
  auto size_of = [&](Type* type) {
    return points_to_.module().getDataLayout().getTypeStoreSize(type).getKnownMinValue();
  };
  if (const auto* load = dyn_cast<LoadInst>(&instruction))
    return read(walk, instruction, pointer(*load->getPointerOperand(), walk.arguments),
                size_of(load->getType()));
  if (const auto* store = dyn_cast<StoreInst>(&instruction)) {
    Pointer to = pointer(*store->getPointerOperand(), walk.arguments);
    if (to.kind == Pointer::May) return by_model(walk, instruction);
    return write(walk, to, size_of(store->getValueOperand()->getType()));
  }
  if (const auto* fill = dyn_cast<MemIntrinsic>(&instruction)) {
    const auto* length = dyn_cast<ConstantInt>(fill->getLength());
    const uint64_t size = length ? length->getZExtValue() : unknown_size;
    if (const auto* copy = dyn_cast<MemTransferInst>(fill))
      read(walk, instruction, pointer(*copy->getSource(), walk.arguments), size);
    if (length) write(walk, pointer(*fill->getDest(), walk.arguments), size);
    return;
  }
  if (const auto* called = dyn_cast<CallBase>(&instruction)) return call(walk, *called);
  by_model(walk, instruction);
}

// Is it the result of a call that has set errno if it is less than 0, or null?
static bool sets_errno(const Value& result) {
  static const StringSet<> setters = [] {
    SmallVector<StringRef, 80> names;
    StringRef(
        "accept accept4 access bind chdir close connect creat dup dup2 epoll_ctl epoll_pwait epoll_wait "
        "fcntl fcntl64 fopen fstat fsync ftruncate getsockname getsockopt heddle_recv heddle_recvfrom "
        "heddle_recvmsg ioctl listen lseek lseek64 lstat mkdir open open64 openat pipe pipe2 poll ppoll "
        "pread pread64 pselect pwrite pwrite64 read readv recv recvfrom recvmmsg recvmsg rename rmdir "
        "select send sendfile sendfile64 sendmmsg sendmsg sendto setsockopt shutdown socket stat unlink "
        "write writev ")
        .split(names, ' ', -1, false);
    StringSet<> set;
    for (StringRef name : names)
      set.insert(name);
    return set;
  }();
  const Value* value = &result;
  while (isa<SExtInst, TruncInst>(value))
    value = cast<CastInst>(value)->getOperand(0);
  const auto* call = dyn_cast<CallBase>(value);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->isDeclaration() && setters.contains(callee->getName());
}

// Is the way taken where such a call has returned less than 0, or null?
static bool tells_failure(const BasicBlock& from, const BasicBlock& to) {
  const auto* branch = dyn_cast<BranchInst>(from.getTerminator());
  if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) return false;
  const auto* compare = dyn_cast<ICmpInst>(branch->getCondition());
  if (!compare || !sets_errno(*compare->getOperand(0))) return false;
  const auto* limit = dyn_cast<Constant>(compare->getOperand(1));
  if (!limit) return false;
  const CmpInst::Predicate holds = branch->getSuccessor(0) == &to
                                       ? compare->getPredicate()
                                       : CmpInst::getInversePredicate(compare->getPredicate());
  if (isa<ConstantPointerNull>(limit)) return holds == CmpInst::ICMP_EQ;
  const auto* number = dyn_cast<ConstantInt>(limit);
  if (!number) return false;
  switch (holds) {
  case CmpInst::ICMP_SLT:
    return !number->getValue().isStrictlyPositive();
  case CmpInst::ICMP_SLE:
  case CmpInst::ICMP_EQ:
    return number->isNegative();
  default:
    return false;
  }
}

const Exposure::Result& Exposure::result_of(const Function& function, Arguments arguments,
                                            bool written_before) {
  auto [place, fresh] = results_.try_emplace({&function, std::move(arguments), written_before});
  Result& result = place->second;
  if (!fresh) return result;
  // The answer to calls of itself, until there is a better one.
  result.exposed = BitVector(size_, true);
  result.written = BitVector(size_);
  result.at = &function.getEntryBlock().front();

  Result made;
  made.exposed = BitVector(size_);
  DenseMap<const BasicBlock*, BitVector> before; // absent: not reached yet
  before[&function.getEntryBlock()] = BitVector(size_, written_before);
  ReversePostOrderTraversal<const Function*> order(&function);
  for (bool changed = true; changed;) {
    changed = false;
    made.written = BitVector(size_, true);
    auto flow = [&](const BasicBlock* to, const BitVector& state) {
      auto [known, first] = before.try_emplace(to, state);
      if (first) return void(changed = true);
      BitVector met = known->second;
      met &= state;
      changed |= met != known->second;
      known->second = std::move(met);
    };
    for (const BasicBlock* block : order) {
      auto entry = before.find(block);
      if (entry == before.end()) continue;
      Walk walk{std::get<Arguments>(place->first), entry->second, made, {}};
      for (const Instruction& instruction : *block)
        step(walk, instruction);
      const Instruction* end = block->getTerminator();
      if (isa<ReturnInst>(end)) made.written &= walk.state;
      const auto* invoke = dyn_cast<InvokeInst>(end);
      for (const BasicBlock* next : successors(block)) {
        if (options_.of_errno && tells_failure(*block, *next))
          flow(next, BitVector(size_, true));
        else
          flow(next, invoke && next == invoke->getUnwindDest() ? walk.on_unwinding : walk.state);
      }
    }
  }
  return result = std::move(made);
}

} // namespace heddle
