#include "golden.h"

namespace {

const std::string sdp = "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.7\r\nt=0 0\r\n"
                        "m=audio 49170 RTP/AVP 0 8\r\na=sendrecv\r\n";

std::string invite(const std::string& body, const std::string& cseq = "1 INVITE") {
  return "INVITE sip:bob@example.org SIP/2.0\r\nVia: SIP/2.0/UDP ue.example.org;branch=z9hG4bK1\r\n"
         "Max-Forwards: 70\r\nf: <sip:alice@example.org>;tag=1\r\nTo: <sip:bob@example.org>\r\nCall-ID: "
         "7@ue\r\nCSeq: " +
         cseq + "\r\nContent-Type: application/sdp\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

TEST(Sip, InviteAnnouncesItsMedia) {
  Seen s = parse_udp(text(invite(sdp)), 5060);
  EXPECT_EQ(s.app, APP_SIP);
  EXPECT_EQ(s.confidence, APP_CONF_CERTAIN);
  EXPECT_FALSE(s.malformed);
  EXPECT_EQ(s.host_name(), "example.org");
  ASSERT_EQ(s.naddr, 2);
  EXPECT_EQ(s.addr[0].app, APP_RTP);
  EXPECT_EQ(s.addr[0].port, 49170);
  EXPECT_EQ(s.addr[0].addr[3], 7);
  EXPECT_EQ(s.addr[1].app, APP_RTCP);
  EXPECT_EQ(s.addr[1].port, 49171);
}

TEST(Sip, MultiplexedMediaHasOnePort) {
  EXPECT_EQ(parse_udp(text(invite(sdp + "a=rtcp-mux\r\n")), 5060).naddr, 1);
}

TEST(Sip, MediaOverIpv6) {
  Seen s = parse_udp(text(invite("v=0\r\nc=IN IP6 2001:db8::5\r\nm=audio 5004 RTP/AVP 0\r\n")), 5060);
  ASSERT_EQ(s.naddr, 2);
  EXPECT_TRUE(s.addr[0].is_v6);
  EXPECT_EQ(s.addr[0].addr[0], 0x20);
  EXPECT_EQ(s.addr[0].addr[15], 5);
}

TEST(Sip, ResponseCarriesStatus) {
  std::string r = "SIP/2.0 180 Ringing\r\nVia: SIP/2.0/UDP a\r\nFrom: <sip:a@b.example>\r\nTo: "
                  "<sip:c@d.example>\r\ni: x\r\nCSeq: 1 INVITE\r\n\r\n";
  EXPECT_EQ(parse_udp(text(r), 5060, Sender::server).code, 180);
}

TEST(Sip, MethodOfCseqMustAgree) {
  EXPECT_TRUE(parse_udp(text(invite(sdp, "1 BYE")), 5060).malformed);
}

TEST(Sip, MissingFieldIsMalformed) {
  EXPECT_TRUE(parse_udp(text("BYE sip:a@b.example SIP/2.0\r\nVia: SIP/2.0/UDP a\r\n\r\n"), 5060).malformed);
}

TEST(Sip, BodyShorterThanAnnouncedIsMalformed) {
  std::string s = invite(sdp);
  s.pop_back();
  EXPECT_TRUE(parse_udp(text(s), 5060).malformed);
}

TEST(Rtp, OnePacketIsAWeakSign) {
  Seen s = parse_udp(rtp_packet(9), 40001);
  EXPECT_EQ(s.app, APP_RTP);
  EXPECT_EQ(s.confidence, APP_CONF_WEAK);
  EXPECT_EQ(s.id, 0xdecafbadu);
  EXPECT_EQ(s.seq, 9u);
}

TEST(Rtp, PaddingLongerThanThePacketIsNoRtp) {
  Bytes p = rtp_packet(9);
  p[0] |= 0x20;
  p.back() = 200;
  EXPECT_EQ(parse_udp(p, 40001).app, APP_UNKNOWN);
}

TEST(Rtp, UnassignedPayloadTypeIsNoRtp) {
  Bytes p = rtp_packet(9);
  p[1] = 50;
  EXPECT_EQ(parse_udp(p, 40001).app, APP_UNKNOWN);
}

const Bytes sender_report = Bytes{0x80, 200, 0, 6, 1, 2, 3, 4} + Bytes(20, 1);
const Bytes description = {0x81, 202, 0, 3, 1, 2, 3, 4, 1, 4, 'u', 'e', '@', 'x', 0, 0};

TEST(Rtcp, CompoundPacketIsCertain) {
  Seen s = parse_udp(sender_report + description, 40001);
  EXPECT_EQ(s.app, APP_RTCP);
  EXPECT_EQ(s.confidence, APP_CONF_CERTAIN);
  EXPECT_EQ(s.id, 0x01020304u);
}

TEST(Rtcp, GoodbyeAfterAReport) {
  Bytes report = {0x80, 201, 0, 1, 1, 2, 3, 4}, bye = {0x81, 203, 0, 1, 1, 2, 3, 4};
  EXPECT_EQ(parse_udp(report + bye, 40001).app, APP_RTCP);
}

TEST(Rtcp, DescriptionWithoutCanonicalNameLowersTheVerdict) {
  Bytes wrong = description;
  wrong[8] = 2;
  EXPECT_LT(parse_udp(sender_report + wrong, 40001).confidence, APP_CONF_STRONG);
}

} // namespace
