// From a prepared program to what the planner reads: one CutGraph per packet body.
#pragma once

#include "analysis/cut_graph.h"
#include "analysis/locations.h"
#include "analysis/points_to.h"

#include <functional>

namespace heddle {

struct AnalysisOptions {
  std::function<bool(BlockId)> hot;  // did a packet of the sample run this block? Null: every call is opened.
  std::function<bool(BlockId)> rare; // do so few packets run this block that they may run alone? Null: none.
  std::function<double(BlockId)> code_lines; // instruction-cache lines of a block's code; null: not known
  // When the sample's packets ran a block; null: not known.
  std::function<std::optional<RunSpan>(BlockId)> spans;
  LocationOptions locations; // with what the user declares
  PointsToOptions points_to;
};

struct Analysis {
  std::vector<CutGraph> graphs; // one per Program::bodies
  std::unique_ptr<PointsTo> points_to;
  std::vector<Remark> remarks; // what the analysis had to assume: externals, inline assembly, casts
};

llvm::Expected<Analysis> analyse(const Program& program, const BlockTable& blocks,
                                 const AnalysisOptions& options);

} // namespace heddle
