// From a body's blocks to the rectangles of an icicle: the body at the top, what it calls below, blocks at the end of each column.
//
// Blocks lie in the order of their stages and, within one, of the time at which packets run them. Neighbours with the same callers share
// a rectangle, so a function that packets enter twice has two. What is narrower than a pixel is left to its caller's.

// weight(node): a block's width. Returns {rows, total, depth}: rectangles with x1, x2 (0 to total), level, and what they stand for.
export function icicle(plan, nodes, weight) {
  const chains = plan.contexts.map((_, index) => chain(plan, index));
  const total = nodes.reduce((sum, node) => sum + weight(node), 0);
  const least = total / 1500;
  const rows = [];
  const open = []; // the rectangle that is growing at each level
  let x = 0;
  const close = (level) => {
    for (const row of open.splice(level)) if (row && row.x2 - row.x1 >= least) rows.push(row);
  };
  for (const node of nodes) {
    const width = weight(node);
    const callers = chains[node.context];
    const names = [...callers, { key: `block ${node.context} ${node.block}`, name: node.function, node }];
    let level = 0;
    while (level < names.length && open[level]?.key === names[level].key && open[level].stage === node.stage) ++level;
    close(level);
    for (; level < names.length; ++level)
      open[level] = { ...names[level], level, stage: node.stage, x1: x, x2: x, instructions: 0, lines: 0, blocks: 0 };
    x += width;
    for (const row of open) {
      row.x2 = x;
      row.instructions += node.instructions;
      row.lines += node.lines;
      ++row.blocks;
    }
  }
  close(0);
  return { rows, total, depth: Math.max(0, ...rows.map((row) => row.level)) + 1 };
}

// The contexts from the body down to this one.
function chain(plan, index) {
  const { parent, function: name } = plan.contexts[index];
  const self = { key: `context ${index}`, name: index === 0 ? plan.source || plan.body : name };
  return index === 0 ? [self] : [...chain(plan, parent), self];
}

// Where each stage begins, but for the first.
export function cut_positions(nodes, weight) {
  const cuts = [];
  let x = 0;
  nodes.forEach((node, index) => {
    if (index && node.stage !== nodes[index - 1].stage) cuts.push({ x, stage: node.stage });
    x += weight(node);
  });
  return cuts;
}
