// Private stacks: one mapping per thread, made at its first staged run and freed when it ends.
//
//     | guard | stack 0 | guard | stack 1 | ... | contexts | output kept | keys and their tables | copies of scratch variables |
//
// The memory of a stack is committed page by page as it is used. Below each lies a guard of 17 pages, so
// that an overflow faults instead of reaching a neighbour, also when a frame of up to 64 KiB skips part of
// it; an odd number of pages also spreads the stacks over the sets of a second-level cache. Within a page
// the stacks start at different lines (64 colours, neighbours 5 lines apart): else the hot frames of
// all packets would share the few sets of the first-level data cache that their common offset selects.
#include "internal.h"
#include "keys.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

namespace heddle::runtime {
namespace {

constexpr size_t page = 4096;
constexpr size_t guard_size = 17 * page;
constexpr size_t default_stack = 256 << 10, smallest_stack = 16 << 10, largest_stack = size_t(1) << 30;
constexpr size_t line = 64, colours = 64, colour_step = 5;

// Bytes that a packet's copies take; src/transform defines it in a program that has some.
extern "C" const unsigned heddle_scratch_size __attribute__((weak));

// Of whole lines, an odd number: the same variable's copies fall into different sets.
size_t copies_size() {
  if (&heddle_scratch_size == nullptr || heddle_scratch_size == 0) return 0;
  return ((heddle_scratch_size + line - 1) / line | 1) * line;
}

// A power of two, twice as many as what all packets hold of all keys at least.
size_t key_table_entries(size_t count) {
  size_t entries = 4;
  while (entries < 2 * count * key_count())
    entries *= 2;
  return entries;
}

pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_key_t key;
bool have_key = false;
size_t stack_size = default_stack;

// Packets in flight hold, and then release, a batch's worth of memory at once. glibc gives what is free at the end of its
// heap back to the kernel from 128 KiB on, and gets it again page by page: nginx with 4 KB answers took 3.7 times as
// long, staged at 8 cuts. Releasing a block of its own mapping raises that limit to twice the block's size, unless the
// program has set it. (M_TRIM_THRESHOLD by mallopt would also freeze the other limit.)
void keep_freed_memory() {
  void* volatile block = malloc(size_t(4) << 20);
  free(block);
}

void free_pool(void* pointer) {
  auto& thread = *static_cast<heddle_thread*>(pointer);
  forget_kept(thread);
  if (thread.pool != nullptr) munmap(thread.pool, thread.pool_size);
  thread.pool = nullptr;
  thread.contexts = thread.oldest = nullptr;
  thread.kept = nullptr;
  thread.capacity = thread.limit = 0;
  thread.active = 0;
}

void set_up_once() {
  have_key = pthread_key_create(&key, free_pool) == 0;
  keep_freed_memory();
}

// Before the program, which may clear its environment.
__attribute__((constructor(101))) void read_stack_size() {
  const char* text = getenv("HEDDLE_STACK");
  if (text == nullptr) return;
  char* end = nullptr;
  unsigned long long bytes = strtoull(text, &end, 10);
  if (*end == 'K' || *end == 'k')
    bytes <<= 10, ++end;
  else if (*end == 'M' || *end == 'm')
    bytes <<= 20, ++end;
  if (end == text || *end != '\0') return;
  bytes = bytes < smallest_stack ? smallest_stack : bytes > largest_stack ? largest_stack : bytes;
  stack_size = (bytes + page - 1) / page * page;
}

void place_stack(heddle_thread& thread, heddle_context& context, unsigned char* base, unsigned char* copies,
                 unsigned number) {
  context.base = base;
  // Two words above the stack pointer's first value: the address that unwinders go by, and the packet's copies
  // (switch.S).
  context.top = base + stack_size - (number * colour_step % colours) * line - 16;
  *reinterpret_cast<void***>(context.top) = &thread.home_sp;
  *reinterpret_cast<void**>(context.top + 8) = copies;
  context.fake_stack = nullptr;
  clear_context(thread, context);
}

} // namespace

void clear_context(heddle_thread& thread, heddle_context& context) {
  context.sp = context.top;
  context.resume = reinterpret_cast<void*>(heddle_start);
  context.rbp = nullptr;
  context.rbx = &thread;
  context.stage = HEDDLE_NONE;
}

extern "C" void __sanitizer_start_switch_fiber(void** save, const void* bottom, size_t size)
    __attribute__((weak));

bool ensure_stacks(heddle_thread& thread, unsigned count) {
  if (count <= thread.capacity) return true;
  pthread_once(&once, set_up_once);
  if (!have_key) return false;
  if (thread.pool != nullptr) free_pool(&thread);

  // Under AddressSanitizer each context is followed by one in which nothing ever waits: no successor is
  // found inline, and every switch goes through the scheduler, which can announce it.
  const size_t step = __sanitizer_start_switch_fiber != nullptr ? 2 : 1;
  const size_t stride = guard_size + stack_size;
  const size_t contexts_size = (count * step + 1) * sizeof(heddle_context);
  const size_t kept_size = count * size_of_kept();
  const size_t keys_size = key_count() * count * step * sizeof(uint64_t);
  const size_t key_table_size = key_count() != 0 ? key_table_entries(count) : 0;
  const size_t key_tables_size =
      key_table_size * sizeof(heddle_known_key) + key_count() * sizeof(heddle_earlier_keys);
  const size_t tables_size =
      (contexts_size + kept_size + keys_size + key_tables_size + page - 1) / page * page;
  const size_t copies_begin = count * stride + tables_size;
  const size_t size = (copies_begin + count * copies_size() + page - 1) / page * page;
  void* memory =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  auto* pool = static_cast<unsigned char*>(memory);
  for (size_t i = 0; i < count; ++i) {
    if (mprotect(pool + i * stride, guard_size, PROT_NONE) != 0) {
      munmap(pool, size);
      return false;
    }
  }
  thread.pool = pool;
  thread.pool_size = size;
  thread.step = step;
  thread.capacity = count;
  thread.limit = 0;
  thread.contexts = reinterpret_cast<heddle_context*>(pool + count * stride);
  thread.kept = reinterpret_cast<heddle_kept*>(pool + count * stride + contexts_size);
  thread.keys = reinterpret_cast<uint64_t*>(pool + count * stride + contexts_size + kept_size);
  thread.key_table = reinterpret_cast<heddle_known_key*>(thread.keys + key_count() * count * step);
  thread.earlier_keys = reinterpret_cast<heddle_earlier_keys*>(thread.key_table + key_table_size);
  thread.key_table_size = key_table_size;
  thread.key_table_number = 0;
  thread.oldest = thread.kept_end = thread.contexts;
  for (size_t i = 0; i < count; ++i) {
    unsigned char* copies = copies_size() != 0 ? pool + copies_begin + i * copies_size() : nullptr;
    place_stack(thread, thread.contexts[i * step], pool + i * stride + guard_size, copies, unsigned(i));
    if (step > 1) thread.contexts[i * step + 1].stage = HEDDLE_NONE;
  }
  thread.contexts[count * step].stage = HEDDLE_NONE;
  pthread_setspecific(key, &thread);
  return true;
}

} // namespace heddle::runtime

extern "C" void heddle_no_own_object(void) {
  static const char text[] = "heddle: no memory for the object of its own that a packet in flight needs\n";
  ssize_t ignored = write(2, text, sizeof text - 1);
  (void)ignored;
}
