// Streams are told apart by their places in the StdioChannel object: what points-to finds behind the FILE*.
//
// A stream and its descriptor are one channel to the outside. The program may use the descriptor of a standard
// stream at any time, and that of an opened one if it has ever asked for it (fileno) or had it before (fdopen).
#include "analysis/streams.h"

#include "analysis/external_models.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle {

static bool uses_any(const Module& module, ArrayRef<StringRef> names) {
  return any_of(names, [&](StringRef name) { return module.getFunction(name) != nullptr; });
}

static Stream stream_at(const Place& place, const Module& module) {
  static constexpr StringRef to_memory[] = {"fmemopen", "open_memstream", "open_wmemstream"};
  static constexpr StringRef share_descriptor[] = {"fileno", "fileno_unlocked", "fdopen"};
  Stream stream;
  stream.place = place;
  if (!place.exact()) {
    stream.deferrable = !uses_any(module, to_memory);
    return stream;
  }
  stream.size = stream_size;
  stream.deferrable = place.offset >= 0;
  if (place.offset < 0 || place.offset >= first_opened_stream)
    stream.descriptor_in_use = place.offset >= 0 && uses_any(module, share_descriptor);
  return stream;
}

// Standard output is what the variable says: the program may have set it to another stream.
static bool is_set(const GlobalVariable& variable) {
  return !all_of(variable.users(), [](const User* user) { return isa<LoadInst>(user); });
}

SmallVector<Stream, 2> streams_of(const PointsTo& points_to, const CallBase& call, int argument) {
  const Module& module = points_to.module();
  const Stream any = stream_at(Place::anywhere(), module);
  if (argument == ModelClause::standard_output) {
    const GlobalVariable* variable = module.getNamedGlobal("stdout");
    if (variable && is_set(*variable)) return {any};
    return {stream_at(Place::at(int64_t(StandardStream::Out) * stream_size), module)};
  }
  if (argument < 0 || unsigned(argument) >= call.arg_size()) return {any};
  const ObjectId streams = points_to.system_object(SystemLocation::StdioChannel);
  SmallVector<Stream, 2> result;
  for (const Pointee& pointee : points_to.points_to(call.getArgOperand(argument))) {
    if (pointee.object == streams) {
      result.push_back(stream_at(pointee.place, module));
      continue;
    }
    Stream unknown = any; // a stream of an unknown library's, maybe with functions of the program behind it
    unknown.deferrable = false;
    return {unknown};
  }
  if (result.empty()) { // not traced
    Stream unknown = any;
    unknown.deferrable = false;
    return {unknown};
  }
  return result;
}

// Comes from a call that makes a fresh one, and nothing makes streams of descriptors.
bool is_own_descriptor(const PointsTo& points_to, const Value& descriptor) {
  static constexpr StringRef fresh[] = {"socket",        "accept",        "accept4",  "open",
                                        "open64",        "openat",        "openat64", "creat",
                                        "epoll_create",  "epoll_create1", "eventfd",  "timerfd_create",
                                        "inotify_init1", "shm_open",      "mkstemp"};
  const auto* call = dyn_cast<CallBase>(&descriptor);
  const Function* function = call ? call->getCalledFunction() : nullptr;
  return function && function->isDeclaration() && is_contained(fresh, function->getName()) &&
         !uses_any(points_to.module(), {"fdopen"});
}

} // namespace heddle
