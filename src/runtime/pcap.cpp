// pcap_loop and pcap_dispatch with the callback's body staged.
//
// libpcap keeps the reins: its own loop calls `start_packet`, which starts the body on a private stack and
// returns as soon as the packet is suspended. So counts, filters, errors and pcap_breakloop between two
// packets work as they do without staging. The packet's header and bytes are copied first, because libpcap
// may use its buffer again for the next packet. When all stacks are taken, and whenever libpcap returns, the
// batch is finished: no packet waits while libpcap waits for traffic.
//
// An exception or longjmp out of a callback goes through libpcap's frames as it would, and leaves the copies
// of at most one batch behind.
//
// In an object file of its own: only programs that stage a callback need libpcap.
#include "counters.h"
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

extern "C" {
// From pcap.h, so that the runtime builds without libpcap's headers.
struct pcap_pkthdr {
  struct timeval ts;
  uint32_t caplen;
  uint32_t len;
};
using pcap_handler = void (*)(unsigned char* user, const pcap_pkthdr* header, const unsigned char* data);
int pcap_loop(void* pcap, int count, pcap_handler callback, unsigned char* user);
int pcap_dispatch(void* pcap, int count, pcap_handler callback, unsigned char* user);
void* pcap_file(void* pcap);
}

using namespace heddle::runtime;

namespace {

struct HeldPacket {
  heddle_pcap_packet packet;
  pcap_pkthdr header;
  unsigned char* bytes;
  size_t capacity;
};

struct Run {
  heddle_thread* thread;
  unsigned char* user;
  heddle_context* next;
  HeldPacket* held; // one per context
  unsigned limit;
};

bool hold(HeldPacket& held, unsigned char* user, const pcap_pkthdr* header, const unsigned char* data) {
  if (held.capacity < header->caplen) {
    size_t capacity = header->caplen < 2048 ? 2048 : header->caplen;
    auto* bytes = static_cast<unsigned char*>(realloc(held.bytes, capacity));
    if (bytes == nullptr) return false;
    held.bytes = bytes;
    held.capacity = capacity;
  }
  memcpy(held.bytes, data, header->caplen);
  held.header = *header;
  held.packet = {user, &held.header, held.bytes};
  return true;
}

void finish(Run& run) {
  run.thread->used_end = run.next;
  finish_batch(*run.thread);
  note_batch(*run.thread, run.thread->packets);
  run.next = run.thread->contexts;
  if (run.thread->exception != nullptr) end_run(*run.thread); // goes on through libpcap's frames, as it would
}

void start_packet(unsigned char* user, const pcap_pkthdr* header, const unsigned char* data) {
  Run& run = *reinterpret_cast<Run*>(user);
  heddle_thread& thread = *run.thread;
  if (run.next == thread.limit_end) finish(run);
  HeldPacket& held = run.held[(run.next - thread.contexts) / thread.step];
  heddle_pcap_packet direct = {run.user, header, data};
  if (hold(held, run.user, header, data)) {
    thread.env = &held.packet;
  } else { // no memory for the copy: alone, after all before it
    finish(run);
    thread.env = &direct;
  }
  // The contexts behind this one are free too; only this one may start now.
  heddle_context& context = *run.next;
  heddle_context& after = run.next[thread.step];
  uint32_t after_stage = after.stage;
  after.stage = HEDDLE_NONE;
  thread.round = 0;
  run_context(thread, context);
  after.stage = after_stage;
  if (context.stage == HEDDLE_NONE)
    context.stage = 0; // ended without being suspended: free again
  else
    run.next += thread.step;
  if (thread.env == &direct || thread.exception != nullptr) finish(run);
}

// libpcap's pcap_loop, on top of pcap_dispatch: reads until `count` packets (0 or less: without end), the end
// of the file, an error or pcap_breakloop; between two reads no packet is in flight.
int loop(Run& run, void* pcap, int count) {
  const bool from_file = pcap_file(pcap) != nullptr;
  for (;;) {
    int got = pcap_dispatch(pcap, count, start_packet, reinterpret_cast<unsigned char*>(&run));
    finish(run);
    if (got < 0 || (got == 0 && from_file)) return got;
    if (count > 0 && got > 0) {
      count -= got;
      if (count <= 0) return 0;
    }
  }
}

using Read = int (*)(void*, int, pcap_handler, unsigned char*);

int run_unstaged(Read read, void* pcap, int count, unsigned char* user, void* callback) {
  return read(pcap, count, reinterpret_cast<pcap_handler>(callback), user);
}

struct NestedRead {
  Read read;
  void* pcap;
  int count;
  unsigned char* user;
  void* callback;
  int result;
};

int run_nested(void* env) {
  auto& nested = *static_cast<NestedRead*>(env);
  nested.result = run_unstaged(nested.read, nested.pcap, nested.count, nested.user, nested.callback);
  return 1;
}

int run(bool whole_loop, void* pcap, int count, int (*body)(void*), unsigned char* user, void* callback) {
  heddle_thread& thread = heddle_this_thread;
  Read read = whole_loop ? pcap_loop : pcap_dispatch;
  Mode mode = begin_run(thread, count > 0 ? count : -1, 0); // a count is a limit, and no number of packets
  if (mode == Mode::Nested) {
    NestedRead nested = {read, pcap, count, user, callback, 0};
    heddle_run_nested(&thread, run_nested, &nested);
    return nested.result;
  }
  if (mode == Mode::Plain) return run_unstaged(read, pcap, count, user, callback);

  Run run = {&thread, user, thread.contexts, nullptr, thread.limit};
  run.held = static_cast<HeldPacket*>(calloc(run.limit, sizeof(HeldPacket)));
  if (run.held == nullptr) {
    end_run(thread);
    return run_unstaged(read, pcap, count, user, callback);
  }
  if (counting()) count_received(thread, -1);
  thread.body = body;
  thread.repeat = HEDDLE_NONE; // a packet that ends makes no room by itself: libpcap brings the next
  int result = 0;
  if (whole_loop) {
    result = loop(run, pcap, count);
  } else {
    result = pcap_dispatch(pcap, count, start_packet, reinterpret_cast<unsigned char*>(&run));
    finish(run);
  }
  for (unsigned i = 0; i < run.limit; ++i)
    free(run.held[i].bytes);
  free(run.held);
  end_run(thread);
  return result;
}

} // namespace

extern "C" {

int heddle_pcap_loop(void* pcap, int count, int (*body)(void* env), unsigned char* user, void* callback) {
  return run(true, pcap, count, body, user, callback);
}

int heddle_pcap_dispatch(void* pcap, int count, int (*body)(void* env), unsigned char* user, void* callback) {
  return run(false, pcap, count, body, user, callback);
}

} // extern "C"
