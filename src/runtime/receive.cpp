// Receiving one datagram per packet (src/program/datagrams.cpp).
//
// As written, a packet is answered before the next one is received. Staged, the next one is received while it is suspended;
// so a receive must never wait for traffic with earlier packets in flight, or an answer would wait for a datagram that
// may never come. Hence: a packet that is not the first of its batch asks without waiting (MSG_DONTWAIT). If there is a
// datagram, it is the one that the original would have received: a socket's queue gives its head, whatever comes in
// behind. If there is none, every packet before this one runs to its end, with its output, and then the call is
// made as the program has it, on an empty batch: it waits, with its timeout (SO_RCVTIMEO) or without, is interrupted, or
// says EAGAIN, as it would. On a socket that does not wait that is a second look, once a batch, and it has to be taken:
// what the packets before this one have sent may have been answered by then.
//
// After that the packet is the first of those in flight and may be suspended like any other; it has not become alone.
//
// Alternatives. To wait in a poll with all sockets of the loop would need to know them. To look up whether a socket
// waits (fcntl) costs as much as the second look. To receive several datagrams at once (recvmmsg) and hand them out
// would take more from the queue than the program has asked for, which a loop that ends early shows to others.
//
// What a program could tell: an error that an answer brings back on a connected socket (ECONNREFUSED) is reported a few
// datagrams later than over a loopback interface; on any other network the time of it is open. And a program that
// sends to itself over a local socket whose queue is full finds room a few datagrams earlier.
#include "internal.h"

#include <errno.h>

using namespace heddle::runtime;

bool heddle::runtime::may_have_others_before(const heddle_thread& thread) {
  return thread.active && thread.round != HEDDLE_ALONE && !thread.in_handler && on_private_stack(thread);
}

bool heddle::runtime::others_before(const heddle_thread& thread) {
  for (const heddle_context* context = thread.current; context != thread.contexts;) {
    context -= thread.step;
    if (context->stage != 0 && context->stage != HEDDLE_NONE) return true;
  }
  return false;
}

namespace {

// Calls that do not take the head of the queue, or more than it: not ahead of anything.
constexpr int not_ahead = MSG_ERRQUEUE | MSG_OOB | MSG_WAITALL;

// `call(flags)` is the program's own call.
template <typename Call> ssize_t receive(int flags, Call call) {
  heddle_thread& thread = heddle_this_thread;
  if (!may_have_others_before(thread)) return call(flags);
  if (!others_before(thread)) {
    nothing_received(thread);
    settle_output(thread); // its own, put off while there were some
    return call(flags);
  }
  if ((flags & not_ahead) == 0) {
    const int own_errno = errno;
    const ssize_t result = call(flags | MSG_DONTWAIT);
    if (result >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) return result;
    errno = own_errno;
  }
  nothing_received(thread);
  finish_and_go_on(thread);
  return call(flags);
}

} // namespace

extern "C" {

ssize_t heddle_recvfrom(int descriptor, void* data, size_t size, int flags, struct sockaddr* sender,
                        socklen_t* sender_size) {
  return receive(flags, [=](int how) { return recvfrom(descriptor, data, size, how, sender, sender_size); });
}

ssize_t heddle_recvmsg(int descriptor, struct msghdr* message, int flags) {
  return receive(flags, [=](int how) { return recvmsg(descriptor, message, how); });
}

ssize_t heddle_recv(int descriptor, void* data, size_t size, int flags) {
  return receive(flags, [=](int how) { return recv(descriptor, data, size, how); });
}

} // extern "C"
