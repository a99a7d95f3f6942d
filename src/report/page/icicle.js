// From a body's blocks to the rectangles of an icicle: stages side by side, in each the body at the top, what it calls below, and
// blocks at the end of each column.
//
// A function has one rectangle in each stage that it runs in, and lies among its caller's other parts where packets run it on average.
// Neighbours too narrow to be seen are drawn as one, so that nothing is missing from a row.

// weight(node): a block's width. Returns {rows, cuts, total, depth}: rectangles with x1, x2 (0 to total) and level, and where stages
// after the first begin.
export function icicle(plan, nodes, weight) {
  const stages = Map.groupBy(nodes, (node) => node.stage);
  const total = nodes.reduce((sum, node) => sum + weight(node), 0);
  const rows = [],
    cuts = [];
  let x = 0;
  for (const [stage, own] of [...stages].sort(([a], [b]) => a - b)) {
    if (x > 0) cuts.push({ x, stage });
    const root = tree(plan, own, weight);
    place([root], x, 0, { stage, least: total / 700 }, rows);
    x += root.weight;
  }
  return { rows, cuts, total, depth: Math.max(0, ...rows.map((row) => row.level)) + 1 };
}

// The blocks of one stage under the contexts that they ran in.
function tree(plan, nodes, weight) {
  const contexts = new Map();
  const context_of = (index) => {
    if (contexts.has(index)) return contexts.get(index);
    const { parent, name } = plan.contexts[index];
    const part = { name: index === 0 ? plan.source || plan.body : name, parts: [] };
    contexts.set(index, part);
    if (index !== 0) context_of(parent).parts.push(part);
    return part;
  };
  const root = context_of(0);
  for (const node of nodes) context_of(node.context).parts.push({ name: node.function, node, parts: [] });
  sum_up(root, weight);
  return root;
}

function sum_up(part, weight) {
  for (const below of part.parts) sum_up(below, weight);
  const of = (value) => part.parts.reduce((sum, below) => sum + below[value], 0);
  if (part.node) {
    const { instructions, lines, when } = part.node;
    Object.assign(part, { weight: weight(part.node), instructions, lines, blocks: 1, when });
  } else {
    Object.assign(part, {
      weight: of("weight"),
      instructions: of("instructions"),
      lines: of("lines"),
      blocks: of("blocks"),
    });
    const moments = part.parts.reduce((sum, below) => sum + below.when * below.weight, 0);
    part.when = part.weight > 0 ? moments / part.weight : 0;
    part.parts.sort((a, b) => a.when - b.when);
  }
}

function place(parts, x, level, { stage, least }, rows) {
  let narrow = null; // the neighbours that are drawn as one
  const flush = () => {
    if (narrow) rows.push(narrow);
    narrow = null;
  };
  for (const part of parts) {
    const { name, node, weight, instructions, lines, blocks } = part;
    if (weight >= least) {
      flush();
      rows.push({ name, node, stage, level, x1: x, x2: x + weight, instructions, lines, blocks });
      place(part.parts, x, level + 1, { stage, least }, rows);
    } else {
      narrow ??= { name: null, stage, level, x1: x, x2: x, instructions: 0, lines: 0, blocks: 0 };
      narrow.x2 += weight;
      narrow.instructions += instructions;
      narrow.lines += lines;
      narrow.blocks += blocks;
      if (narrow.x2 - narrow.x1 >= 2 * least) flush();
    }
    x += weight;
  }
  flush();
}
