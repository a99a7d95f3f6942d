#include "verify/dependencies/places.h"

#include "analysis/names.h"
#include "program/program.h"

using namespace llvm;

namespace heddle {

Places::Places() : places_(2) {
  places_[loop].function = "the packet loop";
}

uint32_t Places::add(const Instruction& at, StringRef call) {
  AccessPlace place{innermost_function(at).str(), location_of(at).str(), call.str()};
  // A copy of a function for one context is the function as written.
  place.function = StringRef(place.function).split(".heddle.ctx").first.str();
  auto [entry, fresh] =
      numbers_.try_emplace({place.function, place.at, place.call}, uint32_t(places_.size()));
  if (fresh) places_.push_back(std::move(place));
  return entry->second;
}

const AccessPlace& Places::operator[](uint32_t number) const {
  return places_[number < places_.size() ? number : 0];
}

} // namespace heddle
