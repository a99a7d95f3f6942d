// pcap_next with its header in front of the loop, where a call may be an invoke.
// bodies: pcap_next count
// link: -lpcap
// link: -lstdc++
#include <pcap/pcap.h>
#include <string>
#include <unistd.h>

static void count(pcap_t *in) {
  std::string text;
  pcap_pkthdr header;
  const u_char *data;
  while ((data = pcap_next(in, &header))) {
    std::string bytes(reinterpret_cast<const char *>(data), header.caplen);
    text += bytes.substr(0, 3) + ' ';
  }
  printf("%s\n", text.c_str());
}

int main() {
  char error[PCAP_ERRBUF_SIZE], path[] = "/tmp/heddle-test-XXXXXX";
  close(mkstemp(path));
  pcap_t *dead = pcap_open_dead(DLT_EN10MB, 65535);
  pcap_dumper_t *out = pcap_dump_open(dead, path);
  for (unsigned i = 0; i < 4; i++) {
    std::string bytes(60 + i, char('a' + i));
    pcap_pkthdr header = {{i, 0}, 60 + i, 60 + i};
    pcap_dump(reinterpret_cast<u_char *>(out), &header, reinterpret_cast<const u_char *>(bytes.data()));
  }
  pcap_dump_close(out);
  pcap_t *in = pcap_open_offline(path, error);
  unlink(path);
  if (!in)
    return 1;
  count(in);
  return 0;
}
