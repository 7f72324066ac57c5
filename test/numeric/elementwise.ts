import process from "node:process";
import { expect, test } from "vitest";
import type { Fold } from "../../src/node.ts";
import { encodeDispatch, storageBuffer } from "../support/buffers.ts";

/** How many random pairs an operation meets: `WAVEFOLD_CASES`, or 2^12. */
export const cases: number = Number(process.env.WAVEFOLD_CASES ?? 2 ** 12);

/** The most pairs of one run of a kernel. */
const BATCH = 2 ** 20;
const WORK_GROUP_SIZE = 256;
const POISON = 0xdeadbeef;

/** Pairs of 64-bit operands: of each item the low word, then the high one. */
export interface Pairs {
  readonly a: Uint32Array<ArrayBuffer>;
  readonly b: Uint32Array<ArrayBuffer>;
}

/** A function of two 64-bit patterns, in WGSL and here. */
export interface Operation {
  readonly name: string;
  /** A `vec2<u32>`, of the operands `a` and `b`. */
  readonly expression: string;
  /** The words that are right, into `expected`. */
  expect(pairs: Pairs, expected: Uint32Array<ArrayBuffer>): void;
}

/** Room for `length` pairs. */
export const pairsOf = (length: number): Pairs => ({
  a: new Uint32Array(2 * length),
  b: new Uint32Array(2 * length),
});

/** Each of these values with each of the others: every second pair the other way round, unless it is all with all. */
export function allPairs(values: readonly bigint[], others: readonly bigint[] = values): Pairs {
  const pairs = pairsOf(values.length * others.length);
  const a = new BigUint64Array(pairs.a.buffer);
  const b = new BigUint64Array(pairs.b.buffer);
  for (let index = 0; index < a.length; index++) {
    const pair = [values[Math.floor(index / others.length)] ?? 0n, others[index % others.length] ?? 0n];
    const isTurned =
      others.length > 1 && values !== others && (index + Math.floor(index / others.length)) % 2 === 1;
    a[index] = pair[isTurned ? 1 : 0] ?? 0n;
    b[index] = pair[isTurned ? 0 : 1] ?? 0n;
  }
  return pairs;
}

/** Compiles an operation, and returns what checks every pair of a batch. */
async function checkerOf(
  device: GPUDevice,
  files: readonly string[],
  operation: Operation,
): Promise<(pairs: Pairs, title: string) => Promise<void>> {
  const code = [
    ...files,
    `@group(0) @binding(0) var<storage, read> operands_a: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read> operands_b: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> results: array<vec2<u32>>;

@compute @workgroup_size(${WORK_GROUP_SIZE})
fn main(@builtin(global_invocation_id) thread: vec3<u32>) {
  let index = thread.x;
  if (index < arrayLength(&results)) {
    let a = operands_a[index];
    let b = operands_b[index];
    results[index] = ${operation.expression};
  }
}
`,
  ].join("\n");
  const pipeline = await device.createComputePipelineAsync({
    layout: "auto",
    compute: { module: device.createShaderModule({ code }), entryPoint: "main" },
  });

  return async (pairs, title) => {
    const length = pairs.a.length / 2;
    const expected = new Uint32Array(2 * length);
    const results = storageBuffer(device, expected.fill(POISON));
    const buffers = [storageBuffer(device, pairs.a), storageBuffer(device, pairs.b), results];
    const staging = device.createBuffer({ size: results.size, usage: 0x1 | 0x8 });
    const encoder = encodeDispatch(device, pipeline, buffers.entries(), Math.ceil(length / WORK_GROUP_SIZE));
    encoder.copyBufferToBuffer(results, 0, staging, 0, results.size);
    device.queue.submit([encoder.finish()]);
    operation.expect(pairs, expected);
    await staging.mapAsync(0x1);
    try {
      compare(new Uint32Array(staging.getMappedRange()), expected, pairs, `${operation.name}, ${title}`);
    } finally {
      for (const buffer of [...buffers, staging]) {
        buffer.destroy();
      }
    }
  };
}

const hex = (words: Uint32Array, item: number): string =>
  `0x${[words[2 * item + 1], words[2 * item]].map((word) => (word ?? 0).toString(16).padStart(8, "0")).join("_")}`;

function compare(actual: Uint32Array, expected: Uint32Array, { a, b }: Pairs, title: string): void {
  let first = -1;
  let differing = 0;
  for (let item = 0; item < expected.length / 2; item++) {
    if (actual[2 * item] !== expected[2 * item] || actual[2 * item + 1] !== expected[2 * item + 1]) {
      first = first < 0 ? item : first;
      differing++;
    }
  }
  if (first >= 0) {
    expect.fail(
      `${title}: ${differing} of ${expected.length / 2} differ, the first of ${hex(a, first)} and ${hex(b, first)}: ${hex(actual, first)} instead of ${hex(expected, first)}`,
    );
  }
}

/**
 * Checks an operation on pairs of special values, then on random pairs.
 *
 * @param fill writes random pairs over the ones that are there.
 */
export async function checkOperation(
  device: GPUDevice,
  files: readonly string[],
  operation: Operation,
  specials: Pairs,
  fill: (pairs: Pairs) => void,
): Promise<void> {
  const check = await checkerOf(device, files, operation);
  await check(specials, "special values");
  for (let done = 0; done < cases; done += BATCH) {
    const pairs = pairsOf(Math.min(BATCH, cases - done));
    fill(pairs);
    await check(pairs, `random pairs from ${done} on`);
  }
}

/** A test of each operation. `filler` makes what writes its random pairs, by its name. */
export function testOperations(
  fold: () => Pick<Fold, "device">,
  files: readonly string[],
  operations: readonly Operation[],
  specials: Pairs,
  filler: (name: string) => (pairs: Pairs) => void,
): void {
  // Long enough for the cases that are asked for.
  const timeout = 300_000 + cases / 20;
  for (const operation of operations) {
    test(operation.name, { timeout }, async () => {
      await checkOperation(fold().device, files, operation, specials, filler(operation.name));
    });
  }
}
