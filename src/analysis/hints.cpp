// Rules in the order in which they are tried; the first that fits the accesses speaks. They look at the
// accesses of the whole body, not only at those of the sample, except for the first: code that no packet ran.
#include "analysis/hints.h"

#include "analysis/external_models.h"
#include "analysis/names.h"
#include "program/modelled.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Instructions.h"

#include <set>

using namespace llvm;

namespace heddle {

namespace {

constexpr size_t named_functions = 4;

std::string place_of(const Instruction& at) {
  return location_of(at).str() + " in " + innermost_function(at).str();
}

std::string listed(const std::set<std::string>& names) {
  std::vector<std::string> some(names.begin(), names.end());
  if (some.size() > named_functions) {
    size_t more = some.size() - named_functions + 1;
    some.resize(named_functions - 1);
    some.push_back(std::to_string(more) + " others");
  }
  return join(some, ", ");
}

bool sounds_like_allocator(StringRef function) {
  for (StringRef word : {"alloc", "pool", "slab", "free_list", "freelist", "get_chunk", "mempool", "mp_"})
    if (function.contains_insensitive(word)) return true;
  return false;
}

class Hint {
public:
  explicit Hint(const HintAbout& about) : about_(about) {
    for (uint32_t key : about.accesses) {
      const AccessKey& access = about.table.keys()[key];
      if (access.implied) continue; // told under the object that is meant
      updates_only_ &= !access.write || access.update != UpdateOp::None;
      for (const auto& [unit, at] : about.table.made_by(key)) {
        if (access.write && !writer_) writer_ = at;
        StringRef function = innermost_function(*at);
        functions_.insert(function.starts_with("heddle.") ? "the packet loop" : function.str());
        if (!access.write && access.update == UpdateOp::None && !plain_read_) plain_read_ = at;
        if (auto* call = dyn_cast<CallBase>(at)) note_call(*call);
      }
      read_ |= !access.write;
    }
  }

  std::string text() const {
    if (!about_.location.ran)
      return "rare path: no packet of the sample ran any of the accesses; a packet that does would finish "
             "its predecessors first and run alone";
    if (only_read_in_sample())
      return "rare path: packets of the sample only read it; one that writes it (" + place_of(*writer_) +
             ") would finish its predecessors first and run alone";
    if (about_.object.kind == ObjectKind::Unknown) return outside_world();
    if (!functions_.empty() &&
        all_of(functions_, [](const std::string& name) { return sounds_like_allocator(name); }))
      return "allocator, if nothing but the addresses that " + listed(functions_) +
             " hand out depends on the order: Heddle would need a model of them";
    if (updates_only_ && plain_read_)
      return "commutative, if its value were not read at " + place_of(*plain_read_);
    if (!read_)
      return "deferred: the body only writes it, so that the last packet's value is all that counts";
    return by_kind();
  }

private:
  void note_call(const CallBase& call) {
    for (const Function* callee : about_.points_to.external_callees(call))
      if (!model_of(*callee)) outside_.insert(source_name(*callee).str());
    if (call.isInlineAsm()) outside_.insert("inline assembly at " + location_of(call).str());
  }

  bool only_read_in_sample() const {
    const auto& sampled = about_.location.sampled;
    return writer_ && !sampled.empty() && none_of(sampled, [](const SampledAccess& a) { return a.write; });
  }

  std::string outside_world() const {
    if (!outside_.empty())
      return "a model of " + listed(outside_) + ", or " + (outside_.size() == 1 ? "it" : "them") +
             " linked statically and built with heddle cc";
    if (functions_.empty())
      return "fewer objects whose address reaches code outside the program: see the remarks unknown-external";
    return "knowing where the pointers used in " + listed(functions_) +
           " come from: a library returned them, or they were made from integers";
  }

  std::string by_kind() const {
    switch (about_.object.kind) {
    case ObjectKind::Stack:
      if (about_.not_scratch.empty())
        return "packet-private, if its address were not stored in shared memory";
      [[fallthrough]];
    case ObjectKind::Global:
      return scratch();
    case ObjectKind::Heap:
      if (about_.sharing.is_element(about_.object.id))
        return "keyed: what the receive interface delivers for a packet points to it; free if two packets of "
               "a batch never share one, or if packets of one key stay in order";
      return "keyed, if packets reach it only by a key of theirs (a flow, a connection)";
    case ObjectKind::Packet:
      return "packet-private, if its address were not stored in shared memory";
    default:
      return "a model of the functions that reach it";
    }
  }

  // In the sample's order: a first access that reads means a value handed from packet to packet.
  std::string scratch() const {
    const auto& sampled = about_.location.sampled;
    if (sampled.empty() || sampled.front().write)
      return about_.object.kind == ObjectKind::Stack
                 ? "scratch, but " + about_.not_scratch +
                       ": declared inside the packet loop it would be the packet's own"
                 : "scratch, but " + about_.not_scratch + ": a variable on the stack would do";
    return "keyed or kept in one phase: packets read at " + sampled.front().at +
           " what earlier ones left there";
  }

  const HintAbout& about_;
  bool updates_only_ = true, read_ = false;
  const Instruction *plain_read_ = nullptr, *writer_ = nullptr;
  std::set<std::string> functions_, outside_;
};

} // namespace

std::string what_would_free(const HintAbout& about) {
  return Hint(about).text();
}

} // namespace heddle
