// The router's tables. Lines: `hop NUMBER INTERFACE`, `route PREFIX/BITS HOP`, `own4 ADDRESS`.
#include "../control.h"
#include "tables.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

const char program_name[] = "router";

static void put_route(char* prefix, __u32 hop) {
  char* bits = strchr(prefix, '/');
  if (!bits) give_up(prefix);
  *bits++ = 0;
  struct prefix4 four = {.bits = (__u32)atoi(bits)};
  struct prefix6 six = {.bits = (__u32)atoi(bits)};
  if (inet_pton(AF_INET, prefix, four.address) == 1)
    put("routes4", &four, &hop);
  else if (inet_pton(AF_INET6, prefix, six.address) == 1)
    put("routes6", &six, &hop);
  else
    give_up(prefix);
}

void fill_line(char* line) {
  char text[128];
  unsigned number, other;
  if (sscanf(line, "hop %u %u", &number, &other) == 2) {
    struct hop hop = {
        .to = {2, 0, 0, 0, 1, (__u8)number}, .from = {2, 0, 0, 0, 0, (__u8)number}, .interface = other};
    put("hops", &number, &hop);
  } else if (sscanf(line, "route %127s %u", text, &number) == 2) {
    put_route(text, number);
  } else if (sscanf(line, "own4 %127s", text) == 1) {
    __u8 one = 1;
    if (inet_pton(AF_INET, text, &number) != 1) give_up(text);
    put("own4", &number, &one);
  }
}
