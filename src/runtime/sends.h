// Kept calls of send and sendto: those that follow each other on one socket go to the system together.
#pragma once

#include "kept.h"

#include <sys/socket.h>
#include <sys/types.h>

namespace heddle::runtime {

// What is kept of such a call; behind it: the address, then the data.
struct KeptSend {
  int descriptor, flags;
  bool sure; // goes on after a part, and waits for room (declared_output.cpp)
  size_t size;
  socklen_t address_size; // 0: none
};

// Keeps the call; `make` of what is kept is make_send. False: the caller makes it itself.
HEDDLE_HIDDEN bool keep_send(const KeptSend& call, const void* address, const iovec* parts,
                             size_t part_count);
HEDDLE_HIDDEN void make_send(unsigned char* payload);
// send and, with an address, sendto: kept, or made at once.
HEDDLE_HIDDEN ssize_t keep_or_send(const KeptSend& call, const void* data, const sockaddr* address);
// Copies the parts one behind the other.
HEDDLE_HIDDEN void gather(unsigned char* to, const iovec* parts, size_t part_count);

// Collects kept calls in the order in which they are to be made. Datagrams with an address go out by one sendmmsg as long as socket,
// flags and `sure` stay the same; one that cannot be sent is not tried again, and the next ones are, as after calls one by one.
class HEDDLE_HIDDEN Sends {
public:
  Sends() = default;
  ~Sends() { flush(); }
  Sends(const Sends&) = delete;
  Sends& operator=(const Sends&) = delete;

  void add(unsigned char* payload); // a KeptSend, which stays where it is until flush()
  void flush();

private:
  static constexpr unsigned most = 32;
  mmsghdr messages_[most];
  iovec parts_[most];
  unsigned count_ = 0;
  int descriptor_ = -1, flags_ = 0;
  bool sure_ = false;
};

// How long one call may wait for room to write: a second in all, whatever poll says of the descriptor meanwhile.
class HEDDLE_HIDDEN Patience {
public:
  // Is the call to be tried again after this error?
  bool wait(int descriptor, int error);

private:
  int left_ms_ = 1000;
};

// Goes on after parts and interruptions, and waits for room.
HEDDLE_HIDDEN void write_all(int descriptor, const unsigned char* data, size_t size);
HEDDLE_HIDDEN void send_all(int descriptor, const unsigned char* data, size_t size, int flags);

} // namespace heddle::runtime
