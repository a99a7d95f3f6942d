// MQTT 3.1, 3.1.1 and 5 (OASIS): CONNECT in full, the other packets by type, flags and length on MQTT's port.
#include "app_proto.h"

enum { MQTT_PORT = 1883, CONNECT = 1, CONNACK = 2, PUBLISH = 3, PUBREL = 6, SUBSCRIBE = 8, UNSUBSCRIBE = 10 };

static bool remaining_length(struct cur* c, uint32_t* value) {
  uint32_t v = 0;
  for (uint32_t shift = 0; shift < 28; shift += 7) {
    uint8_t byte = cur_u8(c);
    v |= (uint32_t)(byte & 0x7f) << shift;
    if (byte & 0x80) continue;
    *value = v;
    return !c->bad;
  }
  return false;
}

static bool counted(struct cur* c) {
  return cur_skip(c, cur_u16(c));
}

static bool connect_packet(struct cur c, struct app_info* out) {
  uint16_t n = cur_u16(&c);
  const uint8_t* name = cur_take(&c, n);
  bool named =
      name && ((n == 4 && memcmp(name, "MQTT", 4) == 0) || (n == 6 && memcmp(name, "MQIsdp", 6) == 0));
  uint8_t level = cur_u8(&c);
  uint8_t flags = cur_u8(&c);
  cur_u16(&c); // keep alive
  if (!named || c.bad || !in_range(level, 3, 5) || (flags & 1) || (flags >> 3 & 3) == 3) return false;
  if (!(flags & 4) && (flags & 0x38)) return false; // will options without a will
  uint32_t properties = 0;
  if (level == 5 && (!remaining_length(&c, &properties) || !cur_skip(&c, properties))) return false;
  if (!counted(&c)) return false; // client id
  if (flags & 4) {
    if (level == 5 && (!remaining_length(&c, &properties) || !cur_skip(&c, properties))) return false;
    if (!counted(&c) || !counted(&c)) return false;
  }
  if ((flags & 0x80) && !counted(&c)) return false;
  if ((flags & 0x40) && !counted(&c)) return false;
  out->version = level;
  return cur_left(&c) == 0;
}

static bool publish(struct cur c, uint8_t flags) {
  if ((flags >> 1 & 3) == 3) return false;
  uint16_t n = cur_u16(&c);
  const uint8_t* topic = cur_take(&c, n);
  if (!topic || !n || memchr(topic, '#', n) || memchr(topic, '+', n)) return false;
  return !(flags & 6) || cur_u16(&c) != 0;
}

enum app_confidence app_mqtt(const struct app_input* in, struct app_info* out) {
  struct cur c = cur_of(in->payload, in->len);
  uint8_t first = cur_u8(&c);
  uint8_t type = first >> 4;
  uint8_t flags = first & 15;
  uint32_t length;
  if (!remaining_length(&c, &length)) return app_not();
  bool whole = length <= cur_left(&c);
  struct cur body = cur_sub_most(&c, length);
  out->transactions = 1;
  if (type == CONNECT) {
    if (flags || !whole || !connect_packet(body, out)) return app_not();
    return app_is_other(out, OTHER_MQTT, APP_CONF_CERTAIN);
  }
  if (!app_port_is(in, MQTT_PORT) || !whole) return app_not();
  uint8_t wanted = type == PUBREL || type == SUBSCRIBE || type == UNSUBSCRIBE ? 2 : 0;
  if (type == 0 || (type != PUBLISH && flags != wanted)) return app_not();
  if (type == PUBLISH && !publish(body, flags)) return app_not();
  if (type >= 12 && type <= 13 && length) return app_not(); // pings are empty
  return app_is_other(out, OTHER_MQTT, APP_CONF_STRONG);
}
