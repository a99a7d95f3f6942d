#include "program/deferrable.h"

#include "program/declared_output.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace heddle {

ArrayRef<DeferrableFunction> deferrable_functions() {
  static const DeferrableFunction table[] = {
      {"fwrite", "heddle_defer_fwrite", "heddle_defer_fwrite"},
      {"fwrite_unlocked", "heddle_defer_fwrite", "heddle_defer_fwrite"},
      {"fputs", "heddle_defer_fputs", "heddle_defer_fputs"},
      {"fputs_unlocked", "heddle_defer_fputs", "heddle_defer_fputs"},
      {"puts", "heddle_defer_puts", "heddle_defer_puts"},
      {"fputc", "heddle_defer_fputc", "heddle_defer_fputc"},
      {"fputc_unlocked", "heddle_defer_fputc", "heddle_defer_fputc"},
      {"putc", "heddle_defer_fputc", "heddle_defer_fputc"},
      {"putc_unlocked", "heddle_defer_fputc", "heddle_defer_fputc"},
      {"_IO_putc", "heddle_defer_fputc", "heddle_defer_fputc"},
      {"putchar", "heddle_defer_putchar", "heddle_defer_putchar"},
      {"putchar_unlocked", "heddle_defer_putchar", "heddle_defer_putchar"},
      {"printf", "heddle_defer_printf", "heddle_defer_printf"},
      {"vprintf", "heddle_defer_vprintf", "heddle_defer_vprintf"},
      {"fprintf", "heddle_defer_fprintf", "heddle_defer_fprintf"},
      {"vfprintf", "heddle_defer_vfprintf", "heddle_defer_vfprintf"},
      {"__printf_chk", "heddle_defer_printf_chk", "heddle_defer_printf_chk"},
      {"__fprintf_chk", "heddle_defer_fprintf_chk", "heddle_defer_fprintf_chk"},
      {"__vfprintf_chk", "heddle_defer_vfprintf_chk", "heddle_defer_vfprintf_chk"},
      {"write", "heddle_defer_write", "heddle_output_write"},
      {"pwrite", "heddle_defer_pwrite"},
      {"pwrite64", "heddle_defer_pwrite"},
      {"writev", "heddle_defer_writev", "heddle_output_writev"},
      {"send", "heddle_defer_send", "heddle_output_send"},
      {"sendto", "heddle_defer_sendto", "heddle_output_sendto"},
      {"sendmsg", "heddle_defer_sendmsg", "heddle_output_sendmsg"},
      {"syslog", "heddle_defer_syslog"},
      {"vsyslog", "heddle_defer_vsyslog"},
      {"__syslog_chk", "heddle_defer_syslog_chk"},
      {"pcap_dump", "heddle_defer_pcap_dump"},
  };
  return table;
}

const DeferrableFunction* deferrable_function(const CallBase& call) {
  static const StringMap<const DeferrableFunction*> by_name = [] {
    StringMap<const DeferrableFunction*> result;
    for (const DeferrableFunction& function : deferrable_functions())
      result[function.name] = &function;
    return result;
  }();
  const Function* function = call.getCalledFunction();
  return function && function->isDeclaration() ? by_name.lookup(function->getName()) : nullptr;
}

bool is_deferrable(const CallBase& call) {
  return deferrable_function(call) &&
         (call.use_empty() || (is_declared_output(call) && !deferrable_function(call)->sure.empty()));
}

StringRef stand_in_of(const CallBase& call) {
  const DeferrableFunction& function = *deferrable_function(call);
  return call.use_empty() ? function.stand_in : function.sure;
}

unsigned number_in_block(const CallBase& call) {
  unsigned number = 0;
  for (const Instruction& instruction : *call.getParent()) {
    if (&instruction == &call) break;
    number += isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction);
  }
  return number;
}

CallBase* call_in_block(BasicBlock& block, unsigned number) {
  for (Instruction& instruction : block)
    if (auto* call = dyn_cast<CallBase>(&instruction); call && !isa<IntrinsicInst>(call) && number-- == 0)
      return call;
  return nullptr;
}

} // namespace heddle
