#!/usr/bin/env python3
"""Makes forest_trees.c out of the training lines of a upf built with -DUPF_TRAINING.

  make BUILD=/tmp/train CFLAGS='-O2 -DUPF_TRAINING' && /tmp/train/upf EAL-OPTIONS -- ... | model/train.py > forest_trees.c

Each flow's label is the class of the application that the parsers named last; flows that they could not name
are the class `other`. Every tree is grown (CART, Gini impurity) on a bootstrap sample of the packets, with a
random third of the features at each node.
"""
import random
import sys
import textwrap

CLASSES = ["other", "control", "web", "quic", "voice", "mail", "file", "shell"]
CLASS_OF = {"dns": 1, "ntp": 1, "dhcp": 1, "tls": 2, "http": 2, "quic": 3, "sip": 4, "rtp": 4, "rtcp": 4,
            "smtp": 5, "ftp": 6, "ftp-data": 6, "ssh": 7}
TREES, DEPTH, MIN_LEAF, SAMPLE = 96, 12, 3, 9000
GROUP = 16  # trees whose votes fit one word: 16 times 15 in a lane of eight bits
THRESHOLDS = 12  # candidate thresholds tried per feature and node


def read_samples(stream):
    rows, flows, last = [], [], {}
    for line in stream:
        if not line.startswith("F "):
            continue
        words = line.split()
        last[words[1]] = words[2]
        flows.append(words[1])
        rows.append([int(w) for w in words[3:]])
    labels = [CLASS_OF.get(last[f], 0) for f in flows]
    return rows, labels


def counts(labels, index):
    n = [0] * len(CLASSES)
    for i in index:
        n[labels[i]] += 1
    return n


def gini(n, total):
    return 1.0 - sum((k / total) ** 2 for k in n) if total else 0.0


def best_split(rows, labels, index, rng):
    probe = index if len(index) <= 400 else rng.sample(index, 400)
    total = counts(labels, probe)
    best = (gini(total, len(probe)) - 1e-6, None, None)
    width = len(rows[0])
    for feature in rng.sample(range(width), width // 3):
        values = sorted({rows[i][feature] for i in probe})
        if len(values) < 2:
            continue
        picks = values[:-1] if len(values) <= THRESHOLDS else rng.sample(values[:-1], THRESHOLDS)
        for threshold in picks:
            left = [0] * len(CLASSES)
            for i in probe:
                if rows[i][feature] <= threshold:
                    left[labels[i]] += 1
            nl = sum(left)
            right = [t - l for t, l in zip(total, left)]
            nr = len(probe) - nl
            score = (nl * gini(left, nl) + nr * gini(right, nr)) / len(probe)
            if nl and nr and score < best[0]:
                best = (score, feature, threshold)
    return best[1], best[2]


def leaf(n):
    total = sum(n)
    word = 0
    for lane, k in enumerate(n):
        word |= min(15, round(15 * k / total)) << (8 * lane)
    return f"0x{word:x}u"


def grow(rows, labels, index, depth, rng):
    """The subtree for the samples in index, as an expression."""
    n = counts(labels, index)
    feature = None
    if depth < DEPTH and len(index) >= 2 * MIN_LEAF and max(n) < len(index):
        feature, threshold = best_split(rows, labels, index, rng)
    left = [i for i in index if feature is not None and rows[i][feature] <= threshold]
    if feature is None or len(left) < MIN_LEAF or len(index) - len(left) < MIN_LEAF:
        return leaf(n)
    right = [i for i in index if rows[i][feature] > threshold]
    yes = grow(rows, labels, left, depth + 1, rng)
    no = grow(rows, labels, right, depth + 1, rng)
    return yes if yes == no else f"N({feature},{threshold},{yes},{no})"


def main():
    rows, labels = read_samples(sys.stdin)
    print("// Made by model/train.py; do not edit.")
    print("// clang-format off")
    print('#include "forest_trees.h"')
    print("#define N(feature, threshold, yes, no) (f[feature] <= (threshold) ? (yes) : (no))")
    for tree in range(TREES):
        rng = random.Random(tree + 1)
        index = [rng.randrange(len(rows)) for _ in range(min(SAMPLE, len(rows)))]
        body = textwrap.wrap(grow(rows, labels, index, 0, rng).replace(",", ", "), 118)
        print(f"\nstatic uint64_t tree_{tree:02d}(const int32_t* f) {{\n  return", "\n".join(body) + ";\n}")
        if tree % GROUP == GROUP - 1:
            print(f"\nuint64_t forest_vote_{tree // GROUP}(const int32_t* f) {{\n  uint64_t sum = 0;")
            for member in range(tree - GROUP + 1, tree + 1):
                print(f"  sum += tree_{member:02d}(f);")
            print("  return sum;\n}")


if __name__ == "__main__":
    main()
