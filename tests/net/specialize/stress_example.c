// Several processes take entries of an example's tables out and put them in again at full speed, in bursts, while its golden packets run
// through whatever program is on the interface. Each packet's verdict and bytes must be those of the original program for states that the
// entries had while it ran.
// usage: stress_example OBJECT INTERFACE TABLES GOLDEN PACKETS MAP...; it is linked with the example's fill.c. A map with a minus in front is
// one that the program fills: it is emptied before each packet.
//
// Of each map it is the entry whose absence the most golden packets notice (of an array: its other value). What the original makes of each
// packet is learnt first, for all combinations of entries that are there. Packets whose answers depend on those before them are left out.
#include "../../../examples/xdp/control.h"

#include "stress.h"

#include <errno.h>

enum { most_packets = 192, most_bytes = 256, most_entries = 256, most_toggles = 5 };

struct answer {
  unsigned verdict, length;
  unsigned char bytes[most_bytes];
};

struct toggle {
  const char* map;
  int is_array;
  unsigned key_bytes, value_bytes;
  unsigned char key[64], there[256], other[256];
};

static unsigned char packets[most_packets][most_bytes];
static unsigned lengths[most_packets], packet_count, usable[most_packets], usable_count;
static struct toggle toggles[most_toggles];
static unsigned toggle_count;
static struct answer wanted[1 << most_toggles][most_packets];

static void read_packets(const char* path) {
  FILE* file = fopen(path, "r");
  if (!file) give_up(path);
  for (char line[2048]; packet_count != most_packets && fgets(line, sizeof line, file); ++packet_count) {
    const char* hex = strchr(line, ' ');
    unsigned byte;
    for (++hex; sscanf(hex, "%2x", &byte) == 1 && *hex != ' '; hex += 2)
      packets[packet_count][lengths[packet_count]++] = (unsigned char)byte;
  }
  fclose(file);
}

static void fill(const char* path) {
  FILE* file = fopen(path, "r");
  if (!file) give_up(path);
  for (char line[256]; fgets(line, sizeof line, file);)
    fill_line(line);
  fclose(file);
}

static const char* emptied[2];
static unsigned emptied_count;

static void empty(const char* name) {
  unsigned char key[64];
  while (!bpf_map_get_next_key(map(name), NULL, key))
    bpf_map_delete_elem(map(name), key);
}

static void ask(int program, unsigned packet, struct answer* answer) {
  for (unsigned i = 0; i != emptied_count; ++i)
    empty(emptied[i]);
  memset(answer, 0, sizeof *answer);
  LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = packets[packet], .data_size_in = lengths[packet],
              .data_out = answer->bytes, .data_size_out = most_bytes, .repeat = 1);
  if (bpf_prog_test_run_opts(program, &run)) give_up("run");
  answer->verdict = run.retval;
  answer->length = run.data_size_out;
}

static int same(const struct answer* one, const struct answer* other) {
  return !memcmp(one, other, sizeof *one);
}

static void set(const struct toggle* toggle, int is_other) {
  if (!is_other || toggle->is_array)
    put(toggle->map, toggle->key, is_other ? toggle->other : toggle->there);
  else if (bpf_map_delete_elem(map(toggle->map), toggle->key) && errno != ENOENT)
    give_up(toggle->map);
}

static void set_all(unsigned states) {
  for (unsigned i = 0; i != toggle_count; ++i)
    set(&toggles[i], states >> i & 1);
}

static struct toggle toggle_of(const char* name, const void* key) {
  struct bpf_map_info info = {0};
  unsigned bytes = sizeof info;
  if (bpf_obj_get_info_by_fd(map(name), &info, &bytes)) give_up(name);
  struct toggle toggle = {name, info.type == BPF_MAP_TYPE_ARRAY, info.key_size, info.value_size, {0}, {0},
                          {0}};
  if (info.key_size > sizeof toggle.key || info.value_size > sizeof toggle.there) give_up("too large");
  memcpy(toggle.key, key, info.key_size);
  if (bpf_map_lookup_elem(map(name), key, toggle.there)) give_up(name);
  // Another in one byte: the kernel changes an array's elements in place, and a program may read one in the middle of that.
  memcpy(toggle.other, toggle.there, info.value_size);
  toggle.other[0] ^= 1;
  return toggle;
}

static void choose_entry(int original, const char* name) {
  static struct answer before[most_packets];
  for (unsigned i = 0; i != packet_count; ++i)
    ask(original, i, &before[i]);
  unsigned best = 0;
  unsigned char keys_of_map[most_entries][64];
  unsigned count = 0;
  for (void* last = NULL;
       count != most_entries && !bpf_map_get_next_key(map(name), last, keys_of_map[count]);)
    last = keys_of_map[count++];
  for (unsigned entry = 0; entry != count; ++entry) {
    struct toggle toggle = toggle_of(name, keys_of_map[entry]);
    set(&toggle, 1);
    unsigned differing = 0;
    for (unsigned i = 0; i != packet_count; ++i) {
      struct answer answer;
      ask(original, i, &answer);
      differing += !same(&answer, &before[i]);
    }
    set(&toggle, 0);
    if (differing > best) best = differing, toggles[toggle_count] = toggle;
  }
  if (!best) give_up(name);
  ++toggle_count;
}

static void learn(int original) {
  unsigned combinations = 1u << toggle_count;
  int unsteady[most_packets] = {0};
  for (unsigned states = 0; states != combinations; ++states) {
    set_all(states);
    for (unsigned i = 0; i != packet_count; ++i)
      ask(original, i, &wanted[states][i]);
  }
  // Each packet in a state of its own: what one leaves behind may be of another state than the next one's.
  for (unsigned round = 0; round != 8 * combinations; ++round) {
    for (unsigned i = 0; i != packet_count; ++i) {
      struct answer answer;
      unsigned states = (unsigned)rand() % combinations;
      set_all(states);
      ask(original, i, &answer);
      unsteady[i] |= !same(&answer, &wanted[states][i]);
    }
  }
  set_all(0);
  for (unsigned i = 0; i != packet_count; ++i)
    if (!unsteady[i]) usable[usable_count++] = i;
  if (2 * usable_count < packet_count) give_up("most packets depend on those before them");
}

// Writer w has the toggles w, w + keys, ...; it turns one of them over at each number.
static unsigned toggles_of(unsigned writer) {
  return (toggle_count + keys - 1 - writer) / keys;
}

// How often it has been turned over by the time that its writer has done number n.
static unsigned long turns(unsigned toggle, unsigned long n) {
  unsigned of = toggles_of(toggle % keys), place = toggle / keys;
  unsigned long first = place ? place : of;
  return n < first ? 0 : (n - first) / of + 1;
}

static void write_number(unsigned writer, unsigned long n) {
  unsigned of = toggles_of(writer);
  if (!of) return;
  unsigned toggle = writer + (unsigned)(n % of) * keys;
  set(&toggles[toggle], (int)(turns(toggle, n) & 1));
}

static int is_right(int program, unsigned key) {
  static unsigned long next;
  (void)key;
  unsigned packet = usable[next++ % usable_count];
  unsigned long low[keys], high[keys];
  struct answer answer;
  for (unsigned writer = 0; writer != keys; ++writer)
    low[writer] = progress[writer].complete;
  ask(program, packet, &answer);
  for (unsigned writer = 0; writer != keys; ++writer)
    high[writer] = progress[writer].begun;
  unsigned either = 0, states = 0;
  for (unsigned i = 0; i != toggle_count; ++i) {
    unsigned long before = turns(i, low[i % keys]), after = turns(i, high[i % keys]);
    states |= (unsigned)(before & 1) << i;
    if (before != after) either |= 1u << i;
  }
  for (unsigned tried = 0; tried != 1u << toggle_count; ++tried)
    if (!((tried ^ states) & ~either) && same(&answer, &wanted[tried][packet])) return 1;
  printf("packet %u of the golden ones: verdict %u, states %x, either %x\n", packet, answer.verdict, states,
         either);
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 7 || argc > 6 + most_toggles) return 2;
  load(argv[1], argv[2]);
  fill(argv[3]);
  read_packets(argv[4]);
  int program = bpf_program__fd(bpf_object__find_program_by_name(object, program_name));
  for (int i = 6; i != argc; ++i)
    if (*argv[i] == '-' && emptied_count != sizeof emptied / sizeof *emptied)
      emptied[emptied_count++] = argv[i] + 1;
  for (int i = 6; i != argc; ++i)
    if (*argv[i] != '-') choose_entry(program, argv[i]);
  learn(program);
  for (unsigned writer = 0; writer != keys; ++writer) {
    write_number(writer, 1);
    progress[writer].begun = progress[writer].complete = 1;
  }
  printf("%u of %u packets, %u entries\n", usable_count, packet_count, toggle_count);
  return run(attach(program_name), atol(argv[5]), 1, write_number, is_right);
}
