// Packet detection: the PDR of lowest precedence whose PDI matches (TS 29.244 section 5.2.1A).

#include "phases.h"

// The packet as a filter sees it: the remote end and the UE's, whatever the direction.
struct tuple {
  const uint8_t* remote;
  const uint8_t* local;
  uint16_t remote_port, local_port;
};

static bool prefix_match(const struct ip_prefix* p, uint8_t version, const uint8_t* addr) {
  if (p->family == 0) return true;
  if (p->family != version) return false;
  unsigned octets = p->len / 8, bits = p->len % 8;
  if (memcmp(p->addr, addr, octets) != 0) return false;
  if (bits == 0) return true;
  uint8_t mask = (uint8_t)(0xff << (8 - bits));
  return ((p->addr[octets] ^ addr[octets]) & mask) == 0;
}

static bool port_match(const struct port_range* range, unsigned count, bool has_ports, uint16_t port) {
  if (count == 0) return true;
  if (!has_ports) return false;
  for (unsigned i = 0; i < count; i++)
    if (port >= range[i].lo && port <= range[i].hi) return true;
  return false;
}

static bool filter_match(const struct sdf_filter* f, const struct ip_view* ip, const struct tuple* t) {
  if (!f->any_proto && f->proto != ip->proto) return false;
  if (f->has_tos && (ip->tos & f->tos_mask) != f->tos) return false;
  if (f->has_spi && (!ip->has_spi || ip->spi != f->spi)) return false;
  if (f->has_label && (ip->version != 6 || ip->flow_label != f->label)) return false;
  if (!prefix_match(&f->remote, ip->version, t->remote)) return false;
  if (!prefix_match(&f->local, ip->version, t->local)) return false;
  if (!port_match(f->remote_port, f->nremote, ip->has_ports, t->remote_port)) return false;
  return port_match(f->local_port, f->nlocal, ip->has_ports, t->local_port);
}

// Filters are tried in order; the first that matches decides.
static bool filters_match(const struct rule_set* rules, const struct pdr* p, const struct ip_view* ip,
                          const struct tuple* t) {
  if (p->nfilters == 0) return true;
  const struct sdf_filter* f = &rules->filters[p->first_filter];
  for (unsigned i = 0; i < p->nfilters; i++)
    if (filter_match(&f[i], ip, t)) return !f[i].deny;
  return false;
}

// "example.org" matches itself and "www.example.org", not "notexample.org".
static bool host_match(const struct pdr* p, const struct flow_verdict* flow) {
  if (p->host_len == 0) return true;
  if (flow->host_len < p->host_len) return false;
  const char* tail = flow->host + flow->host_len - p->host_len;
  if (memcmp(tail, p->host, p->host_len) != 0) return false;
  return tail == flow->host || p->host[0] == '.' || tail[-1] == '.';
}

static bool pdi_match(const struct rule_set* rules, const struct pdr* p, const struct pkt_ctx* c,
                      const struct tuple* t) {
  if (p->source != c->in_port) return false;
  if (p->has_qfi && (!c->gtpu.has_qfi || c->gtpu.qfi != p->qfi)) return false;
  if (p->app != APP_UNKNOWN && p->app != c->flow.app) return false;
  if (p->traffic_class != ANY_CLASS && p->traffic_class != c->class) return false;
  return host_match(p, &c->flow) && filters_match(rules, p, &c->ip, t);
}

bool pdr_match(struct pkt_ctx* c) {
  const struct rule_set* rules = c->session->rules;
  const struct ip_view* ip = &c->ip;
  struct tuple t = {ip->src, ip->dst, ip->sport, ip->dport};
  if (c->dir == UPLINK) t = (struct tuple){ip->dst, ip->src, ip->dport, ip->sport};
  for (unsigned i = 0; i < rules->npdrs; i++) {
    const struct pdr* p = &rules->pdrs[i];
    if (!pdi_match(rules, p, c, &t)) continue;
    c->pdr = p;
    c->far = &rules->fars[p->far];
    return true;
  }
  return drop(c, DROP_NO_PDR);
}
