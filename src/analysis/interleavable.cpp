#include "analysis/interleavable.h"

#include "analysis/leaving_calls.h"
#include "program/modelled.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace heddle {

static std::string at(const Instruction& instruction) {
  return " (" + location_of(instruction).str() + ")";
}

// Anywhere below the body: a packet that leaves has earlier ones end first, and one that waits lets others run.
static std::string leaves_or_waits(const Function& function) {
  for (const Instruction& instruction : instructions(function))
    if (const auto* call = dyn_cast<CallBase>(&instruction)) {
      const Function* callee = call->getCalledFunction();
      if (lets_others_run(*call)) return "it may end the program, or wait for input" + at(*call);
      if (callee && receives_ahead(callee->getName())) return "each packet receives for itself" + at(*call);
    }
  return "";
}

// Variables of the functions that become one: each packet in flight has its own, on one stack.
static std::string variables_of(const BodyGraph& graph) {
  constexpr uint64_t most_bytes = 6144;
  uint64_t bytes = 0;
  for (const BodyContext& context : graph.contexts)
    for (const Instruction& instruction : instructions(*context.function)) {
      const auto* variable = dyn_cast<AllocaInst>(&instruction);
      if (!variable) continue;
      if (!variable->isStaticAlloca())
        return "a variable has a size that is known at run time only" + at(instruction);
      bytes += variable->getAllocationSize(instruction.getDataLayout())->getFixedValue();
    }
  if (bytes <= most_bytes) return "";
  return "each packet has " + std::to_string(bytes) + " bytes of variables, and more than " +
         std::to_string(most_bytes) + " are too many";
}

std::string why_not_interleaved(const PacketBody& body, const BodyGraph& graph, const Effects& effects) {
  if (body.is_callback()) return "a library runs the loop over the packets";
  const Function& function = *body.body;
  for (const Instruction& instruction : instructions(function)) {
    const auto* call = dyn_cast<CallBase>(&instruction);
    const bool throws =
        isa<ResumeInst>(instruction) || (call && !isa<InvokeInst>(call) && !call->doesNotThrow());
    if (throws && !function.doesNotThrow()) return "an exception may leave the packet body" + at(instruction);
    if (call && call->isMustTailCall())
      return "a call must be the last thing that the body does" + at(instruction);
  }
  if (std::string why = variables_of(graph); !why.empty()) return why;
  for (const Function* reached : effects.reach(function))
    if (std::string why = leaves_or_waits(*reached); !why.empty()) return why;
  return "";
}

} // namespace heddle
