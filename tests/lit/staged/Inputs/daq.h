// What a program needs of libDAQ 3's interface, for tests: Debian has libDAQ 2 only. The functions have the prototypes of
// the real ones, and messages their layout; other structures have only the fields that are used. daq.c implements them.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>

typedef enum { DAQ_MSG_TYPE_PACKET = 1, DAQ_MSG_TYPE_SOF, DAQ_MSG_TYPE_EOF } DAQ_MsgType;
typedef enum { DAQ_VERDICT_PASS, DAQ_VERDICT_BLOCK, DAQ_VERDICT_REPLACE, MAX_DAQ_VERDICT } DAQ_Verdict;
typedef enum { DAQ_RSTAT_OK, DAQ_RSTAT_WOULD_BLOCK, DAQ_RSTAT_TIMEOUT, DAQ_RSTAT_EOF } DAQ_RecvStatus;
enum { DAQ_SUCCESS = 0, DAQ_ERROR = -1 };

typedef struct {
  struct timeval ts;
  uint32_t pktlen, flow_id, flags;
} DAQ_PktHdr_t;

typedef struct {
  void *hdr;
  uint8_t *data;
  void *meta[8], *owner, *priv;
  size_t hdr_len;
  DAQ_MsgType type;
  uint32_t data_len;
} DAQ_Msg_t;

typedef struct {
  uint64_t packets_received, verdicts[MAX_DAQ_VERDICT];
} DAQ_Stats_t;

typedef const DAQ_Msg_t *DAQ_Msg_h;
typedef struct daq_config *DAQ_Config_h;
typedef struct daq_instance *DAQ_Instance_h;

int daq_config_new(DAQ_Config_h *config);
int daq_config_set_input(DAQ_Config_h config, const char *input);
void daq_config_destroy(DAQ_Config_h config);
int daq_instance_instantiate(const DAQ_Config_h config, DAQ_Instance_h *instance, char *error, size_t length);
int daq_instance_destroy(DAQ_Instance_h instance);
int daq_instance_start(DAQ_Instance_h instance);
int daq_instance_stop(DAQ_Instance_h instance);
int daq_instance_get_stats(DAQ_Instance_h instance, DAQ_Stats_t *stats);
const char *daq_instance_get_error(DAQ_Instance_h instance);
unsigned daq_instance_msg_receive(DAQ_Instance_h instance, const unsigned max, DAQ_Msg_h messages[], DAQ_RecvStatus *status);
int daq_instance_msg_finalize(DAQ_Instance_h instance, DAQ_Msg_h message, DAQ_Verdict verdict);

static inline const DAQ_PktHdr_t *daq_msg_get_pkthdr(DAQ_Msg_h message) { return (const DAQ_PktHdr_t *)message->hdr; }
static inline uint32_t daq_msg_get_data_len(DAQ_Msg_h message) { return message->data_len; }
static inline uint8_t *daq_msg_get_data(DAQ_Msg_h message) { return message->data; }
static inline DAQ_MsgType daq_msg_get_type(DAQ_Msg_h message) { return message->type; }
