// What the profile runtime writes while the program runs, and src/profile/raw_trace.cpp reads. Native byte
// order: the file does not leave the machine.
//
// The file is one header of HEDDLE_RAW_HEADER_BYTES, kept up to date in shared memory, and chunks: struct
// heddle_raw_chunk followed by its words. A word is the number of a block, or a mark. A chunk holds whole
// packets of one thread:
//     HEDDLE_MARK_BEGIN body batch number   blocks and nested packets ...   HEDDLE_MARK_END result
// `number` counts the packets that the thread has seen, sampled or not.
#ifndef HEDDLE_PROFILE_RAW_FORMAT_H
#define HEDDLE_PROFILE_RAW_FORMAT_H

#include <stdint.h>

#define HEDDLE_RAW_MAGIC "HEDRAW\r\n"
#define HEDDLE_RAW_VERSION 2u
#define HEDDLE_RAW_HEADER_BYTES 4096u
#define HEDDLE_RAW_CHUNK 0x4b4e4843u

#define HEDDLE_MARK_BEGIN 0xfffffff0u
#define HEDDLE_MARK_END 0xfffffff1u
#define HEDDLE_FIRST_MARK HEDDLE_MARK_BEGIN

struct heddle_raw_header {
  char magic[8];
  uint32_t version;
  uint32_t pid;
  char program[128];        // Program::id, zero-terminated
  uint64_t file_bytes;      // header and chunks written so far
  uint64_t packets_seen;    // sampled or not
  uint64_t packets_traced;  // in the chunks, once finished
  uint64_t packets_dropped; // longer than the buffer, or left by longjmp
  uint32_t finished;        // 1: everything traced is in the chunks
  uint32_t error;           // errno of a write that failed
};

struct heddle_raw_chunk {
  uint32_t magic;
  uint32_t thread;
  uint64_t words;
};

#endif
