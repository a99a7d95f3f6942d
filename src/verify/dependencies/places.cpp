#include "verify/dependencies/places.h"

#include "analysis/names.h"

using namespace llvm;

namespace heddle {

Places::Places(ArrayRef<PacketBody> bodies) : places_(2) {
  places_[loop].function = "the packet loop";
  for (const PacketBody& body : bodies)
    bodies_[("heddle.body." + Twine(body.number)).str()] = body.function;
}

uint32_t Places::add(const Instruction& at, StringRef call) {
  AccessPlace place{innermost_function(at).str(), location_of(at).str(), call.str()};
  auto body = bodies_.find(at.getFunction()->getName().str());
  if (body != bodies_.end() && StringRef(place.function).starts_with("heddle."))
    place.function = body->second;
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
