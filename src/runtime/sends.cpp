#include "sends.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

namespace heddle::runtime {

bool keep_send(const KeptSend& call, const void* address, const iovec* parts, size_t part_count) {
  const socklen_t address_size = address == nullptr ? 0 : call.address_size;
  KeptSlot slot(make_send, call.size > SSIZE_MAX / 2 ? call.size : sizeof call + address_size + call.size);
  if (slot.payload() == nullptr) return false;
  auto& kept = *reinterpret_cast<KeptSend*>(slot.payload());
  kept = call;
  kept.address_size = address_size;
  unsigned char* bytes = slot.payload() + sizeof call;
  if (address_size != 0) memcpy(bytes, address, address_size);
  gather(bytes + address_size, parts, part_count);
  slot.keep();
  return true;
}

ssize_t keep_or_send(const KeptSend& call, const void* data, const sockaddr* address) {
  const iovec part = {const_cast<void*>(data), call.size};
  if (keep_send(call, address, &part, 1)) return ssize_t(call.size);
  return sendto(call.descriptor, data, call.size, call.flags, address, call.address_size);
}

void gather(unsigned char* to, const iovec* parts, size_t part_count) {
  for (size_t i = 0; i < part_count; ++i) {
    if (parts[i].iov_len != 0) memcpy(to, parts[i].iov_base, parts[i].iov_len);
    to += parts[i].iov_len;
  }
}

void make_send(unsigned char* payload) {
  Sends one;
  one.add(payload);
}

void Sends::add(unsigned char* payload) {
  const KeptSend& call = *reinterpret_cast<KeptSend*>(payload);
  unsigned char *address = payload + sizeof call, *data = address + call.address_size;
  if (call.address_size == 0) { // maybe a stream, where the next call must not follow a part
    flush();
    if (call.sure)
      send_all(call.descriptor, data, call.size, call.flags);
    else
      send(call.descriptor, data, call.size, call.flags);
    return;
  }
  const bool joins = call.descriptor == descriptor_ && call.flags == flags_ && call.sure == sure_;
  if (count_ == most || !joins) flush();
  descriptor_ = call.descriptor;
  flags_ = call.flags;
  sure_ = call.sure;
  parts_[count_] = {data, call.size};
  msghdr header = {};
  header.msg_name = address;
  header.msg_namelen = call.address_size;
  header.msg_iov = &parts_[count_];
  header.msg_iovlen = 1;
  messages_[count_++] = {header, 0};
}

void Sends::flush() {
  Patience patience;
  for (unsigned sent = 0; sent < count_;) {
    const msghdr& next = messages_[sent].msg_hdr;
    const int done = count_ - sent > 1 ? sendmmsg(descriptor_, messages_ + sent, count_ - sent, flags_)
                     : sendto(descriptor_, next.msg_iov->iov_base, next.msg_iov->iov_len, flags_,
                              static_cast<sockaddr*>(next.msg_name), next.msg_namelen) < 0
                         ? -1
                         : 1;
    if (done <= 0 && sure_ && patience.wait(descriptor_, errno)) continue;
    sent += done > 0 ? unsigned(done) : 1;
    patience = {};
  }
  count_ = 0;
}

bool Patience::wait(int descriptor, int error) {
  if (error == EINTR) return true;
  if ((error != EAGAIN && error != EWOULDBLOCK && error != ENOBUFS) || left_ms_ <= 0) return false;
  // poll knows nothing of a network interface's buffers, and not always of a full queue at the other end of a socket.
  const timespec step = {0, 1000000};
  nanosleep(&step, nullptr);
  --left_ms_;
  if (error == ENOBUFS) return true;
  timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  pollfd room = {descriptor, POLLOUT, 0};
  poll(&room, 1, left_ms_);
  clock_gettime(CLOCK_MONOTONIC, &after);
  left_ms_ -= int((after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000);
  return true;
}

void write_all(int descriptor, const unsigned char* data, size_t size) {
  for (Patience patience; size != 0;) {
    const ssize_t written = write(descriptor, data, size);
    if (written < 0 && patience.wait(descriptor, errno)) continue;
    if (written <= 0) return;
    data += written;
    size -= size_t(written);
  }
}

void send_all(int descriptor, const unsigned char* data, size_t size, int flags) {
  for (Patience patience;;) {
    const ssize_t sent = send(descriptor, data, size, flags);
    if (sent < 0 && patience.wait(descriptor, errno)) continue;
    if (sent <= 0 || size_t(sent) >= size) return;
    data += sent;
    size -= size_t(sent);
  }
}

} // namespace heddle::runtime
