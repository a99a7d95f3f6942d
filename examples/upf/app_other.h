// Protocols that are recognised but have no application id of their own.
#ifndef UPF_APP_OTHER_H
#define UPF_APP_OTHER_H

// A flow that speaks one of these is APP_OTHER at once instead of after many packets; app_info.message and
// app_flow.pad[0] hold which.
enum app_other {
  OTHER_NONE = 0,
  OTHER_STUN,
  OTHER_BITTORRENT,
  OTHER_MQTT,
  OTHER_SNMP,
  OTHER_RADIUS,
  OTHER_WIREGUARD,
  OTHER_MODBUS,
  OTHER_RDP,
  OTHER_SMB,
  OTHER_IMAP,
  OTHER_POP3,
  OTHER_TFTP,
  OTHER_NBNS,
  OTHER_DIAMETER,
  OTHER_GTP,
  OTHER_COAP,
  OTHER_SSDP,
  OTHER_COUNT
};

const char* app_other_name(enum app_other other);

#endif
