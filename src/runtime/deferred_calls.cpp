// Which calls for output can be kept, and how (deferred.h; deferred.cpp says when they are made).
//
// All that a call reads is read when the packet makes it: data is copied, formats are written out. What is kept for
// a stream is bytes, whatever function wrote them, and comes out by one call: fwrite. A call that cannot be kept
// as it is (an address list too long, a format that cannot be written out) is made directly after the packet has
// become alone.
#include "deferred.h"

#include "kept.h"
#include "sends.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

// glibc's, which programs built with _FORTIFY_SOURCE call: there if such a program is.
extern "C" {
int __vfprintf_chk(FILE* stream, int flag, const char* format, va_list arguments) __attribute__((weak));
int __vsnprintf_chk(char* out, size_t most, int flag, size_t size, const char* format, va_list arguments)
    __attribute__((weak));
void __vsyslog_chk(int priority, int flag, const char* format, va_list arguments) __attribute__((weak));
}

using namespace heddle::runtime;

namespace {

// What is known of a call besides its data; the data lies behind it.
struct ToStream {
  FILE* stream;
  size_t size;
};
struct ToDescriptor {
  int descriptor;
  off_t offset;
  size_t size;
};
struct Message { // behind it: the parts, then control data, the data of the parts, and the name
  msghdr header;
  int descriptor, flags;
};
struct ToSyslog {
  int priority;
};

template <typename Head> Head& head_in(unsigned char* payload) {
  return *reinterpret_cast<Head*>(payload);
}
template <typename Head> unsigned char* behind(unsigned char* payload) {
  return payload + sizeof(Head);
}

// --- Streams ---

void make_stream_write(unsigned char* payload) {
  const ToStream& call = head_in<ToStream>(payload);
  fwrite(behind<ToStream>(payload), 1, call.size, call.stream);
}

// False: the caller makes the call itself. `last`: one more character, if not negative.
bool keep_bytes(FILE* stream, const void* data, size_t size, int last = -1) {
  const size_t all = size + (last >= 0);
  KeptSlot slot(make_stream_write, sizeof(ToStream) + all);
  if (slot.payload() == nullptr) return false;
  head_in<ToStream>(slot.payload()) = {stream, all};
  unsigned char* bytes = behind<ToStream>(slot.payload());
  if (size != 0) memcpy(bytes, data, size);
  if (last >= 0) bytes[size] = (unsigned char)last;
  slot.keep();
  return true;
}

// The length of the text, which may be longer than the room; negative if it cannot be written.
int write_out(char* out, size_t room, int flag, const char* format, va_list arguments) {
  va_list copy;
  va_copy(copy, arguments);
  const bool checked = flag > 0 && __vsnprintf_chk != nullptr;
  int length =
      checked ? __vsnprintf_chk(out, room, flag, room, format, copy) : vsnprintf(out, room, format, copy);
  va_end(copy);
  return length;
}

// Writes the text behind a payload's head of `head` bytes; the slot has no payload if that is not possible, and the
// packet is alone then. Returns the length.
size_t format_into(KeptSlot& slot, size_t head, int flag, const char* format, va_list arguments) {
  const int saved_errno = errno; // for %m, again after the first attempt
  char* text = reinterpret_cast<char*>(slot.payload() + head);
  size_t room = slot.room() - head;
  int length = write_out(text, room, flag, format, arguments);
  if (length >= 0 && size_t(length) >= room) {
    if (!slot.grow(head + size_t(length) + 1)) return 0;
    errno = saved_errno;
    write_out(reinterpret_cast<char*>(slot.payload() + head), size_t(length) + 1, flag, format, arguments);
  }
  if (length < 0) slot.drop();
  errno = saved_errno;
  return size_t(length);
}

constexpr size_t usual_line = 256;

// The length; negative: the caller makes the call itself.
int keep_formatted(FILE* stream, int flag, const char* format, va_list arguments) {
  KeptSlot slot(make_stream_write, sizeof(ToStream) + usual_line);
  if (slot.payload() == nullptr) return -1;
  size_t length = format_into(slot, sizeof(ToStream), flag, format, arguments);
  if (slot.payload() == nullptr) return -1;
  head_in<ToStream>(slot.payload()) = {stream, length};
  slot.keep(sizeof(ToStream) + length);
  return int(length);
}

int print(FILE* stream, int flag, const char* format, va_list arguments) {
  if (int length = keep_formatted(stream, flag, format, arguments); length >= 0) return length;
  if (flag > 0 && __vfprintf_chk != nullptr) return __vfprintf_chk(stream, flag, format, arguments);
  return vfprintf(stream, format, arguments);
}

// --- Descriptors ---

void make_write(unsigned char* payload) {
  const ToDescriptor& call = head_in<ToDescriptor>(payload);
  if (write(call.descriptor, behind<ToDescriptor>(payload), call.size) < 0) return;
}

void make_pwrite(unsigned char* payload) {
  const ToDescriptor& call = head_in<ToDescriptor>(payload);
  if (pwrite(call.descriptor, behind<ToDescriptor>(payload), call.size, call.offset) < 0) return;
}

bool keep_data(void (*make)(unsigned char*), const ToDescriptor& call, const void* data) {
  KeptSlot slot(make, call.size > SSIZE_MAX / 2 ? call.size : sizeof call + call.size);
  if (slot.payload() == nullptr) return false;
  head_in<ToDescriptor>(slot.payload()) = call;
  if (call.size != 0) memcpy(behind<ToDescriptor>(slot.payload()), data, call.size);
  slot.keep();
  return true;
}

// The queue may have moved since the call was kept, so addresses within it are found again.
void place_parts(Message& call) {
  auto* parts = reinterpret_cast<iovec*>(&call + 1);
  auto* bytes = reinterpret_cast<unsigned char*>(parts + call.header.msg_iovlen);
  call.header.msg_iov = parts;
  if (call.header.msg_controllen != 0) call.header.msg_control = bytes; // aligned as the parts are
  bytes += call.header.msg_controllen;
  for (size_t i = 0; i < call.header.msg_iovlen; ++i) {
    parts[i].iov_base = bytes;
    bytes += parts[i].iov_len;
  }
  if (call.header.msg_namelen != 0) call.header.msg_name = bytes;
}

void make_sendmsg(unsigned char* payload) {
  Message& call = head_in<Message>(payload);
  place_parts(call);
  sendmsg(call.descriptor, &call.header, call.flags);
}

void make_writev(unsigned char* payload) {
  Message& call = head_in<Message>(payload);
  place_parts(call);
  if (writev(call.descriptor, call.header.msg_iov, int(call.header.msg_iovlen)) < 0) return;
}

bool keep_message(void (*make)(unsigned char*), int descriptor, const msghdr& message, int flags) {
  size_t size = sizeof(Message);
  if (message.msg_iovlen > IOV_MAX || __builtin_add_overflow(size, message.msg_controllen, &size))
    size = SIZE_MAX;
  for (size_t i = 0; i < message.msg_iovlen && size != SIZE_MAX; ++i)
    if (__builtin_add_overflow(size, sizeof(iovec) + message.msg_iov[i].iov_len, &size)) size = SIZE_MAX;
  if (size < SIZE_MAX / 2) size += message.msg_namelen;
  KeptSlot slot(make, size);
  if (slot.payload() == nullptr) return false;
  Message& call = head_in<Message>(slot.payload());
  call = {message, descriptor, flags};
  if (message.msg_iovlen != 0)
    memcpy(behind<Message>(slot.payload()), message.msg_iov, message.msg_iovlen * sizeof(iovec));
  place_parts(call);
  if (message.msg_controllen != 0)
    memcpy(call.header.msg_control, message.msg_control, message.msg_controllen);
  if (message.msg_namelen != 0) memcpy(call.header.msg_name, message.msg_name, message.msg_namelen);
  for (size_t i = 0; i < message.msg_iovlen; ++i)
    if (message.msg_iov[i].iov_len != 0)
      memcpy(call.header.msg_iov[i].iov_base, message.msg_iov[i].iov_base, message.msg_iov[i].iov_len);
  slot.keep();
  return true;
}

// --- The system's log ---

void make_syslog(unsigned char* payload) {
  const ToSyslog& call = head_in<ToSyslog>(payload);
  syslog(call.priority, "%s", reinterpret_cast<char*>(behind<ToSyslog>(payload)));
}

// A message with a zero byte in it would end there.
bool keep_message(int priority, int flag, const char* format, va_list arguments) {
  KeptSlot slot(make_syslog, sizeof(ToSyslog) + usual_line);
  if (slot.payload() == nullptr) return false;
  size_t length = format_into(slot, sizeof(ToSyslog), flag, format, arguments);
  if (slot.payload() != nullptr && memchr(behind<ToSyslog>(slot.payload()), '\0', length) != nullptr)
    slot.drop();
  if (slot.payload() == nullptr) return false;
  head_in<ToSyslog>(slot.payload()) = {priority};
  slot.keep(sizeof(ToSyslog) + length + 1);
  return true;
}

void log_message(int priority, int flag, const char* format, va_list arguments) {
  if (keep_message(priority, flag, format, arguments)) return;
  if (flag > 0 && __vsyslog_chk != nullptr) return __vsyslog_chk(priority, flag, format, arguments);
  vsyslog(priority, format, arguments);
}

} // namespace

extern "C" {

size_t heddle_defer_fwrite(const void* data, size_t size, size_t count, FILE* stream) {
  SameErrno same;
  size_t bytes = 0;
  if (__builtin_mul_overflow(size, count, &bytes) || bytes > SSIZE_MAX / 2) bytes = SSIZE_MAX / 2;
  return keep_bytes(stream, data, bytes) ? count : fwrite(data, size, count, stream);
}

int heddle_defer_fputs(const char* text, FILE* stream) {
  SameErrno same;
  return keep_bytes(stream, text, strlen(text)) ? 0 : fputs(text, stream);
}

int heddle_defer_puts(const char* text) {
  SameErrno same;
  return keep_bytes(stdout, text, strlen(text), '\n') ? 0 : puts(text);
}

int heddle_defer_fputc(int character, FILE* stream) {
  SameErrno same;
  return keep_bytes(stream, nullptr, 0, (unsigned char)character) ? (unsigned char)character
                                                                  : fputc(character, stream);
}

int heddle_defer_putchar(int character) {
  SameErrno same;
  return heddle_defer_fputc(character, stdout);
}

int heddle_defer_vfprintf(FILE* stream, const char* format, va_list arguments) {
  SameErrno same;
  return print(stream, 0, format, arguments);
}

int heddle_defer_vfprintf_chk(FILE* stream, int flag, const char* format, va_list arguments) {
  SameErrno same;
  return print(stream, flag, format, arguments);
}

int heddle_defer_vprintf(const char* format, va_list arguments) {
  SameErrno same;
  return print(stdout, 0, format, arguments);
}

int heddle_defer_fprintf(FILE* stream, const char* format, ...) {
  SameErrno same;
  va_list arguments;
  va_start(arguments, format);
  int result = print(stream, 0, format, arguments);
  va_end(arguments);
  return result;
}

int heddle_defer_fprintf_chk(FILE* stream, int flag, const char* format, ...) {
  SameErrno same;
  va_list arguments;
  va_start(arguments, format);
  int result = print(stream, flag, format, arguments);
  va_end(arguments);
  return result;
}

int heddle_defer_printf(const char* format, ...) {
  SameErrno same;
  va_list arguments;
  va_start(arguments, format);
  int result = print(stdout, 0, format, arguments);
  va_end(arguments);
  return result;
}

int heddle_defer_printf_chk(int flag, const char* format, ...) {
  SameErrno same;
  va_list arguments;
  va_start(arguments, format);
  int result = print(stdout, flag, format, arguments);
  va_end(arguments);
  return result;
}

ssize_t heddle_defer_write(int descriptor, const void* data, size_t size) {
  SameErrno same;
  return keep_data(make_write, {descriptor, 0, size}, data) ? ssize_t(size) : write(descriptor, data, size);
}

ssize_t heddle_defer_pwrite(int descriptor, const void* data, size_t size, off_t offset) {
  SameErrno same;
  return keep_data(make_pwrite, {descriptor, offset, size}, data) ? ssize_t(size)
                                                                  : pwrite(descriptor, data, size, offset);
}

ssize_t heddle_defer_writev(int descriptor, const struct iovec* parts, int count) {
  SameErrno same;
  msghdr message = {};
  message.msg_iov = const_cast<iovec*>(parts);
  message.msg_iovlen = count < 0 ? SIZE_MAX : size_t(count);
  return keep_message(make_writev, descriptor, message, 0) ? 0 : writev(descriptor, parts, count);
}

ssize_t heddle_defer_send(int descriptor, const void* data, size_t size, int flags) {
  SameErrno same;
  return keep_or_send({descriptor, flags, false, size, 0}, data, nullptr);
}

ssize_t heddle_defer_sendto(int descriptor, const void* data, size_t size, int flags,
                            const struct sockaddr* address, socklen_t address_size) {
  SameErrno same;
  return keep_or_send({descriptor, flags, false, size, address_size}, data, address);
}

ssize_t heddle_defer_sendmsg(int descriptor, const struct msghdr* message, int flags) {
  SameErrno same;
  return keep_message(make_sendmsg, descriptor, *message, flags) ? 0 : sendmsg(descriptor, message, flags);
}

void heddle_defer_vsyslog(int priority, const char* format, va_list arguments) {
  SameErrno same;
  log_message(priority, 0, format, arguments);
}

void heddle_defer_syslog(int priority, const char* format, ...) {
  SameErrno same;
  va_list arguments;
  va_start(arguments, format);
  log_message(priority, 0, format, arguments);
  va_end(arguments);
}

void heddle_defer_syslog_chk(int priority, int flag, const char* format, ...) {
  SameErrno same;
  va_list arguments;
  va_start(arguments, format);
  log_message(priority, flag, format, arguments);
  va_end(arguments);
}

} // extern "C"
