// Exceptions (and the forced unwinding of pthread_exit and thread cancellation) that leave a packet's body.
//
// The unwinder's own functions are used only where it is there: a C program links none, and glibc loads
// libgcc_s by itself when a thread is cancelled. Then the unwinder is found the same way.
#include "internal.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unwind.h>

#pragma weak _Unwind_SetGR
#pragma weak _Unwind_SetIP
#pragma weak _Unwind_GetLanguageSpecificData
#pragma weak _Unwind_Resume
#pragma weak _Unwind_DeleteException
// Weak too: a static program has the unwinder linked in where it needs one, and no use for these.
#pragma weak dlopen
#pragma weak dlsym

namespace {
template <typename Function> Function* find(Function* linked, const char* name) {
  if (linked != nullptr) return linked;
  if (dlopen == nullptr || dlsym == nullptr) return nullptr;
  static void* library = nullptr; // set to the same value by every thread that comes here
  if (library == nullptr) library = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return library != nullptr ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}
} // namespace

extern "C" {

// Of the frames in switch.S. Phase one passes; phase two lands on the pad that the frame's data names.
HEDDLE_HIDDEN _Unwind_Reason_Code heddle_personality(int version, _Unwind_Action actions,
                                                     _Unwind_Exception_Class, _Unwind_Exception* exception,
                                                     _Unwind_Context* context) {
  if (version != 1) return _URC_FATAL_PHASE1_ERROR;
  if ((actions & _UA_SEARCH_PHASE) != 0) return _URC_CONTINUE_UNWIND;
  auto* set_register = find(_Unwind_SetGR, "_Unwind_SetGR");
  auto* set_address = find(_Unwind_SetIP, "_Unwind_SetIP");
  auto* data = find(_Unwind_GetLanguageSpecificData, "_Unwind_GetLanguageSpecificData");
  // Without them the unwinding goes on through the frame; in-flight packets are left where they are.
  if (set_register == nullptr || set_address == nullptr || data == nullptr) return _URC_CONTINUE_UNWIND;
  set_register(context, 0, reinterpret_cast<_Unwind_Word>(exception));
  set_address(context, reinterpret_cast<_Unwind_Ptr>(data(context)));
  return _URC_INSTALL_CONTEXT;
}

void heddle_resume_unwinding(void* exception) {
  if (auto* resume = find(_Unwind_Resume, "_Unwind_Resume"))
    resume(static_cast<_Unwind_Exception*>(exception));
  abort();
}

void heddle_delete_exception(void* exception) {
  if (auto* remove = find(_Unwind_DeleteException, "_Unwind_DeleteException"))
    remove(static_cast<_Unwind_Exception*>(exception));
}

} // extern "C"
