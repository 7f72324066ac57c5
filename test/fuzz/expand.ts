import fc from "fast-check";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import type { GpuArray } from "../../src/gpu/gpu_arrays/gpu_array.ts";
import { elementsAt, expandRunsReference } from "../../src/reference/runs.ts";
import type { Fixture } from "./fixture.ts";
import { hasFeature } from "./fixture.ts";
import type { Scale } from "./plans.ts";
import { dataArbitrary, Pooled, sizeAround, typeArbitrary } from "./plans.ts";
import { onGpu, requireEqual } from "./segments.ts";
import type { DataSpec, TypeSpec } from "./values.ts";
import { arrayOf, bitsOf, bytesOf, itemBytes, typeOf } from "./values.ts";
import type { Verdict } from "./verdict.ts";
import { attempt, Fault, oneLine, verdictOf } from "./verdict.ts";

// Runs that are written out, of any length, many of them empty: at hand, on the GPU and recorded. The room for them may be too
// short, and the number of runs may be on the GPU.

/** What is called. */
export interface ExpandSpec {
  readonly type: TypeSpec;
  readonly workGroupSize?: number;
  readonly itemsPerThread?: number;
}

export interface ExpandStep {
  readonly runs: number;
  readonly data: DataSpec;
  /** About how many items a run has. */
  readonly each: number;
  /** Of four runs, how many have no item. */
  readonly empty: number;
  /** Of the items, how many there is room for, in eighths. At hand there is room for all. */
  readonly room: number;
  readonly how: "at hand" | "on the GPU" | "recorded";
  /** Whether the number of runs is on the GPU. */
  readonly lengthOnGpu?: boolean;
}

export interface ExpandCase {
  readonly family: "expand";
  readonly call: ExpandSpec;
  readonly steps: readonly ExpandStep[];
}

/** The most runs of a recording. */
const MOST_RUNS = 5000;
/** The most items of a result. */
const MOST_ITEMS = 20_000;

export function expandArbitrary(scale: Scale): fc.Arbitrary<ExpandCase> {
  const call = fc.record(
    {
      type: typeArbitrary(scale),
      workGroupSize: fc.constantFrom(1, 2, 3, 8, 32, 33, 128),
      itemsPerThread: fc.integer({ min: 1, max: 9 }),
    },
    { requiredKeys: ["type"] },
  );
  const step = fc.record(
    {
      runs: sizeAround(Math.min(MOST_RUNS, scale.usualLength)),
      data: dataArbitrary("bits"),
      each: fc.oneof(fc.integer({ min: 0, max: 9 }), sizeAround(4000)),
      empty: fc.integer({ min: 0, max: 4 }),
      room: fc.oneof(fc.constant(8), fc.integer({ min: 0, max: 12 })),
      how: fc.constantFrom("at hand" as const, "on the GPU" as const, "recorded" as const),
      lengthOnGpu: fc.boolean(),
    },
    { requiredKeys: ["runs", "data", "each", "empty", "room", "how"] },
  );
  return fc.record({
    family: fc.constant("expand" as const),
    call: new Pooled(call, scale.software ? 6 : 24),
    steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  });
}

export async function runExpand({ call, steps }: ExpandCase, fixture: Fixture): Promise<Verdict> {
  const verdict = await verdictOf(steps, (step) => runStep(call, step, fixture));
  await fixture.requireNoError("expandRuns");
  return verdict;
}

/** How many items each run has: as many as fit in the longest result. */
function countsOf({ runs, each, empty, data }: ExpandStep): Uint32Array {
  const next = bitsOf(data.seed + 11);
  let left = MOST_ITEMS;
  return Uint32Array.from({ length: runs }, () => {
    const own = next() % 4 < empty ? 0 : Math.min(left, next() % (2 * each + 1));
    left -= own;
    return own;
  });
}

async function runStep(spec: ExpandSpec, step: ExpandStep, fixture: Fixture): Promise<Verdict> {
  const type = typeOf(spec.type);
  const { runs, data, how } = step;
  const { type: _, ...tuning } = spec;
  const values = arrayOf(type, itemBytes(type, data, runs, false));
  const counts = countsOf(step);
  const all = expandRunsReference(values, counts);
  const room = how === "at hand" ? all.length : Math.ceil((all.length * step.room) / 8);
  const expected = elementsAt(
    all,
    Array.from({ length: Math.min(room, all.length) }, (__, at) => at),
  );
  const isF16 = type.name === "f16" ? { type } : {};
  const title = `expandRuns<${type.name}> of ${runs} runs of ${all.length} items, room for ${room}, ${how}${step.lengthOnGpu ? ", their number on the GPU" : ""}`;
  const made = await attempt(title, false, async (): Promise<AnyArray> => {
    switch (how) {
      case "at hand":
        return fixture.fold.expandRuns(values as Uint32Array, counts, { ...tuning, ...isF16 } as never);
      case "on the GPU":
        return onGpu(fixture, async (up, read) => {
          const there = [await up(values, isF16.type), await up(counts)] as [GpuArray, GpuArray];
          const given = step.lengthOnGpu ? await keepAll(fixture, there) : there;
          try {
            return await read(
              await fixture.fold.expandRuns(given[0] as never, given[1] as never, {
                ...tuning,
                maxLength: room,
              }),
            );
          } finally {
            for (const one of step.lengthOnGpu ? given : []) {
              one.destroy();
            }
          }
        });
      default:
        return recorded(fixture, title, spec, step, values, counts, room, expected);
    }
  });
  if ("refusal" in made) {
    if (hasFeature(fixture, type.feature) && made.refusal.name !== "LimitError") {
      throw new Fault(`${title} is refused, and must work: ${oneLine(made.refusal)}`);
    }
    return "refused";
  }
  requireEqual(made.result, expected, title);
  return "passed";
}

/** The same arrays, with a length that only the GPU knows. */
const keepAll = async ({ fold }: Fixture, arrays: readonly GpuArray[]): Promise<readonly GpuArray[]> => {
  const kept: GpuArray[] = [];
  for (const one of arrays) {
    kept.push((await fold.compact(one as never, { where: "true" })) as GpuArray);
  }
  return kept;
};

const FILL = 0x5a;
/** Bytes before and behind each range. */
const AROUND = 64;

/** Records with ranges between bytes that nobody may write, and reads the result. */
async function recorded(
  fixture: Fixture,
  title: string,
  spec: ExpandSpec,
  { runs, lengthOnGpu = false }: ExpandStep,
  values: AnyArray,
  counts: Uint32Array,
  room: number,
  expected: AnyArray,
): Promise<AnyArray> {
  const { fold } = fixture;
  const { device } = fold;
  const type = typeOf(spec.type);
  const prepared = await fixture.kept(`expand ${lengthOnGpu} ${JSON.stringify(spec)}`, () =>
    fold.prepareExpandRuns({ ...spec, type, maxLength: MOST_RUNS, lengthOnGpu } as never),
  );
  const made: GPUBuffer[] = [];
  const range = (
    bytes: Uint8Array,
    itemBytes: number,
    items = bytes.length / itemBytes,
  ): { buffer: GPUBuffer; offset: number } => {
    const offset = Math.ceil(AROUND / itemBytes) * itemBytes;
    const all = new Uint8Array(Math.ceil((offset + items * itemBytes + AROUND) / 4) * 4).fill(FILL);
    all.set(bytes, offset);
    const buffer = device.createBuffer({ size: all.length, usage: 0x80 | 0x4 | 0x8 });
    device.queue.writeBuffer(buffer, 0, all);
    made.push(buffer);
    return { buffer, offset };
  };
  const output = range(new Uint8Array(room * type.bytes).fill(FILL), type.bytes);
  const count = range(new Uint8Array(4).fill(FILL), 4);
  try {
    const encoder = device.createCommandEncoder();
    prepared.record(encoder, {
      // If their number is on the GPU, ranges have room for the most runs.
      input: range(bytesOf(values), type.bytes, lengthOnGpu ? MOST_RUNS : runs),
      counts: range(bytesOf(counts), 4, lengthOnGpu ? MOST_RUNS : runs),
      output,
      outputLength: room,
      count,
      length: lengthOnGpu ? range(bytesOf(Uint32Array.of(runs)), 4) : runs,
    });
    const stages = [output, count].map(({ buffer }) => {
      const stage = device.createBuffer({ size: buffer.size, usage: 0x1 | 0x8 });
      encoder.copyBufferToBuffer(buffer, 0, stage, 0, buffer.size);
      made.push(stage);
      return stage;
    });
    device.queue.submit([encoder.finish()]);
    const found: Uint8Array<ArrayBuffer>[] = [];
    for (const [at, { offset }] of [output, count].entries()) {
      const stage = stages[at] as GPUBuffer;
      await stage.mapAsync(0x1);
      const all = new Uint8Array(stage.getMappedRange());
      const end = offset + (at === 0 ? expected.length * type.bytes : 4);
      const touched = all.findIndex((byte, index) => (index < offset || index >= end) && byte !== FILL);
      if (touched >= 0) {
        throw new Fault(
          `${title} writes byte ${touched} of ${at === 0 ? "output" : "count"}, whose result is ${end - offset} bytes from ${offset}`,
        );
      }
      found.push(all.slice(offset, end));
    }
    const [result, counted] = found as [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];
    const written = new Uint32Array(counted.buffer)[0];
    if (written !== expected.length) {
      throw new Fault(`${title} counts ${written} items, and there are ${expected.length}`);
    }
    return arrayOf(type, result);
  } finally {
    for (const buffer of made) {
      buffer.destroy();
    }
  }
}
