// From packet to session, and whether the UE speaks for itself.

#include "phases.h"

// The UE must send from the addresses that the session gave it (TS 29.244 section 5.2.1A, UE IP address in
// the PDI of uplink PDRs); IPv6 interface identifiers are its own choice within the /64.
static bool source_ok(const struct session* s, const struct ip_view* ip) {
  if (ip->version == 4) return s->has_ue4 && memcmp(ip->src, s->ue4, 4) == 0;
  return s->has_ue6 && memcmp(ip->src, s->ue6, 8) == 0;
}

static bool lookup_uplink(const struct session_table* table, struct pkt_ctx* c) {
  c->session = session_by_teid(table, c->gtpu.teid);
  if (c->notices & NOTE_END_MARKER) return drop(c, c->session ? DROP_GTPU_CONTROL : DROP_NO_SESSION);
  // TS 29.281 section 7.3.1: tell the peer that there is no such tunnel.
  if (!c->session) return refuse(c, DROP_NO_SESSION, REPLY_GTPU_ERROR);
  if (!source_ok(c->session, &c->ip)) return drop(c, DROP_SPOOFED);
  return true;
}

static bool for_this_host(const struct port_config* port, const struct ip_view* ip) {
  if (ip->version == 4) return memcmp(ip->dst, port->ip4, 4) == 0;
  return memcmp(ip->dst, port->ip6, 16) == 0;
}

static bool lookup_downlink(const struct config* config, struct pkt_ctx* c) {
  const struct ip_view* ip = &c->ip;
  if (for_this_host(&config->port[IF_CORE], ip)) {
    bool echo =
        (ip->proto == PROTO_ICMP && ip->icmp_type == 8) || (ip->proto == PROTO_ICMP6 && ip->icmp_type == 128);
    if (echo && !ip->fragment) return refuse(c, DROP_NONE, REPLY_ICMP_ECHO);
    return drop(c, DROP_NO_SESSION);
  }
  c->session =
      ip->version == 4 ? session_by_ue4(config->table, ip->dst) : session_by_ue6(config->table, ip->dst);
  if (!c->session) return drop(c, DROP_NO_SESSION);
  return true;
}

bool session_lookup(const struct config* config, struct pkt_ctx* c) {
  return c->dir == UPLINK ? lookup_uplink(config->table, c) : lookup_downlink(config, c);
}
