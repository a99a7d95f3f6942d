// The session file: a handful of rule sets that between them use every feature, and who has which.
#include "output.h"

#include <stdlib.h>
#include <string.h>

enum { GNBS = 8 };

static const char header[] = "# Made by upf-workload.\n"
                             "port n3 ip4 192.168.100.1 ip6 2001:db8:100::1 mac 02:00:00:00:03:01 peer-mac "
                             "02:00:00:00:03:02 mtu 1600\n"
                             "port n6 ip4 192.168.200.1 ip6 2001:db8:200::1 mac 02:00:00:00:06:01 peer-mac "
                             "02:00:00:00:06:02 mtu 1500\n\n";

static const char rule_sets[] =
    "rules internet\n"
    "  far 1 forward to core\n"
    "  far 2 forward to access outer session\n"
    "  qer 1 session mbr 1000000000 2000000000\n"
    "  qer 2 qfi 9\n"
    "  urr 1 threshold total 10000000 period 60\n"
    "  pdr 1 precedence 200 from access remove-outer far 1 qer 1 urr 1\n"
    "  pdr 2 precedence 200 from core far 2 qer 1 qer 2 urr 1\n"
    "end\n\n"
    // Every service has its own quality and its own account.
    "rules premium\n"
    "  far 1 forward to core copy-marking\n"
    "  far 2 forward to access outer session copy-marking\n"
    "  far 3 forward to access outer session marking 46 sequence\n"
    "  qer 1 session mbr 500000000 1000000000\n"
    "  qer 2 qfi 1 mbr 20000000 20000000 gbr 2000000 2000000 burst 200\n"
    "  qer 3 qfi 5 rqi ppi 2 mbr 50000000 50000000\n"
    "  qer 4 qfi 9 mbr 400000000 800000000\n"
    "  urr 1 threshold total 20000000 time-threshold 300\n"
    "  urr 2 threshold ul 1000000 threshold dl 1000000 start stop 10\n"
    "  urr 3 threshold total 5000000\n"
    "  pdr 1 precedence 50 from access app rtp remove-outer far 1 qer 1 qer 2 urr 1 urr 2\n"
    "  pdr 2 precedence 50 from core app rtp far 3 qer 1 qer 2 urr 1 urr 2\n"
    "  pdr 3 precedence 60 from access app sip remove-outer far 1 qer 3 urr 2\n"
    "  pdr 4 precedence 60 from core app sip far 3 qer 3 urr 2\n"
    "  pdr 5 precedence 70 from access app quic remove-outer far 1 qer 1 qer 4 urr 3\n"
    "  pdr 6 precedence 70 from core app quic far 2 qer 1 qer 4 urr 3\n"
    "  pdr 7 precedence 80 from access app tls host example.com remove-outer far 1 qer 1 urr 3\n"
    "  pdr 8 precedence 80 from core app tls host example.com far 2 qer 1 urr 3\n"
    "  pdr 9 precedence 100 from access app dns remove-outer far 1 urr 1\n"
    "  pdr 10 precedence 100 from core app dns far 2 urr 1\n"
    "  pdr 13 precedence 240 from access class voice remove-outer far 1 qer 3 urr 2\n"
    "  pdr 14 precedence 240 from core class voice far 3 qer 3 urr 2\n"
    "  pdr 11 precedence 250 from access remove-outer far 1 qer 1 qer 4 urr 1\n"
    "  pdr 12 precedence 250 from core far 2 qer 1 qer 4 urr 1\n"
    "end\n\n"
    // Service data flows by address and port, some forbidden.
    "rules office\n"
    "  far 1 forward to core\n"
    "  far 2 forward to access outer session\n"
    "  far 3 drop\n"
    "  qer 1 session mbr 100000000 300000000 pps 200000 200000\n"
    "  qer 2 qfi 7 mbr 5000000 5000000\n"
    "  urr 1 threshold total 50000000 quota total 4000000000\n"
    "  urr 2 threshold total 1000000\n"
    "  pdr 1 precedence 10 from access remove-outer far 3 urr 2\n"
    "    filter permit out 6 from any 25 to assigned\n"
    "    filter permit out 17 from any 1900,5353,5355,6881-6889 to assigned\n"
    "  pdr 2 precedence 20 from access remove-outer far 1 qer 1 qer 2 urr 1\n"
    "    filter deny out 6 from 203.0.113.0/28 8080-8090 to assigned\n"
    "    filter permit out 6 from 203.0.113.0/24 80,8080-8090 to assigned\n"
    "    filter permit out 6 from 2001:db8:cafe::/48 80 to assigned\n"
    "  pdr 3 precedence 20 from core far 2 qer 1 qer 2 urr 1\n"
    "    filter permit out 6 from 203.0.113.0/24 80,8080-8090 to assigned\n"
    "    filter permit out 17 from any to assigned 5060 tos 0xb8/0xfc\n"
    "  pdr 4 precedence 30 from access remove-outer far 1 qer 1 urr 1\n"
    "    filter permit out 6 from any 22,80,443,993,995,8080 to assigned\n"
    "    filter permit out 17 from any 53,123,443,500,4500 to assigned\n"
    "    filter permit out 1 from any to assigned\n"
    "    filter permit out 58 from any to assigned\n"
    "  pdr 5 precedence 200 from access remove-outer far 1 qer 1 urr 1\n"
    "  pdr 6 precedence 200 from core far 2 qer 1 urr 1\n"
    "end\n\n"
    // Tight policers, flows by QFI.
    "rules metered\n"
    "  far 1 forward to core marking 10\n"
    "  far 2 forward to access outer session inner-marking 0\n"
    "  qer 1 session mbr 2000000 8000000 burst 100\n"
    "  qer 2 qfi 3 gbr 100000 100000 mbr 400000 400000\n"
    "  urr 1 threshold total 500000 quota total 30000000\n"
    "  pdr 1 precedence 90 from access qfi 3 remove-outer far 1 qer 1 qer 2 urr 1\n"
    "  pdr 2 precedence 200 from access remove-outer far 1 qer 1 urr 1\n"
    "  pdr 3 precedence 200 from core far 2 qer 1 urr 1\n"
    "end\n\n"
    // The UE sleeps: downlink waits and is announced.
    "rules sleeping\n"
    "  far 1 forward to core\n"
    "  far 2 buffer notify to access outer session\n"
    "  qer 1 session mbr 10000000 10000000\n"
    "  urr 1 time-threshold 60\n"
    "  pdr 1 precedence 200 from access remove-outer far 1 qer 1 urr 1\n"
    "  pdr 2 precedence 200 from core far 2 urr 1\n"
    "end\n\n"
    // Barred in one direction, and intercepted in the other.
    "rules barred\n"
    "  far 1 forward to core\n"
    "  far 2 forward duplicate to access outer session\n"
    "  qer 1 gate ul closed\n"
    "  qer 2 session mbr 10000000 10000000\n"
    "  urr 1 threshold dl 100000\n"
    "  pdr 1 precedence 100 from access app dns remove-outer far 1 qer 2\n"
    "  pdr 2 precedence 200 from access remove-outer far 1 qer 1\n"
    "  pdr 3 precedence 200 from core far 2 qer 2 urr 1\n"
    "end\n\n";

struct user user_of(uint32_t k) {
  static const char* const rules[16] = {"internet", "premium",  "internet", "office",  "premium",  "internet",
                                        "metered",  "office",   "internet", "premium", "internet", "premium",
                                        "office",   "internet", "internet", "premium"};
  struct user u = {.teid = 0x1000 + k, .peer_teid = 0x80000000u + k, .gnb = k % GNBS};
  uint32_t ip = 0x0a2d0001u + k; // 10.45.0.1 and up
  set_u32(u.ue4.bytes, ip);
  u.ue6.v6 = true;
  set_u32(u.ue6.bytes, 0x20010db8);
  set_u32(u.ue6.bytes + 4, 0x00450000u + k);
  u.ue6.bytes[15] = 1;
  u.gnb_v6 = k % 16 == 5;
  // Most traffic comes from the first users, so the rare rule sets belong to later ones.
  u.rules = k % 61 == 47 ? "sleeping" : k % 67 == 59 ? "barred" : rules[k % 16];
  return u;
}

static void write_address6(FILE* f, const uint8_t* prefix) {
  for (int i = 0; i < 4; i++)
    fprintf(f, "%x:", read_u16(prefix + 2 * i));
  fputc(':', f);
}

static void write_user(FILE* f, uint32_t k) {
  struct user u = user_of(k);
  const uint8_t* a = u.ue4.bytes;
  fprintf(f, "session %u rules %s teid 0x%x ue4 %u.%u.%u.%u ue6 ", k + 1, u.rules, u.teid, a[0], a[1], a[2],
          a[3]);
  write_address6(f, u.ue6.bytes);
  if (u.gnb_v6)
    fprintf(f, " gnb 2001:db8:100::%x", 0x10 + u.gnb);
  else
    fprintf(f, " gnb 192.168.100.%u", 0x10 + u.gnb);
  fprintf(f, " peer-teid 0x%x\n", u.peer_teid);
}

bool write_sessions(const char* path, uint32_t ues, uint32_t idle) {
  FILE* f = fopen(path, "w");
  if (!f) {
    perror(path);
    return false;
  }
  fputs(header, f);
  fputs(rule_sets, f);
  for (uint32_t k = 0; k < ues; k++)
    write_user(f, k);
  if (idle) {
    struct user u = user_of(ues);
    const uint8_t* a = u.ue4.bytes;
    fprintf(f, "sessions %u seid %u rules internet teid 0x%x ue4 %u.%u.%u.%u ue6 ", idle, ues + 1, u.teid,
            a[0], a[1], a[2], a[3]);
    write_address6(f, u.ue6.bytes);
    fprintf(f, " gnb 192.168.100.16 peer-teid 0x%x\n", u.peer_teid);
  }
  bool failed = ferror(f) != 0;
  if (fclose(f) || failed) {
    fprintf(stderr, "upf-workload: %s was not written completely\n", path);
    return false;
  }
  return true;
}
