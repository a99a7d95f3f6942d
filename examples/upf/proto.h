// Constants and byte access for the protocols on the path. Headers are read byte-wise from the frame: frames
// are unaligned and hostile, so no structure is laid over them.
#ifndef UPF_PROTO_H
#define UPF_PROTO_H

#include <stdint.h>
#include <string.h>

enum {
  ETH_HLEN = 14,
  ETH_P_IP4 = 0x0800,
  ETH_P_ARP = 0x0806,
  ETH_P_IP6 = 0x86dd,
  ETH_P_VLAN = 0x8100,
  ETH_P_QINQ = 0x88a8,

  IP4_HLEN = 20,
  IP6_HLEN = 40,
  UDP_HLEN = 8,
  TCP_HLEN = 20,
  SCTP_HLEN = 12,

  PROTO_HOPOPTS = 0,
  PROTO_ICMP = 1,
  PROTO_IGMP = 2,
  PROTO_IPIP = 4,
  PROTO_TCP = 6,
  PROTO_UDP = 17,
  PROTO_IP6 = 41,
  PROTO_ROUTING = 43,
  PROTO_FRAGMENT = 44,
  PROTO_GRE = 47,
  PROTO_ESP = 50,
  PROTO_AH = 51,
  PROTO_ICMP6 = 58,
  PROTO_NONE = 59,
  PROTO_DSTOPTS = 60,
  PROTO_SCTP = 132,
  PROTO_UDPLITE = 136,
};

// GTP-U, TS 29.281.
enum {
  GTPU_PORT = 2152,
  GTPU_HLEN = 8,
  GTPU_OPT_LEN = 4, // sequence number, N-PDU number, next extension type (section 5.1)

  GTPU_FLAG_PN = 0x01,
  GTPU_FLAG_S = 0x02,
  GTPU_FLAG_E = 0x04,
  GTPU_FLAG_PT = 0x10,

  GTPU_ECHO_REQUEST = 1,
  GTPU_ECHO_RESPONSE = 2,
  GTPU_ERROR_INDICATION = 26,
  GTPU_SUPPORTED_EXTENSIONS = 31,
  GTPU_TUNNEL_STATUS = 253,
  GTPU_END_MARKER = 254,
  GTPU_GPDU = 255,

  GTPU_EXT_NONE = 0x00, // types: figure 5.2.1-3
  GTPU_EXT_LONG_PDCP = 0x03,
  GTPU_EXT_SERVICE_CLASS = 0x20,
  GTPU_EXT_UDP_PORT = 0x40,
  GTPU_EXT_RAN_CONTAINER = 0x81,
  GTPU_EXT_LONG_PDCP_ALT = 0x82,
  GTPU_EXT_XW_RAN = 0x83,
  GTPU_EXT_NR_RAN = 0x84,
  GTPU_EXT_PDU_SESSION = 0x85, // TS 38.415
  GTPU_EXT_PDCP = 0xc0,

  GTPU_IE_RECOVERY = 14,
  GTPU_IE_TEID_DATA = 16,
  GTPU_IE_PEER_ADDRESS = 133,
  GTPU_IE_EXT_LIST = 141,
  GTPU_IE_PRIVATE = 255,
};

static inline uint16_t load16(const uint8_t* p) {
  return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t load24(const uint8_t* p) {
  return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

static inline uint32_t load32(const uint8_t* p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void store16(uint8_t* p, uint16_t v) {
  p[0] = (uint8_t)(v >> 8);
  p[1] = (uint8_t)v;
}

static inline void store32(uint8_t* p, uint32_t v) {
  p[0] = (uint8_t)(v >> 24);
  p[1] = (uint8_t)(v >> 16);
  p[2] = (uint8_t)(v >> 8);
  p[3] = (uint8_t)v;
}

#endif
