// Writing golden payloads and looking at what the parsers make of them.
#ifndef UPF_TESTS_PAYLOAD_H
#define UPF_TESTS_PAYLOAD_H

extern "C" {
#include "../app.h"
#include "../app_other.h"
}
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

using Bytes = std::vector<uint8_t>;

inline Bytes text(const std::string& s) {
  return Bytes(s.begin(), s.end());
}

inline Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

enum class Sender { client, server };

struct Seen : app_info {
  std::string host_name() const { return std::string(host, host_len); }
};

// Parses `payload` between the port 50000 and `port`, from memory of exactly its size.
inline Seen parse(const Bytes& payload, uint8_t proto, uint16_t port, Sender sender = Sender::client) {
  std::unique_ptr<uint8_t[]> exact(new uint8_t[payload.size()]);
  std::copy(payload.begin(), payload.end(), exact.get());
  bool up = sender == Sender::client;
  app_input in = {exact.get(), uint32_t(payload.size()),    proto,
                  up,          up ? uint16_t(50000) : port, up ? port : uint16_t(50000)};
  Seen seen;
  app_parse(&in, &seen);
  return seen;
}

inline Seen parse_tcp(const Bytes& p, uint16_t port, Sender s = Sender::client) {
  return parse(p, 6, port, s);
}
inline Seen parse_udp(const Bytes& p, uint16_t port, Sender s = Sender::client) {
  return parse(p, 17, port, s);
}

// Every prefix must be read without a step outside, whatever the verdict; true if no proper prefix of a
// datagram is taken for a complete message.
inline bool prefixes_are_less(const Bytes& payload, uint8_t proto, uint16_t port) {
  for (size_t n = 0; n < payload.size(); n++)
    if (parse(Bytes(payload.begin(), payload.begin() + long(n)), proto, port).confidence == APP_CONF_CERTAIN)
      return false;
  return true;
}

#endif
