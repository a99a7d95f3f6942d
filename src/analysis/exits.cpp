#include "analysis/exits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"

using namespace llvm;

namespace heddle {

// Functions that run when the program exits: handlers that it registers, and destructors. Each is named once: a C++ program
// registers one for every static object, and one call may register any of thousands.
static SetVector<const Function*> exit_handlers(const PointsTo& points_to) {
  const Module& module = points_to.module();
  SetVector<const Function*> handlers;
  for (const char* name : {"atexit", "on_exit", "at_quick_exit", "__cxa_atexit", "__cxa_thread_atexit"})
    if (const Function* registers = module.getFunction(name))
      for (const User* user : registers->users())
        if (const auto* call = dyn_cast<CallBase>(user)) {
          ArrayRef<const Function*> called = points_to.callees(*call);
          handlers.insert(called.begin(), called.end());
        }
  const GlobalVariable* destructors = module.getGlobalVariable("llvm.global_dtors");
  if (destructors && destructors->hasInitializer())
    if (const auto* list = dyn_cast<ConstantArray>(destructors->getInitializer()))
      for (const Use& entry : list->operands())
        if (const auto* function = dyn_cast<Function>(cast<Constant>(entry)->getOperand(1)))
          handlers.insert(function);
  return handlers;
}

Exits::Exits(const AccessTable& table, const Effects& effects) : points_to_(effects.points_to()) {
  for (uint32_t key : table.keys_of(points_to_.system_object(SystemLocation::ProcessExit)))
    for (const AccessTable::Carrier& carrier : table.carriers(key))
      all_.push_back({carrier.node, carrier.at, table.keys()[key].rare});
  if (all_.empty()) return;
  read_by_handlers_.resize(unsigned(points_to_.objects().size()));
  for (const Function* handler : exit_handlers(points_to_))
    for (const Access& access : effects.summary(*handler))
      read_by_handlers_.set(access.object);
}

bool Exits::show(const MemoryObject& object) const {
  if (object.kind != ObjectKind::System) {
    if (read_by_handlers_.empty()) return false;
    if (read_by_handlers_.test(object.id)) return true;
    return read_by_handlers_.test(points_to_.unknown_object()) && points_to_.escapes(object.id);
  }
  switch (object.system) {
  case SystemLocation::Errno:
  case SystemLocation::Allocator:
  case SystemLocation::Time:
  case SystemLocation::Random:
  case SystemLocation::Lock:
  case SystemLocation::Environment:
  case SystemLocation::Exception:
  case SystemLocation::AbnormalExit:
  case SystemLocation::Jump:
    return false;
  default:
    return true;
  }
}

} // namespace heddle
