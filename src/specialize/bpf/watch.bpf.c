// Notices every change of a watched map by a system call before it takes effect, whoever makes it.
//
// `begun` is raised before the kernel does anything for such a call, `ended` after the last of it. Code that was made for what
// the maps held when `begun` was E, and equal to `ended`, holds as long as `begun` is E: docs/specialize.md has the proof.
// The guard reads `begun`.
//
// What cannot be told from outside counts as a change: arguments that are not in memory, descriptors that are not understood, calls
// of 32-bit programs.
#include "watch_layout.h"

#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define RELOCATED __attribute__((preserve_access_index))

struct pt_regs { // the kernel's, on x86-64
  unsigned long di, si, orig_ax;
} RELOCATED;

struct fdtable {
  unsigned int max_fds;
  void** fd;
} RELOCATED;

struct files_struct {
  struct fdtable* fdt;
} RELOCATED;

struct task_struct {
  struct files_struct* files;
  struct task_struct* group_leader;
  __u64 start_time;
} RELOCATED;

struct file {
  void* private_data;
  const void* f_op;
} RELOCATED;

struct bpf_map {
  enum bpf_map_type map_type;
  unsigned int id;
} RELOCATED;

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct heddle_epochs);
} epochs SEC(".maps");

// Ids of the maps that versions are made for, and of `own`.
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 256);
  __type(key, __u32);
  __type(value, __u8);
} watched SEC(".maps");

// Threads within a call that has been counted as begun.
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 65536);
  __type(key, __u64);
  __type(value, __u8);
} within SEC(".maps");

// The process that writes this map loads versions, and changes no watched map. Its number here may be another one than it knows.
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u32);
} own SEC(".maps");

__u32 own_process;
__u64 own_start; // the watch may outlive it (pins.h), and another process may get its number

static struct heddle_epochs* counters(void) {
  __u32 zero = 0;
  return bpf_map_lookup_elem(&epochs, &zero);
}

// The map that descriptor `fd` of the current process stands for, or null where that is not known.
static struct bpf_map* map_of(__u32 fd) {
  struct task_struct* task = (void*)bpf_get_current_task();
  struct fdtable* table = BPF_CORE_READ(task, files, fdt);
  if (!table || fd >= BPF_CORE_READ(table, max_fds)) return 0;
  void** slots = BPF_CORE_READ(table, fd);
  struct file* file = 0;
  if (bpf_probe_read_kernel(&file, sizeof file, slots + fd) || !file) return 0;
  return BPF_CORE_READ(file, private_data);
}

static __u64 process_start(void) {
  struct task_struct* task = (void*)bpf_get_current_task();
  return BPF_CORE_READ(task, group_leader, start_time);
}

static int may_change(__u64 command, const void* attributes) {
  __u32 fd = 0, offset = 0;
  switch (command) {
  case BPF_MAP_UPDATE_ELEM:
  case BPF_MAP_DELETE_ELEM:
  case BPF_MAP_LOOKUP_AND_DELETE_ELEM:
    break;
  case BPF_MAP_UPDATE_BATCH:
  case BPF_MAP_DELETE_BATCH:
  case BPF_MAP_LOOKUP_AND_DELETE_BATCH:
    offset = __builtin_offsetof(union bpf_attr, batch.map_fd);
    break;
  case BPF_PROG_LOAD: // a program that may write the maps, or make system calls itself
    return bpf_get_current_pid_tgid() >> 32 != own_process || process_start() != own_start;
  case BPF_LINK_CREATE: // an iterator that may write the maps
  case BPF_ITER_CREATE:
    return 1;
  default:
    return 0;
  }
  if (bpf_probe_read_user(&fd, sizeof fd, attributes + offset)) return 1;
  struct bpf_map* map = map_of(fd);
  if (!map) return 1;
  // Another program may come by a watched map through it.
  __u32 type = BPF_CORE_READ(map, map_type);
  if (type == BPF_MAP_TYPE_ARRAY_OF_MAPS || type == BPF_MAP_TYPE_HASH_OF_MAPS) return 1;
  __u32 id = BPF_CORE_READ(map, id);
  __u8* kind = bpf_map_lookup_elem(&watched, &id);
  if (kind && *kind == HEDDLE_OWN) {
    own_process = bpf_get_current_pid_tgid() >> 32;
    own_start = process_start();
  }
  return kind && *kind == HEDDLE_WATCHED;
}

SEC("raw_tp/sys_enter") int begin(struct bpf_raw_tracepoint_args* arguments) {
  const struct pt_regs* registers = (void*)arguments->args[0];
  __u64 number = arguments->args[1] & ~0x40000000ull; // the mark of x32
  int native = number == HEDDLE_BPF_SYSCALL;
  if (!native && number != HEDDLE_BPF_SYSCALL_32) return 0;
  if (native && !may_change(BPF_CORE_READ(registers, di) & 0xffffffff, (void*)BPF_CORE_READ(registers, si)))
    return 0;
  struct heddle_epochs* count = counters();
  if (!count) return 0;
  __u64 thread = bpf_get_current_pid_tgid();
  __u8 one = 1;
  // Not to be told apart at its end: it never ends, and no version is made any more.
  bpf_map_update_elem(&within, &thread, &one, BPF_NOEXIST);
  __sync_fetch_and_add(&count->begun, 1);
  return 0;
}

SEC("raw_tp/sys_exit") int end(struct bpf_raw_tracepoint_args* arguments) {
  const struct pt_regs* registers = (void*)arguments->args[0];
  __u64 number = BPF_CORE_READ(registers, orig_ax) & ~0x40000000ull;
  int native = number == HEDDLE_BPF_SYSCALL;
  if (!native && number != HEDDLE_BPF_SYSCALL_32) return 0;
  __u64 thread = bpf_get_current_pid_tgid();
  struct heddle_epochs* count = counters();
  if (!count) return 0;
  if (bpf_map_delete_elem(&within, &thread)) {
    // It had begun before it could be noticed: what was made in between holds no longer.
    if (!native ||
        !may_change(BPF_CORE_READ(registers, di) & 0xffffffff, (void*)BPF_CORE_READ(registers, si)))
      return 0;
    __sync_fetch_and_add(&count->begun, 1);
  }
  __sync_fetch_and_add(&count->ended, 1);
  return 0;
}

char heddle_license[] SEC("license") = "GPL";
