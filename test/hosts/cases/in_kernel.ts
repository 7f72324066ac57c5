import { f16, f32 } from "../../../src/algebra/floats.ts";
import { u32 } from "../../../src/algebra/integers.ts";
import type { Operator } from "../../../src/algebra/monoid.ts";
import { add, max } from "../../../src/algebra/operators.ts";
import type { ElementType } from "../../../src/algebra/types.ts";
import { f64, i64 } from "../../../src/algebra/types_64.ts";
import { linkDirectives } from "../../../src/in_kernel/directives.ts";
import { workGroupCompactUpdate } from "../../../src/in_kernel/functions.ts";
import { link } from "../../../src/in_kernel/link.ts";
import { compileKernel } from "../../support/buffers.ts";
import { expectSameBits } from "../../support/compare.ts";
import { checkFunctions, everyOther, POISON } from "../../support/in_kernel.ts";
import { operatorFunctions } from "../../support/kernels.ts";
import { affine, chain, span } from "../../support/operators.ts";
import { randomBits } from "../../support/random.ts";
import type { Bench, Case } from "../case.ts";
import { algorithmNames, requireFeatures } from "./results.ts";

const rows = [
  [u32, add],
  [u32, affine],
  [f32, max],
  [f16, max],
  [i64, add],
  [f64, add],
  [span, chain],
] as unknown as readonly (readonly [ElementType, Operator<string>])[];

/** No whole number of subgroups; tiles of 8 divide the first alone. */
const sizes = [32, 36, 20];

const functionCases: Case[] = rows.flatMap(([type, op], row) =>
  algorithmNames.map((algorithm, column) => ({
    name: `${type.name} ${op.name}, ${algorithm}: functions in a kernel`,
    ofCompiler: true,
    async run(bench: Bench) {
      requireFeatures(bench, type, algorithm);
      const number = row + column;
      const size = sizes[number % sizes.length] ?? 0;
      const functions = operatorFunctions(type, op, algorithm, size, false, [8]);
      const names = everyOther(
        functions.flatMap((set) => set.names),
        number,
      );
      await checkFunctions(bench.fold.device, { type, op }, functions, names, [size], `${algorithm} ${size}`);
    },
  })),
);

const values = (length: number, name: string): Uint32Array => {
  const next = randomBits(name);
  return Uint32Array.from({ length }, () => next() % 1000);
};

export const inKernelCases: readonly Case[] = [
  ...functionCases,
  {
    name: "a kernel that asks for a function in a comment",
    quick: "everywhere",
    async run({ fold }) {
      const code = linkDirectives(`
// wavefold: work_group_scan_exclusive_add_u32
@group(0) @binding(0) var<storage, read_write> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> ranks: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) local_index: u32) {
  ranks[local_index] = work_group_scan_exclusive_add_u32(counts[local_index], local_index);
}
`);
      const counts = values(64, "comment");
      let before = 0;
      const expected = counts.map((count) => {
        before += count;
        return before - count;
      });
      const run = await compileKernel(fold.device, code);
      const [, ranks] = await run([counts, new Uint32Array(64).fill(POISON)]);
      expectSameBits(ranks ?? new Uint32Array(0), expected, "ranks");
    },
  },
  {
    name: "stream compaction onto a list that all work-groups share",
    ofCompiler: true,
    async run({ fold }) {
      const groups = 5;
      const threads = 48;
      const code = link(
        `
@group(0) @binding(0) var<storage, read_write> items: array<u32>;
@group(0) @binding(1) var<storage, read_write> list: array<u32>;
@group(0) @binding(2) var<storage, read_write> used: atomic<u32>;
@compute @workgroup_size(${threads})
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let item = items[group.x * ${threads}u + i];
  let place = work_group_compact_update(item % 3u == 0u, i);
  if (item % 3u == 0u) {
    list[place.slot] = item;
  }
}
`,
        [workGroupCompactUpdate({ workGroupSize: threads, counter: "used" })],
      );
      const items = values(groups * threads, "list");
      const kept = items.filter((item) => item % 3 === 0);
      const run = await compileKernel(fold.device, code);
      const [, list, used] = await run(
        [items, new Uint32Array(items.length).fill(POISON), new Uint32Array(1)],
        groups,
      );
      expectSameBits(used ?? new Uint32Array(0), Uint32Array.of(kept.length), "used");
      // Work-groups append in any order; each keeps its own items' order.
      const sorted = (list ?? new Uint32Array(0)).slice(0, kept.length).sort();
      expectSameBits(sorted, kept.slice().sort(), "list");
      expectSameBits(
        (list ?? new Uint32Array(0)).slice(kept.length),
        new Uint32Array(items.length - kept.length).fill(POISON),
        "what follows the list",
      );
    },
  },
];
