// What a receive or transmit call costs, against the number of packets that it takes, and what as many packets cost by a call each.
//
// The calls that any program may make, without a device and without privileges: datagrams of 64 bytes over the loopback interface, by
// sendmmsg and recvmmsg, and by send and recv. Transmitting includes the way through the kernel up to the receiver's queue, which is where the loopback
// interface delivers. Drivers of DPDK take a small part of that; what the curve shows is how much of a call its packets share.
#include "host/clock.h"
#include "host/measure.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace heddle {

namespace {

constexpr unsigned most = 64;

class Loopback {
public:
  ~Loopback() {
    if (out_ >= 0) close(out_);
    if (in_ >= 0) close(in_);
  }

  // False, with errno: there is no such interface, or no socket.
  bool open() {
    in_ = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    out_ = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (in_ < 0 || out_ < 0 || bind(in_, generic, size) != 0 || getsockname(in_, generic, &size) != 0 ||
        connect(out_, generic, size) != 0)
      return false;
    for (unsigned i = 0; i != most; ++i) {
      parts_[i] = {data_[i], sizeof data_[i]};
      messages_[i].msg_hdr.msg_iov = &parts_[i];
      messages_[i].msg_hdr.msg_iovlen = 1;
    }
    return true;
  }

  int transmit(unsigned packets) { return sendmmsg(out_, messages_, packets, 0); }
  int receive(unsigned packets) { return recvmmsg(in_, messages_, packets, MSG_DONTWAIT, nullptr); }

  int transmit_each(unsigned packets) {
    int sent = 0;
    for (unsigned i = 0; i != packets; ++i)
      sent += send(out_, data_[i], sizeof data_[i], 0) > 0;
    return sent;
  }
  int receive_each(unsigned packets) {
    int received = 0;
    for (unsigned i = 0; i != packets; ++i)
      received += recv(in_, data_[i], sizeof data_[i], MSG_DONTWAIT) > 0;
    return received;
  }

private:
  int in_ = -1, out_ = -1;
  char data_[most][64] = {};
  iovec parts_[most] = {};
  mmsghdr messages_[most] = {};
};

} // namespace

llvm::Error measure_calls(Host& host, const Effort& effort) {
  Calls& calls = host.calls;
  calls.what =
      "recvmmsg and sendmmsg of 64-byte UDP datagrams over the loopback interface, and recv and send of each";
  Loopback loopback;
  auto none = [&](const llvm::Twine& why) {
    calls.points.clear();
    calls.source = not_measured(why).source;
    return llvm::Error::success();
  };
  if (!loopback.open()) return none(llvm::Twine("no socket on the loopback interface: ") + strerror(errno));
  for (unsigned burst = 1; burst <= most; burst *= 2) {
    const auto packets = int(burst);
    bool whole = true;
    auto transmit = [&] { whole &= loopback.transmit(burst) == packets; };
    auto receive = [&] { whole &= loopback.receive(burst) == packets; };
    auto transmit_each = [&] { whole &= loopback.transmit_each(burst) == packets; };
    auto receive_each = [&] { whole &= loopback.receive_each(burst) == packets; };
    const Summary received = measure_cycles(4 * effort.rounds, 1, receive, transmit);
    const Summary received_each = measure_cycles(4 * effort.rounds, 1, receive_each, transmit);
    transmit(); // so that there is always one burst to take away first
    const Summary transmitted = measure_cycles(4 * effort.rounds, 1, transmit, receive);
    const Summary transmitted_each = measure_cycles(4 * effort.rounds, 1, transmit_each, receive);
    receive();
    if (!whole) return none("datagrams were lost on the loopback interface");
    calls.points.push_back(
        {burst, received.median, transmitted.median, received_each.median, transmitted_each.median});
  }
  calls.source = "measured";
  return llvm::Error::success();
}

} // namespace heddle
