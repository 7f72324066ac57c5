import fc from "fast-check";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import type { ReferenceClassPartition, ReferencePartition } from "../../src/reference/partition.ts";
import { partitionReference } from "../../src/reference/partition.ts";
import type { Fixture } from "./fixture.ts";
import { hasFeature } from "./fixture.ts";
import { flagsOf, keeps, places } from "./partition.ts";
import type { Scale } from "./plans.ts";
import { algorithmNames, dataArbitrary, oneIn, Pooled, sizeAround, typeArbitrary } from "./plans.ts";
import type { Expected } from "./ranges.ts";
import { bufferMaker, FILL, gathered, placed, preparedOn, requireBytes } from "./ranges.ts";
import type { DataSpec, TypeSpec } from "./values.ts";
import { arrayOf, itemBytes, typeOf } from "./values.ts";
import type { Verdict } from "./verdict.ts";
import { attemptNow } from "./verdict.ts";

// Partitions that are recorded: in two, with the rest behind the kept items or in a range of its own, and by classes. All bytes of
// all buffers are compared.

/** What is prepared. */
export interface PartitionSpec {
  readonly type: TypeSpec;
  readonly maxLength: number;
  /** Where the items go that are not kept. With "classes", there are more parts than two. */
  readonly rest: "behind" | "apart" | "classes";
  /** Which items are kept: those that have a flag, where it is left out. */
  readonly where?: (typeof places)[number];
  readonly classes?: number;
  readonly indices?: boolean;
  readonly lengthOnGpu?: boolean;
  readonly algorithm?: (typeof algorithmNames)[number];
  readonly passes?: "single" | "reduce-then-scan";
  readonly workGroupSize?: number;
  readonly itemsPerThread?: number;
}

/** A recording. */
export interface PartitionStep {
  readonly length: number;
  readonly data: DataSpec;
  /** Items before each range. */
  readonly before: number;
  /** How the output lies, where it has items like the input's: in a buffer of its own, behind the input, or where that is. */
  readonly output?: "apart" | "behind" | "in place";
  /** Whether the range of the rest lies behind the output, in its buffer. */
  readonly sharesRest?: boolean;
  readonly firstIndex?: number;
}

export interface RecordedPartitionCase {
  readonly family: "recorded-partition";
  readonly plan: PartitionSpec;
  readonly steps: readonly PartitionStep[];
}

export function recordedPartitionArbitrary(scale: Scale): fc.Arbitrary<RecordedPartitionCase> {
  const plan = fc.record(
    {
      type: typeArbitrary(scale),
      maxLength: sizeAround(scale.usualLength),
      rest: fc.constantFrom("apart" as const, "apart" as const, "behind" as const, "classes" as const),
      where: oneIn(2, fc.constantFrom(...places)) as fc.Arbitrary<(typeof places)[number]>,
      classes: fc.integer({ min: 1, max: 16 }),
      indices: fc.boolean(),
      lengthOnGpu: fc.boolean(),
      algorithm: fc.constantFrom(...algorithmNames),
      passes: fc.constantFrom("single" as const, "reduce-then-scan" as const),
      workGroupSize: fc.constantFrom(2, 3, 4, 7, 8, 32, 33, 64, 100, 128),
      itemsPerThread: fc.integer({ min: 1, max: 9 }),
    },
    { requiredKeys: ["type", "maxLength", "rest"] },
  );
  const step = fc.record(
    {
      length: sizeAround(scale.usualLength),
      data: dataArbitrary(),
      before: fc.integer({ min: 0, max: 9 }),
      output: fc.constantFrom("apart" as const, "behind" as const, "in place" as const),
      sharesRest: fc.boolean(),
      firstIndex: oneIn(4, fc.nat()) as fc.Arbitrary<number>,
    },
    { requiredKeys: ["length", "data", "before"] },
  );
  return fc.record({
    family: fc.constant("recorded-partition" as const),
    plan: new Pooled(plan, 6),
    steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  });
}

/** What a recording leaves, as positions of items: at `output` and `rest`, and the numbers at `count`. */
interface Parts {
  readonly output: Uint32Array;
  readonly rest: Uint32Array;
  readonly count: Uint32Array;
}

export async function runRecordedPartition(
  { plan, steps }: RecordedPartitionCase,
  fixture: Fixture,
): Promise<Verdict> {
  const { fold } = fixture;
  const { device } = fold;
  const { type: spec, maxLength, rest, where, indices = false, lengthOnGpu = false } = plan;
  const { algorithm, passes, workGroupSize, itemsPerThread } = plan;
  const type = typeOf(spec);
  const classes = rest === "classes" ? (plan.classes ?? 3) : undefined;
  const isFlagged = classes === undefined && where === undefined;
  const outBytes = indices ? 4 : type.bytes;
  const options = {
    type,
    maxLength,
    indices,
    lengthOnGpu,
    ...(classes === undefined ? where && { where } : { classes, class: `i % ${classes + 1}u` }),
    ...(rest === "apart" && { rest: true }),
    ...(algorithm && { algorithm }),
    ...(passes && { passes }),
    ...(workGroupSize && { workGroupSize }),
    ...(itemsPerThread && { itemsPerThread }),
  };
  const title = `partition<${type.name}> ${JSON.stringify({ ...plan, type: undefined })}`;
  const mustWork =
    hasFeature(fixture, type.feature) &&
    (algorithm !== "subgroup" || hasFeature(fixture, "subgroups")) &&
    (workGroupSize ?? 2) * (itemsPerThread ?? 2) > 1;
  const made = await preparedOn(fixture, `partition ${JSON.stringify(plan)}`, title, mustWork, () =>
    fold.preparePartition(options as never),
  );
  if (made === undefined) {
    return "refused";
  }
  const prepared = made;
  for (const step of steps) {
    await runStep(step);
  }
  await fixture.requireNoError(title);
  return "passed";

  /** What must come out. Predicates and classes look at an item's index alone. */
  function partsOf(data: AnyArray, flags: Uint32Array, first: number): Parts {
    const indexOf = (at: number): number => (first + at) >>> 0;
    const common = { type, indices: true } as never;
    if (classes !== undefined) {
      const classOf = (_: unknown, at: number): number => indexOf(at) % (classes + 1);
      const { values, offsets } = partitionReference(data, classOf, {
        ...(common as object),
        classes,
      } as never) as unknown as ReferenceClassPartition<Uint32Array>;
      return { output: values, rest: new Uint32Array(0), count: offsets };
    }
    const keep = (_: unknown, at: number): boolean =>
      where === undefined ? flags[at] !== 0 : keeps[where](indexOf(at));
    const { values, count } = partitionReference(
      data,
      keep,
      common,
    ) as unknown as ReferencePartition<Uint32Array>;
    const end = rest === "apart" ? count : values.length;
    return { output: values.subarray(0, end), rest: values.subarray(end), count: Uint32Array.of(count) };
  }

  async function runStep(step: PartitionStep): Promise<void> {
    const { data, before, output: place = "apart", sharesRest, firstIndex = 0 } = step;
    const length = Math.min(step.length, maxLength);
    const most = lengthOnGpu ? maxLength : length;
    const items = itemBytes(type, data, most, false);
    const own = items.slice(0, length * type.bytes);
    const flags = flagsOf(most, data.seed);
    const parts = partsOf(arrayOf(type, own) as AnyArray, flags, firstIndex);
    const made: GPUBuffer[] = [];
    const bufferOf = bufferMaker(device, made);
    const expected: Expected[] = [];
    /** Ranges one behind another in one buffer: what they hold, and what they must hold. */
    const rangesIn = (
      ...ranges: readonly (readonly [
        name: string,
        given: Uint8Array,
        after: Uint8Array,
        bytes: number,
        items: number,
      ])[]
    ): { readonly buffer: GPUBuffer; readonly offset: number }[] => {
      let [given, after]: [Uint8Array, Uint8Array] = [new Uint8Array(0), new Uint8Array(0)];
      const offsets = ranges.map(([, was, becomes, bytes, items]) => {
        const offset = (Math.ceil(given.length / bytes) + items) * bytes;
        const end = (has: Uint8Array): Uint8Array => {
          const all = new Uint8Array(offset).fill(FILL);
          all.set(has);
          return all;
        };
        [given, after] = [joined(end(given), was), joined(end(after), was)];
        after.set(becomes, offset);
        return offset;
      });
      const buffer = bufferOf(placed(given, 0));
      expected.push({ name: ranges.map(([name]) => name).join(" and "), buffer, bytes: placed(after, 0) });
      return offsets.map((offset) => ({ buffer, offset }));
    };
    const stored = (positions: Uint32Array): Uint8Array =>
      indices
        ? new Uint8Array(Uint32Array.from(positions, (one) => one + firstIndex).buffer)
        : gathered(own, positions, type.bytes, positions.length);
    // What is past the items that are stored stays as it was.
    const blank = new Uint8Array(most * outBytes).fill(FILL);
    const outRange = ["output", blank, stored(parts.output), outBytes, before + 1] as const;
    const restRange = ["rest", blank, stored(parts.rest), outBytes, before + 2] as const;
    const isLike = outBytes === type.bytes;
    const isOne = place === "in place" && isLike;
    const inRange = ["input", items, isOne ? stored(parts.output) : items, type.bytes, before] as const;
    const behind = place === "behind" && isLike;
    // The rest must lie in another buffer than the input.
    const shares = rest === "apart" && sharesRest === true && !isOne && !behind;
    const [input, outputBehind] = rangesIn(inRange, ...(behind ? [outRange] : []));
    const [outputApart, restBehind] =
      isOne || behind ? [] : rangesIn(outRange, ...(shares ? [restRange] : []));
    const numbers = new Uint8Array(parts.count.buffer);
    const [count] = rangesIn(["count", new Uint8Array(numbers.length).fill(FILL), numbers, 4, before]);
    const flagBytes = new Uint8Array(flags.buffer);
    const ranges = {
      input,
      output: isOne ? input : (outputBehind ?? outputApart),
      count,
      ...(rest === "apart" && { rest: restBehind ?? rangesIn(restRange)[0] }),
      ...(isFlagged && { flags: rangesIn(["flags", flagBytes, flagBytes, 4, before])[0] }),
      ...(firstIndex > 0 && { firstIndex }),
      length: lengthOnGpu ? bufferOf(new Uint8Array(Uint32Array.of(length).buffer)) : length,
    };
    const encoder = device.createCommandEncoder();
    attemptNow(title, true, () => prepared.record(encoder, ranges as never));
    await requireBytes(
      device,
      encoder,
      expected,
      made,
      (name) => `wrong in ${title}'s ${name}, ${length} items, ${JSON.stringify(step)}`,
    );
    for (const buffer of made) {
      buffer.destroy();
    }
  }
}

/** Two arrays of bytes as one. */
function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const all = new Uint8Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}
