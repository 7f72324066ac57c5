import { describe, test } from "vitest";
import { workGroupReduce, workGroupScan } from "../../src/codegen/functions.ts";
import { link } from "../../src/codegen/link.ts";
import { max, min, monoid, mul } from "../../src/operators.ts";
import type { AnyArray } from "../../src/reference/arrays.ts";
import { arrayLike, emptyLike } from "../../src/reference/arrays.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { StructArray } from "../../src/struct.ts";
import { f32, u32 } from "../../src/types.ts";
import { f64, i64, u64 } from "../../src/types64.ts";
import { readWords, storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { algorithmNames, untyped, useSoftwareFold } from "../support/fold.ts";
import { affine, chain, span } from "../support/operators.ts";
import { randomItems } from "../support/random.ts";

const fold = useSoftwareFold();
const COLUMNS = 8;

async function run(code: string, data: AnyArray, places: Uint32Array): Promise<Uint32Array> {
  const { device } = fold();
  const words = new Uint32Array(data.buffer as ArrayBuffer);
  const input = storageBuffer(device, words);
  const output = storageBuffer(device, new Uint32Array((data.byteLength / 2 / 4) * COLUMNS).fill(0xdeadbeef));
  const pipeline = await device.createComputePipelineAsync({
    layout: "auto",
    compute: { module: device.createShaderModule({ code }) },
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [
        { binding: 0, resource: { buffer: input } },
        { binding: 1, resource: { buffer: output } },
        { binding: 2, resource: { buffer: storageBuffer(device, places) } },
      ],
    }),
  );
  pass.dispatchWorkgroups(1);
  pass.end();
  device.queue.submit([encoder.finish()]);
  return readWords(device, output);
}

/** A kernel that stores a struct leaves its padding as it was. */
const withoutPadding = (array: AnyArray): AnyArray =>
  array instanceof StructArray ? array.type.from(array) : array;

const cases = [
  [u32, affine],
  [f32, max],
] as const;
/** In software these take long: at two sizes. */
const wideCases = [
  [u64, mul],
  [i64, min],
  [f64, max],
  [span, chain],
] as const;

describe.each(algorithmNames)("%s", (algorithm) => {
  describe.each([1, 2, 3, 32, 96, 100, 128, 256])("%i threads", (workGroupSize) => {
    test("in order, backwards and shuffled", async () => {
      // Where it is not in order, no lane is where it usually is, and subgroups take their turns.
      const step = [7, 5, 3, 1].find((one) => workGroupSize % one !== 0) ?? 1;
      const orders: Record<string, Uint32Array> = {
        "in order": Uint32Array.from({ length: workGroupSize }, (_, i) => i),
        backwards: Uint32Array.from({ length: workGroupSize }, (_, i) => workGroupSize - 1 - i),
        shuffled: Uint32Array.from({ length: workGroupSize }, (_, i) => (i * step + 3) % workGroupSize),
      };
      for (const [type, op] of [3, 96].includes(workGroupSize) ? [...cases, ...wideCases] : cases) {
        const { key } = monoid(op, type, "test");
        const options = { type, op: untyped(op), algorithm, workGroupSize } as const;
        const code = link(
          /* wgsl */ `
@group(0) @binding(0) var<storage, read> input: array<${type.value}>;
@group(0) @binding(1) var<storage, read_write> output: array<${type.value}>;
@group(0) @binding(2) var<storage, read> places: array<u32>;
@compute @workgroup_size(${workGroupSize})
fn main(@builtin(local_invocation_index) i: u32) {
  let place = places[i];
  let x = input[place];
  let again = input[place + ${workGroupSize}u];
  let base = place * ${COLUMNS}u;
  output[base] = work_group_scan_inclusive_${key}(x, place);
  output[base + 1u] = work_group_scan_exclusive_${key}(again, place);
  let inclusive = work_group_scan_inclusive_${key}_total(again, place);
  output[base + 2u] = inclusive.prefix;
  output[base + 3u] = inclusive.total;
  let exclusive = work_group_scan_exclusive_${key}_total(x, place);
  output[base + 4u] = exclusive.prefix;
  output[base + 5u] = exclusive.total;
  output[base + 6u] = work_group_reduce_${key}(x, place);
  output[base + 7u] = work_group_reduce_${key}(again, place);
}
`,
          [workGroupScan(options), workGroupReduce(options)],
        );
        const data = randomItems(type, 2 * workGroupSize, `${key} ${workGroupSize}`);
        const bytes = data.buffer as ArrayBuffer;
        const x = arrayLike(data, bytes.slice(0, workGroupSize * type.bytes));
        const again = arrayLike(data, bytes.slice(workGroupSize * type.bytes));
        const of = { op: untyped(op), type };
        const totals = (items: AnyArray): AnyArray => {
          const { array, set } = emptyLike(items, workGroupSize, type);
          const total = reduceReference(items, of);
          for (let index = 0; index < workGroupSize; index++) {
            set(index, total);
          }
          return array;
        };
        const expected = [
          scanReference(x, of),
          scanReference(again, { ...of, exclusive: true }),
          scanReference(again, of),
          totals(again),
          scanReference(x, { ...of, exclusive: true }),
          totals(x),
          totals(x),
          totals(again),
        ];
        for (const [order, places] of Object.entries(orders)) {
          const words = await run(code, data, places);
          expected.forEach((column, number) => {
            const width = type.bytes / 4;
            const bits = Array.from(
              { length: workGroupSize * width },
              (_, at) => words[(Math.floor(at / width) * COLUMNS + number) * width + (at % width)] ?? 0,
            );
            expectSameBits(
              withoutPadding(arrayLike(data, Uint32Array.from(bits).buffer)),
              column,
              `${key} ${order} column ${number}`,
            );
          });
        }
      }
    });
  });
});
