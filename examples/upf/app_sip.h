#ifndef UPF_APP_SIP_H
#define UPF_APP_SIP_H

#include "app.h"
#include "app_bytes.h"

// Reads a session description (RFC 8866) and adds the address of each of its media flows, and of their RTCP,
// to info->addr. False if it breaks the format's rules.
bool sdp_body(struct cur c, struct app_info* out);

#endif
