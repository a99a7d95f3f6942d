// upf-workload: sessions, an uplink and a downlink capture for the UPF, out of a capture or out of nothing.
#include "capture.h"
#include "generate.h"

#include <getopt.h>
#include <stdlib.h>

enum { MAX_SESSIONS = 1000000, MAX_FLOWS = 1000000 };

static const char usage[] =
    "usage: upf-workload (--in CAPTURE | --generate PACKETS) --sessions-file FILE --uplink FILE --downlink "
    "FILE\n"
    "  --in FILE          any capture of Ethernet, raw IP or Linux cooked packets; - is standard input\n"
    "  --generate N       invent N user packets instead\n"
    "  --flows N          invented flows at a time (default 1024)\n"
    "  --uniform          draw users and flows evenly, one message at a time; else few of them often, in "
    "bursts\n"
    "  --seed N           of everything random (default 1)\n"
    "  --ues N            users with traffic (default 256)\n"
    "  --sessions N       sessions without traffic besides, up to 1000000 in all (default 0)\n"
    "  --limit N          read at most N packets of the capture\n"
    "  --malformed P      damage this share of the packets, 0 to 1 (default 0)\n"
    "  --control P        GTP-U control messages as a share of uplink packets (default 0.001)\n"
    "  --keep-checksums   leave wrong checksums of the capture wrong\n";

struct arguments {
  const char *in, *sessions_file, *uplink, *downlink;
  struct traffic traffic;
  uint64_t limit;
  uint32_t ues, sessions;
  double malformed, control;
  bool keep_checksums;
};

static bool parse_count(const char* text, uint64_t most, uint64_t* value) {
  char* end;
  unsigned long long v = strtoull(text, &end, 0);
  if (*text < '0' || *text > '9' || *end || v > most) return false;
  *value = v;
  return true;
}

static bool parse_share(const char* text, double* value) {
  char* end;
  *value = strtod(text, &end);
  return end != text && !*end && *value >= 0 && *value <= 1;
}

static bool set_option(struct arguments* a, int option) {
  uint64_t n = 0;
  bool fine = true;
  switch (option) {
  case 'i':
    a->in = optarg;
    break;
  case 'f':
    a->sessions_file = optarg;
    break;
  case 'u':
    a->uplink = optarg;
    break;
  case 'd':
    a->downlink = optarg;
    break;
  case 'g':
    fine = parse_count(optarg, UINT64_MAX, &a->traffic.packets) && a->traffic.packets;
    break;
  case 's':
    fine = parse_count(optarg, UINT64_MAX, &a->traffic.seed);
    break;
  case 'w':
    fine = parse_count(optarg, MAX_FLOWS, &n) && n;
    a->traffic.flows = (uint32_t)n;
    break;
  case 'v':
    a->traffic.uniform = true;
    break;
  case 'l':
    fine = parse_count(optarg, UINT64_MAX, &a->limit);
    break;
  case 'e':
    fine = parse_count(optarg, MAX_SESSIONS, &n) && n;
    a->ues = (uint32_t)n;
    break;
  case 'n':
    fine = parse_count(optarg, MAX_SESSIONS, &n);
    a->sessions = (uint32_t)n;
    break;
  case 'm':
    fine = parse_share(optarg, &a->malformed);
    break;
  case 'c':
    fine = parse_share(optarg, &a->control);
    break;
  case 'k':
    a->keep_checksums = true;
    break;
  case 'h':
    fputs(usage, stdout);
    exit(0);
  default:
    return false;
  }
  if (!fine) fprintf(stderr, "upf-workload: '%s' is out of range or no number\n", optarg);
  return fine;
}

static bool parse_arguments(struct arguments* a, int argc, char** argv) {
  static const struct option options[] = {
      {"in", 1, 0, 'i'},       {"sessions-file", 1, 0, 'f'},  {"uplink", 1, 0, 'u'},  {"downlink", 1, 0, 'd'},
      {"generate", 1, 0, 'g'}, {"seed", 1, 0, 's'},           {"limit", 1, 0, 'l'},   {"ues", 1, 0, 'e'},
      {"sessions", 1, 0, 'n'}, {"malformed", 1, 0, 'm'},      {"control", 1, 0, 'c'}, {"flows", 1, 0, 'w'},
      {"uniform", 0, 0, 'v'},  {"keep-checksums", 0, 0, 'k'}, {"help", 0, 0, 'h'},    {0},
  };
  int option;
  while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1)
    if (!set_option(a, option)) return false;
  bool complete =
      a->sessions_file && a->uplink && a->downlink && !a->in == !!a->traffic.packets && optind == argc;
  if (!complete)
    fputs(usage, stderr);
  else if (a->ues + a->sessions > MAX_SESSIONS) {
    fprintf(stderr, "upf-workload: at most %d sessions, with and without traffic\n", MAX_SESSIONS);
    return false;
  }
  return complete;
}

int main(int argc, char** argv) {
  struct arguments a = {.traffic = {.seed = 1, .flows = 1024}, .ues = 256, .control = 0.001};
  struct capture_counts counts = {0};
  if (!parse_arguments(&a, argc, argv)) return 2;
  struct output o = {.rng = {a.traffic.seed ^ 0x6a09e667f3bcc908},
                     .ues = a.ues,
                     .malformed = a.malformed,
                     .control = a.control,
                     .fix_checksums = !a.keep_checksums};
  bool fine = output_open(&o, a.uplink, a.downlink);
  if (fine) fine = a.in ? convert(&o, a.in, a.limit, &counts) : generate(&o, &a.traffic);
  fine = output_close(&o, a.uplink, a.downlink) && fine;
  fine = fine && write_sessions(a.sessions_file, a.ues, a.sessions);
  if (!fine) return 1;
  printf("uplink %llu downlink %llu control %llu damaged %llu sessions %u\n",
         (unsigned long long)o.packets[1], (unsigned long long)o.packets[0], (unsigned long long)o.controls,
         (unsigned long long)o.damaged, a.ues + a.sessions);
  if (a.in)
    printf("read %llu used %llu without-ip %llu fixed-lengths %llu too-long %llu hosts %u\n",
           (unsigned long long)counts.read, (unsigned long long)counts.used,
           (unsigned long long)counts.not_ip, (unsigned long long)counts.fixed_lengths,
           (unsigned long long)counts.too_long, counts.hosts);
  return 0;
}
