// Output channels: which of them need no window, because every call that writes to them can be kept with its
// packet and made in packet order.
#pragma once

#include "analysis/access_table.h"

#include "llvm/ADT/DenseSet.h"

#include <string>
#include <vector>

namespace heddle {

struct Channel {
  ObjectId object = 0;
  std::string name;
  std::vector<uint32_t> keys; // all accesses that may meet, in the table
  bool deferred = false;
  bool received = false; // holds nothing but datagrams that are received ahead (effects.h, Flow)
  std::string obstacle;  // why it is not, with source lines
};

struct ChannelOptions {
  bool defer = true;
  bool receive_ahead = true;
  // Calls that another body makes in its windows: they have to be made where they are.
  llvm::DenseSet<const llvm::CallBase*> fixed;
};

struct Channels {
  std::vector<Channel> all;
  // The calls that are kept, in common code of the body's functions; in module order.
  std::vector<const llvm::CallBase*> kept;
  // Of the calls that could be kept, some are not: what they do to errno counts.
  bool some_stay = false;
};

Channels find_channels(const BodyGraph& graph, const Effects& effects, const AccessTable& table,
                       const ChannelOptions& options);

// Is the location one that holds channels?
bool holds_channels(SystemLocation location);

} // namespace heddle
