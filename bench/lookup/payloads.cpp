#include "payloads.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace lookup {

namespace {

uint32_t big16(const uint8_t* at) {
  return at[0] << 8 | at[1];
}
uint32_t little32(const uint8_t* at) {
  return at[0] | at[1] << 8 | at[2] << 16 | uint32_t(at[3]) << 24;
}

// Empty where there is no transport header, or nothing behind it.
Payload payload_of(const uint8_t* packet, uint32_t length) {
  constexpr uint32_t tcp = 6, udp = 17;
  const Payload none{packet, 0, 0};
  uint32_t at = 12, end = length;
  while (at + 6 <= length && (big16(packet + at) == 0x8100 || big16(packet + at) == 0x88a8))
    at += 4;
  if (at + 2 + 40 > length) return none;
  const uint32_t type = big16(packet + at);
  const uint8_t* ip = packet + (at += 2);
  uint32_t protocol = 0;
  if (type == 0x0800) {
    if (big16(ip + 6) & 0x1fff) return none; // a later fragment
    protocol = ip[9];
    end = std::min(end, at + big16(ip + 2));
    at += (ip[0] & 15) * 4u;
  } else if (type == 0x86dd) {
    protocol = ip[6];
    end = std::min(end, at + 40 + big16(ip + 4));
    at += 40;
  }
  if ((protocol != tcp && protocol != udp) || at + 20 > end) return none;
  const uint64_t header = uint64_t(protocol) << 32 | big16(packet + at) << 16 | big16(packet + at + 2);
  at += protocol == udp ? 8 : (packet[at + 12] >> 4) * 4u;
  if (at >= end) return none;
  return {packet + at, end - at, header};
}

} // namespace

Payloads read_payloads(const char* data) {
  char path[4096];
  std::snprintf(path, sizeof path, "%s/traffic-mix.pcap", data);
  Payloads result;
  std::FILE* file = std::fopen(path, "rb");
  if (!file) return result;
  std::fseek(file, 0, SEEK_END);
  result.file.resize(size_t(std::ftell(file)));
  std::rewind(file);
  const size_t size = std::fread(result.file.data(), 1, result.file.size(), file);
  std::fclose(file);
  for (size_t at = 24; at + 16 <= size;) {
    const uint32_t length = little32(&result.file[at + 8]);
    at += 16;
    if (length > size - at) break;
    const Payload payload = payload_of(&result.file[at], length);
    if (payload.length > 0) result.list.push_back(payload);
    at += length;
  }
  return result;
}

} // namespace lookup
