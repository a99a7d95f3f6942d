// Inclusion constraints over abstract addresses, and their least solution.
//
// Problem. Every pointer-sized value of the program is a node that holds a set of locations (object, place).
// Constraints say which sets include which others; loads, stores, memory copies and calls through pointers
// add inclusions while the sets grow.
//
// Alternatives. A worklist with lazy cycle detection (Hardekopf and Lin) repeats work on long chains;
// unification (Steensgaard) is fast and far less precise; demand-driven analyses do not pay when nearly every
// pointer is asked for, as here.
//
// Choice. Wave propagation (Pereira and Berlin, CGO 2009): collapse all cycles of copies, propagate
// differences once through the nodes in topological order, then expand loads, stores and calls with what is
// new, and repeat until nothing is. The sets are sparse bit vectors of location numbers.
//
// Fields. Memory is a set of cells, one per location that a pointer-sized access uses. An exact offset has
// one node. A strided place ("field f of every element", "anywhere") has two: what is stored through it, and
// what a load through it sees; it is connected with every cell of the object that it may overlap. So objects
// are never merged into one field for good: an access with an unknown offset costs precision only in what
// it stores itself.
//
// Pointer arithmetic. Adding a constant moves a place. A variable index gives a strided place, bounded by
// the array's extent when the type of the pointer arithmetic or of the object tells. A constant addition
// that feeds itself (p++ in a loop or through memory) would produce offsets for ever: after a few different
// offsets in one object it is treated as a variable index of that stride.
//
// Large programs. Sets that grow past a limit say next to nothing and make everything slow. Such a node is
// *widened*: all it points to counts as escaped, and the node points to the unknown object, which stands for
// all that escaped.
//
// Soundness: inclusions are only ever added, each rule is monotone, and every place that replaces another
// covers it. Pointers move in pieces of at least 8 bytes: a pointer copied byte by byte with scalar loads
// and stores of one byte is not followed.
#pragma once

#include "analysis/objects.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/SparseBitVector.h"
#include "llvm/IR/DataLayout.h"

#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace heddle {

using NodeId = uint32_t;
using LocationId = uint32_t;
using LocationSet = llvm::SparseBitVector<>;

struct Location {
  ObjectId object = 0;
  Place place;
  bool operator==(const Location&) const = default;
};

class Solver {
public:
  explicit Solver(const llvm::DataLayout& layout) : layout_(layout) {}

  std::vector<MemoryObject>& objects() { return objects_; }
  const std::vector<MemoryObject>& objects() const { return objects_; }
  ObjectId add_object(MemoryObject object);

  NodeId add_node();
  void add_address(NodeId node, ObjectId object, const Place& place);
  void add_copy(NodeId from, NodeId to);
  // `to` gets what `from` points to, moved by a constant.
  void add_offset(NodeId from, NodeId to, int64_t bytes);
  // ... moved by any multiple of `stride`; `count` elements from there on when not 0.
  void add_index(NodeId from, NodeId to, uint64_t stride, uint64_t count);
  // ... to anywhere in the same objects.
  void add_anywhere(NodeId from, NodeId to);
  // ... rounded down to a multiple of `alignment`.
  void add_align(NodeId from, NodeId to, uint64_t alignment);
  // Pointer-sized loads and stores at `bytes` from the address.
  void add_load(NodeId to, NodeId address, int64_t bytes = 0);
  void add_store(NodeId address, NodeId value, int64_t bytes = 0);
  // Copies `length` bytes (unknown_size: any number) with all pointers in them.
  void add_memory_copy(NodeId to, NodeId from, uint64_t length);
  // Calls `react` once for every location that reaches `node`.
  void add_listener(NodeId node, std::function<void(const Location&)> react);

  // What is stored at a location (to add to), and what a load there sees.
  NodeId stored_at(ObjectId object, const Place& place);
  NodeId seen_at(ObjectId object, const Place& place);

  // A pointer to an object of which `has_twin` is true becomes one to its twin when it is stored into an
  // object of which `is_shared` is true. Set before any constraint is added.
  void set_twins(std::function<ObjectId(ObjectId)> twin, std::function<bool(ObjectId)> shared);

  // Pointers to `object` stand for everything that reaches the node `held`: storing through them adds to it,
  // loading gives what is in `anything`. Set before any constraint is added.
  void set_unknown(ObjectId object, NodeId held, NodeId anything);

  void solve();

  NodeId find(NodeId node) const;
  const LocationSet& points_to(NodeId node) const { return nodes_[find(node)].pointees; }
  const Location& location(LocationId id) const { return locations_[id]; }
  // Objects that anything in the object's cells points to.
  void collect_contents(ObjectId object, llvm::SparseBitVector<>& result) const;

  size_t node_count() const { return nodes_.size(); }
  size_t location_count() const { return locations_.size(); }
  size_t copy_count() const { return copy_edges_.size(); }
  size_t constraint_count() const { return constraints_; }
  size_t rounds() const { return rounds_; }
  size_t widened() const { return widened_; }

private:
  static constexpr ObjectId transfer_bit = 0x80000000; // pseudo objects in the middle of memory copies

  // Moves of one kind by one distance; where they take each location is worked out once.
  struct Shape {
    enum class Kind : uint8_t { Offset, Runaway, Index, Anywhere, Align, Twin } kind;
    int64_t bytes = 0;
    uint64_t count = 0;
    bool operator<(const Shape& other) const {
      return std::tie(kind, bytes, count) < std::tie(other.kind, other.bytes, other.count);
    }
  };
  using Results = std::vector<LocationId>; // by location; number + 1, 0: not known yet
  struct Move {
    const Shape* shape;
    Results* results;
    NodeId to;
    bool cyclic = false;                                           // what it produces may come back to it
    uint32_t produced = 0;                                         // new results of a cyclic Offset so far
    std::unique_ptr<llvm::DenseMap<ObjectId, uint32_t>> by_object; // the same per object, when many
  };
  struct Access {
    NodeId value;
    int64_t bytes;
    bool store;
    bool active; // a store of a value that is still empty makes no cells
  };
  struct Reaction {
    enum class Kind : uint8_t { Listener, CopySource, CopyTarget } kind;
    uint32_t index;
  };
  // Constraints of a node that have seen the same part of its set. New ones, and those of a node that is
  // merged in, start as groups of their own and join the others once they have caught up.
  struct Moves {
    LocationSet seen;
    std::vector<Move> moves;
  };
  struct Expansions {
    LocationSet seen;
    std::vector<Access> accesses;
    std::vector<Reaction> reactions;
  };
  struct Node {
    LocationSet pointees, propagated;
    std::vector<NodeId> copies;
    std::list<Moves> moves;
    std::list<Expansions> expansions;
    bool wide = false;       // see widen()
    bool grown = false;      // since the last wave
    bool unexpanded = false; // since the last expansion
  };
  struct MemoryCopy {
    ObjectId transfer;
    uint64_t length;
    std::vector<LocationId> targets;
    llvm::DenseSet<LocationId> known_sources, known_targets;
  };
  struct Listener {
    std::function<void(const Location&)> react;
    llvm::DenseSet<LocationId> known;
  };
  struct PendingCopy { // of a cell in which there is nothing yet
    uint32_t copy;
    LocationId from, cell;
  };
  struct Watcher { // of new cells in an object
    uint32_t copy;
    LocationId from;
  };
  struct Cell {
    LocationId location;
    NodeId stored; // where stores put their values
    NodeId kept;   // the same, with pointers to twins in place of published ones
    NodeId seen;   // what loads get
  };
  struct Contents {
    std::vector<Cell> cells;
    std::vector<Watcher> watchers;
    // Odd: at offsets where structures have few fields.
    uint32_t exact_locations = 0, odd_locations = 0, strided_locations = 0;
  };
  struct LocationHash {
    size_t operator()(const Location& l) const;
  };

  LocationId intern(ObjectId object, Place place);
  Place normal(ObjectId object, Place place);
  Place limited(ObjectId object, const Place& place);
  std::optional<std::pair<int64_t, int64_t>> array_bounds(ObjectId object, const Place& place,
                                                          uint64_t stride) const;
  void add_move(NodeId from, NodeId to, const Shape& shape);
  LocationId apply(LocationId from, const Shape& shape);
  LocationId applied(LocationId from, const Shape& shape, Results& results);
  void grow(NodeId node, const LocationSet& by);
  Expansions& fresh_expansions(NodeId node);
  void widen(NodeId id);
  LocationSet take_moved();
  void push(NodeId id);
  LocationId move(LocationId from, Move& how, LocationSet& target);
  LocationId move_align(const Location& from, uint64_t alignment);
  LocationId move_offset(const Location& from, int64_t bytes);
  LocationId move_index(const Location& from, uint64_t stride, uint64_t count);
  Cell make_cell(const Location& where, LocationId id);
  Cell& cell(LocationId id);
  void connect(const Cell& fresh, Contents& contents);
  void copy_from(uint32_t copy, LocationId from, const Cell& cell);
  void copy_to(uint32_t copy, LocationId to, const Cell& transfer);
  void access(LocationId location, const Access& access);
  bool wake();
  void expand(NodeId node);
  void expand(const Expansions& group, const LocationSet& fresh);
  void react(const Reaction& reaction, LocationId location);
  void collapse_cycles();
  void order_nodes();
  void merge(NodeId into, NodeId other);
  bool propagate();

  const llvm::DataLayout& layout_;
  std::vector<MemoryObject> objects_;
  std::deque<Node> nodes_; // a node stays where it is when others are added
  mutable std::vector<NodeId> representative_;
  std::vector<Location> locations_;
  std::unordered_map<Location, LocationId, LocationHash> location_ids_;
  llvm::DenseMap<LocationId, std::pair<ObjectId, uint32_t>> cell_index_;
  std::unordered_map<ObjectId, Contents> contents_;
  llvm::DenseSet<std::pair<NodeId, NodeId>> copy_edges_;
  std::vector<MemoryCopy> copies_;
  std::vector<PendingCopy> pending_copies_;
  std::vector<Listener> listeners_;
  std::optional<ObjectId> unknown_;
  NodeId held_ = 0, anything_ = 0;
  std::map<Shape, Results> shapes_;
  std::vector<uint64_t> moved_; // results of one move, as bits
  std::function<ObjectId(ObjectId)> twin_;
  std::function<bool(ObjectId)> shared_;
  std::vector<NodeId> order_;
  std::vector<NodeId> expanding_; // nodes with accesses or reactions
  bool edges_changed_ = false;
  size_t constraints_ = 0, rounds_ = 0, widened_ = 0;
  size_t most_locations_ =
      SIZE_MAX; // from there on new places are "anywhere", so that large programs end in time
};

} // namespace heddle
