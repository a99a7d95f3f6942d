// The translator's tables. Lines: `inside NETWORK/BITS`, `address ADDRESS`, at last `ready`; `service PORT PROTOCOL ADDRESS PORT`.
#include "../control.h"
#include "tables.h"

#include <arpa/inet.h>
#include <string.h>

const char program_name[] = "nat";

static struct sides sides = {
    .to_inside = {2, 0, 0, 0, 1, 1}, .to_outside = {2, 0, 0, 0, 1, 2}, .own = {2, 0, 0, 0, 0, 9}};

void fill_line(char* line) {
  char text[64];
  unsigned bits, port, protocol, zero = 0;
  struct host host = {0};
  if (sscanf(line, "inside %63[^/]/%u", text, &bits) == 2) {
    if (inet_pton(AF_INET, text, &sides.inside) != 1 || bits == 0 || bits > 32) give_up(line);
    sides.mask = htonl(~0u << (32 - bits));
  } else if (sscanf(line, "address %63s", text) == 1) {
    if (inet_pton(AF_INET, text, &sides.address) != 1) give_up(line);
  } else if (sscanf(line, "service %u %u %63s %hu", &port, &protocol, text, &host.port) == 4) {
    struct service_key key = {.port = htons((__u16)port), .protocol = (__u8)protocol};
    if (inet_pton(AF_INET, text, &host.address) != 1) give_up(line);
    host.port = htons(host.port);
    put("services", &key, &host);
  } else if (!strncmp(line, "ready", 5)) {
    put("sides", &zero, &sides);
  } else {
    give_up(line);
  }
}
