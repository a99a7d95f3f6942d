#include "golden.h"

namespace {

TEST(Http, RequestNamesItsHost) {
  Seen s = parse_tcp(
      text("GET /index.html HTTP/1.1\r\nHost: WWW.Example.com:8080\r\nUser-Agent: curl/8\r\n\r\n"), 80);
  EXPECT_EQ(s.app, APP_HTTP);
  EXPECT_EQ(s.confidence, APP_CONF_CERTAIN);
  EXPECT_EQ(s.host_name(), "www.example.com");
  EXPECT_EQ(s.version, 0x0101);
  EXPECT_EQ(s.id >> 8 & 0xff, 3u); // a tool
}

TEST(Http, ResponseWithLength) {
  Seen s = parse_tcp(text("HTTP/1.0 404 Not Found\r\nContent-Length: 12\r\nContent-Type: text/html\r\n\r\n"),
                     80, Sender::server);
  EXPECT_EQ(s.code, 404);
  EXPECT_EQ(s.body_len, 12u);
  EXPECT_EQ(s.version, 0x0100);
}

TEST(Http, ChunkedBody) {
  Seen s = parse_tcp(text("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1f;x=y\r\n..."), 80,
                     Sender::server);
  EXPECT_EQ(s.confidence, APP_CONF_CERTAIN);
  EXPECT_EQ(s.body_len, 0x1fu);
  EXPECT_EQ(s.id >> 16 & 1, 1u);
}

TEST(Http, ChunkSizeThatIsNoNumberIsMalformed) {
  EXPECT_TRUE(
      parse_tcp(text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"), 80, Sender::server)
          .malformed);
}

TEST(Http, PipelinedRequestsAreCounted) {
  std::string one = "GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n";
  EXPECT_EQ(parse_tcp(text(one + one + one), 80).transactions, 3);
}

TEST(Http, TwoLengthsAreMalformed) {
  EXPECT_TRUE(
      parse_tcp(text("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"), 80)
          .malformed);
}

TEST(Http, TwoFramingsAreMalformed) {
  EXPECT_TRUE(
      parse_tcp(text("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
                80)
          .malformed);
}

TEST(Http, RequestWithoutHostIsMalformedButHttp) {
  Seen s = parse_tcp(text("GET / HTTP/1.1\r\n\r\n"), 80);
  EXPECT_EQ(s.app, APP_HTTP);
  EXPECT_TRUE(s.malformed);
}

TEST(Http, TunnelNamesItsTarget) {
  EXPECT_EQ(parse_tcp(text("CONNECT mail.example.org:993 HTTP/1.1\r\nHost: mail.example.org\r\n\r\n"), 3128)
                .host_name(),
            "mail.example.org");
}

TEST(Http, SecondVersionsPreface) {
  Seen s = parse_tcp(text("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 80);
  EXPECT_EQ(s.app, APP_HTTP);
  EXPECT_EQ(s.version, 0x0200);
}

TEST(Http, NotRtsp) {
  EXPECT_NE(parse_tcp(text("OPTIONS rtsp://a.example/x RTSP/1.0\r\nCSeq: 1\r\n\r\n"), 554).app, APP_HTTP);
}

} // namespace
