// The load balancer's tables; addresses are of IPv4 or of IPv6. Lines: `uplink ADDRESS4 [ADDRESS6]`, `server NUMBER ADDRESS HEALTH`, `quic
// CONFIGURATION ID SERVER` (quic.h), `known SOURCE PORT DESTINATION PORT PROTOCOL SERVER` (a connection that another balancer had), and, behind its
// servers, `service NUMBER ADDRESS PORT PROTOCOL FLAGS FIRST COUNT`: the servers FIRST to FIRST + COUNT - 1 share it. PORT 0: all ports.
#include "../control.h"
#include "tables.h"

#include <arpa/inet.h>

const char program_name[] = "balancer";

// Maglev's table (Eisenbud et al., NSDI 2016, 3.4): each server takes places in an order of its own, in turn.
static void put_ring(unsigned service, unsigned first, unsigned count) {
  static unsigned places[RING], next[RING];
  for (unsigned i = 0; i != RING; ++i)
    places[i] = 0, next[i] = 0;
  unsigned taken = 0;
  while (taken != RING)
    for (unsigned i = 0; i != count && taken != RING; ++i) {
      unsigned server = first + i, offset = server * 2654435761u % RING,
               skip = server * 40503u % (RING - 1) + 1;
      unsigned place;
      do
        place = (offset + next[i]++ * skip) % RING;
      while (places[place]);
      places[place] = server;
      ++taken;
    }
  for (unsigned place = 0; place != RING; ++place) {
    unsigned key = service * RING + place;
    put("ring", &key, &places[place]);
  }
}

// Version of the address, 4 or 6.
static __u8 read_address(const char* text, __u32* address, const char* line) {
  if (inet_pton(AF_INET, text, address) == 1) return 4;
  if (inet_pton(AF_INET6, text, address) != 1) give_up(line);
  return 6;
}

void fill_line(char* line) {
  char text[128], text6[128] = "::";
  unsigned number, port, protocol, flags, first, count;
  if (sscanf(line, "uplink %127s %127s", text, text6) >= 1) {
    struct uplink uplink = {.from = {2, 0, 0, 0, 0, 1}, .to = {2, 0, 0, 0, 0, 2}};
    number = 0;
    if (inet_pton(AF_INET, text, &uplink.address) != 1 || inet_pton(AF_INET6, text6, uplink.address6) != 1)
      give_up(line);
    put("uplinks", &number, &uplink);
  } else if (sscanf(line, "server %u %127s %u", &number, text, &flags) == 3) {
    struct server server = {.health = flags};
    server.version = read_address(text, server.address, line);
    if (flags > DRAINING) give_up(line);
    put("servers", &number, &server);
  } else if (sscanf(line, "known %127s %u %127s %u %u %u", text, &first, text6, &port, &protocol, &number) ==
             6) {
    struct connection connection = {.source_port = htons((__u16)first),
                                    .destination_port = htons((__u16)port),
                                    .protocol = (__u8)protocol};
    connection.version = read_address(text, connection.source, line);
    if (read_address(text6, connection.destination, line) != connection.version) give_up(line);
    put("connections", &connection, &number);
  } else if (sscanf(line, "quic %u %u %u", &first, &count, &number) == 3) {
    unsigned key = quic_key(first, count);
    if (first > 6 || count > 0xffff) give_up(line);
    put("quic_servers", &key, &number);
  } else if (sscanf(line, "service %u %127s %u %u %u %u %u", &number, text, &port, &protocol, &flags, &first,
                    &count) == 7) {
    struct service_key key = {.port = htons((__u16)port), .protocol = (__u8)protocol};
    struct service service = {number, flags};
    key.version = read_address(text, key.address, line);
    if (number >= MOST_SERVICES || !first || count > RING) give_up(line);
    put_ring(number, first, count);
    put("services", &key, &service);
  } else {
    give_up(line);
  }
}
