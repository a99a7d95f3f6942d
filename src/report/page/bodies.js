// The packet bodies: what the plan says of each and what path.json does, side by side.
import { h } from "./dom.js";

// Those that the sample has packets of; `at`: index in the document.
export function bodies(report) {
  return report.plan.bodies
    .map((plan, at) => ({ plan, at, path: path_of(report, plan) }))
    .filter(({ plan }) => plan.packets > 0);
}

// One part per body, with a heading where there are several; null where no body has any.
export function per_body(report, draw) {
  const all = bodies(report);
  const parts = all.map((body) => {
    const part = draw(body);
    return part && h("div", {}, all.length > 1 ? h("h3", {}, name_of(body.plan)) : null, part);
  });
  return parts.some(Boolean) ? parts : null;
}

const name_of = (plan) => plan.source || plan.body;

function path_of(report, plan) {
  const index = report.path?.bodies.findIndex((body) => body.body === plan.body) ?? -1;
  return index < 0 ? null : { ...report.path.bodies[index], index };
}
