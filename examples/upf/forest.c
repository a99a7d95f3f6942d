// The decision forest. Every tree is code of its own (forest_trees.c): a comparison is one instruction with
// its threshold inside, where a table of nodes would cost three dependent loads. Leaves hold the class shares
// seen in training as eight lanes of one word, so that adding words adds all lanes; at most 15 per leaf keeps
// a lane of 16 trees below 256.

#include "forest_trees.h"
#include "meter.h"

static void add_lanes(uint32_t votes[CLASS_COUNT], uint64_t lanes) {
  for (unsigned i = 0; i < CLASS_COUNT; i++)
    votes[i] += (uint32_t)(lanes >> (8 * i) & 0xff);
}

enum traffic_class forest_classify(const struct features* features, uint8_t* share) {
  const int32_t* f = features->value;
  uint32_t votes[CLASS_COUNT] = {0};
  add_lanes(votes, forest_vote_0(f));
  add_lanes(votes, forest_vote_1(f));
  add_lanes(votes, forest_vote_2(f));
  add_lanes(votes, forest_vote_3(f));
  add_lanes(votes, forest_vote_4(f));
  add_lanes(votes, forest_vote_5(f));
  uint32_t best = 0, total = 0;
  for (uint32_t i = 0; i < CLASS_COUNT; i++) {
    total += votes[i];
    if (votes[i] > votes[best]) best = i;
  }
  uint32_t scaled = total ? votes[best] * 256 / total : 0;
  *share = (uint8_t)(scaled > 255 ? 255 : scaled);
  return (enum traffic_class)best;
}
