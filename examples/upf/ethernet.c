// Ethernet II, 802.1Q and 802.1ad tags, and ARP.

#include "phases.h"

static bool multicast_for_us(const uint8_t* dst, uint16_t type) {
  static const uint8_t broadcast[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  if (type == ETH_P_ARP) return memcmp(dst, broadcast, 6) == 0;
  return type == ETH_P_IP6 && dst[0] == 0x33 && dst[1] == 0x33;
}

// Strips up to two tags. Priority tags (VLAN 0) are accepted everywhere; other ids only the port's own, as
// the innermost tag.
static bool vlan_parse(const struct port_config* port, struct pkt_ctx* c, uint32_t* at, uint16_t* type) {
  uint16_t id = 0;
  unsigned tags = 0;
  while (*type == ETH_P_VLAN || *type == ETH_P_QINQ) {
    if (*at + 4 > c->len) return drop(c, DROP_VLAN_SHORT);
    if (++tags > 2) return drop(c, DROP_VLAN_WRONG);
    uint16_t tci = load16(c->data + *at);
    // A service tag inside another tag is out of order (802.1ad).
    if (*type == ETH_P_QINQ && tags == 2) return drop(c, DROP_VLAN_WRONG);
    id = tci & 0xfff;
    if (id == 0xfff) return drop(c, DROP_VLAN_WRONG);
    *type = load16(c->data + *at + 2);
    *at += 4;
  }
  if (id != 0 && id != port->vlan) return drop(c, DROP_VLAN_WRONG);
  if (port->vlan != 0 && tags == 0) return drop(c, DROP_VLAN_WRONG);
  return true;
}

bool ethernet_parse(const struct config* config, struct pkt_ctx* c, uint16_t* type) {
  const struct port_config* port = &config->port[c->in_port];
  if (c->len < ETH_HLEN) return drop(c, DROP_ETH_SHORT);
  *type = load16(c->data + 12);
  uint32_t at = ETH_HLEN;
  if (*type == ETH_P_VLAN || *type == ETH_P_QINQ) {
    if (!vlan_parse(port, c, &at, type)) return false;
  } else if (port->vlan != 0) {
    return drop(c, DROP_VLAN_WRONG);
  }
  if (memcmp(c->data, port->mac, 6) != 0 && !multicast_for_us(c->data, *type)) return drop(c, DROP_ETH_DEST);
  if (c->data[6] & 1) return drop(c, DROP_ETH_DEST); // a group address sends nothing
  c->l3_off = (uint16_t)at;
  switch (*type) {
  case ETH_P_IP4:
  case ETH_P_IP6:
  case ETH_P_ARP:
    return true;
  default:
    return drop(c, DROP_ETH_TYPE);
  }
}

// RFC 826. Requests for the port's address ask for a reply; everything else ends here.
bool arp_parse(const struct port_config* port, struct pkt_ctx* c) {
  const uint8_t* arp = c->data + c->l3_off;
  if (c->len < c->l3_off + 28u) return drop(c, DROP_ARP_BAD);
  if (load16(arp) != 1 || load16(arp + 2) != ETH_P_IP4 || arp[4] != 6 || arp[5] != 4)
    return drop(c, DROP_ARP_BAD);
  uint16_t operation = load16(arp + 6);
  if (operation != 1 && operation != 2) return drop(c, DROP_ARP_BAD);
  if (arp[8] & 1) return drop(c, DROP_ARP_BAD);
  if (operation == 2 || memcmp(arp + 24, port->ip4, 4) != 0) return drop(c, DROP_ARP_OTHER);
  return refuse(c, DROP_NONE, REPLY_ARP);
}

uint8_t* ethernet_build(const struct port_config* port, uint8_t* l3, uint16_t type) {
  uint8_t* p = l3;
  p -= 2;
  store16(p, type);
  if (port->vlan) {
    p -= 4;
    store16(p, ETH_P_VLAN);
    store16(p + 2, port->vlan);
  }
  p -= 6;
  memcpy(p, port->mac, 6);
  p -= 6;
  memcpy(p, port->peer_mac, 6);
  return p;
}
