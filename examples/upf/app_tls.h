// Handshake parsing shared by TLS over TCP, DTLS, and whoever else carries a ClientHello.
#ifndef UPF_APP_TLS_H
#define UPF_APP_TLS_H

#include "app.h"
#include "app_bytes.h"

enum tls_handshake {
  TLS_HELLO_REQUEST = 0,
  TLS_CLIENT_HELLO = 1,
  TLS_SERVER_HELLO = 2,
  TLS_HELLO_VERIFY = 3,
  TLS_NEW_SESSION_TICKET = 4,
  TLS_END_OF_EARLY_DATA = 5,
  TLS_ENCRYPTED_EXTENSIONS = 8,
  TLS_CERTIFICATE = 11,
  TLS_SERVER_KEY_EXCHANGE = 12,
  TLS_CERTIFICATE_REQUEST = 13,
  TLS_SERVER_HELLO_DONE = 14,
  TLS_CERTIFICATE_VERIFY = 15,
  TLS_CLIENT_KEY_EXCHANGE = 16,
  TLS_FINISHED = 20,
  TLS_CERTIFICATE_STATUS = 22,
  TLS_KEY_UPDATE = 24
};

// The body of one handshake message. `body` may end early (the message goes on in the next segment); whole
// tells. Sets host, alpn, version, and for hellos id (first four bytes of the JA3 or JA3S fingerprint). False
// if the message breaks the rules of its type.
bool tls_handshake(uint8_t type, struct cur body, bool whole, bool datagram, struct app_info* out);

bool tls_client_hello(struct cur c, bool whole, bool datagram, struct app_info* out);
bool tls_server_hello(struct cur c, bool whole, struct app_info* out);

// The subject's common name, or the first DNS name of its alternative names, of a DER certificate.
bool x509_name(struct cur der, struct app_info* out);

#endif
