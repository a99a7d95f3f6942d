// The trees of the forest, sixteen to a vote; forest_trees.c is made by model/train.py.
#ifndef UPF_FOREST_TREES_H
#define UPF_FOREST_TREES_H

#include <stdint.h>

uint64_t forest_vote_0(const int32_t* f);
uint64_t forest_vote_1(const int32_t* f);
uint64_t forest_vote_2(const int32_t* f);
uint64_t forest_vote_3(const int32_t* f);
uint64_t forest_vote_4(const int32_t* f);
uint64_t forest_vote_5(const int32_t* f);

#endif
