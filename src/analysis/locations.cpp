// From accesses to verdicts.
//
// Problem: name the locations that packets share and decide, for each, whether a cut may divide its accesses.
// Alternatives: one location per object (simple, but a session record is one object and its fields are used
// all along the path), or one per field of the declared type (types lie in C). Choice: one location per range
// of bytes that the body writes, with every access that may overlap it. Two reads that overlap different
// writes end in different locations; two that overlap one write end in one. Equality of stages is transitive,
// so the union over these locations is exactly the union over all conflicting pairs.
//
// Sound because accesses come from an inclusion-based points-to analysis (each run-time access is in its
// static access's set) and because everything that is not a relaxed location becomes a window.
//
// Relaxations decided here, each of which can be switched off by name:
//   read-only       no access of the body to the range writes. Then order cannot be observed.
//   packet-private  sharing.h; the packet's own element of an array: induction.h.
//   allocator       the system location of the same name: what differs is which addresses come back.
//   commutative     every access to the range is part of an update by one and the same commutative operation
//                   on the same bytes, whose old value is used for nothing else (effects_updates.h). Any order
//                   gives the same final value, and nothing in the body observes another one.
//   commuting       every access to the range is made within calls of one group of functions that the user declared
//                   to commute (commuting.h).
//   declared        the user says that the location needs no window.
//   keyed           the user says that packets with different keys do not meet here, or the program shows it (inferred_keys.h),
//                   and every access is made by a packet that has claimed its key (keys.h). The runtime keeps packets
//                   with one key in order.
//   scratch, errno   scratch.cpp.
//   lock            every access to the range is made by a lock function, and no packet is suspended while it holds a
//                   lock (locks.cpp).
//   deferred-output  channels.cpp.
//   received-ahead  a datagram that a packet receives before an earlier packet's output is made is the one that it
//                   would have received after it: a queue gives its head, whatever is put behind; and where the
//                   queue is empty the runtime has all earlier packets end before the call is made
//                   (src/runtime/receive.cpp). The other way round does not hold, because a program may send when
//                   it has received: no output may lie in a stage before a receive.
//   time            clocks are only read. The readings of one packet are in order; those of two packets need not
//                   be, as if the machine had been quicker with the later one.
//   abnormal-exit   abort, failed assertions, traps: a program that crashes has no outputs to compare.
//   rare-path       accesses in rare code are made by a packet that is alone: all before it have ended, and none
//                   after it goes on until it has ended. So they can only pass what later packets did in stages
//                   already behind. They are left out of windows; instead, no common access that conflicts may
//                   lie in a stage before that of the rare one (CutGraph, condense.cpp).
#include "analysis/locations.h"

#include "analysis/channels.h"
#include "analysis/exits.h"
#include "analysis/hints.h"
#include "analysis/induction.h"
#include "analysis/location_accesses.h"
#include "analysis/location_keys.h"
#include "analysis/location_names.h"
#include "analysis/locks.h"
#include "analysis/loop_control.h"
#include "analysis/names.h"
#include "analysis/scratch.h"
#include "program/modelled.h"
#include "program/own_objects.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>
#include <map>
#include <set>

namespace heddle {

namespace {

constexpr const char* locks_are_let_go =
    "only used by calls that take and release locks, and no packet holds one at a site";
constexpr size_t named_parts = 64; // of one location: fields

class Finder {
public:
  Finder(const BodyGraph& graph, const PacketBody& body, const Effects& effects, const AccessTable& table,
         const Sharing& sharing, const LocationOptions& options)
      : graph_(graph), body_(body), effects_(effects), points_to_(effects.points_to()), sharing_(sharing),
        options_(options), table_(table), exits_(table_, effects),
        scratch_(body, options.bodies, effects, sharing, table_, exits_),
        accesses_(body, table, options.spans), keys_(table_, accesses_, points_to_, options_),
        names_(effects.points_to().module()) {
    if (!body.is_callback()) induction_.emplace(*body.body);
  }

  Locations run() {
    loop_control();
    if (options_.observed) {
      auto ran = [&](const llvm::BasicBlock* block) { return !options_.spans || options_.spans(block); };
      llvm::append_range(result_.all, observed_locations(graph_, body_, effects_, *options_.observed, ran));
      return std::move(result_);
    }
    ChannelOptions output;
    output.defer = on("deferred-output");
    output.receive_ahead = on("received-ahead");
    output.fixed = options_.fixed;
    channels_ = find_channels(graph_, effects_, table_, output);
    for (const Channel& channel : channels_.all)
      add_channel(channel);
    if (on("received-ahead")) received_ahead();
    for (ObjectId object : table_.objects()) {
      const MemoryObject& memory = points_to_.objects()[object];
      if (memory.kind == ObjectKind::System)
        system(memory);
      else if (memory.kind == ObjectKind::Function)
        continue;
      else if (own_slot(memory))
        continue;
      else if (sharing_.is_private(object) && on("packet-private"))
        packet_private(memory);
      else if (auto twin = sharing_.twins().find(object); twin != sharing_.twins().end())
        published(memory, points_to_.objects()[twin->second]);
      else if (!scratch(memory))
        shared(memory);
    }
    result_.kept = std::move(channels_.kept);
    return std::move(result_);
  }

private:
  bool on(llvm::StringRef relaxation) const { return !options_.without.contains(relaxation); }

  void loop_control() {
    SharedLocation location;
    location.name = "control of the packet loop";
    location.verdict = "window";
    const llvm::Instruction* start = body_.body->getEntryBlock().getFirstNonPHIOrDbg();
    accesses_.touch(location, graph_.entry, start, true, false);
    std::set<std::string> ways, can_be_late;
    SharedLocation jumps;
    jumps.name = "jumps out of the packet loop";
    const Declaration* no_jump = declared(jumps.name, {});
    std::map<std::string, SharedLocation>
        late; // exits that the user lets come after later packets' first stages
    for (const LoopExit& exit : loop_exits(graph_, body_, table_, points_to_)) {
      if (options_.observed && !is_taken(exit)) continue;
      if (!exit.late.empty() && declared(exit.late, {})) {
        late[exit.late].name = exit.late;
        accesses_.touch(late[exit.late], exit.node, exit.at, true, exit.rare);
        continue;
      }
      if (!exit.late.empty()) can_be_late.insert(exit.late);
      if (exit.jumps && no_jump) {
        accesses_.touch(jumps, exit.node, exit.at, true, exit.rare);
        continue;
      }
      accesses_.touch(location, exit.node, exit.at, true, exit.rare);
      ways.insert(std::string(exit.how) + (exit.rare ? " on a rare path" : ""));
    }
    accesses_.merge_by_node(location);
    location.reason = "the next packet may start only when this one cannot leave the loop any more";
    for (const std::string& way : ways)
      location.reason += "; a packet " + way;
    location.would_free = "nothing, unless the exits were decided in the first stage";
    if (!can_be_late.empty())
      location.would_free +=
          "; declared, where packets that were received by then may be handled before the loop is "
          "left: " +
          llvm::join(can_be_late, ", ");
    result_.all.push_back(std::move(location));
    for (auto& [name, exits] : late) {
      accesses_.merge_by_node(exits);
      relax(exits, *declared(name, {}));
    }
    if (jumps.accesses.empty()) return;
    accesses_.merge_by_node(jumps);
    relax(jumps, *no_jump);
  }

  // All others are what may happen; the checker sees them if they do.
  bool is_taken(const LoopExit& exit) const { return llvm::is_contained(graph_.leaving, exit.node); }

  // What an untraced pointer reaches may be any shared location, read-only ones included: one window of all.
  void untraced(SharedLocation location, const MemoryObject& object) {
    std::vector<uint32_t> keys = table_.keys_of(object.id);
    for (ObjectId other : table_.objects())
      if (points_to_.objects()[other].kind != ObjectKind::System && sharing_.is_shared(other))
        llvm::append_range(keys, table_.keys_of(other));
    accesses_.touch_all(location, keys);
    if (const Declaration* declaration = declared_memory(location.name, {}))
      return relax(location, *declaration);
    location.verdict = verdict_of(location);
    location.reason = "a pointer to which the analysis knows of no assignment may reach any of it";
    location.would_free =
        "an assignment that the analysis sees: the remarks untraced-pointer name the pointers";
    result_.all.push_back(std::move(location));
  }

  void system(const MemoryObject& object) {
    if (object.system == SystemLocation::ProcessExit) return; // part of the loop's control
    SharedLocation location;
    location.name = system_location_name(object.system).str();
    if (object.system == SystemLocation::Untraced) return untraced(std::move(location), object);
    if (holds_channels(object.system)) return; // add_channel
    std::vector<uint32_t> keys = table_.keys_of(object.id);
    // A call that is kept leaves errno as it is.
    if (object.system == SystemLocation::Errno && !channels_.some_stay)
      llvm::erase_if(keys,
                     [&](uint32_t key) { return table_.keys()[key].deferrable && !table_.keys()[key].rare; });
    if (keys.empty()) return;
    if (object.system == SystemLocation::Errno && own_errno(location, keys)) return;
    accesses_.touch_all(location, keys);
    if (object.system == SystemLocation::Errno) keep_errno_in_first_stage(location);
    if (!location.accesses.empty() && exits_.show(object)) add_exits(location);
    switch (object.system) {
    case SystemLocation::Allocator:
      if (on("allocator")) {
        relax(location, "allocator", "only the addresses that the allocator returns can differ");
        return;
      }
      break;
    case SystemLocation::AbnormalExit:
      if (on("abnormal-exit")) {
        relax(location, "abnormal-exit",
              "a program that crashes here has no further output to keep in order");
        return;
      }
      break;
    case SystemLocation::TransmitPort:
      location.would_free = "nothing: what the port does not take, the program has to keep or to free";
      break;
    case SystemLocation::External:
      location.would_free = "a model of the external functions listed under remarks";
      break;
    case SystemLocation::Time:
      if (on("time") && nothing_writes(location)) {
        relax(location, "time", "clocks are only read; readings of two packets may be out of order");
        return;
      }
      location.would_free = "nothing: the order of two packets' readings could be observed from outside";
      break;
    case SystemLocation::Lock:
      if (llvm::all_of(
              keys, [&](uint32_t key) { return table_.keys()[key].rare || (groups_of(key) & lock_group); }))
        return relax(location, "lock", locks_are_let_go);
      location.would_free = "lock, but " + (options_.locks_obstacle.empty()
                                                ? "not all of these calls are known to take or to release one"
                                                : options_.locks_obstacle);
      break;
    case SystemLocation::Errno:
      break; // own_errno
    default:
      location.would_free = "nothing: the order of these operations can be observed from outside";
    }
    if (const Declaration* declaration = declared(location.name, {})) return relax(location, *declaration);
    if (const KeyedBy by = keys_.declared(location.name, {}, nullptr, keys); by.is_proven())
      return key(location, by);
    if (nothing_writes(location)) {
      if (on("read-only") && object.system != SystemLocation::Time)
        return relax(location, "read-only", "nothing in the body changes it");
    } else if (only_rare_code_writes(location)) {
      return relax(location, "rare-path", "only packets that run alone change it");
    }
    location.verdict = "window";
    location.reason = "the order in which packets use it can be observed from outside";
    result_.all.push_back(std::move(location));
  }

  void add_channel(const Channel& channel) {
    SharedLocation location;
    location.name = channel.name;
    accesses_.touch_all(location, channel.keys);
    const bool common = llvm::any_of(location.accesses, [](const LocationAccess& a) { return !a.rare; });
    if (channel.deferred && common)
      return relax(location, "deferred-output",
                   "its calls are kept with the packet and made in packet order: " + kept_calls(location));
    if (exits_.show(points_to_.objects()[channel.object])) add_exits(location);
    if (const Declaration* declaration = declared(location.name, {})) return relax(location, *declaration);
    if (only_rare_code_writes(location))
      return relax(location, "rare-path", "only packets that run alone change it");
    if (const KeyedBy by = keys_.declared(location.name, {}, nullptr, channel.keys); by.is_proven())
      return key(location, by);
    location.verdict = "window";
    location.reason = "the order in which packets use it can be observed from outside";
    location.would_free =
        channel.received ? "nothing: packets receive in order" : "deferred-output, but " + channel.obstacle;
    result_.all.push_back(std::move(location));
  }

  // What packets receive against what they send.
  void received_ahead() {
    SharedLocation location;
    bool sends = false;
    for (uint32_t key : table_.keys_of(points_to_.system_object(SystemLocation::FileDescriptor))) {
      const AccessKey& known = table_.keys()[key];
      const bool receives = known.flow == Flow::Receives;
      if (!receives && (known.flow != Flow::Sends || known.rare)) continue;
      for (const AccessTable::Carrier& carrier : table_.carriers(key)) {
        accesses_.touch(location, carrier.node, carrier.at, true, known.rare);
        location.accesses.back().receives = receives;
      }
      sends |= !receives;
    }
    if (!sends || llvm::none_of(location.accesses, [](const LocationAccess& a) { return a.receives; }))
      return;
    // Whoever says that the order of all that is done to descriptors is free means this order, too.
    if (declared(system_location_name(SystemLocation::FileDescriptor), {})) return;
    location.name = "datagrams received against output";
    relax(location, "received-ahead",
          "the next datagram is the same before an earlier packet's output and after it; where there is "
          "none, the packets before it end first");
  }

  // Where the accesses are, as the location names them.
  static std::string kept_calls(const SharedLocation& location) {
    constexpr size_t most = 4;
    std::set<std::string> places;
    for (const LocationAccess& access : location.accesses)
      if (!access.rare && !access.at.empty()) places.insert(access.at.str() + " in " + access.function.str());
    for (const SampledAccess& access :
         location.sampled) // where there are so many accesses that these have no names
      if (access.write && places.empty()) places.insert(access.at + " in " + access.function);
    std::string text;
    size_t named = 0;
    for (const std::string& place : places) {
      if (named == most) break;
      text += (named++ ? ", " : "") + place;
    }
    if (places.size() > most) text += " and " + std::to_string(places.size() - most) + " more";
    return text;
  }

  // Exits are accesses to what is seen after them: as writes, because they end all that comes later.
  void add_exits(SharedLocation& location) {
    for (const Exits::Exit& exit : exits_.all())
      accesses_.touch(location, exit.node, exit.at, true, exit.rare);
    accesses_.merge_by_node(location);
  }

  static bool nothing_writes(const SharedLocation& location) {
    return llvm::none_of(location.accesses, [](const LocationAccess& a) { return a.write; });
  }
  static bool only_rare_code_writes(const SharedLocation& location) {
    return llvm::none_of(location.accesses, [](const LocationAccess& a) { return a.write && !a.rare; });
  }
  static const char* verdict_of(const SharedLocation& location) {
    return only_rare_code_writes(location) ? "rare-path" : "window";
  }

  // What the user says of it; null: nothing.
  const Declaration* declared(llvm::StringRef name, llvm::StringRef object) const {
    return on("declared") ? declared("declared", name, object) : nullptr;
  }
  // Likewise of what is reached by memory, which may be declared all at once.
  const Declaration* declared_memory(llvm::StringRef name, llvm::StringRef object) const {
    if (const Declaration* declaration = declared(name, object)) return declaration;
    for (const Declaration& declaration : options_.declarations.all)
      if (on("declared") && declaration.is_of_all_memory() && !is_meant(declaration, name, object))
        return &declaration;
    return nullptr;
  }
  const Declaration* declared(llvm::StringRef kind, llvm::StringRef name, llvm::StringRef object) const {
    for (const Declaration& declaration : options_.declarations.all)
      if (declaration.kind == kind && !declaration.is_of_all_memory() && is_meant(declaration, name, object))
        return &declaration;
    return nullptr;
  }
  void relax(SharedLocation& location, const Declaration& declaration) {
    relax(location, "declared", options_.declarations.place(declaration) + ": " + declaration.why);
  }

  // The location is that of the packets with one key.
  void key(SharedLocation& location, const KeyedBy& by) {
    auto known = llvm::find_if(result_.keys, [&](const CutKey& key) { return key.number == by.number; });
    location.key = uint32_t(known - result_.keys.begin());
    if (known == result_.keys.end()) {
      auto claims = [&](Keys::Claimed where) { return options_.keys->claims(by.number, where); };
      result_.keys.push_back({by.number, by.name, claims(Keys::Claimed::InCommonCode),
                              claims(Keys::Claimed::InRareCode), claims(Keys::Claimed::FreshInRareCode),
                              by.inferred});
    }
    for (LocationAccess& access : location.accesses) {
      access.fresh = options_.keys->claimed_fresh(access.node, by.number);
      access.claimed = access.rare && (options_.keys->claimed(access.node) >> by.number & 1);
    }
    relax(location, "keyed", by.reason);
  }

  void relax(SharedLocation& location, llvm::StringRef verdict, std::string reason) {
    location.verdict = verdict.str();
    location.reason = std::move(reason);
    result_.all.push_back(std::move(location));
  }

  void packet_private(const MemoryObject& object) {
    if (object.kind == ObjectKind::Stack) return; // every function has some: not worth a line each
    SharedLocation location;
    location.name = name_of(object);
    accesses_.touch_all(location, table_.keys_of(object.id));
    const bool own = object.site && points_to_.own_objects() && is_own_object(*object.site);
    relax(location, "packet-private",
          object.kind == ObjectKind::Packet ? "the packet's own buffer; nothing shared holds its address"
          : own                             ? "made for one packet in flight, as heddle.toml says"
                                            : "made in the body; nothing shared holds its address");
  }

  // Where a packet finds an object of its own: part of how the user's statement is kept, whatever the analysis knows of it.
  bool own_slot(const MemoryObject& object) {
    const auto* slot = llvm::dyn_cast_or_null<llvm::GlobalVariable>(object.site);
    if (!slot || !points_to_.own_objects()) return false;
    const Declaration* declaration = declaration_of_slot(options_.declarations, slot->getName());
    if (!declaration) return false;
    SharedLocation location;
    location.name = "what " + llvm::join(declaration->names, " and ") + " points to";
    accesses_.touch_all(location, table_.keys_of(object.id));
    result_.scratch.push_back(scratch_.describe(object, false));
    result_.scratch_sites.push_back(object.site);
    relax(location, "scratch", options_.declarations.place(*declaration) + ": " + declaration->why);
    return true;
  }

  // Copies for packets in flight, where they would free a window.
  bool scratch(const MemoryObject& object) {
    not_scratch_.clear();
    if (!scratch_.outlives_packets(object)) return false;
    not_scratch_ = on("scratch") ? "another packet loop needs what it finds there" : "the relaxation is off";
    if (!on("scratch") || options_.not_scratch.contains(object.site)) return false;
    const std::vector<uint32_t>& keys = table_.keys_of(object.id);
    auto changed = [&](uint32_t key) { return table_.keys()[key].write && !table_.keys()[key].rare; };
    if (llvm::none_of(keys, changed)) return false;
    SharedLocation location;
    location.name = name_of(object);
    const Declaration* declaration = declared("scratch", location.name, {});
    not_scratch_ = scratch_.obstacle(object, declaration != nullptr);
    if (!not_scratch_.empty()) return false;
    if (!declaration) not_scratch_ = scratch_.exposed(object);
    if (!not_scratch_.empty()) return false;
    accesses_.touch_all(location, keys);
    result_.scratch.push_back(scratch_.describe(object, declaration != nullptr));
    result_.scratch_sites.push_back(object.site);
    relax(location, "scratch",
          declaration ? options_.declarations.place(*declaration) + ": " + declaration->why
                      : "every packet writes it before reading it, and nothing else reads it: each in flight "
                        "has a copy");
    return true;
  }

  bool own_errno(SharedLocation& location, llvm::ArrayRef<uint32_t> keys) {
    if (llvm::none_of(keys, [&](uint32_t key) { return table_.keys()[key].write; })) return false;
    const Declaration* declaration = on("scratch") ? declared("scratch", location.name, {}) : nullptr;
    const std::string exposed = declaration ? "" : scratch_.errno_exposed_to_packets();
    const std::string outside =
        !declaration && exposed.empty() && on("errno") ? scratch_.errno_exposed_outside() : "";
    errno_is_handed_on_ = !exposed.empty();
    if (!on("errno")) return false;
    if (!exposed.empty() || !outside.empty()) {
      location.would_free = "errno, but " + exposed + outside;
      return false;
    }
    accesses_.touch_all(location, keys);
    result_.own_errno = true;
    relax(
        location, "errno",
        declaration
            ? options_.declarations.place(*declaration) + ": " + declaration->why
            : "every packet that reads it has set it before, or a call of its has failed: each has its own");
    return true;
  }

  // A gate restores errno for the packet that has come there, as after a call of its that failed. Where a packet may read
  // what an earlier one left, that is right only if those before it have nothing to do with errno any more.
  void keep_errno_in_first_stage(SharedLocation& location) {
    if (!errno_is_handed_on_ || llvm::none_of(graph_.nodes, [](const BodyNode& node) { return node.rare; }))
      return;
    for (LocationAccess& access : location.accesses)
      access.rare = false;
    accesses_.touch(location, graph_.entry, body_.body->getEntryBlock().getFirstNonPHIOrDbg(), true, false);
    accesses_.merge_by_node(location);
  }

  bool overlap(uint32_t a, uint32_t b) const {
    const AccessKey &x = table_.keys()[a], &y = table_.keys()[b];
    // Two accesses to named objects that have escaped: whether they meet is told under those objects.
    if (x.implied && y.implied) return false;
    return may_overlap(x.place, x.size, y.place, y.size);
  }
  // Can the order of two accesses matter, one of which writes? Within calls of one group it does not.
  bool conflict(uint32_t a, uint32_t b) const { return overlap(a, b) && !(groups_of(a) & groups_of(b)); }
  GroupSet groups_of(uint32_t key) const {
    return table_.keys()[key].groups & ~(options_.locks_obstacle.empty() ? 0 : lock_group);
  }

  void shared(const MemoryObject& object) {
    const std::vector<uint32_t>& keys = table_.keys_of(object.id);
    std::vector<uint32_t> writes, unwritten;
    for (uint32_t key : keys)
      if (table_.keys()[key].write) writes.push_back(key);
    for (uint32_t key : keys)
      if (!table_.keys()[key].implied &&
          llvm::none_of(writes, [&](uint32_t write) { return overlap(write, key); }))
        unwritten.push_back(key);

    if (!unwritten.empty() && !object.constant) {
      SharedLocation location;
      location.name = writes.empty() ? name_of(object) : name_of(object) + ", fields that are only read";
      accesses_.touch_all(location, unwritten);
      if (on("read-only"))
        relax(location, "read-only", "nothing in the body writes it");
      else
        window(std::move(location), object, unwritten, KeyedBy());
    }
    const bool shown_at_exit = !exits_.all().empty() && exits_.show(object);
    // Ranges with the same accesses are one location.
    std::map<Who, size_t> known; // index into result_
    for (uint32_t write : writes) {
      if (table_.keys()[write].rare) continue;
      std::vector<uint32_t> members;
      for (uint32_t key : keys)
        if (key == write || conflict(write, key)) members.push_back(key);
      if (table_.keys()[write].implied && members.size() == 1) continue;
      const GroupSet commuting = members.size() == 1 ? groups_of(write) : 0;
      if (commuting) members = overlapping(write, keys);
      bool commutative = on("commutative") && commutes(members);
      LocationName name = name_range(object, write, members);
      const Declaration* declaration = declared_memory(name.full, name.object);
      KeyedBy keyed_by;
      InferredKeys::Roots roots;
      if (!shown_at_exit || exits_.all_rare()) {
        keyed_by = keys_.declared(name.full, name.object, &object, members);
        if (keyed_by.name.empty()) keyed_by = keys_.inferred(write, members, roots);
      }
      const bool own = !shown_at_exit && on("packet-private") && own_elements(write);
      Who who{accesses_.units_of(members),
              commutative,
              accesses_.ran(members),
              own,
              commuting,
              declaration,
              keyed_by,
              roots};
      auto [place, fresh] = known.try_emplace(std::move(who), result_.all.size());
      if (!fresh) {
        add_range(result_.all[place->second], name, members);
        continue;
      }
      SharedLocation location;
      location.name = name.full;
      location.object = name.object;
      location.parts.push_back(name.part);
      accesses_.touch_all(location, members);
      if (shown_at_exit) add_exits(location);
      if (commutative && !shown_at_exit)
        relax(location, "commutative", "only updated by one commutative operation, and never read");
      else if ((commuting & lock_group) && !shown_at_exit)
        relax(location, "lock", locks_are_let_go);
      else if (commuting && !shown_at_exit)
        relax(location, "commuting", options_.groups->reason(commuting));
      else if (declaration)
        relax(location, *declaration);
      else if (commutative && exits_.all_rare())
        relax(location, "rare-path", "only updated by one commutative operation, and read by exit handlers");
      else if (commuting && exits_.all_rare())
        relax(location, "rare-path", options_.groups->reason(commuting) + "; and read by exit handlers");
      else if (own)
        relax(location, "packet-private", "each packet touches its own element only");
      else if (keyed_by.is_proven()) {
        if (keyed_by.inferred) location.would_free = hint(location, object, members);
        key(location, keyed_by);
      } else {
        window(std::move(location), object, members, keyed_by);
        if (!roots.empty()) result_.roots.push_back({result_.all.size() - 1, std::move(roots)});
      }
    }
    written_by_rare_code(object, keys, writes, shown_at_exit);
  }

  // A packet writes its own element of an array of results, at the number that it has in the batch. The table names one
  // instruction of a block for several with the same access, so this looks at all that the body may run.
  bool own_elements(uint32_t write) {
    if (!induction_) return false;
    const AccessKey& key = table_.keys()[write];
    if (key.implied || !induction_->element_written(key.object, effects_)) return false;
    std::vector<const llvm::Instruction*> accesses;
    for (const llvm::Function* function : effects_.reach(*body_.body))
      for (const llvm::BasicBlock& block : *function)
        for (const llvm::Instruction& instruction : block)
          for (const Access& access : effects_.of(instruction))
            if (access.object == key.object && may_overlap(access.place, access.size, key.place, key.size)) {
              accesses.push_back(&instruction);
              break;
            }
    return touch_own_elements(*induction_, accesses);
  }

  std::vector<uint32_t> overlapping(uint32_t with, llvm::ArrayRef<uint32_t> keys) const {
    std::vector<uint32_t> result;
    for (uint32_t key : keys)
      if (key == with || overlap(with, key)) result.push_back(key);
    return result;
  }

  // Rare writes against the common accesses that they conflict with: among each other, rare accesses keep their
  // order. Those that meet the same common accesses are one location.
  void written_by_rare_code(const MemoryObject& object, llvm::ArrayRef<uint32_t> keys,
                            llvm::ArrayRef<uint32_t> writes, bool shown_at_exit) {
    std::map<std::vector<uint64_t>, std::vector<uint32_t>> by_common; // units -> the accesses of the location
    for (uint32_t write : writes) {
      if (!table_.keys()[write].rare) continue;
      std::vector<uint32_t> common;
      for (uint32_t key : keys)
        if (!table_.keys()[key].rare && conflict(write, key)) common.push_back(key);
      if (common.empty()) continue;
      std::vector<uint32_t>& members = by_common[accesses_.units_of(common)];
      members.push_back(write);
      llvm::append_range(members, common);
    }
    for (auto& [units, members] : by_common) {
      llvm::sort(members);
      members.erase(std::unique(members.begin(), members.end()), members.end());
      if (on("commutative") && commutes(members)) continue; // told with the common writes
      SharedLocation location;
      LocationName name = name_range(object, members.front(), members);
      location.name = name.full;
      location.object = name.object;
      location.parts.push_back(name.part);
      accesses_.touch_all(location, members);
      if (declared_memory(name.full, name.object)) continue; // likewise
      KeyedBy by = keys_.declared(name.full, name.object, &object, members);
      if (by.name.empty()) by = keys_.inferred(members);
      if (by.is_proven() && !shown_at_exit) {
        if (by.inferred) location.would_free = hint(location, object, members);
        key(location, by);
        continue;
      }
      if (shown_at_exit) add_exits(location);
      relax(location, "rare-path", "this write is made by packets that run alone");
    }
  }

  struct Who {                   // makes the accesses of a location
    std::vector<uint64_t> units; // two bits each: common, rare
    bool commutative, ran, own;
    GroupSet commuting;
    const Declaration* declaration;
    KeyedBy keyed_by;
    InferredKeys::Roots roots;
    auto operator<=>(const Who&) const = default;
  };

  LocationName name_range(const MemoryObject& object, uint32_t write, llvm::ArrayRef<uint32_t> members) {
    const Place& place = table_.keys()[write].place;
    std::vector<const llvm::Instruction*> accesses;
    for (uint32_t member : members)
      if (table_.keys()[member].place == place && accesses.size() < named_accesses)
        for (const auto& [unit, at] : table_.made_by(member))
          accesses.push_back(at);
    LocationName name = names_.name(object, place, accesses);
    // The body is part of the function that holds the packet loop.
    std::string body = body_.body->getName().str();
    for (std::string* text : {&name.object, &name.full})
      if (size_t at = text->rfind(body); at != std::string::npos && !body_.function.empty())
        text->replace(at, body.size(), body_.function);
    return name;
  }

  void add_range(SharedLocation& location, const LocationName& name, llvm::ArrayRef<uint32_t> members) const {
    if (location.parts.size() < named_parts && !llvm::is_contained(location.parts, name.part))
      location.parts.push_back(name.part);
    accesses_.note_sample(location, members);
  }

  bool commutes(llvm::ArrayRef<uint32_t> members) const {
    const AccessKey& first = table_.keys()[members.front()];
    return first.update != UpdateOp::None && llvm::all_of(members, [&](uint32_t member) {
             const AccessKey& key = table_.keys()[member];
             return key.update == first.update && key.size == first.size;
           });
  }

  // `by`: a key that does not free it. Nobody knows of one that was inferred.
  void window(SharedLocation location, const MemoryObject& object, llvm::ArrayRef<uint32_t> members,
              const KeyedBy& by) {
    location.verdict = "window";
    location.reason = sharing_.is_shared(object.id) ? "written by one packet and used by others"
                                                    : "private to the packet, but that relaxation is off";
    location.would_free =
        by.obstacle.empty() || by.inferred ? hint(location, object, members) : "keyed, but " + by.obstacle;
    result_.all.push_back(std::move(location));
  }

  std::string hint(const SharedLocation& location, const MemoryObject& object,
                   llvm::ArrayRef<uint32_t> members) const {
    return what_would_free({object, table_, members, location, points_to_, sharing_, not_scratch_});
  }

  // A twin and its original: sharing.h.
  void published(const MemoryObject& twin, const MemoryObject& original) {
    llvm::DenseSet<const llvm::Instruction*> publications = sharing_.publications(original.id);
    std::vector<bool> after = reachable_from_publication(publications);
    SharedLocation location;
    location.name = name_of(original) + ", once published";
    bool writes = false;
    auto collect = [&](ObjectId object, bool only_after) {
      for (uint32_t key : table_.keys_of(object))
        for (const AccessTable::Carrier& carrier : table_.carriers(key)) {
          if (only_after && !after[carrier.node]) continue;
          writes |= table_.keys()[key].write;
          accesses_.touch(location, carrier.node, carrier.at, table_.keys()[key].write,
                          table_.keys()[key].rare);
        }
    };
    collect(twin.id, false);
    collect(original.id, true);
    accesses_.merge_by_node(location);
    if (!writes && on("read-only")) {
      relax(location, "read-only", "nothing in the body writes it after its address became shared");
      return;
    }
    if (const Declaration* declaration = declared(location.name, {})) return relax(location, *declaration);
    location.verdict = verdict_of(location);
    location.reason = "its address is stored in shared memory, and packets use it from there";
    location.would_free = "packet-private, if its address were not stored in shared memory";
    result_.all.push_back(std::move(location));
  }

  std::vector<bool> reachable_from_publication(const llvm::DenseSet<const llvm::Instruction*>& publications) {
    llvm::SmallPtrSet<const llvm::BasicBlock*, 16> blocks;
    llvm::SmallPtrSet<const llvm::Function*, 16> functions;
    for (const llvm::Instruction* instruction : publications) {
      blocks.insert(instruction->getParent());
      functions.insert(instruction->getFunction());
    }
    std::vector<uint32_t> work;
    std::vector<bool> after(graph_.nodes.size());
    auto reach = [&](uint32_t node) {
      if (after[node]) return;
      after[node] = true;
      work.push_back(node);
    };
    for (uint32_t n = 0; n != graph_.nodes.size(); ++n) {
      bool publishes = blocks.contains(graph_.nodes[n].block);
      for (const llvm::CallBase* call : graph_.nodes[n].closed_calls)
        for (const llvm::Function* callee : points_to_.callees(*call))
          publishes |= llvm::any_of(effects_.reach(*callee),
                                    [&](const llvm::Function* f) { return functions.contains(f); });
      if (publishes) reach(n);
    }
    std::vector<std::vector<uint32_t>> next(graph_.nodes.size());
    for (const BodyEdge& edge : graph_.edges)
      next[edge.from].push_back(edge.to);
    while (!work.empty()) {
      uint32_t node = work.back();
      work.pop_back();
      for (uint32_t to : next[node])
        reach(to);
    }
    return after;
  }

  const BodyGraph& graph_;
  const PacketBody& body_;
  const Effects& effects_;
  const PointsTo& points_to_;
  const Sharing& sharing_;
  const LocationOptions& options_;
  const AccessTable& table_;
  Exits exits_;
  Scratch scratch_;
  Channels channels_;
  LocationAccesses accesses_;
  LocationKeys keys_;
  LocationNames names_;
  std::optional<Induction> induction_; // none: a library runs the loop
  bool errno_is_handed_on_ = false;
  std::string not_scratch_; // of the object that is looked at
  Locations result_;
};

} // namespace

llvm::ArrayRef<llvm::StringRef> relaxation_names() {
  static const llvm::StringRef names[] = {"read-only", "packet-private", "allocator",       "commutative",
                                          "commuting", "declared",       "keyed",           "scratch",
                                          "errno",     "lock",           "deferred-output", "received-ahead",
                                          "time",      "abnormal-exit",  "rare-path"};
  return names;
}

Locations find_locations(const BodyGraph& graph, const PacketBody& body, const Effects& effects,
                         const AccessTable& table, const Sharing& sharing, const LocationOptions& options) {
  return Finder(graph, body, effects, table, sharing, options).run();
}

} // namespace heddle
