// libDAQ 3: a vector of messages, each with a verdict of its own. Verdicts are given in packet order, with the data as the
// packet has left it. The library is a stand-in (Inputs/daq.h), linked without bitcode as the real one is.
// RUN: %clang -O2 -c %S/Inputs/daq.c -o %t.daq.o
// RUN: %heddle_cc -g -O2 %packets %s %t.daq.o -o %t && %heddle inspect %t | FileCheck %s --check-prefix=INSPECT
// RUN: %stage %t 500 | FileCheck %s
// RUN: %heddle plan %t --policy finest --budget 1K --explain | FileCheck %s --check-prefix=EXPLAIN
// RUN: %heddle verify %t --dependencies -- 500 | FileCheck %s --check-prefix=ORDER
// RUN: %heddle verify %t --dependencies --staged -- 500 | FileCheck %s --check-prefix=ORDER
#include "daq.h"

#include "packets.h"

static struct {
  uint32_t packets, bytes;
} flows[16];
static unsigned failed;

struct parsed {
  uint32_t flow, digest;
};

__attribute__((noinline)) static void parse(struct parsed *p, DAQ_Msg_h message) {
  p->flow = daq_msg_get_pkthdr(message)->flow_id;
  p->digest = 0;
  for (uint32_t i = 0; i < daq_msg_get_data_len(message); i++) p->digest = mix(p->digest + daq_msg_get_data(message)[i]);
}

__attribute__((noinline)) static DAQ_Verdict inspect(const struct parsed *p, DAQ_Msg_h message) {
  uint8_t *data = daq_msg_get_data(message);
  uint32_t x = p->digest;
  if (x % 8 == 0) return DAQ_VERDICT_BLOCK;
  if (x % 3 != 0) return DAQ_VERDICT_PASS;
  for (uint32_t i = 14; i < daq_msg_get_data_len(message); i += 5) data[i] ^= (uint8_t)(x = mix(x + i));
  return DAQ_VERDICT_REPLACE;
}

__attribute__((noinline)) static void account(const struct parsed *p, DAQ_Msg_h message) {
  flows[p->flow % 16].packets++;
  flows[p->flow % 16].bytes += daq_msg_get_data_len(message);
}

static int run(DAQ_Instance_h instance) {
  DAQ_Msg_h messages[32];
  DAQ_RecvStatus status;
  do {
    const unsigned count = daq_instance_msg_receive(instance, 32, messages, &status);
    for (unsigned i = 0; i < count; i++) {
      DAQ_Msg_h message = messages[i];
      DAQ_Verdict verdict = DAQ_VERDICT_PASS;
      if (daq_msg_get_type(message) == DAQ_MSG_TYPE_PACKET) {
        struct parsed parsed;
        parse(&parsed, message);
        account(&parsed, message);
        verdict = inspect(&parsed, message);
      }
      if (daq_instance_msg_finalize(instance, message, verdict) != DAQ_SUCCESS) failed++;
    }
  } while (status == DAQ_RSTAT_OK);
  return status;
}

int main(int count, char **arguments) {
  DAQ_Config_h config;
  DAQ_Instance_h instance;
  DAQ_Stats_t stats;
  char error[64];
  if (count < 2 || daq_config_new(&config) || daq_config_set_input(config, arguments[1]) ||
      daq_instance_instantiate(config, &instance, error, sizeof error) || daq_instance_start(instance))
    return 1;
  daq_config_destroy(config);
  int status = run(instance);
  daq_instance_get_stats(instance, &stats);
  printf("status %d, failed %u %s, %llu of %llu blocked\n", status, failed, daq_instance_get_error(instance),
         (unsigned long long)stats.verdicts[DAQ_VERDICT_BLOCK], (unsigned long long)stats.packets_received);
  for (int i = 0; i < 16; i++) printf("%d: %u packets, %u bytes\n", i, flows[i].packets, flows[i].bytes);
  show_crossings();
  daq_instance_stop(instance);
  daq_instance_destroy(instance);
  return 0;
}
// INSPECT: packet body 0: daq_instance_msg_receive at
// INSPECT-NEXT: loop       run at
// INSPECT-NOT: packet body
// CHECK: sites (
// CHECK: inspect
// CHECK: outputs: identical
// CHECK: crossings {{[1-9]}}
// EXPLAIN: library object
// EXPLAIN: packet-private
// EXPLAIN: message data
// ORDER: 519 packets in
// ORDER: order: no dependence is reversed
