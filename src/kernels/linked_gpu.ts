import { sourcesOf } from "./blelloch.ts";
import { linkedScan } from "./linked.ts";

// Linked for GPUs. The package is built with the value.

export const linked = /* @__PURE__ */ linkedScan("blelloch", sourcesOf(), { software: false });
