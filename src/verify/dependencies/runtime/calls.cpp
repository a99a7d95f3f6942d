// What functions outside the program touch, as the instrumented calls tell it (library_table.cpp).
#include "watch.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

using namespace heddle::dependencies;

namespace {

void touch(const void* begin, size_t size, uint32_t what, uint32_t place) {
  Thread& thread = this_thread;
  if (!thread.watching || size == 0 || on_own_stack(thread, begin)) return;
  if (!inside_packet(thread, __builtin_frame_address(0))) return;
  access(thread, reinterpret_cast<uint64_t>(begin), size, what, place);
}

// A conversion of printf's: does it take a pointer, and is that a string?
struct Conversion {
  bool pointer, string;
};

// Moves `at` behind the next conversion; false at the end of the format.
bool next_conversion(const char*& at, Conversion& conversion) {
  at = strchr(at, '%');
  if (at == nullptr || at[1] == '\0') return false;
  at += 1 + strspn(at + 1, "-+ #0'123456789.*$hlLqjzt");
  conversion.string = *at == 's';
  conversion.pointer = *at == 's' || *at == 'p' || *at == 'n';
  if (*at != '\0') ++at;
  return true;
}

} // namespace

extern "C" {

// A string, its end included, of which at most `most` bytes are touched.
HEDDLE_HIDDEN void heddle_dependencies_string(const char* string, size_t most, uint32_t what,
                                              uint32_t place) {
  if (!this_thread.watching || string == nullptr) return;
  const size_t length = strnlen(string, most);
  touch(string, length < most ? length + 1 : length, what, place);
}

// Strings that a format and the pointers among its arguments name. With a precision less may be read.
HEDDLE_HIDDEN void heddle_dependencies_format(const char* format, uint32_t place, uint32_t pointers, ...) {
  if (!this_thread.watching || format == nullptr) return;
  heddle_dependencies_string(format, SIZE_MAX, 0, place);
  va_list list;
  va_start(list, pointers);
  Conversion conversion;
  for (const char* at = format; pointers > 0 && next_conversion(at, conversion);) {
    if (!conversion.pointer) continue;
    const char* pointer = va_arg(list, const char*);
    --pointers;
    const bool bounded = memchr(format, '.', size_t(at - format)) != nullptr;
    if (conversion.string && !bounded) heddle_dependencies_string(pointer, SIZE_MAX, 0, place);
  }
  va_end(list);
}

// State that is behind the system's interface, or a library's.
HEDDLE_HIDDEN void heddle_dependencies_outside(uint32_t kind, uint64_t number, uint32_t what,
                                               uint32_t place) {
  Thread& thread = this_thread;
  if (!thread.watching || !inside_packet(thread, __builtin_frame_address(0))) return;
  access(thread, outside_address(ObjectKind(kind), number), 1, what, place);
}

// A descriptor is what lies behind the number. Which number the system hands out is its own business, as an
// allocator's addresses are.
HEDDLE_HIDDEN void heddle_dependencies_new_descriptor(int64_t number) {
  if (number < 0 || file == nullptr) return;
  new_memory(this_thread,
             reinterpret_cast<const void*>(outside_address(ObjectKind::Descriptor, uint64_t(number))), 1);
}

// The packet has taken (1) or released (-1) a lock.
HEDDLE_HIDDEN void heddle_dependencies_lock(int32_t by, uint32_t place) {
  Thread& thread = this_thread;
  if (!thread.watching || !inside_packet(thread, __builtin_frame_address(0))) return;
  thread.locks += by;
  if (by > 0) thread.lock_place = place;
}

// errno around a call: set when it changed.
HEDDLE_HIDDEN int heddle_dependencies_errno() {
  return errno;
}

HEDDLE_HIDDEN void heddle_dependencies_errno_after(int before, uint32_t place) {
  if (errno != before) touch(&errno, sizeof errno, what_write, place);
}

HEDDLE_HIDDEN void heddle_dependencies_allocated(const void* start, size_t size, uint32_t place) {
  if (start == nullptr || file == nullptr) return;
  const int kept = errno;
  new_memory(this_thread, start, size);
  remember_allocation(start, size, place);
  errno = kept;
}

// A string that a library function has allocated.
HEDDLE_HIDDEN void heddle_dependencies_allocated_string(const char* start, uint32_t place) {
  if (start != nullptr) heddle_dependencies_allocated(start, strlen(start) + 1, place);
}

// The owner lets go: like a write of all of it, so another packet's access has to be in the same order; after it the
// memory is new.
HEDDLE_HIDDEN void heddle_dependencies_freed(const void* start, uint32_t place) {
  if (start == nullptr || file == nullptr) return;
  const int kept = errno;
  if (const size_t size = forget_allocation(start)) {
    touch(start, size, what_write, place);
    new_memory(this_thread, start, size);
  }
  errno = kept;
}

// Objects of `size` bytes that come from a pool, or go back to it.
HEDDLE_HIDDEN void heddle_dependencies_pool_get(void* const* objects, uint32_t count, uint32_t size) {
  if (!this_thread.watching) return;
  for (uint32_t i = 0; i < count; ++i)
    if (objects[i] != nullptr) new_memory(this_thread, objects[i], size);
}

HEDDLE_HIDDEN void heddle_dependencies_pool_put(void* const* objects, uint32_t count, uint32_t size,
                                                uint32_t place) {
  Thread& thread = this_thread;
  if (!thread.watching) return;
  const uint32_t regions = thread.regions;
  thread.regions = 0; // what the owner lets go is its own, not the allocator's
  for (uint32_t i = 0; i < count; ++i) {
    if (objects[i] == nullptr) continue;
    touch(objects[i], size, what_write, place);
    new_memory(thread, objects[i], size);
  }
  thread.regions = regions;
}

// Packet buffers that go back to the pools that they name: where that stands in a buffer, and the size of its objects
// in a pool, are DPDK's.
HEDDLE_HIDDEN void heddle_dependencies_free_buffers(void* const* buffers, uint32_t count,
                                                    uint32_t pool_offset, uint32_t size_offset,
                                                    uint32_t place) {
  if (!this_thread.watching) return;
  for (uint32_t i = 0; i < count; ++i) {
    if (buffers[i] == nullptr) continue;
    const char* pool =
        *reinterpret_cast<const char* const*>(static_cast<const char*>(buffers[i]) + pool_offset);
    const uint32_t size = *reinterpret_cast<const uint32_t*>(pool + size_offset);
    heddle_dependencies_pool_put(&buffers[i], 1, size, place);
  }
}

// Code of a region begins; returns the regions around it.
HEDDLE_HIDDEN uint32_t heddle_dependencies_enter(uint32_t region) {
  const uint32_t around = this_thread.regions;
  this_thread.regions |= region;
  return around;
}

HEDDLE_HIDDEN void heddle_dependencies_leave(uint32_t around) {
  this_thread.regions = around;
}
}
