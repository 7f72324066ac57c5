import { describe, expect, test } from "vitest";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Indirect } from "../../src/kernels/compact.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { isSimulated } from "../support/adapter.ts";
import { readWords, storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { untyped, useFold } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { anyItems, randomBits } from "../support/random.ts";
import { affineItems } from "./operators.ts";
import type { Change, Run, Subject } from "./support.ts";
import {
  contextOfFold,
  expectExact,
  faults,
  fewLanes,
  lookBacks,
  missing,
  onGpu,
  outputsOf,
  prepareCompact,
  prepareScan,
  STUCK_MS,
  shapeOf,
  wrongRuns,
} from "./support.ts";

const fold = useFold(fewLanes);
const POISON = 0xdeadbeef;
const where = "x % 3u == 1u";
const keep = (x: number): boolean => x % 3 === 1;
const words = (length: number, name: string): Uint32Array => anyItems("u32", length, name) as Uint32Array;

const scanned = (length: number, name: string): Run => {
  const data = affineItems(length, name);
  return { title: `${name}, ${length} items`, data, expected: scanReference(data, { op: affine }) };
};

describe.each(lookBacks)("a tile looks back %s", (lookBack) => {
  const shapeHere = () => shapeOf(lookBack, contextOfFold(fold()).facts);
  const why = () => missing(lookBack, contextOfFold(fold()).facts);
  const tiles = isSimulated ? 20 : 80;
  const scan = (more: Parameters<typeof prepareScan>[3] = {}, testing = {}): Promise<Subject> => {
    const { tuning, tile } = shapeHere();
    return prepareScan(
      fold(),
      { type: u32, op: untyped(affine), maxLength: tiles * tile, ...tuning },
      testing,
      more,
    );
  };

  test("spines of three runs, with long and short runs in turn", { timeout: STUCK_MS }, async ({ skip }) => {
    skip(why() !== undefined, why());
    const { tile } = shapeHere();
    for (const testing of [{}, { faults }]) {
      const subject = await scan({ runs: 3 }, testing);
      const runs = Array.from({ length: 20 }, (_, at) =>
        scanned(([tiles, 1, tiles - 3, 2, tiles >> 1][at % 5] as number) * tile - (at % 2), `run ${at}`),
      );
      await expectExact(subject, runs, 7);
    }
  });

  // Both ways to look back read numbers by the same function.
  test.for(lookBack === "by threads" ? [4095] : [])(
    "all %i numbers of a spine, and the next spine's",
    { timeout: STUCK_MS },
    async () => {
      const { tile } = shapeHere();
      const subject = await scan();
      const long = ["one", "two", "three"].map((name) => scanned(tiles * tile, name));
      const short = ["four", "five", "six"].map((name) => scanned(tile - 1, name));
      // Long ones leave entries that no short one overwrites: they must not count in any later run.
      const runs = Array.from(
        { length: 4200 },
        (_, at) => (at % 512 === 6 || (at > 4085 && at < 4110) ? long : short)[at % 3] as Run,
      );
      await expectExact(subject, runs, 300);
    },
  );

  test("caught: a run's number without its upper digit", { timeout: STUCK_MS }, async ({ skip }) => {
    skip(why() !== undefined, why());
    const { tile } = shapeHere();
    const long = [scanned(tiles * tile, "one"), scanned(tiles * tile, "two")] as const;
    const short = scanned(tile, "three");
    const runs = Array.from({ length: 71 }, (_, at) => (at === 6 ? long[0] : at === 70 ? long[1] : short));
    const change: Change = [["run_high.x * 64u + run_low.x", "run_low.x"]];
    // Run 7 has the fault that all entries are handed on by others.
    const testing = { faults, tickets: false };
    expect(await wrongRuns(await scan({}, testing), runs)).toEqual([]);
    expect(await wrongRuns(await scan({ change }, testing), runs)).toEqual([long[1].title]);
  });

  test("recorded in one order, submitted in another, with spines replaced in between", async ({ skip }) => {
    skip(why() !== undefined, why());
    const { tile } = shapeHere();
    const { device, prepared } = await scan({ runs: 3 });
    const recorded = Array.from({ length: 8 }, (_, at) => {
      const run = scanned((at % 2 === 0 ? tiles : tiles >> 1) * tile, `encoder ${at}`);
      const input = storageBuffer(device, run.data as Uint32Array);
      // Twice each: from the input, and from what that run made of it.
      const outputs = [0, 1].map(() =>
        storageBuffer(device, new Uint32Array(run.data.length).fill(POISON)),
      ) as [GPUBuffer, GPUBuffer];
      const encoder = device.createCommandEncoder();
      prepared.record(encoder, { input, output: outputs[0], length: run.data.length });
      prepared.record(encoder, { input: outputs[0], output: outputs[1], length: run.data.length });
      return { run, outputs, commands: encoder.finish() };
    });
    for (const at of [7, 2, 5, 0, 1, 6, 3, 4]) {
      device.queue.submit([(recorded[at] as (typeof recorded)[0]).commands]);
    }
    for (const { run, outputs } of recorded) {
      const [first, second] = outputs;
      expectSameBits(await readWords(device, first), run.expected, run.title);
      const twice = scanReference(run.expected as Uint32Array, { op: affine });
      expectSameBits(await readWords(device, second), twice, `${run.title}, twice`);
    }
  });

  test("two plans take turns in one encoder", async ({ skip }) => {
    skip(why() !== undefined, why());
    const { tile, tuning } = shapeHere();
    const one = await scan({ runs: 5 }, { faults });
    const other = await prepareCompact(
      fold(),
      { type: u32, where, maxLength: tiles * tile, ...tuning },
      { faults },
      { runs: 3 },
    );
    const { device } = one;
    const encoder = device.createCommandEncoder();
    const made = Array.from({ length: 20 }, (_, at) => {
      const run = scanned((tiles - at) * tile, `turn ${at}`);
      const data = run.data as Uint32Array;
      const input = storageBuffer(device, data);
      const buffers = [0, 1, 2].map(() =>
        storageBuffer(device, new Uint32Array(data.length).fill(POISON)),
      ) as [GPUBuffer, GPUBuffer, GPUBuffer];
      const [output, kept, total] = buffers;
      one.prepared.record(encoder, { input, output, length: data.length });
      other.prepared.record(encoder, { input, output: kept, count: total, length: data.length });
      return { run, data, buffers };
    });
    device.queue.submit([encoder.finish()]);
    for (const { run, data, buffers } of made) {
      const [output, kept, total] = buffers;
      expectSameBits(await readWords(device, output), run.expected, run.title);
      const expected = new Uint32Array(data.length).fill(POISON);
      const items = compactReference(data, keep);
      expected.set(items);
      expectSameBits(await readWords(device, kept), expected, `${run.title}: kept`);
      expect((await readWords(device, total))[0]).toBe(items.length);
    }
  });

  test("many runs in a row give the same bits of f32", { timeout: 2 * STUCK_MS }, async ({ skip }) => {
    skip(why() !== undefined, why());
    const { tile, tuning } = shapeHere();
    const length = tiles * tile;
    const subject = await prepareScan(fold(), { type: f32, maxLength: length, ...tuning });
    const next = randomBits("many runs");
    const data = Float32Array.from({ length }, () => (next() / 2 ** 32 - 0.5) * 2 ** (next() % 20));
    let first: Uint32Array | undefined;
    const together = isSimulated ? 6 : 100;
    for (let batch = 0; batch < (onGpu ? 100 : 2); batch++) {
      const runs = Array.from({ length: together }, () => ({ title: "", data, expected: data }));
      const { outputs } = await outputsOf(subject, runs);
      first ??= outputs[0] as Uint32Array;
      outputs.forEach((output, at) => {
        expectSameBits(output, first as Uint32Array, `run ${batch * together + at}`);
      });
    }
  });

  test("the length lies in a buffer: more work-groups than tiles, and lengths past the most", async ({
    skip,
  }) => {
    skip(why() !== undefined, why());
    const { tile, tuning } = shapeHere();
    const maxLength = tiles * tile;
    const options = { type: u32, maxLength, lengthOnGpu: true, ...tuning };
    const scans = await prepareScan(fold(), { ...options, op: untyped(affine) }, { faults });
    const compactions = await prepareCompact(fold(), { ...options, where }, { faults });
    const { device } = scans;
    const data = affineItems(maxLength, "length in a buffer");
    const input = storageBuffer(device, data);
    const given = [
      maxLength,
      0,
      1,
      tile + 1,
      maxLength - 1,
      0xffffffff,
      3 * tile,
      maxLength + 1,
      0,
      9 * tile,
    ];
    for (const [at, stated] of given.entries()) {
      const length = storageBuffer(device, Uint32Array.of(POISON, stated));
      const buffers = [0, 1, 2].map(() => storageBuffer(device, new Uint32Array(maxLength).fill(POISON))) as [
        GPUBuffer,
        GPUBuffer,
        GPUBuffer,
      ];
      const [output, kept, total] = buffers;
      const encoder = device.createCommandEncoder();
      const from = { buffer: length, offset: 4 };
      scans.prepared.record(encoder, { input, output, length: from });
      compactions.prepared.record(encoder, { input, output: kept, count: total, length: from });
      device.queue.submit([encoder.finish()]);
      const own = data.subarray(0, Math.min(stated, maxLength));
      const title = `${at}: ${stated} of ${maxLength}`;
      const expected = new Uint32Array(maxLength).fill(POISON);
      expected.set(scanReference(own, { op: affine }));
      expectSameBits(await readWords(device, output), expected, title);
      const items = compactReference(own, keep);
      expected.fill(POISON).set(items);
      expectSameBits(await readWords(device, kept), expected, `${title}: kept`);
      expect((await readWords(device, total))[0], title).toBe(items.length);
    }
  });

  const kinds: readonly Indirect[] = [
    { dispatch: { itemsPerWorkGroup: 7 } },
    { draw: { vertexCount: 5 } },
    { drawIndexed: { indexCount: 9 } },
  ];

  test.for(kinds)("arguments of an indirect call: %j", async (indirect, { skip }) => {
    skip(why() !== undefined, why());
    const { tile, tuning } = shapeHere();
    const maxLength = tiles * tile;
    const options = { type: u32, where, indirect, maxLength, ...tuning };
    const { device, prepared } = await prepareCompact(fold(), options, { faults });
    const counting = await device.createComputePipelineAsync({
      layout: "auto",
      compute: {
        module: device.createShaderModule({
          code: `@group(0) @binding(0) var<storage, read_write> work_groups: atomic<u32>;
@compute @workgroup_size(1) fn main() { atomicAdd(&work_groups, 1u); }`,
        }),
      },
    });
    for (const length of [0, 1, tile, 7 * tile + 3, maxLength]) {
      const data = words(length, `indirect ${length}`);
      const input = storageBuffer(device, length > 0 ? data : new Uint32Array(4));
      const [output, total] = [0, 1].map(() =>
        storageBuffer(device, new Uint32Array(maxLength).fill(POISON)),
      ) as [GPUBuffer, GPUBuffer];
      const INDIRECT = 0x100;
      const STORAGE_COPY = 0x80 | 0x4 | 0x8;
      const call = storageBuffer(device, new Uint32Array(8).fill(POISON), STORAGE_COPY | INDIRECT);
      const started = storageBuffer(device, new Uint32Array(1));
      const encoder = device.createCommandEncoder();
      prepared.record(encoder, {
        input,
        output,
        count: total,
        indirect: { buffer: call, offset: 8 },
        length,
      });
      if ("dispatch" in indirect) {
        const pass = encoder.beginComputePass();
        pass.setPipeline(counting);
        pass.setBindGroup(
          0,
          device.createBindGroup({
            layout: counting.getBindGroupLayout(0),
            entries: [{ binding: 0, resource: { buffer: started } }],
          }),
        );
        pass.dispatchWorkgroupsIndirect(call, 8);
        pass.end();
      }
      device.queue.submit([encoder.finish()]);
      const count = compactReference(data, keep).length;
      expect((await readWords(device, total))[0]).toBe(count);
      const own =
        "dispatch" in indirect
          ? [Math.ceil(count / 7), 1, 1]
          : "draw" in indirect
            ? [5, count, 0, 0]
            : [9, count, 0, 0, 0];
      const expected = new Uint32Array(8).fill(POISON);
      expected.set(own, 2);
      expectSameBits(await readWords(device, call), expected, `${length} items`);
      if ("dispatch" in indirect) {
        expect((await readWords(device, started))[0]).toBe(Math.ceil(count / 7));
      }
    }
  });
});
