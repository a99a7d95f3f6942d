// Several processes change tables at full speed, in bursts, while packets run through whatever program is on the interface.
// Each packet's verdict and bytes must be those of the original program for what the tables held while it ran.
// usage: stress OBJECT INTERFACE PACKETS ROUNDS; with ROUNDS packets take their time. Its loader is libbpf, and it knows nothing of Heddle.
//
// The writer of key k counts n up and writes n to `rare`, `alone`, `few`, `slots`, `prefixes` and `large`, in this order; every seventh number is a
// deletion in `few`, every eleventh has a mark in `large`, and every fifth of key 0 is a deletion there, every third of any in `rare`. The program reads in the opposite order, so it finds numbers that do not fall from `large` to `rare`, and all
// lie between what was complete before the packet and what was begun by its end.
#include "stress.h"

#define FAR_KEY 3000 // as the program has them
#define FARTHER_KEY 5000

enum { large_entries = 1000, rare_entries = 500 };

struct prefix {
  unsigned bits, address;
};

struct question {
  unsigned key, rounds;
  unsigned long mark, found[6];
};

struct counted {
  unsigned long number, packets;
};

struct marked {
  unsigned long number;
  unsigned mark, unused;
};

static unsigned rounds;

static void write_number(unsigned key, unsigned long n) {
  struct prefix prefix = {32, key};
  unsigned one = 1, place = key == 0 ? FAR_KEY : key, far = key == 0 ? FAR_KEY : FARTHER_KEY;
  struct counted counted = {n, 0};
  if (n % 3 == 0)
    bpf_map_delete_elem(map("rare"), &far);
  else
    put("rare", &far, &counted);
  put("alone", &key, &n);
  if (n % 7 == 0)
    bpf_map_delete_elem(map("few"), &key);
  else
    put("few", &key, &n);
  LIBBPF_OPTS(bpf_map_batch_opts, options);
  if (key == keys - 1 ? bpf_map_update_batch(map("slots"), &key, &n, &one, &options)
                      : bpf_map_update_elem(map("slots"), &key, &n, BPF_ANY))
    give_up("slots");
  put("prefixes", &prefix, &n);
  struct marked marked = {n, n % 11 == 0, 0};
  if (key == 0 && n % 5 == 0)
    bpf_map_delete_elem(map("large"), &place);
  else
    put("large", &place, &marked);
}

static int is_right(int program, unsigned key) {
  struct question question = {key, rounds, 0, {0}}, answer;
  LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = &question, .data_size_in = sizeof question,
              .data_out = &answer, .data_size_out = sizeof answer, .repeat = 1);
  unsigned long low = progress[key].complete;
  if (bpf_prog_test_run_opts(program, &run)) give_up("run");
  unsigned long high = progress[key].begun;
  unsigned long* found = answer.found;
  int deleted = found[0] == 0; // in `large`
  int good = deleted ? key == 0 && found[1] >= low && has_multiple(5, low, found[1])
                     : found[0] >= low && (key != 0 || found[0] % 5 != 0);
  good = good && found[1] >= found[0] && found[2] >= found[1] && found[2] <= high;
  good = good && (deleted       ? !answer.mark
                  : answer.mark ? has_multiple(11, low, high)
                                : low != high || low % 11 != 0);
  if (run.retval == 3)
    good = good && found[3] >= found[2] && found[3] <= high && found[3] % 7 != 0;
  else
    good = good && run.retval == 2 && found[3] == 0 && has_multiple(7, found[2], high);
  unsigned long before = found[3] ? found[3] : found[2];
  good = good && found[4] >= before && found[4] <= high;
  good = good && (found[5] ? found[5] >= found[4] && found[5] <= high && found[5] % 3 != 0
                           : has_multiple(3, found[4], high));
  if (!good)
    printf("verdict %u, found %lu %lu %lu %lu %lu %lu, between %lu and %lu\n", run.retval, found[0], found[1],
           found[2], found[3], found[4], found[5], low, high);
  return good;
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  rounds = (unsigned)atol(argv[4]);
  load(argv[1], argv[2]);
  struct marked one = {1, 0, 0};
  struct counted first = {1, 0};
  for (unsigned key = keys; key != large_entries; ++key) {
    put("large", &key, &one);
    if (key < rare_entries) put("rare", &key, &first);
  }
  for (unsigned key = 0; key != keys; ++key) {
    write_number(key, 1);
    progress[key].begun = progress[key].complete = 1;
  }
  unsigned original = attach("stress");
  return run(original, atol(argv[3]), 6, write_number, is_right);
}
