// The phases of the packet path, in the order in which upf_process calls them. Each returns false when the
// packet's verdict is settled; the path then goes on with the reply and commit phases.
#ifndef UPF_PHASES_H
#define UPF_PHASES_H

#include "config.h"
#include "upf.h"

// Reception: Ethernet, VLAN tags, ARP (ethernet.c); outer IP and UDP (outer.c); GTP-U (gtpu.c). On success
// c->l3_off is the offset of the user's IP packet.
bool ethernet_parse(const struct config* config, struct pkt_ctx* c, uint16_t* type);
bool arp_parse(const struct port_config* port, struct pkt_ctx* c);
// Neighbour discovery for the port's own address; the packet is IPv6 with an ICMPv6 header.
bool neighbour_parse(const struct port_config* port, struct pkt_ctx* c);
bool outer_parse(const struct port_config* port, struct pkt_ctx* c, uint16_t type);
bool gtpu_parse(struct pkt_ctx* c);

// The user's packet: network layer (ip4.c, ip6.c), transport layer (transport.c and the files it calls).
// The packet is c->data[c->l3_off .. c->len).
bool user_packet_parse(struct pkt_ctx* c);
bool ip4_parse(struct pkt_ctx* c);
bool ip6_parse(struct pkt_ctx* c);
bool transport_parse(struct pkt_ctx* c);
bool tcp_parse(struct pkt_ctx* c);
bool udp_parse(struct pkt_ctx* c);
bool sctp_parse(struct pkt_ctx* c);
bool icmp4_parse(struct pkt_ctx* c);
bool icmp6_parse(struct pkt_ctx* c);
bool martian4(const uint8_t addr[4], bool source);
bool martian6(const uint8_t addr[16], bool source);

// Sum over the pseudo header (RFC 768, RFC 8200 section 8.1) for a transport segment of l4_len octets.
uint64_t pseudo_sum(const struct ip_view* ip, uint8_t proto, uint32_t l4_len);
// Verifies the checksum of the whole segment. Meaningless, hence true, for fragments.
bool l4_checksum_ok(const struct pkt_ctx* c, uint8_t proto);

// [fragment] Gives later fragments the ports of their first one.
void fragment_track(struct fragment_table* table, struct pkt_ctx* c);

// [lookup] The packet's session; answers unknown TEIDs with an error indication. Checks that the UE uses its
// own addresses.
bool session_lookup(const struct config* config, struct pkt_ctx* c);

struct features;

// [flow] Detection's outcome folded into the packet's flow, its measurements, names learnt from DNS,
// announced flows. Sets what the forest looks at.
void flow_track(struct flow_table* flows, struct name_table* names, struct pkt_ctx* c,
                const struct app_info* info, struct features* features);

// [match] The PDR with the lowest precedence that matches, and its FAR.
bool pdr_match(struct pkt_ctx* c);

// Whether the FAR sends the packet on: its action, the hop limit, the MTU.
bool far_decide(const struct config* config, struct pkt_ctx* c);

// [police] Gates and rates of the PDR's QERs.
bool qer_police(struct pkt_ctx* c);

// [account] Usage of the PDR's URRs, their thresholds and quotas.
bool urr_account(struct pkt_ctx* c);

// [encapsulate] Carries out the FAR: hop limit, markings, outer headers.
void far_apply(const struct config* config, uint16_t* tunnel_seq, struct pkt_ctx* c);

// [reply] Rewrites the packet into the answer it asks for, within the worker's limit.
void reply_build(const struct config* config, struct bucket* limit, struct pkt_ctx* c);

// [commit] Counters, events and the outcome.
void commit(struct worker* w, struct pkt_ctx* c);

// Puts GTP-U, UDP, IP and Ethernet headers in front of the packet at [start, start + len). Returns the
// frame's start.
uint8_t* tunnel_build(const struct tunnel* t, uint8_t* start, uint32_t len);
uint32_t tunnel_overhead(const struct tunnel* t); // octets of IP, UDP and GTP-U
// Whether the buffer holds `front` octets before `start` and `len` after it.
bool frame_fits(const struct pkt_ctx* c, const uint8_t* start, uint32_t front, uint32_t len);
// Makes [start, start + len) the frame.
void frame_set(struct pkt_ctx* c, uint8_t* start, uint32_t len);

// Writes an Ethernet header (with the port's VLAN tag) ending at `l3`, and returns its start.
uint8_t* ethernet_build(const struct port_config* port, uint8_t* l3, uint16_t type);

// Adds an event for the session; drops it if the packet already has its share.
struct event* event_add(struct pkt_ctx* c, enum event_kind kind);

struct fragment_table* fragment_table_create(void);
struct flow_table* flow_table_create(void);
struct name_table* name_table_create(void);

#endif
