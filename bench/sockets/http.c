#include "sockets.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_REQUESTS = 4096 };

struct text {
  char* bytes;
  size_t size;
};

struct answer {
  struct text text; /* of the first one; later ones must be equal, but for the date */
  size_t date, date_size;
};

static struct text requests[MOST_REQUESTS];
static struct answer answers[MOST_REQUESTS];
static unsigned request_count;
static struct text upstream_answer;
static unsigned waiting; /* clients that have not been accepted */
static uint64_t total, started, finished, uncompared, batches, packets_in_batches;
static double begin;

static double cpu_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void die(const char* what, const char* name) {
  fprintf(stderr, "sockets: %s: %s\n", what, name);
  _exit(2);
}

static struct text contents(const char* path) {
  struct stat status;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &status) != 0) die("cannot read", path);
  char* bytes = malloc((size_t)status.st_size + 1);
  if (!bytes || read(file, bytes, (size_t)status.st_size) != status.st_size) die("cannot read", path);
  bytes[status.st_size] = 0;
  close(file);
  return (struct text){bytes, (size_t)status.st_size};
}

static uint64_t number(const char* name, uint64_t otherwise) {
  const char* value = getenv(name);
  return value ? strtoull(value, NULL, 10) : otherwise;
}

/* At the start: a program may clear its environment. */
__attribute__((constructor)) static void set_up(void) {
  const char* path = getenv("SOCKETS_REQUESTS");
  if (!path) return;
  struct text file = contents(path);
  char* at = file.bytes;
  for (char* end; request_count < MOST_REQUESTS && (end = strstr(at, "\r\n\r\n")); at = end + 4)
    requests[request_count++] = (struct text){at, (size_t)(end + 4 - at)};
  if (!request_count) die("no request in", path);
  if (getenv("SOCKETS_ANSWER")) upstream_answer = contents(getenv("SOCKETS_ANSWER"));
  waiting = (unsigned)number("SOCKETS_CLIENTS", 64);
  total = number("SOCKETS_COUNT", 100000);
}

bool clients_waiting(void) {
  if (!request_count) die("set", "SOCKETS_REQUESTS");
  return waiting > 0;
}

static void next_request(struct endpoint* client) {
  if (started >= total) return;
  /* The first tenth warms up. */
  if (started == total / 10) begin = cpu_seconds();
  client->request = (unsigned)(started++ % request_count);
  client->asked = true;
  endpoint_give(client, requests[client->request].bytes, requests[client->request].size);
}

struct endpoint* client_accepted(void) {
  struct endpoint* client = endpoint_new(CLIENT);
  if (!client) return NULL;
  waiting--;
  next_request(client);
  return client;
}

static void finish(void) {
  const uint64_t measured = total - total / 10;
  uint64_t sum = 0xcbf29ce484222325U; /* FNV-1a */
  for (unsigned k = 0; k < request_count; k++)
    for (size_t n = 0; n < answers[k].text.size; n++)
      sum = (sum ^ (unsigned char)answers[k].text.bytes[n]) * 0x100000001b3U;
  dprintf(
      STDOUT_FILENO,
      "sockets: %lu requests, %lu not compared, %.1f events a batch, answers %016lx\nns per request: %.1f\n",
      finished, uncompared, batches ? (double)packets_in_batches / (double)batches : 0.0, sum,
      (cpu_seconds() - begin) * 1e9 / (double)measured);
  kill(getpid(), SIGTERM);
}

/* A client whose connection is closed comes back, with the request that was not read. */
void client_closed(struct endpoint* client) {
  const struct text* request = &requests[client->request];
  const bool unread = client->input_left == request->size;
  if (client->asked && !unread) die("a connection was closed before the whole answer to", request->bytes);
  waiting++;
  started -= unread;
}

void upstream_connected(struct endpoint* endpoint) {
  if (!upstream_answer.size) die("the program connects somewhere: set", "SOCKETS_ANSWER");
  endpoint->role = UPSTREAM;
  endpoint_became_ready(endpoint);
}

void http_batch(int packets) {
  batches++;
  packets_in_batches += (uint64_t)packets;
}

/* Where the value of a field starts in a head; NULL: it has none. */
static char* field(char* head, const char* name) {
  char* at = strcasestr(head, name);
  return at ? at + strlen(name) : NULL;
}

/* Dates are not the program's work, and change from second to second. */
static void note_date(struct answer* answer) {
  char* at = field(answer->text.bytes, "\r\nDate: ");
  if (!at) return;
  answer->date = (size_t)(at - answer->text.bytes);
  answer->date_size = strcspn(at, "\r");
  memset(at, '-', answer->date_size);
}

/* Collects the head of a message, which says how long it is; returns the bytes taken. */
static size_t receive_head(struct message* message, const char* bytes, size_t size) {
  size_t room = sizeof message->head - 1 - message->got;
  size_t taken = size < room ? size : room;
  memcpy(message->head + message->got, bytes, taken);
  message->head[message->got + taken] = 0;
  char* end = strstr(message->head, "\r\n\r\n");
  if (end) {
    size_t head = (size_t)(end + 4 - message->head);
    message->head[head] = 0;
    const char* length = field(message->head, "\r\nContent-Length: ");
    message->size = head + (length ? strtoull(length, NULL, 10) : 0);
    taken = head - message->got;
  } else if (taken < size) {
    die("a head of more than 4 KiB", message->head);
  }
  message->got += taken;
  return taken;
}

/* The first answer to a request is kept. Others that begin before it is complete are not compared, but counted. */
static size_t receive_first(struct endpoint* client, const char* bytes, size_t size) {
  struct answer* answer = &answers[client->request];
  struct message* message = &client->received;
  if (!message->size) {
    size_t taken = receive_head(message, bytes, size);
    if (message->size && !answer->text.bytes) {
      if (!strcasestr(message->head, "\r\nContent-Length: ") ||
          !(answer->text.bytes = calloc(1, message->size + 1)))
        die("an answer without Content-Length", message->head);
      memcpy(answer->text.bytes, message->head, message->got);
      client->first = true;
    }
    uncompared += message->size && !client->first;
    return taken;
  }
  size_t taken = message->size - message->got < size ? message->size - message->got : size;
  if (client->first) memcpy(answer->text.bytes + message->got, bytes, taken);
  message->got += taken;
  if (client->first && message->got == message->size) {
    client->first = false;
    answer->text.size = message->size;
    note_date(answer);
  }
  return taken;
}

static bool equal_but_for_date(const struct answer* answer, size_t from, const char* bytes, size_t size) {
  size_t date_end = answer->date + answer->date_size;
  size_t before = answer->date > from ? answer->date - from : 0;
  size_t after = date_end > from ? date_end - from : 0;
  before = before < size ? before : size;
  after = after < size ? after : size;
  return memcmp(answer->text.bytes + from, bytes, before) == 0 &&
         memcmp(answer->text.bytes + from + after, bytes + after, size - after) == 0;
}

/* Takes what the program wrote, up to the end of the message; returns the bytes taken. */
static size_t receive(struct endpoint* endpoint, const char* bytes, size_t size) {
  struct message* message = &endpoint->received;
  if (endpoint->role == UPSTREAM) {
    size_t taken = receive_head(message, bytes, size);
    if (message->size > message->got) die("the program sent a request with a body", message->head);
    return taken;
  }
  const struct answer* answer = &answers[endpoint->request];
  if (!answer->text.size || (message->got && !message->size) || endpoint->first)
    return receive_first(endpoint, bytes, size);
  message->size = answer->text.size;
  size_t taken = message->size - message->got < size ? message->size - message->got : size;
  if (!equal_but_for_date(answer, message->got, bytes, taken))
    die("the answer differs from the first one to", requests[endpoint->request].bytes);
  message->got += taken;
  return taken;
}

ssize_t http_written(struct endpoint* endpoint, const struct iovec* parts, int count) {
  size_t sum = 0;
  for (int k = 0; k < count; k++) {
    const char* bytes = parts[k].iov_base;
    size_t left = parts[k].iov_len;
    sum += left;
    while (left) {
      size_t taken = receive(endpoint, bytes, left);
      bytes += taken;
      left -= taken;
      struct message* message = &endpoint->received;
      if (!message->size || message->got < message->size) continue;
      message->got = message->size = 0;
      if (endpoint->role == UPSTREAM) {
        endpoint_give(endpoint, upstream_answer.bytes, upstream_answer.size);
      } else {
        endpoint->asked = false;
        if (++finished == total) finish();
        next_request(endpoint);
      }
    }
  }
  return (ssize_t)sum;
}
