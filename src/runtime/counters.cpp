// Problem. What a program's batches are like in production decides what staging is worth there, and only the program knows. Telling it
// must cost next to nothing, and must not depend on the program's help: it may fork, become a daemon, give up its privileges, or be
// killed.
//
// Alternatives. (a) A socket or a thread that answers: both are seen by the program, and a forked child has neither. (b) One set of
// counters for all threads: each batch would move a cache line from core to core. (c) A shared mapping with a slot for each thread,
// which has one writer, so plain loads and stores do, and a reader that needs nobody's help.
//
// Choice: (c). The mapping is made before the program begins, with all of its memory (a full disk is an error then, and not SIGBUS
// later), and inherited by what the program forks; so no file is opened later, and nothing but a clock is asked. Counting is done
// once a visit of a stage and once a batch: a few additions per batch of packets (docs/guide.md has the measured cost).
//
// Who uses the file: a table of processes, in which a forked child enters itself. The last one that ends by itself removes the file; one
// that is killed leaves it, and a reader, or the next program with that name for it, finds none of the processes alive. A process that
// has since run another program (execve) is none of ours.
#include "counters.h"

#include "keys.h"

#include "heddle/heddle.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

extern "C" struct heddle_counters_head* heddle_counted = nullptr;

namespace heddle::runtime {
namespace {

static_assert(sizeof(heddle_counters_head) % 64 == 0 && sizeof(heddle_counters_body) % 64 == 0 &&
              sizeof(heddle_counters_slot) % 64 == 0);

char path[PATH_MAX]; // empty: the mapping has no file
struct stat made;    // the file
struct stat program; // this one
pthread_key_t key;

// What this thread has counted last.
struct Told {
  heddle_counters counters;
  uint64_t expected; // packets of this run that have not been counted
  bool known;        // their number was, when it began
};
__thread Told told __attribute__((tls_model("initial-exec")));

void add(uint64_t& count, uint64_t more) {
  __atomic_store_n(&count, count + more, __ATOMIC_RELAXED);
}

unsigned size_class(uint64_t packets) {
  unsigned log = packets <= 1 ? 0 : 64 - unsigned(__builtin_clzll(packets - 1));
  return log < HEDDLE_BATCH_SIZES ? log : HEDDLE_BATCH_SIZES - 1;
}

void add_received(heddle_counters_slot& slot, uint64_t packets) {
  add(slot.received, packets);
  add(slot.sizes[size_class(packets)], 1);
}

void add_since(uint64_t& count, uint64_t now, uint64_t& before) {
  if (now != before) add(count, now - before);
  before = now;
}

uint64_t time_of(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return uint64_t(time.tv_sec) * 1000000000u + uint64_t(time.tv_nsec);
}

// Processes.

bool exists(uint32_t number) {
  return kill(pid_t(number), 0) == 0 || errno != ESRCH;
}

// Where it cannot be known: yes.
bool is_alive(uint32_t number) {
  if (!exists(number)) return false;
  char link[32];
  snprintf(link, sizeof link, "/proc/%u/exe", number);
  struct stat runs;
  return program.st_ino == 0 || stat(link, &runs) != 0 ||
         (runs.st_ino == program.st_ino && runs.st_dev == program.st_dev);
}

bool replace(uint32_t& word, uint32_t expected, uint32_t value) {
  return __atomic_compare_exchange_n(&word, &expected, value, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

// Takes a free one, else that of a process that is dead. Null: there is none.
template <typename Entry> Entry* take(unsigned count, uint32_t self, Entry* (*at)(unsigned number)) {
  for (unsigned i = 0; i < count; ++i)
    if (at(i)->number == 0 && replace(at(i)->number, 0, self)) return at(i);
  for (unsigned i = 0; i < count; ++i) {
    const uint32_t owner = __atomic_load_n(&at(i)->number, __ATOMIC_RELAXED);
    if (owner != self && owner != 0 && !is_alive(owner) && replace(at(i)->number, owner, self)) return at(i);
  }
  return nullptr;
}

heddle_counters_process* process_at(unsigned number) {
  return &heddle_counted->processes[number];
}

heddle_counters_slot* slot_at(unsigned number) {
  return &slot_of(*heddle_counted, number);
}

heddle_counters_process* enter_process() {
  auto* entry = take(HEDDLE_COUNTER_PROCESSES, uint32_t(getpid()), process_at);
  if (entry == nullptr) return nullptr;
  __atomic_store_n(&entry->forking, 0, __ATOMIC_RELAXED); // a dead one's
  __atomic_store_n(&entry->since, time_of(CLOCK_BOOTTIME), __ATOMIC_RELEASE);
  return entry;
}

bool others_alive(uint32_t self) {
  for (const heddle_counters_process& process : heddle_counted->processes) {
    const uint32_t number = __atomic_load_n(&process.number, __ATOMIC_ACQUIRE);
    if (number != 0 && number != self && is_alive(number)) return true;
  }
  return false;
}

// A parent may end before its child has run at all: so it keeps an entry for it.
__thread heddle_counters_process* for_child __attribute__((tls_model("initial-exec")));

void before_fork() {
  for_child = enter_process();
  if (for_child != nullptr) __atomic_store_n(&for_child->forking, 1, __ATOMIC_RELEASE);
}

void after_fork() {
  heddle_this_thread.slot = nullptr; // the parent's
  const uint32_t parent = for_child != nullptr ? __atomic_load_n(&for_child->number, __ATOMIC_ACQUIRE) : 0;
  if (parent == 0 || !replace(for_child->number, parent, uint32_t(getpid()))) {
    enter_process();
    return;
  }
  __atomic_store_n(&for_child->since, time_of(CLOCK_BOOTTIME), __ATOMIC_RELAXED);
  __atomic_store_n(&for_child->forking, 0, __ATOMIC_RELEASE);
}

// One that does not take its entry was never made, or has ended.
void await_children(uint32_t self) {
  constexpr unsigned tries = 100;
  constexpr timespec pause = {0, 1000000};
  for (const heddle_counters_process& process : heddle_counted->processes)
    for (unsigned i = 0; i != tries && __atomic_load_n(&process.number, __ATOMIC_ACQUIRE) == self &&
                         __atomic_load_n(&process.forking, __ATOMIC_ACQUIRE) != 0;
         ++i)
      nanosleep(&pause, nullptr);
}

__attribute__((destructor)) void end() {
  if (!counting()) return;
  const auto self = uint32_t(getpid());
  await_children(self);
  for (unsigned i = 0; i < HEDDLE_COUNTER_SLOTS; ++i)
    replace(slot_at(i)->number, self, 0);
  for (heddle_counters_process& process : heddle_counted->processes)
    replace(process.number, self, 0);
  if (others_alive(self) || !replace(heddle_counted->ended, 0, 1)) return;
  tell_counts(*heddle_counted);
  struct stat there;
  if (*path != '\0' && stat(path, &there) == 0 && there.st_ino == made.st_ino && there.st_dev == made.st_dev)
    unlink(path);
}

// Slots.

void leave_slot(void* slot) {
  replace(static_cast<heddle_counters_slot*>(slot)->number, uint32_t(getpid()), 0);
}

heddle_counters_slot* slot_for(heddle_thread& thread) {
  if (thread.slot != nullptr || thread.slotless) return thread.slot;
  const int own_errno = errno;
  thread.slot = take(HEDDLE_COUNTER_SLOTS, uint32_t(getpid()), slot_at);
  if (thread.slot != nullptr)
    pthread_setspecific(key, thread.slot);
  else
    __atomic_fetch_add(&heddle_counted->slotless, 1, __ATOMIC_RELAXED);
  thread.slotless = thread.slot == nullptr;
  errno = own_errno;
  return thread.slot;
}

// The file.

void complain(const char* what, const char* hint) {
  dprintf(STDERR_FILENO, "heddle: error: HEDDLE_COUNTERS: %s: %s; nothing is counted\nheddle: hint: %s\n",
          path, what, hint);
}

constexpr const char* hint_name =
    "name a file that is not there yet, in a folder that this program may write to";

// Removes what a killed program has left. False, and said why: it is something else.
bool remove_stale() {
  heddle_counters_head head = {};
  const int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW);
  const bool whole = file >= 0 && read(file, &head, sizeof head) == ssize_t(sizeof head);
  if (file >= 0) close(file);
  if (!whole || head.magic != HEDDLE_COUNTERS_MAGIC) {
    complain("is there, and is something else", hint_name);
    return false;
  }
  for (const heddle_counters_process& process : head.processes)
    if (process.number != 0 && process.number != uint32_t(getpid()) && exists(process.number)) {
      complain("is used by a process that runs",
               "give each program a file of its own; remove this one if `heddle top` calls it stale");
      return false;
    }
  return unlink(path) == 0;
}

int create() {
  constexpr int how = O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  int file = open(path, how, 0644);
  if (file < 0 && errno == EEXIST) {
    if (!remove_stale()) return -1;
    file = open(path, how, 0644);
  }
  if (file < 0) complain(strerror(errno), hint_name);
  return file;
}

// Null, and said why: it cannot be.
heddle_counters_head* map_file(uint64_t size) {
  const int file = create();
  if (file < 0) return nullptr;
  void* memory = MAP_FAILED;
  if (const int failed = posix_fallocate(file, 0, off_t(size)))
    errno = failed;
  else
    memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED || fstat(file, &made) != 0) {
    complain(strerror(errno), hint_name);
    unlink(path);
    memory = MAP_FAILED;
  }
  close(file);
  return memory == MAP_FAILED ? nullptr : static_cast<heddle_counters_head*>(memory);
}

// For a report at the end alone. Shared: with what the program forks.
heddle_counters_head* map_memory(uint64_t size) {
  void* memory =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<heddle_counters_head*>(memory);
}

// The program may go to another folder before it ends.
bool take_path(const char* given) {
  if (given == nullptr || *given == '\0') return false;
  char folder[PATH_MAX] = "";
  if (*given != '/' && getcwd(folder, sizeof folder) == nullptr) strcpy(folder, "."); // NOLINT: fits
  const int size = snprintf(path, sizeof path, "%s%s%s", folder, *folder != '\0' ? "/" : "", given);
  if (size > 0 && size_t(size) < sizeof path) return true;
  complain("its name is too long", hint_name);
  *path = '\0';
  return false;
}

// Before the program, which may clear its environment.
__attribute__((constructor(102))) void set_up() {
  const bool file = take_path(secure_getenv("HEDDLE_COUNTERS"));
  if (!file && !wants_report()) return;
  const unsigned bodies = &heddle_schedule_count != nullptr ? heddle_schedule_count : 0;
  unsigned rows = 0;
  for (unsigned i = 0; i < bodies; ++i)
    rows += heddle_schedules[i].stages;
  const uint64_t slot_size =
      (sizeof(heddle_counters_slot) + rows * sizeof(heddle_counters_row) + 63) / 64 * 64;
  const uint64_t size =
      sizeof(heddle_counters_head) + bodies * sizeof(heddle_counters_body) + HEDDLE_COUNTER_SLOTS * slot_size;
  heddle_counters_head* head = file ? map_file(size) : map_memory(size);
  if (head == nullptr) return;
  if (stat("/proc/self/exe", &program) != 0) program.st_ino = 0;
  head->version = HEDDLE_COUNTERS_VERSION;
  head->bodies = bodies;
  head->size = size;
  head->slot_size = slot_size;
  head->slots = HEDDLE_COUNTER_SLOTS;
  head->rows = rows;
  head->made = time_of(CLOCK_BOOTTIME);
  strncpy(head->program, program_invocation_short_name, sizeof head->program - 1);
  unsigned row = 0;
  for (unsigned i = 0; i < bodies; ++i) {
    heddle_counters_body& body = bodies_of(*head)[i];
    strncpy(body.name, heddle_schedules[i].name, sizeof body.name - 1);
    body.first_row = row;
    body.rows = heddle_schedules[i].stages;
    row += body.rows;
  }
  if (pthread_key_create(&key, leave_slot) != 0 || pthread_atfork(before_fork, nullptr, after_fork) != 0)
    return;
  heddle_counted = head;
  enter_process();
  __atomic_store_n(&head->magic, HEDDLE_COUNTERS_MAGIC, __ATOMIC_RELEASE);
}

// The packets that have run since the last call, of `ran` calls of the body, the last test of a loop maybe among them.
uint64_t packets_of(uint64_t ran, bool stopped) {
  if (!told.known) return ran - (stopped && ran != 0);
  if (ran > told.expected) ran = told.expected;
  told.expected -= ran;
  return ran;
}

} // namespace

uint64_t count_now() {
  return time_of(CLOCK_MONOTONIC);
}

void count_alone(const char* place) {
  for (heddle_counters_place& known : heddle_counted->places) {
    uint32_t state = __atomic_load_n(&known.state, __ATOMIC_ACQUIRE);
    if (state == 0 &&
        __atomic_compare_exchange_n(&known.state, &state, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
      strncpy(known.name, place, sizeof known.name - 1);
      state = 2;
      __atomic_store_n(&known.state, state, __ATOMIC_RELEASE);
    }
    if (state != 2 || strncmp(known.name, place, sizeof known.name - 1) != 0) continue;
    __atomic_fetch_add(&known.packets, 1, __ATOMIC_RELAXED);
    return;
  }
}

void count_received(heddle_thread& thread, int64_t received) {
  told.known = received >= 0;
  told.expected = told.known ? uint64_t(received) : 0;
  if (received <= 0) return;
  if (heddle_counters_slot* slot = slot_for(thread)) add_received(*slot, told.expected);
}

void count_batch_received(heddle_thread& thread, uint64_t packets) {
  heddle_counters_slot* slot = told.known ? nullptr : slot_for(thread);
  if (slot != nullptr) add_received(*slot, packets);
}

void count_one(heddle_thread& thread) {
  heddle_counters_slot* slot = slot_for(thread);
  const uint64_t packets = slot != nullptr ? packets_of(1, false) : 0;
  if (packets == 0) return;
  add(slot->one_by_one, packets);
  if (!told.known) add_received(*slot, 1);
}

void count_visit(heddle_thread& thread, const heddle_schedule* body, uint32_t stage, uint64_t packets,
                 uint64_t left_out, uint64_t waited) {
  heddle_counters_slot* slot = body != nullptr && stage < body->stages ? slot_for(thread) : nullptr;
  if (slot == nullptr) return;
  heddle_counters_row& row =
      slot->rows[bodies_of(*heddle_counted)[body - heddle_schedules].first_row + stage];
  add(row.visits, 1);
  add(row.packets, packets);
  if (left_out == 0) return;
  add(row.left_out, left_out);
  add(row.waited, left_out * waited);
}

void count_batch(heddle_thread& thread, const heddle_schedule* body) {
  heddle_counters_slot* slot = slot_for(thread);
  if (slot == nullptr) return;
  heddle_counters& last = told.counters;
  const uint64_t packets = packets_of(thread.packets - last.packets, thread.stopped);
  last.packets = thread.packets;
  if (packets != 0) { // not for a loop's last test
    add(slot->batches, 1);
    add(slot->packets, packets);
    count_visit(thread, body, 0, packets, 0, 0);
  }
  last.batches = thread.batches;
  add_since(slot->crossings, thread.crossings, last.crossings);
  add_since(slot->alone, thread.alone, last.alone);
  add_since(slot->deferred, thread.deferred, last.deferred);
  add_since(slot->visits, thread.visits, last.visits);
  add_since(slot->held, thread.held, last.held);
}

} // namespace heddle::runtime

using namespace heddle::runtime;

void heddle_count_interleaved(int64_t received, uint32_t one_by_one) {
  heddle_thread& thread = heddle_this_thread;
  heddle_counters_slot* slot = thread.active ? nullptr : slot_for(thread); // in a packet, that counts
  if (slot == nullptr) return;
  if (received > 0) {
    add_received(*slot, uint64_t(received));
    add(one_by_one != 0 ? slot->one_by_one : slot->packets, uint64_t(received));
  }
  add_since(slot->batches, thread.batches, told.counters.batches);
  add_since(slot->crossings, thread.crossings, told.counters.crossings);
  add_since(slot->visits, thread.visits, told.counters.visits);
}
