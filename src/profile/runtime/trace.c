// The profile runtime: records which blocks each sampled packet runs.
//
// Instrumented code appends the number of each block to a buffer of its thread:
//
//     if (cursor != limit) *cursor++ = block;
//
// While nothing is recorded, limit equals cursor and a block costs a load, a compare and a branch. A buffer
// that fills up turns recording off by the same test; the packet is then dropped and counted, so a packet in
// the file is always whole. Buffers are written in large pieces between packets, under one lock.
//
// Sampling takes whole batches, in runs of neighbours (HEDDLE_PROFILE_RUN packets at a time), because the
// simulated caches need packets in the company they really had. HEDDLE_PROFILE_SHARE is the percentage of
// packets to take. After HEDDLE_PROFILE_COUNT packets the file is complete, whatever the program goes on to do; but as
// long as it runs, runs of neighbours are taken further apart, so that the sample can be spread over the whole
// input: one run in each stretch of HEDDLE_PROFILE_COUNT-th of what was seen so far. That adds COUNT packets each
// time the input grows by a factor of e; the reader thins the rest (raw_trace.cpp).
//
// Processes: each writes a file of its own, HEDDLE_PROFILE_OUT for the first, with .PID for its children. The
// child's is made at the fork, before it may drop privileges. Files are checked before each write, because
// daemons close descriptors that they do not know.
#define _GNU_SOURCE
#include "packets.h"
#include "raw_format.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  buffer_words = 16 << 20, // one packet's blocks at most; touched only as far as used
  flush_words = 1 << 20,   // written out when a packet ends past this
  margin_words = 256,      // beyond the limit: room for marks
  most_nested = 16,
  batch_packets_max = 256, // sampling is decided anew after as many packets of one batch
};

// Read by every instrumented block.
__thread uint32_t* heddle_profile_cursor;
__thread uint32_t* heddle_profile_limit;

// Program::id. The instrumented program brings its own; other programs (the footprint build) link this one.
__attribute__((weak)) const char heddle_profile_program[1] = "";

struct thread {
  struct thread* next;
  uint32_t* base;
  uint32_t* end;           // limit while recording
  _Atomic(uint32_t*) done; // whole packets end here
  uint32_t* written;       // under file_lock
  uint32_t number, batch;
  int depth;     // packets open, one within the other
  int recording; // decided at the start of each batch
  uint64_t seen, traced, dropped;
  uint64_t next_run;     // once COUNT was reached: the number of the packet with which the next run begins
  uint64_t open_packets; // in the outermost packet that is open
  int64_t run_left;      // packets until the current run of neighbours ends
  uint64_t batch_left;
  uint32_t* mark[most_nested];
  void* frame[most_nested]; // of the call that opened the packet
};

static __thread struct thread* self;
static _Atomic(struct thread*) threads;
static atomic_uint next_thread, next_batch;
static atomic_ullong traced_total;

static struct {
  int on;
  pid_t pid;
  int fd;
  dev_t device;
  ino_t inode;
  char path[4096];
  struct heddle_raw_header* header;
  uint64_t count, run;
  double share;
} output = {.fd = -1};

static atomic_flag file_lock = ATOMIC_FLAG_INIT;

// Bounded, because a fatal signal may have interrupted the holder.
static int lock_file(void) {
  for (int i = 0; i < 1 << 22; ++i) {
    if (!atomic_flag_test_and_set_explicit(&file_lock, memory_order_acquire)) return 1;
    if (i > 1000) usleep(i > 2000 ? 100 : 0);
    if (i > 100000) break;
  }
  return 0;
}

static void unlock_file(void) {
  atomic_flag_clear_explicit(&file_lock, memory_order_release);
}

static int file_is_ours(void) {
  struct stat s;
  return output.fd >= 0 && fstat(output.fd, &s) == 0 && s.st_dev == output.device && s.st_ino == output.inode;
}

static int reopen_file(void) {
  if (file_is_ours()) return 1;
  output.fd = open(output.path, O_WRONLY | O_CLOEXEC);
  return file_is_ours();
}

static void fail(int error) {
  output.header->error = (uint32_t)error;
  output.on = 0;
}

// At `*at`, which moves on.
static int put(uint64_t* at, const void* data, size_t bytes) {
  while (bytes) {
    ssize_t n = pwrite(output.fd, data, bytes, (off_t)*at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      fail(n < 0 ? errno : ENOSPC);
      return 0;
    }
    data = (const char*)data + n;
    bytes -= (size_t)n;
    *at += (uint64_t)n;
  }
  return 1;
}

// With file_lock held.
static void write_thread(struct thread* t) {
  uint32_t* done = atomic_load_explicit(&t->done, memory_order_acquire);
  if (done == t->written || !output.on) return;
  if (!reopen_file()) {
    fail(EBADF);
    return;
  }
  struct heddle_raw_chunk chunk = {HEDDLE_RAW_CHUNK, t->number, (uint64_t)(done - t->written)};
  uint64_t at = output.header->file_bytes;
  if (!put(&at, &chunk, sizeof chunk) || !put(&at, t->written, chunk.words * sizeof(uint32_t))) return;
  t->written = done;
  output.header->file_bytes = at; // whole chunks only, whenever the program is killed
}

// Writes all whole packets and the totals. Called at exit, before _exit and exec, and when enough was
// recorded.
void heddle_profile_finish(void) {
  if (!output.on || getpid() != output.pid || !lock_file()) return;
  struct heddle_raw_header* h = output.header;
  uint64_t seen = 0, traced = 0, dropped = 0;
  for (struct thread* t = atomic_load(&threads); t; t = t->next) {
    write_thread(t);
    seen += t->seen;
    traced += t->traced;
    dropped += t->dropped;
  }
  h->packets_seen = seen;
  h->packets_traced = traced;
  h->packets_dropped = dropped;
  h->finished = h->error == 0;
  unlock_file();
}

// Makes the file at output.path; recording stays off when that fails.
static void create_file(void) {
  output.on = 0;
  output.pid = getpid();
  output.fd = open(output.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  struct stat s;
  // Reserved, not only sized: on a full disk the first store to the map would be a fatal signal.
  if (output.fd < 0 || posix_fallocate(output.fd, 0, HEDDLE_RAW_HEADER_BYTES) != 0 ||
      fstat(output.fd, &s) != 0)
    return;
  void* map = mmap(NULL, HEDDLE_RAW_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, output.fd, 0);
  if (map == MAP_FAILED) return;
  // Out of the way of programs that count on small numbers.
  int high = fcntl(output.fd, F_DUPFD_CLOEXEC, 512);
  if (high >= 0) {
    close(output.fd);
    output.fd = high;
  }
  output.device = s.st_dev;
  output.inode = s.st_ino;
  output.header = map;
  memcpy(output.header->magic, HEDDLE_RAW_MAGIC, sizeof output.header->magic);
  output.header->version = HEDDLE_RAW_VERSION;
  output.header->pid = (uint32_t)output.pid;
  strncpy(output.header->program, heddle_profile_program, sizeof output.header->program - 1);
  output.header->file_bytes = HEDDLE_RAW_HEADER_BYTES;
  output.on = 1;
}

static void path_of_process(void) {
  const char* path = getenv("HEDDLE_PROFILE_OUT");
  snprintf(output.path, sizeof output.path, "%s.%d", path ? path : "", (int)getpid());
}

// The child starts empty; its parent's packets are the parent's to write.
static void forked(void) {
  if (!output.header) return;
  munmap(output.header, HEDDLE_RAW_HEADER_BYTES);
  output.header = NULL;
  if (file_is_ours()) close(output.fd);
  atomic_flag_clear(&file_lock);
  atomic_store(&traced_total, 0);
  struct thread* t = self;
  atomic_store(&threads, t);
  if (t) {
    t->next = NULL;
    heddle_profile_cursor = heddle_profile_limit = t->written = t->base;
    atomic_store(&t->done, t->base);
    t->seen = t->traced = t->dropped = t->next_run = 0;
    t->recording = 0;
  }
  path_of_process();
  create_file();
}

static void terminated(int number) {
  heddle_profile_finish();
  signal(number, SIG_DFL);
  raise(number);
}

static uint64_t number_from(const char* name, uint64_t otherwise) {
  const char* text = getenv(name);
  return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

__attribute__((constructor(101))) static void start(void) {
  const char* path = getenv("HEDDLE_PROFILE_OUT");
  if (!path || !*path) return;
  snprintf(output.path, sizeof output.path, "%s", path);
  output.count = number_from("HEDDLE_PROFILE_COUNT", 20000);
  output.run = number_from("HEDDLE_PROFILE_RUN", 256);
  const char* share = getenv("HEDDLE_PROFILE_SHARE");
  output.share = share && *share ? strtod(share, NULL) : 100;
  create_file();
  if (!output.on && errno == EEXIST) { // started anew by a program that has one already
    path_of_process();
    create_file();
  }
  if (!output.on) return;
  pthread_atfork(NULL, NULL, forked);
  static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
  for (unsigned i = 0; i < sizeof signals / sizeof *signals; ++i) {
    struct sigaction old, own = {.sa_handler = terminated, .sa_flags = (int)SA_RESETHAND};
    if (sigaction(signals[i], NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL)
      sigaction(signals[i], &own, NULL);
  }
}

__attribute__((destructor(101))) static void stop(void) {
  heddle_profile_finish();
}

static struct thread* this_thread(void) {
  if (self || !output.on) return self;
  size_t bytes = sizeof(struct thread) + (size_t)(buffer_words + margin_words) * sizeof(uint32_t);
  struct thread* t =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (t == MAP_FAILED) return NULL;
  t->base = t->written = (uint32_t*)(t + 1);
  t->end = t->base + buffer_words;
  atomic_store(&t->done, t->base);
  t->number = atomic_fetch_add(&next_thread, 1);
  heddle_profile_cursor = heddle_profile_limit = t->base;
  t->next = atomic_load(&threads);
  while (!atomic_compare_exchange_weak(&threads, &t->next, t)) {
  }
  return self = t;
}

static void decide(struct thread* t) {
  t->batch_left = batch_packets_max;
  int wanted = output.on;
  if (wanted && t->run_left <= 0) {
    if (atomic_load_explicit(&traced_total, memory_order_relaxed) < output.count)
      wanted = (double)t->traced * 100 <= output.share * (double)t->seen;
    else if ((wanted = t->seen >= t->next_run))
      t->next_run = t->seen + (uint64_t)((double)output.run * (double)t->seen / (double)output.count);
    if (wanted) t->run_left = (int64_t)output.run;
  }
  t->recording = wanted;
}

static void mark_end(struct thread* t, uint32_t result) {
  if (t->depth >= most_nested || !t->mark[t->depth] || heddle_profile_cursor >= t->end) return;
  heddle_profile_cursor[0] = HEDDLE_MARK_END;
  heddle_profile_cursor[1] = result;
  heddle_profile_cursor = heddle_profile_cursor + 2 < t->end ? heddle_profile_cursor + 2 : t->end;
  ++t->open_packets;
}

// Packets that longjmp left: their frames are gone, because a caller of theirs runs again. Where such a
// packet ended cannot be told; it is dropped, or, within another, ends here.
static void drop_abandoned(struct thread* t, void* frame) {
  while (t->depth > 0 && (t->depth > most_nested || (char*)frame >= (char*)t->frame[t->depth - 1])) {
    --t->depth;
    if (t->depth > 0) {
      if (t->recording) mark_end(t, ~0u);
      continue;
    }
    heddle_profile_cursor = heddle_profile_limit = atomic_load(&t->done);
    ++t->dropped;
  }
}

void heddle_profile_batch(void) {
  struct thread* t = this_thread();
  if (!t) return;
  drop_abandoned(t, __builtin_frame_address(0));
  t->batch = atomic_fetch_add_explicit(&next_batch, 1, memory_order_relaxed);
  if (t->depth == 0) decide(t);
}

static void open_packet(struct thread* t, void* frame) {
  drop_abandoned(t, frame);
  if (t->depth == 0) {
    if (t->batch_left-- == 0) decide(t);
    t->open_packets = 0;
    heddle_profile_loads_begin();
    if (t->recording) heddle_profile_limit = t->end;
  }
  ++t->seen;
  if (t->depth < most_nested) {
    t->frame[t->depth] = frame;
    t->mark[t->depth] = NULL;
    if (t->recording && heddle_profile_cursor != heddle_profile_limit) {
      uint32_t* mark = t->mark[t->depth] = heddle_profile_cursor;
      mark[0] = HEDDLE_MARK_BEGIN;
      mark[1] = 0;
      mark[2] = t->batch;
      mark[3] = (uint32_t)t->seen;
      // The margin holds what a mark needs past the limit; the buffer then counts as full.
      heddle_profile_cursor = mark + 4 < t->end ? mark + 4 : t->end;
    }
  }
  ++t->depth;
}

static void end_outermost(struct thread* t) {
  if (heddle_profile_cursor >= t->end) {
    ++t->dropped;
    heddle_profile_cursor = atomic_load(&t->done);
  } else {
    t->traced += t->open_packets;
    t->run_left -= (int64_t)t->open_packets;
    output.header->packets_traced += t->open_packets; // for the display of progress only
    atomic_store_explicit(&t->done, heddle_profile_cursor, memory_order_release);
  }
  heddle_profile_limit = heddle_profile_cursor;
  uint64_t total = atomic_fetch_add(&traced_total, t->open_packets) + t->open_packets;
  if (total >= output.count && total - t->open_packets < output.count) heddle_profile_finish();
  if (t->run_left <= 0 && total >= output.count) t->recording = 0;
  if (heddle_profile_cursor - t->base < flush_words || !lock_file()) return;
  write_thread(t);
  t->written = t->base;
  atomic_store(&t->done, t->base);
  heddle_profile_cursor = heddle_profile_limit = t->base;
  unlock_file();
}

static void close_packet(struct thread* t, uint32_t result) {
  --t->depth;
  if (t->depth == 0) heddle_profile_loads_end();
  if (!t->recording) return;
  mark_end(t, result);
  if (t->depth == 0) end_outermost(t);
}

// Called at the entry of heddle.body.N.
void heddle_profile_body(uint32_t number) {
  struct thread* t = self;
  if (t && t->depth > 0 && t->depth <= most_nested && t->mark[t->depth - 1])
    t->mark[t->depth - 1][1] = number;
}

struct open {
  struct thread* thread;
  int depth; // of the packet
  uint32_t result;
};

// Runs on return and when an exception passes.
static void close_open(struct open* open) {
  if (open->thread && open->thread == self && open->thread->depth == open->depth)
    close_packet(open->thread, open->result);
}

int heddle_profile_packet(int (*body)(void* env), void* env) {
  struct open open __attribute__((cleanup(close_open))) = {this_thread(), 0, 0};
  if (open.thread) {
    open_packet(open.thread, __builtin_frame_address(0));
    open.depth = open.thread->depth;
  }
  int result = body(env);
  open.result = (uint32_t)result;
  return result;
}

// The loop as src/runtime/runtime.h describes it, one packet after the other.
int heddle_run_loop(int (*body)(void* env), void* env, int64_t count) {
  (void)count;
  heddle_profile_batch();
  int exit;
  do {
    exit = heddle_profile_packet(body, env);
  } while (exit == 0);
  return exit;
}
