#include "link.h"

#include "packet.h"

uint32_t find_ip(int link, const uint8_t* p, uint32_t n) {
  uint32_t at = 0, type;
  switch (link) {
  case DLT_RAW:
    return 0;
  case DLT_NULL:
  case DLT_LOOP:
    return n < 4 ? n : 4;
  case DLT_LINUX_SLL:
    at = 14;
    break;
  case DLT_LINUX_SLL2:
    if (n < 20) return n;
    type = read_u16(p);
    return type == 0x0800 || type == 0x86dd ? 20 : n;
  default:
    at = 12;
    break;
  }
  while (at + 2 <= n) {
    type = read_u16(p + at);
    at += 2;
    if (type == 0x0800 || type == 0x86dd) return at;
    if (type == 0x8100 || type == 0x88a8 || type == 0x9100)
      at += 2;                 // VLAN tags
    else if (type == 0x8864) { // PPPoE session
      at += 6;
      if (at + 2 > n) return n;
      type = read_u16(p + at);
      return type == 0x0021 || type == 0x0057 ? at + 2 : n;
    } else
      return n;
  }
  return n;
}
