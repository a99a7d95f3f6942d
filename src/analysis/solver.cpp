#include "analysis/solver.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DerivedTypes.h"

#include <numeric>

using namespace llvm;

namespace heddle {

// A constant addition may produce this many different offsets in one object before it counts as an index.
static constexpr uint32_t offsets_before_index = 6;
// An object has at most this many exact offsets, and this many that are no multiple of 4 (text that is
// stepped through with many different lengths); further ones become "anywhere".
static constexpr uint32_t most_exact_locations = 256, most_odd_locations = 16;
static constexpr uint32_t most_record_locations = 1024; // of an object that is a record
// Strided places beyond this many lose their bounds, beyond twice as many become "anywhere".
static constexpr uint32_t most_strided_locations = 24;
// The same for what one memory copy moves; it also bounds the recursion where a copy feeds itself.
static constexpr uint32_t most_exact_transfers = 64;

size_t Solver::LocationHash::operator()(const Location& l) const {
  return hash_combine(l.object, l.place.offset, l.place.stride, l.place.low, l.place.high);
}

ObjectId Solver::add_object(MemoryObject object) {
  object.id = objects_.size();
  objects_.push_back(std::move(object));
  return objects_.back().id;
}

NodeId Solver::add_node() {
  nodes_.emplace_back();
  representative_.push_back(nodes_.size() - 1);
  return nodes_.size() - 1;
}

NodeId Solver::find(NodeId node) const {
  while (representative_[node] != node)
    node = representative_[node] = representative_[representative_[node]];
  return node;
}

void Solver::set_twins(std::function<ObjectId(ObjectId)> twin, std::function<bool(ObjectId)> shared) {
  twin_ = std::move(twin);
  shared_ = std::move(shared);
}

void Solver::set_unknown(ObjectId object, NodeId held, NodeId anything) {
  unknown_ = object;
  held_ = held;
  anything_ = anything;
}

void Solver::add_address(NodeId node, ObjectId object, const Place& place) {
  ++constraints_;
  LocationSet one;
  one.set(intern(object, place));
  grow(find(node), one);
}

void Solver::add_copy(NodeId from, NodeId to) {
  from = find(from), to = find(to);
  if (from == to || !copy_edges_.insert({from, to}).second) return;
  ++constraints_;
  nodes_[from].copies.push_back(to);
  grow(to, nodes_[from].propagated);
  edges_changed_ = true;
}

void Solver::grow(NodeId node, const LocationSet& by) {
  if (nodes_[node].wide) node = find(held_);
  bool changed = nodes_[node].pointees |= by;
  if (changed) nodes_[node].grown = nodes_[node].unexpanded = true;
}

// The node's set becomes "anything that escaped", and what it holds escapes.
void Solver::widen(NodeId id) {
  if (!unknown_ || id == find(held_)) return;
  LocationSet all;
  std::swap(all, nodes_[id].pointees);
  grow(find(held_), all);
  nodes_[id].pointees.set(intern(*unknown_, Place::anywhere()));
  nodes_[id].wide = nodes_[id].grown = nodes_[id].unexpanded = true;
  ++widened_;
}

void Solver::add_move(NodeId from, NodeId to, const Shape& shape) {
  ++constraints_;
  edges_changed_ = true;
  Node& node = nodes_[find(from)];
  if (node.moves.empty() || !node.moves.back().seen.empty()) node.moves.emplace_back();
  auto entry = shapes_.try_emplace(shape).first;
  node.moves.back().moves.push_back({&entry->first, &entry->second, to, false, 0, nullptr});
  node.grown = true;
}

Solver::Expansions& Solver::fresh_expansions(NodeId id) {
  ++constraints_;
  Node& node = nodes_[id];
  if (node.expansions.empty()) expanding_.push_back(id);
  if (node.expansions.empty() || !node.expansions.back().seen.empty()) node.expansions.emplace_back();
  node.unexpanded = true;
  return node.expansions.back();
}

void Solver::add_offset(NodeId from, NodeId to, int64_t bytes) {
  if (bytes == 0) return add_copy(from, to);
  add_move(from, to, {Shape::Kind::Offset, bytes, 0});
}

void Solver::add_index(NodeId from, NodeId to, uint64_t stride, uint64_t count) {
  if (stride == 0) return add_copy(from, to);
  add_move(from, to, {Shape::Kind::Index, int64_t(stride), count});
}

void Solver::add_anywhere(NodeId from, NodeId to) {
  add_move(from, to, {Shape::Kind::Anywhere, 0, 0});
}

void Solver::add_align(NodeId from, NodeId to, uint64_t alignment) {
  add_move(from, to, {Shape::Kind::Align, int64_t(alignment), 0});
}

void Solver::add_load(NodeId to, NodeId address, int64_t bytes) {
  fresh_expansions(find(address)).accesses.push_back({to, bytes, false, true});
}

void Solver::add_store(NodeId address, NodeId value, int64_t bytes) {
  fresh_expansions(find(address)).accesses.push_back({value, bytes, true, false});
}

void Solver::add_listener(NodeId node, std::function<void(const Location&)> react) {
  listeners_.push_back({std::move(react), {}});
  fresh_expansions(find(node))
      .reactions.push_back({Reaction::Kind::Listener, uint32_t(listeners_.size() - 1)});
}

void Solver::add_memory_copy(NodeId to, NodeId from, uint64_t length) {
  if (length < 8) return;
  ++constraints_;
  uint32_t index = copies_.size();
  ObjectId transfer = transfer_bit | index;
  copies_.push_back({transfer, length, {}, {}, {}});
  fresh_expansions(find(from)).reactions.push_back({Reaction::Kind::CopySource, index});
  fresh_expansions(find(to)).reactions.push_back({Reaction::Kind::CopyTarget, index});
}

// --- Places ---------------------------------------------------------------------------------------------

static int64_t add_saturating(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return b > 0 ? Place::highest : Place::lowest;
  return sum;
}

static int64_t residue(int64_t value, uint64_t stride) {
  int64_t r = value % int64_t(stride);
  return r < 0 ? r + int64_t(stride) : r;
}

// One form for each set of offsets, clipped to the object.
Place Solver::normal(ObjectId object, Place place) {
  bool transfer = object & transfer_bit;
  if (!transfer) {
    const MemoryObject& o = objects_[object];
    if (o.kind == ObjectKind::Function) return Place::at(0);
    const bool streams = o.kind == ObjectKind::System && o.system == SystemLocation::StdioChannel;
    if (streams && !place.exact()) return Place::anywhere();
    if ((o.kind == ObjectKind::System && !streams) || o.kind == ObjectKind::Unknown || o.no_pointers)
      return Place::anywhere();
    if (!place.exact() && o.size) {
      place.low = std::max<int64_t>(place.low, 0);
      place.high = std::min<int64_t>(place.high, add_saturating(*o.size, 1));
    }
  }
  if (place.exact()) {
    if (place.offset > (int64_t(1) << 40) || place.offset < -(int64_t(1) << 40)) return Place::anywhere();
    return place;
  }
  place.offset = residue(place.offset, place.stride);
  if (place.low != Place::lowest) {
    int64_t first = place.low + residue(place.offset - place.low, place.stride);
    place.low = first;
    if (place.high != Place::highest) {
      if (first >= place.high || uint64_t(place.high - first) <= place.stride) return Place::at(first);
      place.high = first + (place.high - first - 1) / int64_t(place.stride) * int64_t(place.stride) + 1;
    }
  }
  if (place.stride == 1 && !transfer && place.low <= 0 &&
      (place.high == Place::highest ||
       (objects_[object].size && place.high >= int64_t(*objects_[object].size))))
    return Place::anywhere();
  return place;
}

// Offsets in a record are fields, however many; offsets in other memory may be steps through text.
static bool is_record(const MemoryObject& object) {
  if (object.type) return object.type->isStructTy();
  return object.kind != ObjectKind::Stack && object.size && *object.size <= 8192;
}

// A place that is new to the object, or a wider one when the object, or the whole program, has very many.
Place Solver::limited(ObjectId object, const Place& place) {
  if (locations_.size() > most_locations_) return Place::anywhere();
  Contents& contents = contents_[object];
  if (!place.exact()) {
    if (++contents.strided_locations <= most_strided_locations) return place;
    if (contents.strided_locations <= 2 * most_strided_locations)
      return normal(object, {place.offset, place.stride, Place::lowest, Place::highest});
    return Place::anywhere();
  }
  uint32_t most = object & transfer_bit ? most_exact_transfers : most_exact_locations;
  bool odd = place.offset % 4 != 0;
  uint32_t most_odd = most_odd_locations;
  if (!(object & transfer_bit) && is_record(objects_[object])) most = most_odd = most_record_locations;
  if (contents.exact_locations >= most || contents.odd_locations >= most_odd) return Place::anywhere();
  ++contents.exact_locations;
  contents.odd_locations += odd;
  return place;
}

LocationId Solver::intern(ObjectId object, Place place) {
  place = normal(object, place);
  auto found = location_ids_.find({object, place});
  if (found != location_ids_.end()) return found->second;
  Place kept = limited(object, place);
  auto [entry, fresh] = location_ids_.try_emplace({object, kept}, locations_.size());
  if (fresh) locations_.push_back({object, kept});
  LocationId id = entry->second;
  if (!(kept == place)) location_ids_[{object, place}] = id;
  return id;
}

// Start and end of the innermost array in `type` that holds `offset` and whose elements an index of `stride`
// bytes steps over. Arrays of at most one element at the end of a structure may be longer than declared.
static std::optional<std::pair<int64_t, int64_t>> bounds_in(const DataLayout& layout, Type* type,
                                                            int64_t start, int64_t offset, uint64_t stride) {
  if (auto* structure = dyn_cast<StructType>(type)) {
    const StructLayout* fields = layout.getStructLayout(structure);
    int64_t inside = offset - start;
    if (inside < 0 || uint64_t(inside) >= fields->getSizeInBytes()) return std::nullopt;
    unsigned field = fields->getElementContainingOffset(inside);
    return bounds_in(layout, structure->getElementType(field),
                     start + int64_t(fields->getElementOffset(field)), offset, stride);
  }
  auto* array = dyn_cast<ArrayType>(type);
  if (!array || array->getNumElements() <= 1) return std::nullopt;
  uint64_t element = layout.getTypeAllocSize(array->getElementType());
  int64_t end = start + int64_t(element * array->getNumElements());
  if (offset < start || offset >= end || element == 0) return std::nullopt;
  if (element > stride)
    return bounds_in(layout, array->getElementType(),
                     start + (offset - start) / int64_t(element) * int64_t(element), offset, stride);
  if (stride % element != 0) return std::nullopt;
  return std::make_pair(start, end);
}

std::optional<std::pair<int64_t, int64_t>> Solver::array_bounds(ObjectId object, const Place& place,
                                                                uint64_t stride) const {
  if ((object & transfer_bit) || !objects_[object].type) return std::nullopt;
  int64_t offset = place.exact() || place.low == Place::lowest ? place.offset : place.low;
  return bounds_in(layout_, objects_[object].type, 0, offset, stride);
}

LocationId Solver::move_index(const Location& from, uint64_t stride, uint64_t count) {
  const Place& p = from.place;
  Place result;
  result.offset = p.offset;
  result.stride = p.exact() ? stride : std::gcd(stride, p.stride);
  if (auto bounds = array_bounds(from.object, p, result.stride)) {
    result.low = bounds->first, result.high = bounds->second;
    if (!p.exact()) {
      result.low = std::min(result.low, p.low);
      result.high = std::max(result.high, p.high);
    }
  } else if (count > 1) {
    int64_t span = int64_t(std::min<uint64_t>(count - 1, INT32_MAX) * stride);
    result.low = p.exact() ? p.offset : p.low;
    result.high = add_saturating(p.exact() ? p.offset + 1 : p.high, span);
  }
  return intern(from.object, result);
}

// A constant added to a strided place. The field moves; where whole elements are stepped over, the range is
// the hull of the old and the new one, for the index before may have left the array by one on either side.
LocationId Solver::move_offset(const Location& from, int64_t bytes) {
  const Place& p = from.place;
  if (p.exact() || p.is_anywhere()) return intern(from.object, p.moved(bytes));
  int64_t field = residue(bytes, p.stride), elements = bytes - field;
  Place result = p.moved(field);
  if (elements < 0)
    result.low = result.low == Place::lowest ? result.low : add_saturating(result.low, elements);
  if (elements > 0) result.high = add_saturating(result.high, elements);
  if (auto bounds = elements ? array_bounds(from.object, p, p.stride) : std::nullopt;
      bounds && p.low >= bounds->first && p.high <= bounds->second) {
    result.low = std::max(result.low, bounds->first + field);
    result.high = std::min(result.high, bounds->second + field);
  }
  return intern(from.object, result);
}

// Exact where the object starts at a multiple of the alignment.
LocationId Solver::move_align(const Location& from, uint64_t alignment) {
  const Place& p = from.place;
  if (p.is_anywhere() || (from.object & transfer_bit)) return intern(from.object, p);
  if (p.exact() && objects_[from.object].alignment >= alignment)
    return intern(from.object, Place::at(p.offset & ~int64_t(alignment - 1)));
  if (!p.exact()) return intern(from.object, Place::anywhere());
  return intern(from.object, {0, 1, p.offset - int64_t(alignment) + 1, p.offset + 1});
}

LocationId Solver::apply(LocationId id, const Shape& shape) {
  Location from = locations_[id];
  switch (shape.kind) {
  case Shape::Kind::Anywhere:
    return intern(from.object, Place::anywhere());
  case Shape::Kind::Index:
    return move_index(from, shape.bytes, shape.count);
  case Shape::Kind::Align:
    return move_align(from, shape.bytes);
  case Shape::Kind::Twin:
    return from.object & transfer_bit ? id : intern(twin_(from.object), from.place);
  case Shape::Kind::Offset:
    return move_offset(from, shape.bytes);
  case Shape::Kind::Runaway:
    return move_index({from.object, from.place.moved(shape.bytes)}, std::abs(shape.bytes), 0);
  }
  llvm_unreachable("covered above");
}

LocationId Solver::applied(LocationId from, const Shape& shape, Results& results) {
  if (from >= results.size()) results.resize(locations_.size(), 0);
  if (results[from] == 0) {
    LocationId result = apply(from, shape);
    results[from] = result + 1;
  }
  return results[from] - 1;
}

// How `how` moves a location on its way into `target`. An addition that feeds itself and has produced several
// offsets in one object goes on as an index.
LocationId Solver::move(LocationId id, Move& how, LocationSet& target) {
  LocationId result = applied(id, *how.shape, *how.results);
  if (how.shape->kind != Shape::Kind::Offset || !how.cyclic || result == id) return result;
  ObjectId object = locations_[id].object;
  if (how.by_object && how.by_object->lookup(object) > offsets_before_index) {
    auto entry = shapes_.try_emplace(Shape{Shape::Kind::Runaway, how.shape->bytes}).first;
    return applied(id, entry->first, entry->second);
  }
  if (target.test(result) || ++how.produced <= offsets_before_index) return result;
  if (!how.by_object) how.by_object = std::make_unique<DenseMap<ObjectId, uint32_t>>();
  ++(*how.by_object)[object];
  return result;
}

// --- Memory ---------------------------------------------------------------------------------------------

Solver::Cell Solver::make_cell(const Location& where, LocationId id) {
  if (unknown_ && where.object == *unknown_) return {id, held_, held_, anything_};
  Cell made{id, 0, 0, 0};
  made.seen = add_node();
  made.stored = made.kept = where.place.exact() ? made.seen : add_node();
  if (made.kept != made.seen) add_copy(made.kept, made.seen);
  if (twin_ && !(where.object & transfer_bit) && shared_(where.object)) {
    made.stored = add_node();
    add_move(made.stored, made.kept, {Shape::Kind::Twin});
  }
  return made;
}

Solver::Cell& Solver::cell(LocationId id) {
  auto [entry, fresh] = cell_index_.try_emplace(id);
  if (!fresh) return contents_[entry->second.first].cells[entry->second.second];
  Location where = locations_[id];
  Contents& contents = contents_[where.object];
  entry->second = {where.object, uint32_t(contents.cells.size())};
  Cell made = make_cell(where, id);
  connect(made, contents);
  contents.cells.push_back(made);
  size_t index = contents.cells.size() - 1;
  if (where.object & transfer_bit) {
    uint32_t copy = where.object & ~transfer_bit;
    for (size_t i = 0; i < copies_[copy].targets.size(); ++i)
      copy_to(copy, copies_[copy].targets[i], made);
  } else {
    for (size_t i = 0; i < contents.watchers.size(); ++i)
      copy_from(contents.watchers[i].copy, contents.watchers[i].from, made);
  }
  return contents.cells[index];
}

// Connects a new cell with those of the same object that it may overlap.
void Solver::connect(const Cell& fresh, Contents& contents) {
  const Place& place = locations_[fresh.location].place;
  for (const Cell& other : contents.cells) {
    if (!may_overlap(place, 8, locations_[other.location].place, 8)) continue;
    add_copy(fresh.kept, other.seen);
    add_copy(other.kept, fresh.seen);
  }
}

NodeId Solver::stored_at(ObjectId object, const Place& place) {
  return cell(intern(object, place)).stored;
}
NodeId Solver::seen_at(ObjectId object, const Place& place) {
  return cell(intern(object, place)).seen;
}

// The relative places at which a copy from `from` finds what lies at `cell`; empty when it is out of reach.
static std::optional<Place> relative(const Place& from, const Place& cell, uint64_t length) {
  int64_t end = length > uint64_t(INT64_MAX) ? Place::highest : int64_t(length);
  if (from.exact() && cell.exact()) {
    int64_t distance = cell.offset - from.offset;
    if (distance < 0 || distance >= end) return std::nullopt;
    return Place::at(distance);
  }
  Place result;
  result.stride = std::gcd(from.stride, cell.stride);
  result.offset = residue(cell.offset - from.offset, result.stride);
  result.low = 0, result.high = end;
  if (from.exact() && cell.low != Place::lowest)
    result.low = std::max<int64_t>(0, add_saturating(cell.low, -from.offset));
  if (from.exact() && cell.high != Place::highest)
    result.high = std::min(end, add_saturating(cell.high, -from.offset));
  if (residue(result.offset - result.low, result.stride) >= result.high - result.low) return std::nullopt;
  return result;
}

void Solver::copy_from(uint32_t copy, LocationId from, const Cell& source) {
  auto place = relative(locations_[from].place, locations_[source.location].place, copies_[copy].length);
  if (!place) return;
  if (nodes_[find(source.seen)].pointees.empty()) {
    pending_copies_.push_back({copy, from, source.location});
    return;
  }
  NodeId seen = source.seen;
  add_copy(seen, cell(intern(copies_[copy].transfer, *place)).stored);
}

void Solver::copy_to(uint32_t copy, LocationId to, const Cell& transfer) {
  Location target = locations_[to];
  Place source = locations_[transfer.location].place, place;
  if (target.place.exact()) {
    place = source.moved(target.place.offset);
  } else if (source.exact()) {
    place = target.place.moved(source.offset);
  } else {
    place.stride = std::gcd(target.place.stride, source.stride);
    place.offset = target.place.offset + source.offset;
    if (target.place.low != Place::lowest) place.low = add_saturating(target.place.low, source.low);
    if (target.place.high != Place::highest && source.high != Place::highest)
      place.high = add_saturating(target.place.high, source.high);
  }
  NodeId seen = transfer.seen;
  add_copy(seen, cell(intern(target.object, place)).stored);
}

void Solver::react(const Reaction& reaction, LocationId location) {
  switch (reaction.kind) {
  case Reaction::Kind::Listener: {
    if (!listeners_[reaction.index].known.insert(location).second) return;
    auto call = listeners_[reaction.index].react;
    call(Location(locations_[location]));
    return;
  }
  case Reaction::Kind::CopySource: {
    if (!copies_[reaction.index].known_sources.insert(location).second) return;
    Contents& contents = contents_[locations_[location].object];
    contents.watchers.push_back({reaction.index, location});
    for (size_t i = 0; i < contents.cells.size(); ++i)
      copy_from(reaction.index, location, Cell(contents.cells[i]));
    return;
  }
  case Reaction::Kind::CopyTarget: {
    if (!copies_[reaction.index].known_targets.insert(location).second) return;
    copies_[reaction.index].targets.push_back(location);
    Contents& contents = contents_[copies_[reaction.index].transfer];
    for (size_t i = 0; i < contents.cells.size(); ++i)
      copy_to(reaction.index, location, Cell(contents.cells[i]));
    return;
  }
  }
}

void Solver::access(LocationId location, const Access& access) {
  LocationId at = location;
  if (access.bytes) {
    Location where = locations_[location];
    at = intern(where.object, where.place.moved(access.bytes));
  }
  if (!access.store)
    add_copy(cell(at).seen, access.value);
  else if (!objects_[locations_[at].object].constant)
    add_copy(access.value, cell(at).stored);
}

// Stores and memory copies whose source is no longer empty. Most never are: they move numbers and text.
bool Solver::wake() {
  bool woken = false;
  for (size_t i = 0, count = expanding_.size(); i < count; ++i) {
    Node& node = nodes_[find(expanding_[i])];
    for (Expansions& group : node.expansions)
      for (Access& one : group.accesses) {
        if (one.active || nodes_[find(one.value)].pointees.empty()) continue;
        one.active = woken = true;
        for (LocationId location : group.seen) {
          const MemoryObject& object = objects_[locations_[location].object];
          if (!object.no_pointers && object.kind != ObjectKind::Function) access(location, one);
        }
      }
  }
  std::vector<PendingCopy> pending;
  pending.swap(pending_copies_);
  for (const PendingCopy& one : pending) {
    Cell source = cell(one.cell);
    woken |= !nodes_[find(source.seen)].pointees.empty();
    copy_from(one.copy, one.from, source); // goes back to the pending ones while there is nothing
  }
  return woken;
}

void Solver::expand(const Expansions& group, const LocationSet& fresh) {
  for (LocationId location : fresh) {
    const MemoryObject& object = objects_[locations_[location].object];
    if (object.no_pointers) continue;
    bool code = object.kind == ObjectKind::Function;
    for (const Access& what : group.accesses)
      if (what.active && !code) access(location, what);
    for (const Reaction& reaction : group.reactions)
      if (!code || reaction.kind == Reaction::Kind::Listener) react(reaction, location);
  }
}

// Loads, stores, copies and listeners of a node with the locations that are new to them.
void Solver::expand(NodeId id) {
  Node& node = nodes_[id];
  if (!node.unexpanded) return;
  node.unexpanded = false;
  // Listeners may add constraints to this very node: those come as a new group behind these.
  std::list<Expansions> groups;
  groups.swap(node.expansions);
  Expansions all;
  LocationSet target = node.pointees, fresh;
  for (Expansions& group : groups) {
    fresh.intersectWithComplement(target, group.seen);
    if (!fresh.empty()) expand(group, fresh);
    append_range(all.accesses, group.accesses);
    append_range(all.reactions, group.reactions);
  }
  all.seen = std::move(target);
  node.expansions.push_front(std::move(all));
}

void Solver::collect_contents(ObjectId object, SparseBitVector<>& result) const {
  auto found = contents_.find(object);
  if (found == contents_.end()) return;
  for (const Cell& cell : found->second.cells)
    for (uint32_t location : points_to(cell.seen))
      result.set(locations_[location].object);
}

} // namespace heddle
