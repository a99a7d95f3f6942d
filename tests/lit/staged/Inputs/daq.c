// A library with the interface of daq.h that makes its packets up: as many as the input's name says, in vectors of changing
// size, out of a pool of messages. Verdicts are written to the file `verdicts` in the order in which they come, with what
// the message's data was by then; after that the data is overwritten.
#include "daq.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POOL = 64, MOST = 256 };

struct daq_config {
  unsigned packets;
};

struct message {
  DAQ_Msg_t message;
  DAQ_PktHdr_t header;
  uint8_t data[MOST];
  unsigned number;
  int given;
};

struct daq_instance {
  struct message pool[POOL];
  unsigned packets, next;
  DAQ_Stats_t stats;
  FILE *verdicts;
  char error[64];
};

int daq_config_new(DAQ_Config_h *config) { return (*config = calloc(1, sizeof **config)) ? DAQ_SUCCESS : DAQ_ERROR; }

int daq_config_set_input(DAQ_Config_h config, const char *input) {
  config->packets = (unsigned)atoi(input);
  return DAQ_SUCCESS;
}

void daq_config_destroy(DAQ_Config_h config) { free(config); }

int daq_instance_instantiate(const DAQ_Config_h config, DAQ_Instance_h *instance, char *error, size_t length) {
  *instance = calloc(1, sizeof **instance);
  if (!*instance) return snprintf(error, length, "no memory"), DAQ_ERROR;
  (*instance)->packets = config->packets;
  return DAQ_SUCCESS;
}

int daq_instance_start(DAQ_Instance_h instance) {
  instance->verdicts = fopen("verdicts", "w");
  return instance->verdicts ? DAQ_SUCCESS : DAQ_ERROR;
}

int daq_instance_stop(DAQ_Instance_h instance) {
  fclose(instance->verdicts);
  return DAQ_SUCCESS;
}

int daq_instance_destroy(DAQ_Instance_h instance) {
  free(instance);
  return DAQ_SUCCESS;
}

int daq_instance_get_stats(DAQ_Instance_h instance, DAQ_Stats_t *stats) {
  *stats = instance->stats;
  return DAQ_SUCCESS;
}

const char *daq_instance_get_error(DAQ_Instance_h instance) { return instance->error; }

unsigned daq_instance_msg_receive(DAQ_Instance_h instance, const unsigned max, DAQ_Msg_h messages[],
                                  DAQ_RecvStatus *status) {
  unsigned given = 0, want = 1 + instance->next * 7 % max;
  for (struct message *m = instance->pool; m != instance->pool + POOL; m++) {
    if (m->given || given == want || instance->next == instance->packets) continue;
    const unsigned i = m->number = instance->next++;
    m->given = 1;
    m->header = (DAQ_PktHdr_t){.ts = {i, 0}, .pktlen = 60 + i * 37 % 180, .flow_id = i * 2654435761u >> 28};
    m->message = (DAQ_Msg_t){.type = i % 50 == 49 ? DAQ_MSG_TYPE_EOF : DAQ_MSG_TYPE_PACKET,
                             .hdr_len = sizeof m->header,
                             .hdr = &m->header,
                             .data_len = m->header.pktlen,
                             .data = m->data,
                             .owner = instance,
                             .priv = m};
    for (unsigned k = 0; k < m->header.pktlen; k++) m->data[k] = (uint8_t)(i * 31 + k * 7);
    messages[given++] = &m->message;
    instance->stats.packets_received++;
  }
  *status = given || instance->next < instance->packets ? DAQ_RSTAT_OK : DAQ_RSTAT_EOF;
  return given;
}

int daq_instance_msg_finalize(DAQ_Instance_h instance, DAQ_Msg_h message, DAQ_Verdict verdict) {
  struct message *m = message->priv;
  unsigned sum = 0;
  if (!m->given) return snprintf(instance->error, sizeof instance->error, "finalized twice"), DAQ_ERROR;
  for (unsigned k = 0; k < m->message.data_len; k++) sum = sum * 31 + m->data[k];
  fprintf(instance->verdicts, "%u %d %08x\n", m->number, verdict, sum);
  memset(m->data, 0xee, sizeof m->data);
  instance->stats.verdicts[verdict]++;
  m->given = 0;
  return DAQ_SUCCESS;
}
