// BPF: the smallest program of each kind that packet-processing programs use is loaded, and dropped.
#include "doctor/checks.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace heddle {

namespace {

int silent(libbpf_print_level /*level*/, const char* /*format*/, va_list /*arguments*/) {
  return 0;
}

std::string hint_for(int error) {
  if (error == EPERM || error == EACCES)
    return "needs root, or CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON; where root may not, a container or a "
           "policy "
           "forbids it";
  if (error == ENOENT || error == ESRCH)
    return "run a kernel with CONFIG_DEBUG_INFO_BTF and CONFIG_FUNCTION_TRACER";
  return "run a kernel of version 5.8 or later with CONFIG_BPF_SYSCALL and CONFIG_BPF_EVENTS";
}

Check failed(const char* name, int error) {
  return {name, false, false, strerror(error), hint_for(error)};
}

// Returns `result` and does nothing else.
Check load(const char* name, bpf_prog_type type, int result, const bpf_prog_load_opts* options = nullptr) {
  const bpf_insn instructions[] = {{BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, result},
                                   {BPF_JMP | BPF_EXIT, 0, 0, 0, 0}};
  const int fd = bpf_prog_load(type, "heddle_doctor", "GPL", instructions, 2, options);
  if (fd < 0) return failed(name, -fd);
  close(fd);
  return {name, true, false, "a program is loaded", ""};
}

Check check_types() {
  btf* types = btf__load_vmlinux_btf();
  if (!types) return failed("kernel types (BTF)", errno);
  Check check{"kernel types (BTF)", true, false, std::to_string(btf__type_cnt(types)) + " types", ""};
  btf__free(types);
  return check;
}

Check check_fentry() {
  bpf_prog_load_opts options{};
  options.sz = sizeof options;
  options.expected_attach_type = BPF_TRACE_FENTRY;
  const int id = libbpf_find_vmlinux_btf_id("ksys_read", BPF_TRACE_FENTRY);
  if (id < 0) return failed("BPF: fentry", -id);
  options.attach_btf_id = __u32(id);
  return load("BPF: fentry", BPF_PROG_TYPE_TRACING, 0, &options);
}

} // namespace

std::vector<Check> check_bpf() {
  libbpf_set_print(silent);
  return {check_types(), load("BPF: xdp", BPF_PROG_TYPE_XDP, XDP_PASS),
          load("BPF: raw_tp", BPF_PROG_TYPE_RAW_TRACEPOINT, 0), check_fentry()};
}

} // namespace heddle
