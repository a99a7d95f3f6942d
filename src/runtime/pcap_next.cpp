// One packet per call of pcap_next_ex or pcap_next (src/program/captures.cpp).
//
// Two things differ from a datagram that is received (receive.cpp). First, libpcap hands out its own memory, which its next
// call uses again, and staged the next call comes while the packet is suspended. So header and bytes are copied. As with
// libpcap, they last until the next packet is taken from the same handle: a program may leave the loop with the last
// one, and go on to a loop over another capture. So the last copy of each handle stays; the others are used again when
// the packet in whose place they were taken has ended.
//
// Second, there is no flag by which one call does not wait. Switching the handle to non-blocking mode and back is no way
// out: libpcap then closes the descriptor by which pcap_breakloop, in a signal handler or another thread, wakes it, and a
// break in between would be lost until the next packet. So a packet is taken ahead of earlier ones' ends only where the
// program's own call cannot wait:
//   - from a regular file;
//   - from a capture that the program has made non-blocking;
//   - from an AF_PACKET capture that has something to read, if the program opens its captures with a time-out. (Without
//     one, libpcap reads on when all there was is dropped by a filter of its own.) The program's build knows that
//     (transform/waiting.cpp).
// Everywhere else (pipes, other captures) the packets before this one end first, and the call is the program's. A
// call that brings no packet comes back when all earlier packets have ended; where it has found nothing, it is
// made again by then, because what they have sent may have been captured.
//
// Order: a capture is a queue, and so is a file: what comes next does not depend on what is written meanwhile. What a
// program could tell: one that writes to the file that it reads packets from may find that it has read on already.
//
// In an object file of its own: only programs that stage such a loop need libpcap.
#include "internal.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>

extern "C" {
// From pcap.h, so that the runtime builds without libpcap's headers.
struct pcap_pkthdr {
  struct timeval ts;
  uint32_t caplen;
  uint32_t len;
};
int pcap_next_ex(void* pcap, pcap_pkthdr** header, const unsigned char** data);
const unsigned char* pcap_next(void* pcap, pcap_pkthdr* header);
FILE* pcap_file(void* pcap);
int pcap_getnonblock(void* pcap, char* error);
int pcap_get_selectable_fd(void* pcap);

// Non-zero: live captures have a time-out. src/transform defines it in the optimized program.
extern const unsigned heddle_captures_time_out __attribute__((weak));
}

using namespace heddle::runtime;

namespace {

constexpr int got_packet = 1, nothing = 0; // of pcap_next_ex; less: no packet will come
constexpr size_t error_size = 256, smallest_copy = 2048;

struct Copy {
  Copy* next;
  void* pcap;
  size_t context; // number of the one in which it was taken
  size_t capacity;
  bool packet; // else only a header, of a call that has brought none
  pcap_pkthdr header;
  unsigned char bytes[];
};

struct Copies {
  Copy* held; // newest first
  Copy* free;
  unsigned taken; // since the last look for those that have ended
};

__thread Copies copies __attribute__((tls_model("initial-exec")));
pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_key_t key;

size_t number_of(const heddle_thread& thread, const heddle_context* context) {
  return size_t(context - thread.contexts) / thread.step;
}

bool is_last_of_handle(const Copy& copy) {
  for (const Copy* other = copies.held; other != &copy; other = other->next)
    if (other->pcap == copy.pcap && other->packet == copy.packet) return false;
  return true;
}

bool has_ended(const heddle_thread& thread, const Copy& copy) {
  if (copy.context >= thread.capacity) return true; // of a larger batch, before
  const heddle_context& context = thread.contexts[copy.context * thread.step];
  return &context == thread.current || context.stage == 0 || context.stage == HEDDLE_NONE;
}

// What is no longer valid can be used again. `thread`: null if no packet of it is in flight. The packet that runs takes
// nothing from a handle twice that would still be valid.
void release_ended(const heddle_thread* thread) {
  copies.taken = 0;
  for (Copy** link = &copies.held; *link != nullptr;) {
    Copy* copy = *link;
    if (is_last_of_handle(*copy) || (thread != nullptr && !has_ended(*thread, *copy))) {
      link = &copy->next;
      continue;
    }
    *link = copy->next;
    copy->next = copies.free;
    copies.free = copy;
  }
}

// What is valid stays: another thread may look at it.
void release_at_thread_end(void* /*unused*/) {
  release_ended(nullptr);
  while (Copy* copy = copies.free) {
    copies.free = copy->next;
    free(copy);
  }
}

void make_key() {
  pthread_key_create(&key, release_at_thread_end);
}

Copy* new_copy(size_t size) {
  for (Copy** link = &copies.free; *link != nullptr; link = &(*link)->next) {
    Copy* copy = *link;
    if (copy->capacity < size) continue;
    *link = copy->next;
    return copy;
  }
  const size_t capacity = size < smallest_copy ? smallest_copy : size;
  auto* copy = static_cast<Copy*>(malloc(sizeof(Copy) + capacity));
  if (copy == nullptr) return nullptr;
  copy->capacity = capacity;
  pthread_once(&once, make_key);
  pthread_setspecific(key, &copies);
  return copy;
}

// Null: no memory.
Copy* hold(const heddle_thread& thread, void* pcap, const pcap_pkthdr& header, const unsigned char* data) {
  Copy* copy = new_copy(data != nullptr ? header.caplen : 0);
  if (copy == nullptr) return nullptr;
  copy->pcap = pcap;
  copy->context = number_of(thread, thread.current);
  copy->packet = data != nullptr;
  copy->header = header;
  if (data != nullptr) memcpy(copy->bytes, data, header.caplen);
  copy->next = copies.held;
  copies.held = copy;
  ++copies.taken;
  return copy;
}

bool is_regular(FILE* file) {
  struct stat status;
  const int descriptor = fileno(file);
  return descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

bool can_read(int descriptor) {
  int domain = 0;
  socklen_t size = sizeof domain;
  if (descriptor < 0 || getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0) return false;
  pollfd one = {descriptor, POLLIN, 0};
  return domain == AF_PACKET && poll(&one, 1, 0) == 1 && (one.revents & POLLIN) != 0;
}

// True if the program's own call does not wait.
bool comes_at_once(void* pcap) {
  if (FILE* file = pcap_file(pcap)) return is_regular(file);
  char error[error_size];
  const int mode = pcap_getnonblock(pcap, error);
  if (mode != 0) return mode == 1;
  const bool time_out = &heddle_captures_time_out != nullptr && heddle_captures_time_out != 0;
  return time_out && can_read(pcap_get_selectable_fd(pcap));
}

// pcap_next_ex on a packet's own stack, where others may be before it.
int next(heddle_thread& thread, void* pcap, pcap_pkthdr** to_header, const unsigned char** to_data) {
  int got = nothing;
  pcap_pkthdr* header = nullptr;
  const unsigned char* data = nullptr;
  const bool behind = others_before(thread);
  if (!behind || copies.taken >= 2 * thread.limit) release_ended(&thread);
  if (!behind) {
    nothing_received(thread);
    settle_output(thread); // its own, put off while there were some
    got = pcap_next_ex(pcap, &header, &data);
  } else {
    const int own_errno = errno;
    const bool ahead = comes_at_once(pcap);
    errno = own_errno;
    if (ahead) got = pcap_next_ex(pcap, &header, &data);
    if (got != got_packet) {
      nothing_received(thread);
      finish_and_go_on(thread);
    }
    if (got == nothing) got = pcap_next_ex(pcap, &header, &data);
  }
  Copy* copy = header != nullptr ? hold(thread, pcap, *header, got == got_packet ? data : nullptr) : nullptr;
  if (copy == nullptr) finish_earlier_packets(thread); // it stays alone: no other one is taken before it ends
  *to_header = copy != nullptr ? &copy->header : header;
  if (got == got_packet) *to_data = copy != nullptr ? copy->bytes : data;
  return got;
}

} // namespace

extern "C" {

int heddle_pcap_next_ex(void* pcap, pcap_pkthdr** header, const unsigned char** data) {
  heddle_thread& thread = heddle_this_thread;
  if (!may_have_others_before(thread)) return pcap_next_ex(pcap, header, data);
  return next(thread, pcap, header, data);
}

const unsigned char* heddle_pcap_next(void* pcap, pcap_pkthdr* header) {
  heddle_thread& thread = heddle_this_thread;
  if (!may_have_others_before(thread)) return pcap_next(pcap, header);
  pcap_pkthdr* taken = nullptr;
  const unsigned char* data = nullptr;
  if (next(thread, pcap, &taken, &data) != got_packet) return nullptr;
  *header = *taken;
  return data;
}

} // extern "C"
