// The chain's tables. Lines: `blocked PREFIX/BITS`, `service PORT PROTOCOL OPEN`, `hop NUMBER`, `route PREFIX/BITS HOP`.
#include "../control.h"
#include "tables.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

const char program_name[] = "parser";

static struct prefix read_prefix(char* text) {
  char* bits = strchr(text, '/');
  if (!bits) give_up(text);
  *bits++ = 0;
  struct prefix prefix = {.bits = (__u32)atoi(bits)};
  if (inet_pton(AF_INET, text, prefix.address) != 1) give_up(text);
  return prefix;
}

void fill_line(char* line) {
  char text[64];
  unsigned port, protocol, number;
  struct service service = {0};
  if (sscanf(line, "blocked %63s", text) == 1) {
    struct prefix prefix = read_prefix(text);
    __u32 one = 1;
    put("blocked", &prefix, &one);
  } else if (sscanf(line, "service %u %u %u", &port, &protocol, &service.open) == 3) {
    struct service_key key = {.port = htons((__u16)port), .protocol = (__u8)protocol};
    put("services", &key, &service);
  } else if (sscanf(line, "hop %u", &number) == 1) {
    struct hop hop = {.to = {2, 0, 0, 0, 1, (__u8)number}, .from = {2, 0, 0, 0, 0, (__u8)number}};
    put("hops", &number, &hop);
  } else if (sscanf(line, "route %63s %u", text, &number) == 2) {
    struct prefix prefix = read_prefix(text);
    put("routes", &prefix, &number);
  } else {
    give_up(line);
  }
}
