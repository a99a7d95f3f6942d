// How verdicts on packets become the verdict on a flow.
#include "golden.h"

namespace {

app_id show(app_flow& flow, const Seen& seen, bool uplink = true) {
  return app_flow_update(&flow, &seen, uplink);
}

TEST(Flow, CertainVerdictStays) {
  app_flow flow = {};
  EXPECT_EQ(show(flow, parse_tcp(text("SSH-2.0-x\r\n"), 22)), APP_SSH);
  EXPECT_EQ(show(flow, parse_tcp(text("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), 22)), APP_SSH);
  EXPECT_EQ(show(flow, parse_tcp(Bytes(100, 0xee), 22)), APP_SSH);
}

TEST(Flow, MailMayTurnIntoTls) {
  app_flow flow = {};
  EXPECT_EQ(show(flow, parse_tcp(text("EHLO a.example\r\n"), 25)), APP_SMTP);
  EXPECT_EQ(show(flow, parse_tcp(client_hello(), 25)), APP_TLS);
}

TEST(Flow, RisingSequenceMakesRtp) {
  app_flow flow = {};
  EXPECT_EQ(show(flow, parse_udp(rtp_packet(65534), 40001)), APP_UNKNOWN);
  EXPECT_EQ(show(flow, parse_udp(rtp_packet(65535), 40001)), APP_UNKNOWN);
  EXPECT_EQ(show(flow, parse_udp(rtp_packet(0), 40001)), APP_RTP); // the number wraps
}

TEST(Flow, BothDirectionsOfRtpCount) {
  app_flow flow = {};
  show(flow, parse_udp(rtp_packet(5, 1), 40001), true);
  show(flow, parse_udp(rtp_packet(900, 2), 40001, Sender::server), false);
  EXPECT_EQ(show(flow, parse_udp(rtp_packet(6, 1), 40001), true), APP_RTP);
}

TEST(Flow, ChangingSourceMakesNoRtp) {
  app_flow flow = {};
  for (uint16_t i = 0; i < 10; i++)
    EXPECT_NE(show(flow, parse_udp(rtp_packet(i, 0x1000u + i), 40001)), APP_RTP);
}

TEST(Flow, RandomSequenceMakesNoRtp) {
  app_flow flow = {};
  for (uint16_t i = 0; i < 10; i++)
    EXPECT_NE(show(flow, parse_udp(rtp_packet(uint16_t(i * 7919)), 40001)), APP_RTP);
}

TEST(Flow, GivesUpAfterSixteenPayloads) {
  app_flow flow = {};
  for (int i = 0; i < 15; i++)
    EXPECT_EQ(show(flow, parse_tcp(Bytes(50, 0xee), 40001)), APP_UNKNOWN);
  EXPECT_EQ(show(flow, parse_tcp(Bytes(50, 0xee), 40001)), APP_OTHER);
  EXPECT_EQ(show(flow, parse_tcp(client_hello(), 40001)), APP_TLS); // it is never too late
}

TEST(Flow, MalformedMessagesAreCountedAndDecideNothing) {
  app_flow flow = {};
  EXPECT_EQ(show(flow, parse_tcp(text("SSH-9.9-x\r\n"), 22)), APP_UNKNOWN);
  EXPECT_EQ(flow.malformed, 1);
}

TEST(Flow, TransactionsAddUp) {
  app_flow flow = {};
  std::string one = "GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n";
  show(flow, parse_tcp(text(one + one), 80));
  show(flow, parse_tcp(text(one), 80));
  EXPECT_EQ(flow.requests, 3u);
}

TEST(Names, GoBothWays) {
  for (int i = 0; i < APP_ID_COUNT; i++)
    EXPECT_EQ(app_by_name(app_name(app_id(i))), i);
  EXPECT_EQ(app_by_name("no such"), APP_ID_COUNT);
}

} // namespace
