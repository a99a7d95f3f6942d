// The switch's tables. Lines: `port INTERFACE UNTAGGED TAGGED`, by the interface's index; `station ADDRESS VLAN PORT`, seen for ever from now.
#include "../control.h"
#include "tables.h"

#include <time.h>

const char program_name[] = "l2switch";

void fill_line(char* line) {
  unsigned interface, untagged, tagged, vlan;
  unsigned char a[6];
  if (sscanf(line, "port %u %u %x", &interface, &untagged, &tagged) == 3) {
    struct port port = {.untagged = (__u16)untagged, .tagged = tagged};
    put("ports", &interface, &port);
  } else if (sscanf(line, "station %hhx:%hhx:%hhx:%hhx:%hhx:%hhx %u %u", a, a + 1, a + 2, a + 3, a + 4, a + 5,
                    &vlan, &interface) == 8) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct station station = {.address = {a[0], a[1], a[2], a[3], a[4], a[5]}, .vlan = (__u16)vlan};
    struct seen seen = {.port = interface, .when = (__u64)now.tv_sec * 1000000000 + (__u64)now.tv_nsec};
    put("stations", &station, &seen);
  } else {
    give_up(line);
  }
}
