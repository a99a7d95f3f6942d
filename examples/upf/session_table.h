// Finding a packet's session: by TEID (uplink), by UE address (downlink). Filled while loading, constant
// while packets flow.
#ifndef UPF_SESSION_TABLE_H
#define UPF_SESSION_TABLE_H

#include "rules.h"

struct teid_slot {
  uint32_t teid;
  uint32_t used;
  struct session* session;
};

struct ue4_slot {
  uint32_t addr;
  uint32_t used;
  struct session* session;
};

struct ue6_slot {
  uint64_t prefix;
  struct session* session; // NULL: free
};

struct session_table {
  struct teid_slot* teid;
  struct ue4_slot* ue4;
  struct ue6_slot* ue6;
  uint32_t mask;
};

struct session_table* session_table_create(uint32_t sessions);
void session_table_free(struct session_table* table);
// Returns false if one of the session's keys is taken.
bool session_table_add(struct session_table* table, struct session* session);

struct session* session_by_teid(const struct session_table* table, uint32_t teid);
struct session* session_by_ue4(const struct session_table* table, const uint8_t addr[4]);
struct session* session_by_ue6(const struct session_table* table, const uint8_t addr[16]);

#endif
