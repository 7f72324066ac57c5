import { sourcesOf } from "./hillis_steele.ts";
import { linkedScan } from "./linked.ts";

// Linked for software adapters. The package is built with the value.

export const linked = /* @__PURE__ */ linkedScan("hillis-steele", sourcesOf(), { software: true });
