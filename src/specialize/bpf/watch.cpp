#include "specialize/bpf/watch.h"

#include "support/diagnostic.h"
#include "support/installed.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cerrno>

namespace heddle {

using llvm::Error;
using llvm::Expected;

void Watch::Close::operator()(bpf_object* object) const {
  bpf_object__close(object);
}

void Watch::Close::operator()(bpf_link* link) const {
  bpf_link__destroy(link);
}

Watch::Watch(Watch&&) noexcept = default;
Watch::~Watch() = default;

Expected<Watch> Watch::start(const std::vector<uint32_t>& maps) {
#ifndef __x86_64__
  return diagnose("changes of tables are noticed on x86-64 only", "run `heddle specialize --dry-run` here");
#endif
  libbpf_set_print(nullptr);
  Watch watch;
  std::string path = installed_file("heddle-watch.bpf.o");
  watch.object_.reset(bpf_object__open(path.c_str()));
  if (!watch.object_)
    return diagnose("cannot be read", "build Heddle again, or set HEDDLE_LIB to where its libraries are",
                    path);
  bpf_object& object = *watch.object_;
  if (bpf_object__load(&object) != 0)
    return bpf_error("changes of tables cannot be noticed", errno, "raw_tp/sys_enter");
  // Ends first: a call whose end is missed never ends.
  auto attach = [&](const char* name) {
    return bpf_program__attach(bpf_object__find_program_by_name(&object, name));
  };
  watch.exit_.reset(attach("end"));
  watch.enter_.reset(watch.exit_ ? attach("begin") : nullptr);
  if (!watch.enter_) return bpf_error("changes of tables cannot be noticed", errno, "raw_tp/sys_enter");
  watch.guard_ = bpf_object__find_map_fd_by_name(&object, "epochs");

  int watched = bpf_object__find_map_fd_by_name(&object, "watched");
  int own = bpf_object__find_map_fd_by_name(&object, "own");
  bpf_map_info info{};
  uint32_t bytes = sizeof info, zero = 0;
  bool good = bpf_obj_get_info_by_fd(own, &info, &bytes) == 0;
  uint8_t kind = HEDDLE_OWN;
  good = good && bpf_map_update_elem(watched, &info.id, &kind, BPF_ANY) == 0;
  good = good && bpf_map_update_elem(own, &zero, &zero, BPF_ANY) == 0;
  kind = HEDDLE_WATCHED;
  for (uint32_t id : maps)
    good = good && bpf_map_update_elem(watched, &id, &kind, BPF_ANY) == 0;
  if (!good) return bpf_error("the maps to be watched cannot be set", errno, "raw_tp/sys_enter");
  return watch;
}

int Watch::enter_link() const {
  return bpf_link__fd(enter_.get());
}

int Watch::exit_link() const {
  return bpf_link__fd(exit_.get());
}

heddle_epochs Watch::counters() const {
  heddle_epochs counted{0, ~0ULL}; // not settled, should it not be readable
  uint32_t zero = 0;
  (void)bpf_map_lookup_elem(guard_, &zero, &counted);
  return counted;
}

uint64_t Watch::missed() const {
  uint64_t missed = 0;
  for (const char* name : {"begin", "end"}) {
    bpf_prog_info info{};
    uint32_t bytes = sizeof info;
    int fd = bpf_program__fd(bpf_object__find_program_by_name(object_.get(), name));
    missed += bpf_obj_get_info_by_fd(fd, &info, &bytes) == 0 ? info.recursion_misses : 1;
  }
  return missed;
}

std::optional<uint64_t> Watch::settled_epoch() const {
  heddle_epochs counted = counters();
  if (counted.begun != counted.ended) return std::nullopt;
  return counted.begun;
}

} // namespace heddle
