// The firewall's tables. Lines: `policy VERDICT`, and, in the order in which they are looked at, `rule SOURCE/BITS DESTINATION/BITS PROTOCOL SOURCE_PORT
// DESTINATION_PORT VERDICT`; -1: any protocol or port. `end`, at last, puts them into the tables.
#include "../control.h"
#include "tables.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char program_name[] = "firewall";

enum { ANY = 0x10000 };

struct rule {
  struct prefix source, destination;
  int protocol, ports[2];
};

static struct rule rules[RULES];
static unsigned count;

static struct prefix read_prefix(char* text) {
  char* bits = strchr(text, '/');
  if (!bits) give_up(text);
  *bits++ = 0;
  struct prefix prefix = {.bits = (__u32)atoi(bits)};
  if (inet_pton(AF_INET, text, &prefix.address) != 1) give_up(text);
  return prefix;
}

static int covers(struct prefix wide, struct prefix narrow) {
  __u32 mask = wide.bits ? htonl(~0u << (32 - wide.bits)) : 0;
  return wide.bits <= narrow.bits && (wide.address & mask) == (narrow.address & mask);
}

static void add(struct rules* set, unsigned rule) {
  set->bits[rule / 64] |= 1ull << rule % 64;
}

static void put_prefix(const char* table, size_t field, struct prefix prefix) {
  struct rules set = {{0}};
  for (unsigned i = 0; i != count; ++i)
    if (covers(*(struct prefix*)((char*)&rules[i] + field), prefix)) add(&set, i);
  put(table, &prefix, &set);
}

// The set of `value`, which is -1 for values that no rule names.
static void put_value(const char* table, size_t field, int value) {
  struct rules set = {{0}};
  for (unsigned i = 0; i != count; ++i) {
    int wanted = *(int*)((char*)&rules[i] + field);
    if (wanted == -1 || wanted == value) add(&set, i);
  }
  __u32 key = value == -1                                ? ANY
              : field == offsetof(struct rule, protocol) ? (__u32)value
                                                         : htons((__u16)value);
  put(table, &key, &set);
}

static void put_rules(void) {
  for (unsigned i = 0; i != count; ++i) {
    put_prefix("sources", offsetof(struct rule, source), rules[i].source);
    put_prefix("destinations", offsetof(struct rule, destination), rules[i].destination);
    put_value("protocols", offsetof(struct rule, protocol), rules[i].protocol);
    put_value("source_ports", offsetof(struct rule, ports[0]), rules[i].ports[0]);
    put_value("destination_ports", offsetof(struct rule, ports[1]), rules[i].ports[1]);
  }
  put_value("protocols", offsetof(struct rule, protocol), -1);
  put_value("source_ports", offsetof(struct rule, ports[0]), -1);
  put_value("destination_ports", offsetof(struct rule, ports[1]), -1);
}

void fill_line(char* line) {
  char source[64], destination[64];
  struct rule rule;
  __u32 zero = 0;
  struct action action = {0};
  if (sscanf(line, "policy %u", &action.verdict) == 1) {
    struct policy policy = {action.verdict};
    put("policies", &zero, &policy);
  } else if (sscanf(line, "rule %63s %63s %d %d %d %u", source, destination, &rule.protocol, &rule.ports[0],
                    &rule.ports[1], &action.verdict) == 6) {
    if (count == RULES) give_up("too many rules");
    rule.source = read_prefix(source);
    rule.destination = read_prefix(destination);
    rules[count] = rule;
    put("actions", &count, &action);
    ++count;
  } else if (!strncmp(line, "end", 3)) {
    put_rules();
  } else {
    give_up(line);
  }
}
