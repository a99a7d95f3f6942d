// NTP, DHCP, and the protocols behind APP_OTHER.
#include "golden.h"

namespace {

TEST(Ntp, ClientAndServer) {
  Bytes query = Bytes{0x23, 0, 6, 0xec} + Bytes(36, 0) + Bytes(8, 0xe9);
  EXPECT_EQ(parse_udp(query, 123).confidence, APP_CONF_CERTAIN);
  Bytes answer = Bytes{0x24, 2, 6, 0xec} + Bytes(12, 1) + Bytes(24, 0xe9) + Bytes(8, 0xea);
  Seen s = parse_udp(answer, 123, Sender::server);
  EXPECT_EQ(s.app, APP_NTP);
  EXPECT_EQ(s.seq, 2u);
  std::fill(answer.end() - 8, answer.end(), uint8_t(0xe0)); // sent before it was received
  EXPECT_TRUE(parse_udp(answer, 123, Sender::server).malformed);
}

TEST(Ntp, ControlMessage) {
  EXPECT_EQ(parse_udp({0x16, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}, 123).message, 6);
}

Bytes dhcp(const Bytes& options) {
  return Bytes{1, 1, 6, 0, 0xca, 0xfe, 0, 1} + Bytes(228, 0) + Bytes{0x63, 0x82, 0x53, 0x63} + options;
}

TEST(Dhcp, DiscoverWithHostName) {
  Seen s = parse_udp(dhcp({53, 1, 1, 12, 3, 'p', 'c', '1', 55, 2, 1, 3, 255}), 67);
  EXPECT_EQ(s.app, APP_DHCP);
  EXPECT_EQ(s.confidence, APP_CONF_CERTAIN);
  EXPECT_EQ(s.message, 1);
  EXPECT_EQ(s.id, 0xcafe0001u);
  EXPECT_EQ(s.host_name(), "pc1");
}

TEST(Dhcp, OptionBeyondTheEndIsMalformed) {
  EXPECT_TRUE(parse_udp(dhcp({53, 1, 1, 12, 30, 'p'}), 67).malformed);
}
TEST(Dhcp, OfferFromAClientIsMalformed) {
  EXPECT_TRUE(parse_udp(dhcp({53, 1, 2, 255}), 67).malformed);
}

struct Other {
  app_other kind;
  uint8_t proto;
  uint16_t port;
  Bytes payload;
};

void expect_other(const Other& o) {
  Seen s = parse(o.payload, o.proto, o.port);
  EXPECT_EQ(s.app, APP_OTHER) << app_other_name(o.kind);
  EXPECT_GE(s.confidence, APP_CONF_STRONG) << app_other_name(o.kind);
  EXPECT_STREQ(app_other_name(app_other(s.message)), app_other_name(o.kind));
}

TEST(Other, BinaryProtocols) {
  expect_other({OTHER_STUN, 17, 40001,
                Bytes{0, 1, 0, 8, 0x21, 0x12, 0xa4, 0x42} + Bytes(12, 5) + Bytes{0, 0x24, 0, 4, 1, 2, 3, 4}});
  expect_other({OTHER_MQTT, 6, 1883, {0x10, 14, 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 60, 0, 2, 'i', 'd'}});
  expect_other({OTHER_SNMP, 17, 161, {0x30, 0x1b, 2, 1, 1,    4, 1,    'p', 0xa0, 0x13, 2,    1, 7, 2, 1,
                                      0,    2,    1, 0, 0x30, 8, 0x30, 6,   6,    2,    0x2b, 6, 5, 0}});
  expect_other({OTHER_RADIUS, 17, 1812, Bytes{1, 9, 0, 25} + Bytes(16, 4) + Bytes{1, 5, 'b', 'o', 'b'}});
  expect_other({OTHER_WIREGUARD, 17, 51820, Bytes{1, 0, 0, 0} + Bytes(144, 8)});
  expect_other({OTHER_MODBUS, 6, 502, {0, 1, 0, 0, 0, 6, 1, 3, 0, 0, 0, 10}});
  expect_other({OTHER_TFTP, 17, 69, Bytes{0, 1} + text("boot") + Bytes{0} + text("octet") + Bytes{0}});
  expect_other(
      {OTHER_DIAMETER, 6, 3868,
       Bytes{1, 0, 0, 32, 0x80, 0, 1, 1} + Bytes(12, 0) + Bytes{0, 0, 1, 8, 0x40, 0, 0, 12, 1, 2, 3, 4}});
  expect_other({OTHER_GTP, 17, 2152, {0x30, 0xff, 0, 4, 0, 0, 0, 9, 0x45, 0, 0, 4}});
  expect_other({OTHER_COAP, 17, 5683, {0x40, 1, 0, 7, 0xb4, 't', 'e', 's', 't'}});
  expect_other({OTHER_SMB, 6, 445, Bytes{0, 0, 0, 64, 0xfe, 'S', 'M', 'B', 64} + Bytes(59, 0)});
  expect_other({OTHER_RDP, 6, 3389, {3, 0, 0, 19, 14, 0xe0, 0, 0, 0, 0, 0, 1, 0, 8, 0, 3, 0, 0, 0}});
}

TEST(Other, TextProtocols) {
  expect_other({OTHER_BITTORRENT, 6, 40001, Bytes{19} + text("BitTorrent protocol") + Bytes(48, 1)});
  expect_other(
      {OTHER_BITTORRENT, 17, 40001, text("d1:ad2:id20:abcdefghij0123456789e1:q4:ping1:t2:aa1:y1:qe")});
  expect_other({OTHER_IMAP, 6, 143, text("a001 LOGIN user secret\r\n")});
  expect_other({OTHER_POP3, 6, 110, text("RETR 3\r\n")});
  expect_other(
      {OTHER_SSDP, 17, 1900, text("M-SEARCH * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\nST: ssdp:all\r\n\r\n")});
  Bytes name = {32};
  for (int i = 0; i < 32; i++)
    name.push_back(i % 2 ? 'A' : 'E');
  expect_other(
      {OTHER_NBNS, 17, 137, Bytes{0, 7, 1, 0x10, 0, 1, 0, 0, 0, 0, 0, 0} + name + Bytes{0, 0, 0x20, 0, 1}});
}

TEST(Other, NestedListsWithoutEndAreNotBitTorrent) {
  EXPECT_EQ(parse_udp(text("d1:y1:q") + Bytes(200, 'l'), 40001).app, APP_UNKNOWN);
}

TEST(Other, NothingIsNothing) {
  EXPECT_EQ(parse_udp({}, 53).confidence, APP_CONF_NONE);
  EXPECT_EQ(parse(dns_query(), 132, 53).app, APP_UNKNOWN); // neither TCP nor UDP
}

} // namespace
