// What this report has no data for, and what would make it.
import { h } from "../dom.js";

export const left_out = {
  id: "left-out",
  title: "Not in this report",
  short: "Left out",
  build({ left_out: parts }) {
    if (!parts.length) return null;
    return h(
      "dl",
      {},
      parts.map((part) => [h("dt", {}, part.section), h("dd", {}, `${part.why}; ${part.hint}`)]),
    );
  },
};
