#include "golden.h"

namespace {

Bytes initial(uint8_t first, Bytes version, uint32_t size) {
  Bytes head = Bytes{first} + version + Bytes{8, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0};
  uint32_t n = size - uint32_t(head.size()) - 2;
  return head + Bytes{uint8_t(0x40 | n >> 8), uint8_t(n)} + Bytes(n, 0x5a);
}

TEST(Quic, InitialOfVersionOne) {
  Seen s = parse_udp(initial(0xc3, {0, 0, 0, 1}, 1200), 443);
  EXPECT_EQ(s.app, APP_QUIC);
  EXPECT_EQ(s.confidence, APP_CONF_CERTAIN);
  EXPECT_EQ(s.id, 1u);
  EXPECT_EQ(s.message, 0);
  EXPECT_EQ(s.transactions, 1);
}

TEST(Quic, VersionTwoTurnsPacketTypes) {
  Seen s = parse_udp(initial(0xd3, {0x6b, 0x33, 0x43, 0xcf}, 1200), 443);
  EXPECT_EQ(s.app, APP_QUIC);
  EXPECT_EQ(s.message, 0);
}

TEST(Quic, DraftsAndCoalescedPackets) {
  Bytes handshake = Bytes{0xe0, 0xff, 0, 0, 29, 0, 0, 0x40, 40} + Bytes(40, 1);
  Seen s = parse_udp(initial(0xc0, {0xff, 0, 0, 29}, 200) + handshake, 443, Sender::server);
  EXPECT_EQ(s.app, APP_QUIC);
  EXPECT_EQ(s.confidence, APP_CONF_STRONG);
}

TEST(Quic, VersionNegotiation) {
  Seen s = parse_udp({0x80, 0, 0, 0, 0, 1, 7, 1, 8, 0, 0, 0, 1, 0xff, 0, 0, 29}, 443, Sender::server);
  EXPECT_EQ(s.confidence, APP_CONF_CERTAIN);
  EXPECT_EQ(s.message, 4);
  EXPECT_EQ(s.id, 1u);
}

TEST(Quic, Retry) {
  Seen s = parse_udp(Bytes{0xf0, 0, 0, 0, 1, 0, 1, 9} + Bytes(40, 3), 443, Sender::server);
  EXPECT_EQ(s.message, 3);
}

TEST(Quic, UnknownVersionIsNotQuic) {
  EXPECT_NE(parse_udp(initial(0xc3, {1, 2, 3, 4}, 1200), 443).app, APP_QUIC);
}

TEST(Quic, LengthBeyondTheDatagramIsNotQuic) {
  Bytes p = initial(0xc3, {0, 0, 0, 1}, 1200);
  p.resize(600);
  EXPECT_NE(parse_udp(p, 443).app, APP_QUIC);
}

TEST(Quic, ConnectionIdOfTwentyOneBytesIsNotQuic) {
  auto handshake = [](uint8_t id) {
    return Bytes{0xe0, 0, 0, 0, 1, id} + Bytes(id, 9) + Bytes{0, 0x40, 60} + Bytes(60, 1);
  };
  EXPECT_EQ(parse_udp(handshake(20), 443).app, APP_QUIC);
  EXPECT_NE(parse_udp(handshake(21), 443).app, APP_QUIC);
}

} // namespace
