#ifndef UPF_TOOLS_LINK_H
#define UPF_TOOLS_LINK_H

#include <pcap/pcap.h>
#include <stdint.h>

// Where the IP header begins in a frame of the given link type (DLT_*): Ethernet with VLAN tags or PPPoE, raw
// IP, Linux cooked, BSD loopback. n if there is none.
uint32_t find_ip(int link, const uint8_t* frame, uint32_t n);

#endif
