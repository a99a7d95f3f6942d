"""Random packet programs in C, deterministic from a seed.

Each program has a packet loop over a batch, a tree of functions below it, and state of every kind that the
legality rule must tell apart: counters that only grow, fields read and written in one place, scratch statics, state
that ties two distant places together, heap records per packet and per flow, tables of function pointers, values
carried from one packet to the next, early exits. At its end the program prints all of its state, so that any packet
that met another one in the wrong order shows.

A feature is a method of Generator called feature_*: adding a method adds the feature.
"""

import pathlib
import random

HEADER = """\
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

struct flow { uint32_t hits, bytes, state, last; struct flow *next; };
struct packet { uint32_t id, flow, length, kind; uint32_t out[8]; uint8_t data[32]; struct flow *own; };

enum { PACKETS = %(packets)d, BURST = %(burst)d, FLOWS = 16 };
static struct packet pool[PACKETS];
static unsigned received;
static void dump(void);
static const char filler[281] = "%(filler)s";

__attribute__((noinline, unused)) static void heddle_expensive(const void *pointer) { __asm__ volatile("" : : "r"(pointer)); }

static uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; return x ^ (x >> 16); }

__attribute__((noinline)) static unsigned receive(struct packet **packets, unsigned most)
{
    unsigned n = 0, want = 1 + mix(received + 77) %% most;
    while (n < want && received < PACKETS)
        packets[n++] = &pool[received++];
    return n;
}
"""

MAIN = """
static void run(void)
{
    struct packet *packets[BURST];
    unsigned n;
    while ((n = receive(packets, BURST)) > 0) {
%(loop)s
    }
}

int main(void)
{
    for (unsigned i = 0; i < PACKETS; i++) {
        uint32_t r = mix(i * 2654435761U + %(salt)d);
        pool[i] = (struct packet){ .id = i, .flow = mix(r) %% FLOWS, .length = r %% 1500, .kind = (r >> 11) %% 8 };
        for (unsigned k = 0; k < sizeof pool[i].data; k++) pool[i].data[k] = (uint8_t)mix(r + k);
    }
    setup();
    run();
    uint32_t sum = 0;
    for (unsigned i = 0; i < PACKETS; i++)
        for (unsigned k = 0; k < 8; k++) sum = mix(sum ^ pool[i].out[k]);
    printf("packets %%u sum %%08x\\n", received, sum);
    dump();
    return 0;
}
"""


# Of so many programs one is made of look-ups, and planned to hide them.
HIDING_EVERY = 5

# Rare code in the sense of the fuzzer's plans: --rare RARE_SHARE takes in most of what feature_rare makes.
RARE_SHARE = "0.1"


LOOSE = {"bits", "branch", "call", "chase", "checked_log", "counter", "counter_array", "errno", "heap", "keyed", "local_array", "lock", "log", "loop", "lookup",
         "output", "own_object", "pair", "probe", "rare", "scratch_far"}
# Nothing that keeps a body from being interleaved (docs/hide.md).
HIDING = {"bits", "branch", "bucket", "call", "chase", "counter", "counter_array", "heap", "keyed", "local_array", "loop", "lookup", "output", "pair", "probe"}

# Nothing that packets share and write: they may pass each other everywhere, so that one begins where another ends.
READING = {"branch", "bucket", "call", "chase", "heap", "local_array", "loop", "lookup", "pair", "probe"}


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.globals = []     # declarations
        self.functions = []   # definitions, callees first
        self.setup = []
        self.dump = []
        self.count = 0
        self.phase = 0
        self.has_log = False
        self.checked = []     # functions that write lines and look whether they were written
        self.commuting = []   # functions that commute with themselves, each a group of its own
        self.keyed = []       # (function that gives a flow's record, one that gives a fresh record or None)
        self.own_objects = [] # (pointer to a buffer that nothing is handed on in, call that makes another one)
        self.shared = []      # globals that any statement may read and write: the conflicts
        self.features = [getattr(self, n) for n in sorted(dir(self)) if n.startswith("feature_")]
        # Some programs have nothing that ties a packet's path together but what they write: many cuts are legal there.
        self.hiding = seed % HIDING_EVERY == 0
        self.loose = self.hiding or self.random.random() < 0.25
        self.reading = self.hiding and self.random.random() < 0.3
        if self.loose:
            allowed = READING if self.reading else HIDING if self.hiding else LOOSE
            self.features = [f for f in self.features if f.__name__.removeprefix("feature_") in allowed]

    def name(self, stem):
        self.count += 1
        return f"{stem}{self.count}"

    def field(self):
        return self.random.choice(["p->id", "p->flow", "p->length", "p->kind", "p->data[3]", "x"])

    def show(self, name):
        self.dump.append(f'    printf("{name} %u\\n", (unsigned){name});')

    # Statements: each returns lines of C that may use p (the packet) and x (a local).

    def feature_counter(self):
        name = self.name("counter")
        self.globals.append(f"static uint32_t {name};")
        self.show(name)
        return [f"{name} += {self.field()};"]

    def feature_counter_array(self):
        name = self.name("histogram")
        self.globals.append(f"static uint32_t {name}[8];")
        self.dump.append(f'    for (int i = 0; i < 8; i++) printf("{name} %u\\n", {name}[i]);')
        return [f"{name}[p->kind]++;"]

    def feature_bits(self):
        name = self.name("seen")
        self.globals.append(f"static uint32_t {name};")
        self.show(name)
        return [f"{name} |= 1u << ({self.field()} % 32);"]

    def feature_sequence(self):
        name = self.name("last")
        self.globals.append(f"static uint32_t {name};")
        self.show(name)
        return [f"x ^= {name};", f"{name} = mix({name} + {self.field()});"]

    def feature_far_conflict(self):
        if not self.shared or self.random.random() < 0.4:
            name = self.name("tie")
            self.globals.append(f"static uint32_t {name};")
            self.show(name)
            self.shared.append(name)
        name = self.random.choice(self.shared)
        if self.random.random() < 0.5:
            return [f"x += {name};"]
        return [f"{name} = mix({name} ^ {self.field()});"]

    def feature_scratch(self):
        name = self.name("scratch")
        self.globals.append(f"static uint32_t {name}[4];")
        return [f"{name}[0] = {self.field()}; {name}[1] = mix(x);", f"x += {name}[0] ^ {name}[1];"]

    def feature_scratch_far(self):
        """Written first and read after other statements. At times it is no scratch variable: a byte is left out, a path
        leaves it alone, its address is kept, or the end of the program shows it."""
        name, fill, use = self.name("buffer"), self.name("fill"), self.name("use")
        words, flaw = self.random.choice([1, 2, 5]), self.random.random()
        thread = self.random.choice(["", "", "__thread "])
        self.globals.append(f"static {thread}uint32_t {name}[{words}];")
        written = words - 1 if flaw < 0.1 else words
        stores = " ".join(f"to[{i}] = x + {i};" for i in range(written))
        self.functions.append(f"__attribute__((noinline)) static void {fill}(uint32_t *to, uint32_t x) {{ {stores} }}\n")
        loads = " ^ ".join(f"from[{i}]" for i in range(words))
        self.functions.append(f"__attribute__((noinline)) static uint32_t {use}(const uint32_t *from) {{ return mix({loads}); }}\n")
        filling = f"{fill}({name}, {self.field()});"
        if 0.1 < flaw < 0.2:
            filling = f"if ({self.field()} & 7) {filling}"
        elif 0.2 < flaw < 0.25:
            kept = self.name("kept")
            self.globals.append(f"static uint32_t *{kept};")
            filling += f" {kept} = {name}; x ^= {kept}[0];"
        elif 0.25 < flaw < 0.35:
            self.dump.append(f'    printf("{name} %u\\n", (unsigned){name}[0]);')
        return [filling, *self.inner(self.random.randrange(1, 4)), f"x += {use}({name});"]

    def feature_own_object(self):
        """A buffer on the heap that all packets reach by one pointer, filled and read after other statements. At times something is
        handed on in it, and it is not declared."""
        kind, holder, make, put = self.name("message"), self.name("holder"), self.name("make"), self.name("put")
        message, hands_on = f"{holder}.message", self.random.random() < 0.25
        self.globals.append(f"struct {kind} {{ uint32_t used, *words; }};\n"
                            f"static struct {holder} {{ uint32_t uses; struct {kind} *message; }} {holder};")
        self.functions.append(f"static struct {kind} *{make}(uint32_t words, void *unused)\n{{\n"
                              f"    struct {kind} *m = malloc(sizeof *m);\n    m->used = 0; m->words = calloc(words, sizeof *m->words);\n"
                              f"    return m;\n}}\n")
        self.functions.append(f"__attribute__((noinline)) static void {put}(struct {kind} *m, uint32_t x) "
                              f"{{ m->words[m->used++ & 7] = x; }}\n")
        self.setup.append(f"    {message} = {make}(8, 0);")
        if not hands_on:
            self.own_objects.append((message, f"{make}(8, null)"))
        lines = [f"{message}->used = 0;"]
        for _ in range(self.random.randrange(1, 4)):
            lines += [f"{put}({message}, {self.field()});", *self.inner(self.random.randrange(0, 2))]
        if hands_on:
            lines.append(f"x ^= {message}->words[7]; {message}->words[7] = x;")
        return lines + [f"for (uint32_t k = 0; k < {message}->used; k++) x ^= mix({message}->words[k] + k);"]

    def feature_errno(self):
        """Set by a call that fails, or not, and read after other statements; at times there is no such call."""
        call = self.random.choice(["errno = 0; x += (uint32_t)strtoul(p->kind & 1 ? \"99999999999999999999\" : \"7\", 0, 10);",
                                   "x += (uint32_t)(p->kind & 1 ? close(-1) : chdir(\"\"));"])
        if self.random.random() < 0.1:
            call = "if (p->kind == 3) { " + call + " }"
        return [call, *self.inner(self.random.randrange(1, 3)), "x ^= (uint32_t)errno * 77;"]

    def feature_lock(self):
        """A section; a packet that is suspended within makes the next one's call fail. At times one that a packet leaves
        with the lock, or that lies in a helper."""
        lock = self.name("lock")
        self.globals.append(f"static pthread_mutex_t {lock} = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;")
        take, let_go = f"x += pthread_mutex_lock(&{lock}) ? 77 : 0;", f"x += pthread_mutex_unlock(&{lock}) ? 99 : 0;"
        if self.random.random() < 0.3:
            helper = self.name("take")
            self.functions.append(f"__attribute__((noinline)) static uint32_t {helper}(uint32_t x) {{ {take} return x; }}\n")
            take = f"x = {helper}(x);"
        again = [take, "x = mix(x);", let_go] if self.random.random() < 0.5 else []
        return [take, *self.inner(self.random.randrange(1, 3)), let_go, *self.inner(1), *again]

    def feature_flow(self):
        table = self.name("flows")
        self.globals.append(f"static struct flow *{table}[FLOWS];")
        self.setup.append(f"    for (int i = 0; i < FLOWS; i++) {table}[i] = calloc(1, sizeof(struct flow));")
        self.dump.append(f'    for (int i = 0; i < FLOWS; i++) printf("{table} %u %u %u %u\\n", {table}[i]->hits, '
                         f'{table}[i]->bytes, {table}[i]->state, {table}[i]->last);')
        f = self.name("f")
        lines = [f"struct flow *{f} = {table}[p->flow];", f"{f}->hits++;"]
        if self.random.random() < 0.6:
            lines += [f"x += {f}->state;", f"{f}->state = mix({f}->state + x);"]
        if self.random.random() < 0.5:
            lines.append(f"{f}->last = p->id;")
        return lines

    def feature_flow_list(self):
        head = self.name("list")
        self.globals.append(f"static struct flow *{head};")
        self.dump.append(f'    for (struct flow *f = {head}; f; f = f->next) printf("{head} %u %u\\n", f->last, f->hits);')
        f = self.name("n")
        return [f"struct flow *{f} = {head};", f"while ({f} && {f}->last != p->flow) {f} = {f}->next;",
                f"if (!{f}) {{ {f} = calloc(1, sizeof *{f}); {f}->last = p->flow; {f}->next = {head}; {head} = {f}; }}",
                f"x += {f}->hits++;"]

    def feature_heap(self):
        n = self.name("m")
        return [f"uint32_t *{n} = malloc(16); {n}[0] = x; {n}[1] = {self.field()};",
                f"x = mix({n}[0] + {n}[1]); free({n});"]

    def feature_local_array(self):
        n = self.name("a")
        return [f"uint8_t {n}[32]; memcpy({n}, p->data, 32);",
                f"for (int i = 0; i < 32; i++) x = x * 31 + {n}[i];"]

    def feature_output(self):
        # Mostly a field of the phase's own: a field that all phases write leaves nothing to cut.
        field = self.phase if self.random.random() < 0.9 else self.random.randrange(7)
        return [f"p->out[{field}] += mix(x ^ {self.field()});"]

    def feature_pointers(self):
        functions = []
        for _ in range(3):
            f = self.name("handler")
            self.function(f, depth=1)
            functions.append(f)
        table = self.name("handlers")
        self.globals.append(f"static uint32_t (*{table}[4])(struct packet *, uint32_t);")
        for i in range(4):
            self.setup.append(f"    {table}[{i}] = {functions[i % 3]};")
        return [f"x ^= {table}[p->kind & 3](p, x);"]

    def feature_maximum(self):
        name = self.name("most")
        self.globals.append(f"static uint32_t {name};")
        self.show(name)
        return [f"if (p->length > {name}) {name} = p->length;"]

    def feature_counter_in_a_helper(self):
        name, add = self.name("total"), self.name("add")
        self.globals.append(f"static uint32_t {name};")
        self.show(name)
        update = self.random.choice(["*to += n;", "__atomic_fetch_add(to, n, __ATOMIC_RELAXED);",
                                     "if (n > *to) *to = n;", "if (*to < 900) *to += n;"])
        self.functions.append(f"__attribute__((noinline)) static void {add}(uint32_t *to, uint32_t n) {{ {update} }}\n")
        return [f"{add}(&{name}, {self.field()});", f"{add}(&{name}, {self.field()});"]

    def feature_commuting(self):
        """Elements of a multiset, kept in a list in the order in which they came: dump() shows them sorted. Sometimes code
        outside of the group looks at the list, which shows its order."""
        head, count, put = self.name("bag"), self.name("size"), self.name("put")
        self.globals += [f"static struct flow *{head};", f"static uint32_t {count};"]
        self.functions.append(f"static void {put}(uint32_t key) {{ struct flow *f = calloc(1, sizeof *f); f->last = key; "
                              f"f->next = {head}; {head} = f; {count} = {count} + 1; }}\n")
        self.dump.append(f'    for (uint32_t k = 0, n; k < 64; k++) {{ n = 0; for (struct flow *f = {head}; f; f = f->next) '
                         f'n += f->last == k; printf("{head} %u %u of %u\\n", k, n, {count}); }}')
        self.commuting.append(put)
        lines = [f"{put}(({self.field()}) % 64);"]
        if self.random.random() < 0.5:
            lines.append(f"{put}(mix(x) % 64);")
        if self.random.random() < 0.15:
            lines.append(f"x ^= {head}->last + {count};")
        return lines

    def keyed_table(self):
        """A record per flow, found by a function that it returns the name of. At times there are fewer records than flows, so
        that they are given away, or what is filled at once is not declared."""
        table, find, fresh = self.name("records"), self.name("find"), self.name("fresh")
        records = self.random.choice([4, 16, 16, 64])
        self.globals += [f"static struct flow {table}[{records}];", f"static uint32_t {table}_used;"]
        self.dump.append(f'    for (int i = 0; i < {records}; i++) printf("{table} %u %u %u %u\\n", {table}[i].hits, '
                         f'{table}[i].bytes, {table}[i].state, {table}[i].last);')
        inline = self.random.choice(["", "__attribute__((noinline)) "])
        self.functions.append(f"{inline}static struct flow *{fresh}(void) {{ return &{table}[{table}_used++ % {records}]; }}\n")
        self.functions.append(f"{inline}static struct flow *{find}(uint32_t id)\n{{\n"
                              f"    for (unsigned i = 0; i < {records}; i++)\n        if ({table}[i].last == id + 1) return &{table}[i];\n"
                              f"    struct flow *f = {fresh}();\n    f->last = id + 1; f->hits = 0; f->state = id; f->bytes = 7;\n"
                              f"    return f;\n}}\n")
        self.keyed.append((find, fresh if self.random.random() < 0.8 else None))
        return find

    def keyed_use(self, record):
        """An order that shows."""
        return self.random.choice([f"{record}->hits++; x += {record}->hits;",
                                   f"{record}->state = mix({record}->state ^ x); x += {record}->state;",
                                   f"{record}->bytes = {record}->bytes * 31 + {self.field()};", f"x ^= {record}->bytes;"])

    def feature_keyed(self):
        """At times two records are asked for, or none on some path."""
        find, f = self.keyed_table(), self.name("f")
        lines, chance = [f"struct flow *{f} = {find}(p->flow);"], self.random.random()
        if chance < 0.15:
            lines.append(f"if ({self.field()} & 1) {f} = {find}((p->flow + 1) % FLOWS);")
        elif chance < 0.3:
            lines = [f"struct flow *{f} = 0;", f"if ({self.field()} & 3) {f} = {find}(p->flow);"]
        if0 = f"if ({f}) " if 0.15 <= chance < 0.3 else ""
        for _ in range(self.random.randrange(2, 4)):
            lines += [if0 + "{ " + self.keyed_use(f) + " }", *self.inner(self.random.randrange(1, 3))]
        return lines

    def read_only_table(self):
        table, size = self.name("table"), self.random.choice([16, 256, 4096])
        self.globals.append(f"static uint32_t {table}[{size}];")
        self.setup.append(f"    for (unsigned i = 0; i < {size}; i++) {table}[i] = mix(i + {size});")
        return table, size

    def expensive(self, pointer):
        return f"heddle_expensive({pointer});" if self.random.random() < 0.9 else ""

    def feature_lookup(self):
        table, size = self.read_only_table()
        i = self.name("i")
        return [f"uint32_t {i} = mix(x ^ {self.field()}) % {size};", self.expensive(f"&{table}[{i}]"), f"x += {table}[{i}];",
                f"p->out[{self.phase}] ^= x;" if not self.reading and self.random.random() < 0.5 else ""]

    def feature_chase(self):
        """One look-up leads to the next, and at times out of the loop, to other code, or to the end of the packet."""
        table, size = self.read_only_table()
        i, end = self.name("i"), self.random.random()
        inner = self.inner(1) if self.random.random() < 0.4 else []
        leave = "break;" if end < 0.5 else "return x;" if end < 0.6 else "continue;"
        return [f"for (unsigned {i} = 0; {i} < (p->kind + {self.random.randrange(3)}) % 9; {i}++) {{",
                self.expensive(f"&{table}[x % {size}]"), f"x = mix(x ^ {table}[x % {size}]);",
                f"if (x % {self.random.choice([3, 13, 1000])} == 0) {leave}", *inner, f"x += {i};", "}"]

    def feature_pair(self):
        """Two look-ups whose addresses do not depend on each other: both can be fetched where packets wait for the first. The second is made
        on some paths only, at times, by a number that may be divided by zero on others, or that a pointer leads to which is null there."""
        first, size = self.read_only_table()
        second, other_size = self.read_only_table() if self.random.random() < 0.5 else (first, size)
        i, j, chance = self.name("i"), self.name("j"), self.random.random()
        key = f"mix({self.field()} + {self.random.randrange(100)})"
        lines = [f"uint32_t {i} = mix({self.field()} + {self.random.randrange(100)}) % {size};",
                 self.expensive(f"&{first}[{i}]"), f"x += {first}[{i}];", *self.inner(self.random.randrange(0, 2))]
        if chance < 0.15:
            key = f"{key} / p->kind"
        elif chance < 0.3:
            numbers = self.name("numbers")
            self.globals.append(f"static uint32_t *{numbers}[8];")
            self.setup.append(f"    for (uint32_t i = 1; i < 8; i++) {{ {numbers}[i] = malloc(4); *{numbers}[i] = mix(i); }}")
            key = f"({key} ^ *{numbers}[p->kind])"
        look_up = [f"uint32_t {j} = {key} % {other_size};", self.expensive(f"&{second}[{j}]"), f"x = mix(x ^ {second}[{j}]);"]
        if chance < 0.3:
            return [*lines, "if (p->kind != 0) {", *look_up, "}"]
        if chance < 0.5:
            return [*lines, f"if ((x & {self.random.choice([1, 3, 7])}) != 0) {{", *look_up, "}"]
        return lines + look_up

    def feature_probe(self):
        """A hash table's buckets in a function of their own, with what was found in a variable whose address is known."""
        table, size = self.read_only_table()
        find = self.name("probe")
        inline = self.random.choice(["", "__attribute__((noinline)) "])
        self.functions.append(
            f"{inline}static int {find}(uint32_t key, uint32_t *found)\n{{\n    uint32_t at = mix(key) % {size};\n"
            f"    {self.expensive(f'&{table}[at]')}\n    if ({table}[at] & 1) {{ *found = {table}[at]; return 1; }}\n"
            f"    at = mix(at + {table}[at]) % {size};\n    {self.expensive(f'&{table}[at]')}\n"
            f"    if ({table}[at] & 2) {{ *found = {table}[at] >> 1; return 2; }}\n    return 0;\n}}\n")
        found = self.name("found")
        return [f"uint32_t {found} = 7;", f"x += (uint32_t){find}(x ^ {self.field()}, &{found});", f"x ^= {found};"]

    def feature_bucket(self):
        """A bucket's slots compared with a key, as bits."""
        table, matches = self.name("buckets"), self.name("matches")
        kind, bits = self.random.choice([("uint8_t", 8), ("uint16_t", 16), ("uint32_t", 32), ("uint64_t", 64)])
        slots, buckets = self.random.choice([4, 5, 8, 16]), self.random.choice([1, 16, 256])
        self.globals.append(f"static {kind} {table}[{buckets}][{slots}];")
        self.setup.append(f"for (unsigned i = 0; i < {buckets * slots}; i++) {table}[0][i] = ({kind})(mix(i ^ 0x{self.random.getrandbits(16):x}) % 7 << {self.random.choice([0, 3])});")
        shift, sign = self.random.choice([0, 3]), self.random.choice(["==", "==", "!=", "<"])
        slot = f"{table}[x % {buckets}][slot]"
        return [f"uint32_t {matches} = 0;", self.expensive(f"{table}[x % {buckets}]"),
                f"for (unsigned slot = 0; slot < {slots}; slot++) {matches} |= (uint32_t)(({slot} >> {shift}) {sign} ({kind})({self.field()} % 7)) << (slot + {self.random.choice([0, 0, 5])});",
                f"x = {matches} ? mix(x ^ {matches}) : x + 1;"]

    def feature_branch(self):
        then, other = self.statements(2), self.statements(1)
        return [f"if ({self.field()} & {1 << self.random.randrange(4)}) {{", *then, "} else {", *other, "}"]

    def feature_rare(self):
        # Packets that run this alone: it may touch what other phases touch, write what they read, and exit.
        inner = self.statements(self.random.randrange(1, 4))
        if self.shared and self.random.random() < 0.5:
            name = self.random.choice(self.shared)
            inner.append(f"{name} = mix({name} + p->id);")
        if self.random.random() < 0.2:
            inner.append("return x;")
        return [f"if (mix(p->id + {self.random.randrange(1000)}) % {self.random.choice([23, 61, 257])} == 0) {{",
                *inner, "}"]

    def feature_loop(self):
        inner = self.statements(1)
        i = self.name("i")
        return [f"for (unsigned {i} = 0; {i} < 1 + (p->kind & 3); {i}++) {{", f"x += {i};", *inner, "}"]

    def feature_print(self):
        if self.random.random() < 0.7:
            return self.feature_output()
        return ['printf("packet %u %08x\\n", p->id, x);']

    def feature_log(self):
        # At times with something that observes a channel.
        lines = self.log_calls()
        number, chance = self.name("log"), self.random.random()
        if chance < 0.05:
            lines.append("fflush(stdout);")
        elif chance < 0.1:
            lines.append("fflush(log_file);")
        elif chance < 0.15:
            lines.append(f'if (printf("{number} checked\\n") != 8) x++;')
        elif chance < 0.2:
            lines.append("if (p->id % 97 == 5) x += (uint32_t)ftell(log_file);")
        return lines

    def feature_checked_log(self):
        """Output whose result the program looks at, in functions that are declared to succeed."""
        if not self.checked:
            self.globals.append("static int checked_log;")
            self.setup.append("    checked_log = dup(fileno(tmpfile()));")
            self.dump += ["    char line[256]; ssize_t got; lseek(checked_log, 0, SEEK_SET);",
                          "    while ((got = read(checked_log, line, sizeof line)) > 0) fwrite(line, 1, (size_t)got, stdout);"]
        name = self.name("checked")
        self.checked.append(name)
        call = self.random.choice(["write(checked_log, line, (size_t)n)",
                                   "writev(checked_log, (struct iovec[2]){{line, 3}, {line + 3, (size_t)n - 3}}, 2)",
                                   "(int)fwrite(line, 1, (size_t)n, stdout)"])
        self.functions.append(f"static uint32_t {name}(struct packet *p, uint32_t x) {{ char line[64]; int n = snprintf(line, sizeof line, "
                              f'"{name} %u %u\\n", p->id, x); return {call} == n ? x : 0; }}\n')
        return [f"x {self.random.choice(['=', '+=', '^='])} {name}(p, {self.field()});"]

    def log_calls(self):
        """Output whose result nobody uses, by several functions and on several channels."""
        if not self.has_log:
            self.has_log = True
            self.globals.append("static FILE *log_file;")
            self.setup.append("    log_file = tmpfile();")
            self.dump += ["    int c; rewind(log_file);", "    while ((c = getc(log_file)) != EOF) putchar(c);"]
        number, value = self.name("log"), self.field()
        calls = [f'printf("{number} %u %08x\\n", p->id, {value});', f'printf("{number}\\n");',
                 f'fprintf(log_file, "{number} %u %.*s\\n", p->id, (int)(p->kind * 40), filler);',
                 f'fprintf(log_file, "{number} %08x\\n", {value});', 'putc("0123456789"[p->id % 10], stdout);',
                 'fwrite(p->data, 1, p->kind, log_file);',
                 f'{{ char text[64]; write(1, text, snprintf(text, sizeof text, "{number} %u\\n", p->id)); }}']
        return self.random.choices(calls, k=self.random.randrange(1, 3))

    def feature_call(self):
        f = self.name("step")
        self.function(f, depth=self.depth - 1)
        return [f"x = {f}(p, x);"]

    def feature_return(self):
        return [f"if (({self.field()} & 31) == {self.random.randrange(32)}) return x;"]

    def inner(self, count):
        """Statements between others: a level deeper, or programs would grow without end."""
        self.depth -= 1
        lines = self.statements(count)
        self.depth += 1
        return lines

    def statements(self, count):
        lines = []
        for _ in range(count):
            feature = self.random.choice(self.features)
            if self.depth <= 0 and feature.__name__ in ("feature_call", "feature_branch", "feature_loop",
                                                        "feature_pointers", "feature_rare", "feature_scratch_far", "feature_errno",
                                                        "feature_chase", "feature_pair",
                                                        "feature_lock", "feature_keyed", "feature_own_object"):
                feature = self.feature_counter
            # A declaration must not leak into the next statement's block.
            lines += ["{", *feature(), "}"]
        return lines

    def function(self, name, depth):
        saved, self.depth = getattr(self, "depth", 0), depth
        lines = self.statements(self.random.randrange(2, 6))
        self.depth = saved
        inline = self.random.choice(["", "__attribute__((noinline)) ", "__attribute__((noinline)) "])
        self.functions.append(f"{inline}static uint32_t {name}(struct packet *p, uint32_t x)\n{{\n    "
                              + "\n    ".join(lines) + "\n    return x;\n}\n")

    def loop(self):
        """The packet loop: plain, with a carried value, with an early exit, or counting in another way."""
        calls = []
        for self.phase in range(self.random.randrange(2, 6)):
            f = self.name("phase")
            self.function(f, depth=self.random.randrange(0, 3))
            calls.append(f"x = {f}(p, x);")
        carried = not self.reading and self.random.random() < 0.3
        if carried:
            self.globals.append("static uint32_t carried_total;")
            self.show("carried_total")
        exits = not self.hiding and self.random.random() < (0.1 if self.loose else 0.25)
        lines = ["unsigned i = 0;"] if self.random.random() < 0.3 else []
        head = "for (; i < n; i++) {" if lines else "for (unsigned i = 0; i < n; i++) {"
        if carried:
            lines.append("uint32_t carry = 0;")
        lines += [head, "    struct packet *p = packets[i];", "    uint32_t x = p->id;"]
        if exits and self.random.random() < 0.7:
            lines.append("    if ((p->length & 63) == 7) break;")
        if self.random.random() < 0.3:
            lines.append("    if (p->kind == 5) continue;")
        scratch = not self.hiding and self.random.random() < 0.4
        if scratch: # in front of the loop; the first word at times handed on
            lines.insert(0, "uint32_t scratch[3] = { 0 };")
            handed_on = self.random.random() < 0.2
            lines.append("    scratch[1] = p->length; scratch[2] = mix(p->id);" + ("" if handed_on else " scratch[0] = x;"))
        own_chance = 0 if self.reading else 0.25 if self.hiding else 0.6 if self.loose else 0.15
        own = self.keyed_table() if self.random.random() < own_chance else None
        if own: # the packet carries its record
            lines.append(f"    p->own = {own}(p->flow);")
        logs = not self.hiding and self.random.random() < (0.8 if self.loose else 0.4)
        for k, call in enumerate(calls):
            lines.append(f"    {call}")
            if own:
                lines += ["    " + self.keyed_use("p->own") for _ in range(self.random.randrange(1, 3))]
            if logs and self.random.random() < 0.6:
                lines += ["    " + log for log in self.log_calls()]
            if exits and self.random.random() < 0.2:
                lines.append("    if (mix(x) % 211 == 9) { dump(); exit(3); }")
            if exits and k == len(calls) // 2 and self.random.random() < 0.3:
                lines.append("    if ((x & 255) == 9) goto out;")
        if carried:
            lines.append("    carry = mix(carry + x);" if self.random.random() < 0.5 else "    carry += x;")
        if scratch:
            lines.append("    x ^= scratch[0] ^ scratch[1] + scratch[2];" + (" scratch[0] = x;" if handed_on else ""))
        if self.reading or self.random.random() < 0.4:
            lines += self.own_results()
        lines += ["}"] if self.reading else ["    p->out[7] += x;", "}"]
        if any("goto out" in line for line in lines):
            lines.append("out:;")
        if carried:
            lines.append("carried_total += carry;")
        return ["        " + line for line in lines]

    def own_results(self):
        """Each packet writes its own element, at its number in the batch; at times a neighbour's, too."""
        self.globals.append("static struct { uint32_t value, steps; } results[BURST + 1];")
        self.dump.append('    for (int i = 0; i <= BURST; i++) printf("results %u %u\\n", results[i].value, results[i].steps);')
        lines = ["    results[i].value = results[i].value * 31 + x;"]
        if self.random.random() < 0.5:
            lines.append("    results[i].steps += x & 7;")
        if not self.reading and self.random.random() < 0.3:
            lines.append(self.random.choice(["    results[i + 1].steps ^= x;", "    x ^= results[i + 1].value;",
                                             "    results[n - i].value += results[i].steps;"]))
        self.random.shuffle(lines)
        return lines

    def program(self):
        # A burst may be longer than a batch.
        packets, bursts = ([300, 1000, 3000], [1, 4, 32, 64, 200, 1500]) if self.hiding else ([7, 64, 300, 1000], [1, 4, 32, 64])
        values = {"packets": self.random.choice(packets), "burst": self.random.choice(bursts),
                  "salt": self.random.randrange(1 << 30), "filler": "log." * 70}
        loop = "\n".join(self.loop())
        parts = [HEADER % values, "\n".join(self.globals), "", *self.functions,
                 "static void setup(void)\n{\n" + "\n".join(self.setup) + "\n}\n",
                 "static void dump(void)\n{\n" + "\n".join(self.dump) + "\n}\n",
                 MAIN % {"loop": loop, "salt": values["salt"]}]
        return "\n".join(parts)

    def declarations(self):
        """For heddle.toml; empty: nothing to declare."""
        commuting = [f'[[commute]]\nfunctions = ["{name}"]\ndiffers = "iteration order"\nwhy = "shown sorted"\n'
                     for name in self.commuting[:30]]
        keyed = [f'[[keyed]]\nkey = "{find}()"\n' + (f'fresh = "{fresh}()"\n' if fresh else "") + 'why = "one flow only"\n'
                 for find, fresh in self.keyed[:15]]
        own = [f'[[scratch]]\npointer = "{pointer}"\nmake = "{make}"\nwhy = "one packet\'s"\n'
               for pointer, make in self.own_objects[:16]]
        names = ", ".join(f'"{name}"' for name in self.checked)
        output = [f'[[output]]\nfunctions = [{names}]\nwhy = "shown at the end"\n'] if names else []
        return "".join(commuting + keyed + own + output)


def generate(seed):
    """The program, and its heddle.toml."""
    generator = Generator(seed)
    return generator.program(), generator.declarations()


def write(seed, folder):
    """Writes the program to folder/p.c and, four times of five, its declarations beside it; returns the source's path."""
    text, declarations = generate(seed)
    source = pathlib.Path(folder) / "p.c"
    source.write_text(text)
    if declarations and seed % 5:
        source.with_name("heddle.toml").write_text(declarations)
    return str(source)


if __name__ == "__main__":
    import sys
    print(*generate(int(sys.argv[1])), sep="\n")
