// What binds a scan in a single pass: its kernel with parts of it left out. What such a kernel stores is wrong, and only its time counts.
// They are changes of the linked text of shaders/device/kernels/scan_single_pass.wgsl, on which most scans are built.

import type { Plan } from "../src/plan/plan.ts";
import { changeKernels } from "./change_kernels.ts";

type Changes = readonly (readonly [from: string, to: string])[];

const STORES = "  store_prefixes(tile, thread, length, finish_run(run, combine(carry(), before)));\n";
const lookBack = ["  look_back(tile, scan.total, thread, length);\n", ""] as const;
const scan = [
  ["  let run = run_of(scan, elements);\n", ""],
  [STORES, "  store_prefixes(tile, thread, length, elements);\n"],
] as const;
/** A compiler that saw no store at all would drop the rest, too. */
const stores = [STORES, `  if (tile % 64u == 0u) {\n  ${STORES}  }\n`] as const;

/** What is left out, and the changes of the kernel's text that leave it out. */
export const partsLeftOut = {
  "no look-back": [lookBack],
  // Tiles are reduced, and their totals handed on and waited for.
  "no scan": scan,
  "no look-back, no scan": [lookBack, ...scan],
  "loads and stores alone": [
    lookBack,
    ...scan,
    ["  let scan = begin_scan(elements, thread);\n", ""],
    ["  hand_on(tile, scan.total, thread);\n", ""],
    ["  let before = before_run(scan);\n", ""],
    ["  store_last_total(tile, thread, length, scan.total);\n", ""],
  ],
  "1 tile in 64 stored": [stores],
  "1 in 64 stored, no look-back": [stores, lookBack],
} as const satisfies Record<string, Changes>;

export type PartLeftOut = keyof typeof partsLeftOut;

/** Totals of segments, and exact sums, are stored in a way of their own. */
const HOLDS_ITEMS = "length: u32, prefixes: array<Element, ITEMS>)";

/** The plan with a part left out of its kernels; nothing if one of them has no such part. */
export function planWithout(plan: Plan, part: PartLeftOut): Plan | undefined {
  const changes: Changes = partsLeftOut[part];
  return plan.kernels.every(({ code }) =>
    [HOLDS_ITEMS, ...changes.map(([from]) => from)].every((one) => code.includes(one)),
  )
    ? changeKernels(plan, (kernel) => ({
        ...kernel,
        code: changes.reduce((text, [from, to]) => text.replace(from, () => to), kernel.code),
      }))
    : undefined;
}
