// Calls for output of which the user says that the program may take them to have succeeded (src/program/declared_output.h).
//
// Kept, they return what success returns, and insist when they are made: they go on where only a part was written, and wait for
// room, a second at most for each call; what the system refuses then, or for another reason, is lost, and nobody is told. Made at once, by a
// packet that is the oldest or alone, they are the program's own calls, and it deals with the result itself.
#include "deferred.h"

#include "sends.h"

#include <limits.h>
#include <unistd.h>

using namespace heddle::runtime;

namespace {

struct KeptWrite { // behind it: the data
  int descriptor;
  size_t size;
};

void make_write(unsigned char* payload) {
  const auto& call = *reinterpret_cast<KeptWrite*>(payload);
  write_all(call.descriptor, payload + sizeof call, call.size);
}

// Of no more than the kernel would take; SIZE_MAX: more, or no list.
size_t total_of(const iovec* parts, size_t count) {
  size_t total = 0;
  if (count > IOV_MAX) return SIZE_MAX;
  for (size_t i = 0; i < count; ++i)
    if (__builtin_add_overflow(total, parts[i].iov_len, &total) || total > SSIZE_MAX / 2) return SIZE_MAX;
  return total;
}

bool keep_write(int descriptor, const iovec* parts, size_t count, size_t size) {
  KeptSlot slot(make_write, size > SSIZE_MAX / 2 ? size : sizeof(KeptWrite) + size);
  if (slot.payload() == nullptr) return false;
  *reinterpret_cast<KeptWrite*>(slot.payload()) = {descriptor, size};
  gather(slot.payload() + sizeof(KeptWrite), parts, count);
  slot.keep();
  return true;
}

} // namespace

extern "C" {

ssize_t heddle_output_write(int descriptor, const void* data, size_t size) {
  SameErrno same;
  const iovec part = {const_cast<void*>(data), size};
  return keep_write(descriptor, &part, 1, size) ? ssize_t(size) : write(descriptor, data, size);
}

ssize_t heddle_output_writev(int descriptor, const struct iovec* parts, int count) {
  SameErrno same;
  const size_t known = count < 0 ? SIZE_MAX : size_t(count), size = total_of(parts, known);
  return keep_write(descriptor, parts, known, size) ? ssize_t(size) : writev(descriptor, parts, count);
}

ssize_t heddle_output_send(int descriptor, const void* data, size_t size, int flags) {
  SameErrno same;
  return keep_or_send({descriptor, flags, true, size, 0}, data, nullptr);
}

ssize_t heddle_output_sendto(int descriptor, const void* data, size_t size, int flags,
                             const struct sockaddr* address, socklen_t address_size) {
  SameErrno same;
  return keep_or_send({descriptor, flags, true, size, address_size}, data, address);
}

// With control data, which a kept call would have to hold as well, the packet becomes alone.
ssize_t heddle_output_sendmsg(int descriptor, const struct msghdr* message, int flags) {
  SameErrno same;
  const size_t size =
      message->msg_controllen != 0 ? SIZE_MAX : total_of(message->msg_iov, message->msg_iovlen);
  return keep_send({descriptor, flags, true, size, message->msg_namelen}, message->msg_name, message->msg_iov,
                   message->msg_iovlen)
             ? ssize_t(size)
             : sendmsg(descriptor, message, flags);
}

} // extern "C"
