#include "golden.h"

namespace {

TEST(Tls, ClientHelloNamesServerAndClient) {
  Seen s = parse_tcp(client_hello(), 443);
  EXPECT_EQ(s.app, APP_TLS);
  EXPECT_EQ(s.confidence, APP_CONF_CERTAIN);
  EXPECT_EQ(s.host_name(), "www.google.it");
  EXPECT_EQ(s.version, 0x0301);
  EXPECT_EQ(s.message, 1);
  // JA3 of 769,255-49162-...-10,0-10-11-35-13172-5,23-24-25,0 is 755cdaa3496eb8728247a639dee17aad.
  EXPECT_EQ(s.id, 0x755cdaa3u);
}

TEST(Tls, IsKnownOnAnyPort) {
  EXPECT_EQ(parse_tcp(client_hello(), 40001).app, APP_TLS);
}

TEST(Tls, FirstApplicationProtocolIsReported) {
  Bytes hello =
      client_hello() + Bytes{0, 16, 0, 14, 0, 12, 2, 'h', '2', 8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  hello[4] += 18; // record, message, extensions
  hello[8] += 18;
  hello[121] += 18;
  ASSERT_EQ(hello[120], 0);
  Seen s = parse_tcp(hello, 443);
  EXPECT_EQ(s.confidence, APP_CONF_CERTAIN);
  EXPECT_EQ(s.alpn, 0x6832);
}

TEST(Tls, HelloCutByTheSegmentStillNamesTheServer) {
  Bytes hello = client_hello();
  hello.resize(150);
  Seen s = parse_tcp(hello, 443);
  EXPECT_EQ(s.confidence, APP_CONF_STRONG);
  EXPECT_EQ(s.host_name(), "www.google.it");
}

TEST(Tls, ExtensionThatBreaksItsRulesIsMalformed) {
  Bytes hello = client_hello();
  hello[127] = 0xff; // length of the list of server names
  Seen s = parse_tcp(hello, 443);
  EXPECT_TRUE(s.malformed);
  EXPECT_EQ(s.confidence, APP_CONF_NONE);
}

TEST(Tls, AlertCarriesItsCode) {
  Seen s = parse_tcp({21, 3, 3, 0, 2, 2, 40}, 443, Sender::server);
  EXPECT_EQ(s.app, APP_TLS);
  EXPECT_EQ(s.code, 40);
}

TEST(Tls, ServerHelloSelectsVersion) {
  Bytes body = Bytes{3, 3} + Bytes(32, 7) + Bytes{0, 0x13, 1, 0, 0, 6, 0, 43, 0, 2, 3, 4};
  Bytes hello = Bytes{22, 3, 3, 0, uint8_t(body.size() + 4), 2, 0, 0, uint8_t(body.size())} + body;
  Seen s = parse_tcp(hello, 443, Sender::server);
  EXPECT_EQ(s.confidence, APP_CONF_CERTAIN);
  EXPECT_EQ(s.version, 0x0304);
}

TEST(Tls, CertificateNamesTheServer) {
  auto der = [](uint8_t tag, const Bytes& body) { return Bytes{tag, uint8_t(body.size())} + body; };
  Bytes name = der(0x30, der(0x31, der(0x30, Bytes{6, 3, 0x55, 4, 3} + der(12, text("*.Example.COM")))));
  Bytes san =
      der(0x30, Bytes{6, 3, 0x55, 0x1d, 0x11} + der(4, der(0x30, der(0x82, text("shop.example.com")))));
  Bytes front =
      Bytes{0xa0, 3, 2, 1, 2, 2, 1, 9} + der(0x30, {}) + der(0x30, {}) + der(0x30, {}) + name + der(0x30, {});
  auto record = [&](const Bytes& extensions) {
    Bytes certificate = der(0x30, der(0x30, front + extensions));
    uint8_t n = uint8_t(certificate.size());
    return Bytes{22, 3, 3, 0, uint8_t(n + 10), 11, 0, 0, uint8_t(n + 6), 0, 0, uint8_t(n + 3), 0, 0, n} +
           certificate;
  };
  EXPECT_EQ(parse_tcp(record({}), 443, Sender::server).host_name(), "example.com");
  EXPECT_EQ(parse_tcp(record(der(0xa3, der(0x30, san))), 443, Sender::server).host_name(),
            "shop.example.com");
}

TEST(Tls, EncryptedFinishedIsTls) {
  EXPECT_EQ(parse_tcp(Bytes{22, 3, 3, 0, 40} + Bytes(40, 0xe7), 443).app, APP_TLS);
}

TEST(Dtls, ClientHelloOverUdp) {
  Bytes body = Bytes{0xfe, 0xfd} + Bytes(32, 7) + Bytes{0, 0, 0, 2, 0xc0, 0x2b, 1, 0};
  uint8_t n = uint8_t(body.size());
  Bytes hello =
      Bytes{22, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, uint8_t(n + 12), 1, 0, 0, n, 0, 0, 0, 0, 0, 0, 0, n} +
      body;
  Seen s = parse_udp(hello, 40001);
  EXPECT_EQ(s.app, APP_TLS);
  EXPECT_EQ(s.version, 0xfefd);
}

} // namespace
