// GTP-U, TS 29.281: header (5.1), extension headers (5.2), messages (7); PDU session container, TS 38.415.

#include "phases.h"

// PDU session user plane protocol, TS 38.415 section 5.5.2: DL and UL PDU SESSION INFORMATION. `len` counts
// the content between the length octet and the next-type octet.
static bool pdu_session_parse(struct pkt_ctx* c, const uint8_t* p, uint32_t len) {
  struct gtpu_view* g = &c->gtpu;
  if (len < 2) return drop(c, DROP_GTPU_CONTAINER);
  uint32_t need = 2;
  g->pdu_type = p[0] >> 4;
  g->qfi = p[1] & 0x3f;
  g->has_qfi = true;
  switch (g->pdu_type) {
  case 0: { // downlink (we meet it on N9)
    bool qmp = p[0] & 8, snp = p[0] & 4;
    g->has_ppi = p[1] >> 7;
    g->rqi = p[1] >> 6 & 1;
    if (g->has_ppi) {
      if (len < need + 1) return drop(c, DROP_GTPU_CONTAINER);
      g->ppi = p[need] >> 5;
      need++;
    }
    if (qmp) need += 8; // DL sending time stamp
    if (snp) need += 3; // DL QFI sequence number
    break;
  }
  case 1: { // uplink
    bool qmp = p[0] & 8, dl_delay = p[0] & 4, ul_delay = p[0] & 2, snp = p[0] & 1;
    bool n3_delay = p[1] >> 7, new_ie = p[1] >> 6 & 1;
    if (qmp) need += 24; // DL sending, DL received and UL sending time stamps
    if (dl_delay) need += 4;
    if (ul_delay) need += 4;
    if (snp) need += 3;
    if (n3_delay) need += 4;
    if (new_ie) {
      if (len < need + 1) return drop(c, DROP_GTPU_CONTAINER);
      bool d1 = p[need] & 1; // D1 UL PDCP delay result indicator
      need += 1u + (d1 ? 4u : 0u);
    }
    break;
  }
  default:
    return drop(c, DROP_GTPU_CONTAINER);
  }
  if (len < need) return drop(c, DROP_GTPU_CONTAINER);
  return true;
}

// One extension header's content; `len` is without the length and next-type octets.
static bool extension_parse(struct pkt_ctx* c, uint8_t type, const uint8_t* p, uint32_t len) {
  struct gtpu_view* g = &c->gtpu;
  switch (type) {
  case GTPU_EXT_PDU_SESSION:
    if (g->has_qfi) return drop(c, DROP_GTPU_CONTAINER); // twice
    return pdu_session_parse(c, p, len);
  case GTPU_EXT_PDCP:
    if (len != 2) return drop(c, DROP_GTPU_EXTENSION);
    g->pdcp = load16(p);
    g->has_pdcp = true;
    return true;
  case GTPU_EXT_LONG_PDCP:
  case GTPU_EXT_LONG_PDCP_ALT:
    if (len < 6) return drop(c, DROP_GTPU_EXTENSION);
    g->pdcp = load24(p) & 0x3ffff;
    g->has_pdcp = true;
    return true;
  case GTPU_EXT_UDP_PORT:
    if (len != 2) return drop(c, DROP_GTPU_EXTENSION);
    g->udp_port = load16(p);
    g->has_udp_port = true;
    return true;
  case GTPU_EXT_SERVICE_CLASS:
    if (len != 2) return drop(c, DROP_GTPU_EXTENSION);
    return true;
  case GTPU_EXT_RAN_CONTAINER:
  case GTPU_EXT_XW_RAN:
  case GTPU_EXT_NR_RAN:
    return true; // between RAN nodes; passes through us unread
  default:
    // Section 5.2.1: bits 8 and 7 say whether the endpoint must understand it.
    if (type & 0x80) {
      g->unsupported = true;
      g->unsupported_type = type;
    }
    return true;
  }
}

static bool extensions_parse(struct pkt_ctx* c, uint8_t type, uint32_t at) {
  while (type != GTPU_EXT_NONE) {
    if (at >= c->len) return drop(c, DROP_GTPU_EXTENSION);
    uint32_t len = c->data[at] * 4u;
    if (len == 0 || at + len > c->len) return drop(c, DROP_GTPU_EXTENSION);
    if (!extension_parse(c, type, c->data + at + 1, len - 2)) return false;
    type = c->data[at + len - 1];
    at += len;
  }
  c->gtpu.payload_off = (uint16_t)at;
  return true;
}

// Error indication, section 7.3.1: the peer has lost our tunnel. TEID data I and peer address are mandatory.
static bool error_indication_parse(struct pkt_ctx* c) {
  uint32_t at = c->gtpu.payload_off;
  bool has_teid = false, has_peer = false;
  while (at < c->len) {
    uint8_t type = c->data[at];
    if (type == GTPU_IE_TEID_DATA) {
      if (at + 5 > c->len) return drop(c, DROP_GTPU_IE);
      c->gtpu.teid = load32(c->data + at + 1);
      has_teid = true;
      at += 5;
    } else if (type == GTPU_IE_RECOVERY) {
      if (at + 2 > c->len) return drop(c, DROP_GTPU_IE);
      at += 2;
    } else if (type & 0x80) { // TLV
      if (at + 3 > c->len) return drop(c, DROP_GTPU_IE);
      uint32_t len = load16(c->data + at + 1);
      if (at + 3 + len > c->len) return drop(c, DROP_GTPU_IE);
      if (type == GTPU_IE_PEER_ADDRESS) {
        if (len != 4 && len != 16) return drop(c, DROP_GTPU_IE);
        has_peer = true;
      }
      at += 3 + len;
    } else {
      return drop(c, DROP_GTPU_IE); // a TV element whose length nobody knows
    }
  }
  if (!has_teid || !has_peer) return drop(c, DROP_GTPU_IE);
  c->notices |= NOTE_PEER_ERROR;
  return drop(c, DROP_GTPU_CONTROL);
}

static bool message_parse(struct pkt_ctx* c) {
  struct gtpu_view* g = &c->gtpu;
  switch (g->type) {
  case GTPU_GPDU:
    if (g->unsupported) return refuse(c, DROP_GTPU_UNKNOWN_EXT, REPLY_GTPU_EXTENSIONS);
    c->l3_off = g->payload_off;
    return true;
  case GTPU_ECHO_REQUEST:
    if (g->teid != 0 || !g->has_seq) return drop(c, DROP_GTPU_MESSAGE); // section 7.2.1
    return refuse(c, DROP_NONE, REPLY_GTPU_ECHO);
  case GTPU_ECHO_RESPONSE:
    if (g->payload_off + 2u > c->len || c->data[g->payload_off] != GTPU_IE_RECOVERY)
      return drop(c, DROP_GTPU_IE);
    return drop(c, DROP_GTPU_CONTROL);
  case GTPU_ERROR_INDICATION:
    return error_indication_parse(c);
  case GTPU_END_MARKER:
    c->notices |= NOTE_END_MARKER;
    return true; // goes on to its session
  case GTPU_SUPPORTED_EXTENSIONS:
    if (g->payload_off + 2u > c->len || c->data[g->payload_off] != GTPU_IE_EXT_LIST ||
        g->payload_off + 2u + c->data[g->payload_off + 1] > c->len)
      return drop(c, DROP_GTPU_IE);
    return drop(c, DROP_GTPU_CONTROL);
  case GTPU_TUNNEL_STATUS:
    return drop(c, DROP_GTPU_CONTROL);
  default:
    return drop(c, DROP_GTPU_MESSAGE);
  }
}

bool gtpu_parse(struct pkt_ctx* c) {
  struct gtpu_view* g = &c->gtpu;
  uint32_t off = g->off;
  const uint8_t* p = c->data + off;
  if (off + GTPU_HLEN > c->len) return drop(c, DROP_GTPU_SHORT);
  g->flags = p[0];
  g->type = p[1];
  g->len = load16(p + 2);
  g->teid = load32(p + 4);
  if (g->flags >> 5 != 1 || !(g->flags & GTPU_FLAG_PT)) return drop(c, DROP_GTPU_VERSION);
  if (off + GTPU_HLEN + g->len > c->len) return drop(c, DROP_GTPU_LENGTH);
  if (off + GTPU_HLEN + g->len < c->len) {
    c->notices |= NOTE_PADDED;
    c->len = off + GTPU_HLEN + g->len;
  }
  uint32_t at = off + GTPU_HLEN;
  uint8_t next = GTPU_EXT_NONE;
  if (g->flags & (GTPU_FLAG_E | GTPU_FLAG_S | GTPU_FLAG_PN)) {
    // All three optional fields are there as soon as one flag is set; only flagged ones mean something.
    if (at + GTPU_OPT_LEN > c->len) return drop(c, DROP_GTPU_LENGTH);
    g->has_seq = g->flags & GTPU_FLAG_S;
    g->has_npdu = g->flags & GTPU_FLAG_PN;
    if (g->has_seq) g->seq = load16(c->data + at);
    if (g->has_npdu) g->npdu = c->data[at + 2];
    if (g->flags & GTPU_FLAG_E) next = c->data[at + 3];
    at += GTPU_OPT_LEN;
  }
  if (!extensions_parse(c, next, at)) return false;
  return message_parse(c);
}
