// Objects of packets' own (src/program/own_objects.h). Staged, each context has its own; here, where packets run one after the
// other, the one that the packet would have: the packets before it in the batch that would hold a context say which.
#include "memory.h"
#include "watch.h"

namespace heddle::dependencies {

void release_own_objects(Thread& thread) {
  if (thread.own_objects)
    return_memory(static_cast<void*>(thread.own_objects), most_in_flight * most_own_slots * sizeof(void*));
  thread.own_objects = nullptr;
}

} // namespace heddle::dependencies

using namespace heddle;
using namespace heddle::dependencies;

// Where the packet's object is kept, or null outside of packets.
extern "C" HEDDLE_HIDDEN void** heddle_dependencies_own_slot(uint32_t number) {
  Thread& thread = this_thread;
  if (!thread.watching || thread.used >= most_in_flight || number >= most_own_slots ||
      !inside_packet(thread, __builtin_frame_address(0)))
    return nullptr;
  if (!thread.own_objects)
    thread.own_objects = static_cast<void**>(fresh_memory(most_in_flight * most_own_slots * sizeof(void*)));
  return thread.own_objects ? &thread.own_objects[thread.used * most_own_slots + number] : nullptr;
}
