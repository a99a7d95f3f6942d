// Stages packets, says so, and waits for the end of its input. With `fork`, two children do so before it, one of them in a thread; with
// `daemon` its parent ends at once. HIDDEN: packets wait for a load instead. RARE: some take a rare path.
#include "packets.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t totals[8];
#ifdef HIDDEN
static uint32_t table[1 << 16];
#endif

#ifdef RARE
__attribute__((noinline)) static void seldom(struct rte_mbuf *p) {
  totals[0] = mix(totals[0] ^ p->out[1]);
  fprintf(stderr, "seldom\n");
}
#endif

static void run(unsigned queue) {
  struct rte_mbuf *packets[32];
  int n;
  while ((n = rte_eth_rx_burst(0, queue, packets, 32)) > 0)
    for (int i = 0; i < n; i++) {
      struct rte_mbuf *p = packets[i];
#ifdef HIDDEN
      HEDDLE_EXPENSIVE(&table[mix(p->id) & 0xffff]);
      p->out[0] = table[mix(p->id) & 0xffff];
      continue;
#endif
      p->out[0] = work(p, p->id);
      p->out[1] = work(p, p->out[0]);
      totals[p->flow % 8] += p->out[1];
      p->out[2] = work(p, p->out[1]);
#ifdef RARE
      if (p->length % 89 == 7) seldom(p);
#endif
    }
}

static void *run_in_thread(void *queue) {
  run(*(unsigned *)queue);
  return NULL;
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "daemon") == 0 && fork() != 0) return 0;
  for (unsigned child = 1; strcmp(how, "fork") == 0 && child <= 2; child++) {
    pthread_t thread;
    if (fork() != 0) continue;
    if (child == 1) run(child);
    if (child == 2 && pthread_create(&thread, NULL, run_in_thread, &child) == 0) pthread_join(thread, NULL);
    _exit(0);
  }
  while (wait(NULL) > 0) {
  }
  run(0);
  printf("ready\n");
  fflush(stdout);
  while (getchar() != EOF) {
  }
  printf("%llu\n", (unsigned long long)totals[0]);
}
