// SSH, SMTP, FTP: protocols of lines on a connection.
#include "golden.h"

namespace {

TEST(Ssh, BannerAndKeyExchange) {
  Seen s = parse_tcp(text("SSH-2.0-OpenSSH_9.2p1 Debian\r\n"), 2222);
  EXPECT_EQ(s.app, APP_SSH);
  EXPECT_EQ(s.confidence, APP_CONF_CERTAIN);
  EXPECT_EQ(s.version, 0x0200);
}

TEST(Ssh, UnknownVersionIsMalformed) {
  EXPECT_TRUE(parse_tcp(text("SSH-9.9-x\r\n"), 22).malformed);
}

Bytes kexinit(const std::string& kex) {
  auto list = [](const std::string& s) { return Bytes{0, 0, 0, uint8_t(s.size())} + text(s); };
  Bytes body = Bytes{20} + Bytes(16, 9) + list(kex) + list("ssh-ed25519");
  for (int i = 0; i < 8; i++)
    body = body + list(i < 6 ? "none" : "");
  body = body + Bytes{0, 0, 0, 0, 0};
  uint8_t padding = uint8_t(4 + (8 - (body.size() + 5 + 4) % 8) % 8);
  return Bytes{0, 0, 0, uint8_t(body.size() + 1 + padding), padding} + body + Bytes(padding, 0);
}

TEST(Ssh, KeyExchangeFingerprintDependsOnTheLists) {
  Seen a = parse_tcp(kexinit("curve25519-sha256"), 22), b = parse_tcp(kexinit("ecdh-sha2-nistp256"), 22);
  EXPECT_EQ(a.confidence, APP_CONF_CERTAIN);
  EXPECT_NE(a.id, b.id);
  EXPECT_EQ(parse_tcp(kexinit("a,,b"), 22).app, APP_UNKNOWN);
}

TEST(Smtp, CommandsOfATransaction) {
  EXPECT_EQ(parse_tcp(text("EHLO mail.example.org\r\n"), 25).host_name(), "mail.example.org");
  Seen s = parse_tcp(text("RCPT TO:<bob@Example.net> NOTIFY=NEVER\r\n"), 25);
  EXPECT_EQ(s.confidence, APP_CONF_CERTAIN);
  EXPECT_EQ(s.host_name(), "example.net");
  EXPECT_EQ(parse_tcp(text("STARTTLS\r\n"), 587).app, APP_SMTP);
}

TEST(Smtp, MailWithoutPathIsMalformed) {
  EXPECT_TRUE(parse_tcp(text("MAIL FROM: bob\r\n"), 25).malformed);
}

TEST(Smtp, RepliesOfSeveralLines) {
  Seen s = parse_tcp(text("250-mail.example.org\r\n250-8BITMIME\r\n250 STARTTLS\r\n"), 25, Sender::server);
  EXPECT_EQ(s.code, 250);
  EXPECT_EQ(s.confidence, APP_CONF_CERTAIN);
}

TEST(Ftp, PassiveAnswerAnnouncesTheDataFlow) {
  Seen s = parse_tcp(text("227 Entering Passive Mode (192,0,2,9,200,13).\r\n"), 21, Sender::server);
  EXPECT_EQ(s.app, APP_FTP);
  ASSERT_EQ(s.naddr, 1);
  EXPECT_EQ(s.addr[0].app, APP_FTP_DATA);
  EXPECT_EQ(s.addr[0].port, 200 * 256 + 13);
  EXPECT_EQ(s.addr[0].addr[3], 9);
}

TEST(Ftp, ExtendedForms) {
  EXPECT_EQ(parse_tcp(text("229 Extended Passive (|||6446|)\r\n"), 21, Sender::server).addr[0].port, 6446);
  Seen s = parse_tcp(text("EPRT |2|2001:db8::7|5282|\r\n"), 21);
  ASSERT_EQ(s.naddr, 1);
  EXPECT_TRUE(s.addr[0].is_v6);
  EXPECT_EQ(s.addr[0].addr[15], 7);
}

TEST(Ftp, PortBeyondAByteIsMalformed) {
  EXPECT_TRUE(parse_tcp(text("PORT 10,0,0,1,256,1\r\n"), 21).malformed);
}

TEST(Ftp, GreetingOfAServer) {
  EXPECT_EQ(parse_tcp(text("220 FTP server ready\r\n"), 21, Sender::server).app, APP_FTP);
  EXPECT_EQ(parse_tcp(text("220 mail.example.org ESMTP\r\n"), 2500, Sender::server).app, APP_SMTP);
}

} // namespace
