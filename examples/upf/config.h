// What the session file said.
#ifndef UPF_CONFIG_H
#define UPF_CONFIG_H

#include "rules.h"
#include "session_table.h"

struct config {
  struct port_config port[2]; // by enum interface
  struct rule_set** rules;
  uint32_t nrules;
  struct session* sessions;
  uint32_t nsessions, capacity;
  struct pdr_state* pdr_states;
  struct qer_state* qer_states;
  struct urr_state* urr_states;
  struct session_counters* session_counters;
  struct session_table* table;
};

#endif
