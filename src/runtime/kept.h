// Output that packets have put off: one queue of calls per context. deferred.cpp says when the calls are made,
// deferred_calls.cpp and deferred_pcap.cpp which calls there are.
#pragma once

#include "internal.h"

#include <errno.h>

// The calls that the packets of one context keep, in program order: each is a KeptCall with its payload behind it.
struct heddle_kept {
  unsigned char* bytes;
  size_t used, capacity;
};

namespace heddle::runtime {

struct alignas(16) KeptCall {
  void (*make)(unsigned char* payload); // makes the call; may change the payload
  size_t size;                          // of the call with its payload, in bytes, a multiple of 16
};

// A call that is kept leaves errno as it is. So does one that could have been, wherever its packet stands: else
// what a packet finds in errno would depend on its place in the batch.
class HEDDLE_HIDDEN SameErrno {
public:
  SameErrno() : saved_(errno) {}
  ~SameErrno() {
    if (heddle_this_thread.active) errno = saved_;
  }
  SameErrno(const SameErrno&) = delete;
  SameErrno& operator=(const SameErrno&) = delete;

private:
  int saved_;
};

// Room for one more call of the packet that runs. Usage:
//     KeptSlot slot(make_it, bytes);
//     if (!slot.payload()) return call_it_directly();
//     ... fill slot.payload() ...
//     slot.keep();
// There is no room where the call can be made at once: staging is off, or the packet is alone or the next whose
// output is due. Where there is no memory for it, the packet becomes alone. In both cases nothing that should come
// before the call is kept any more.
class HEDDLE_HIDDEN KeptSlot {
public:
  KeptSlot(void (*make)(unsigned char* payload), size_t bytes);
  unsigned char* payload() const { return payload_; }
  // More bytes, what is there moves along; false and no payload if there is no memory for that.
  bool grow(size_t bytes);
  size_t room() const { return bytes_; }
  void drop();                  // the call has to be made directly: the packet becomes alone
  void keep() { keep(bytes_); } // from now on the call is one of the packet's
  void keep(size_t bytes);      // with fewer bytes than there is room for

private:
  bool reserve(size_t bytes);
  unsigned char* payload_ = nullptr;
  size_t bytes_ = 0;
  void (*make_)(unsigned char* payload);
};

} // namespace heddle::runtime
