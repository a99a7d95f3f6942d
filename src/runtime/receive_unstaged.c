// For programs whose packets run one after another, profiled or watched by the dependency checker: a receive is the system's
// own.
#include "runtime.h"

ssize_t heddle_recvfrom(int descriptor, void* data, size_t size, int flags, struct sockaddr* sender,
                        socklen_t* sender_size) {
  return recvfrom(descriptor, data, size, flags, sender, sender_size);
}

ssize_t heddle_recvmsg(int descriptor, struct msghdr* message, int flags) {
  return recvmsg(descriptor, message, flags);
}

ssize_t heddle_recv(int descriptor, void* data, size_t size, int flags) {
  return recv(descriptor, data, size, flags);
}
