import { describe, expect, test } from "vitest";
import type { InKernelOperator } from "../../src/algebra/custom_operator.ts";
import { operator } from "../../src/algebra/custom_operator.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import { u64 } from "../../src/algebra/types_64.ts";
import { workGroupReduce } from "../../src/in_kernel/functions.ts";
import { link } from "../../src/in_kernel/link.ts";
import { compileKernel } from "../support/buffers.ts";
import { untyped, useFold } from "../support/fold.ts";
import type { Case } from "../support/in_kernel.ts";
import { checkFunctions, everyOther } from "../support/in_kernel.ts";
import { operatorFunctions, segmentedFunctions } from "../support/kernels.ts";
import { affine, chain, span } from "../support/operators.ts";
import { pairs } from "../support/pairs.ts";

const fold = useFold();

/** The same operator, with nothing but its WGSL. */
const bare = ({ name, type, combine, declarations }: InKernelOperator<never, never>): InKernelOperator =>
  operator({ name, type, combine, declarations }) as unknown as InKernelOperator;

/** The earlier element: it has no identity, and this one's is not among random items. */
const earliest = operator({
  name: "earliest",
  type: i32,
  identity: -0x12345678,
  combine: "earlier",
  reference: (earlier, later) => (earlier === -0x12345678 ? later : earlier),
});
const SENTINEL = 0x123456789abcdef0n;
const latest = operator({
  name: "latest",
  type: u64,
  identity: SENTINEL,
  combine: "later",
  reference: (earlier, later) => (later === SENTINEL ? earlier : later),
});

const cases: readonly Case[] = [
  { type: u32, op: untyped(affine), nothing: 0 },
  { type: i32, op: untyped(earliest), nothing: 0 },
  { type: u64, op: untyped(latest), nothing: 0n },
  { type: span, op: untyped(chain), nothing: { sum: 0n, first: 0, last: 0, count: 0 } },
];
const all = pairs({
  of: cases,
  algorithm: ["hillis-steele", "blelloch", "subgroup"] as const,
  threads: [36, 1],
});

describe("operators without an identity", () => {
  test.each(all)("$of.op.name, $algorithm, $threads threads", async ({ of, algorithm, threads }) => {
    const op = untyped(bare(of.op as never));
    const tiles = threads === 1 ? [1] : [8];
    const functions = [
      ...operatorFunctions(of.type, op, algorithm, threads, false, tiles),
      ...segmentedFunctions(of.type, op, algorithm, threads, tiles),
    ];
    const number = cases.indexOf(of);
    const names = everyOther(
      functions.flatMap((set) => set.names),
      threads + number,
    ).filter((_, at) => at % 2 === number % 2);
    await checkFunctions(fold().device, of, functions, names, [threads], `${of.op.name} ${algorithm}`);
  });
});

test("an operator without an identity is refused by what needs one", async () => {
  const own = bare(earliest as never) as unknown as typeof earliest;
  expect("identity" in own).toBe(false);
  await expect(fold().scan(Int32Array.of(3), { op: own })).rejects.toThrow(
    /^scan<i32, earliest>: the operator earliest has no identity; give it one, since only work-group, thread-tile and coalesced functions do without$/,
  );
  await expect(fold().prepareReduce({ type: i32, op: own, maxLength: 3 })).rejects.toThrow(
    "the operator earliest has no identity",
  );
});

test("a field may have the flag's name", async () => {
  const type = struct({ name: "Maybe", fields: { is_some: u32, x: u32 } });
  const op = operator({
    name: "sum",
    type,
    combine: "Maybe(earlier.is_some + later.is_some, earlier.x | later.x)",
  });
  const reduce = workGroupReduce({ type, op, workGroupSize: 3 });
  const run = await compileKernel(
    fold().device,
    link(
      `@group(0) @binding(0) var<storage, read_write> data: array<Maybe>;
@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
  data[i] = ${reduce.names[0]}(data[i], i);
}`,
      [reduce],
    ),
  );
  const [data] = await run([Uint32Array.of(0, 1, 5, 2, 0, 8)]);
  expect([...(data ?? [])]).toEqual([5, 11, 5, 11, 5, 11]);
});
