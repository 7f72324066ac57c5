import fc from "fast-check";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { scalarAt } from "../../src/algebra/fields.ts";
import type { ElementType, ScalarType } from "../../src/algebra/types.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { prepare } from "../../src/gpu/recordings/recording.ts";
import type { SortTesting } from "../../src/plan/check_sort.ts";
import { movesDirectly } from "../../src/plan/check_sort.ts";
import { planSort } from "../../src/plan/sort.ts";
import type { ReferenceSort } from "../../src/reference/sort.ts";
import { argSortReference } from "../../src/reference/sort.ts";
import type { Fixture } from "./fixture.ts";
import { hasFeature } from "./fixture.ts";
import type { Scale } from "./plans.ts";
import {
  algorithmNames,
  countArbitrary,
  dataArbitrary,
  oneIn,
  Pooled,
  sizeAround,
  typeArbitrary,
} from "./plans.ts";
import type { Expected } from "./ranges.ts";
import { bufferMaker, FILL, gathered, placed, preparedOn, requireBytes } from "./ranges.ts";
import type { DataSpec, TypeSpec } from "./values.ts";
import { arrayOf, fieldsOf, itemBytes, typeOf } from "./values.ts";
import type { Verdict } from "./verdict.ts";
import { attemptNow } from "./verdict.ts";

// Sorts that are recorded: any type, order, bits and values, by ranges that lie anywhere. All bytes of all buffers
// are compared.

/** What is prepared. */
export interface SortSpec {
  readonly type: TypeSpec;
  readonly maxLength: number;
  readonly descending?: boolean;
  /** The first bit and the number of bits, as parts of 64 of what a key has. */
  readonly bits?: readonly [from: number, count: number];
  /** The types of the values; or whether positions are asked for. */
  readonly values?: readonly TypeSpec[];
  readonly indices?: boolean;
  readonly lengthOnGpu?: boolean;
  /** Whether rows or ranges of offsets are sorted, and the most items of one. */
  readonly segments?: "rows" | "offsets";
  readonly maxSegmentLength?: number;
  readonly algorithm?: (typeof algorithmNames)[number];
  readonly passes?: "single" | "reduce-then-scan";
  readonly workGroupSize?: number;
  readonly itemsPerThread?: number;
  /** Items are ranked by the order in which they arrive. That order is wrong in one of `disorder` tiles, and in none if it is 0. */
  readonly disorder?: number;
}

/** A recording. */
export interface SortStep {
  readonly length: number;
  readonly data: DataSpec;
  /** Items before each range. */
  readonly before: number;
  readonly inPlace?: boolean;
  readonly firstIndex?: number;
  /** The items of a row; or the most that a segment by offsets has. */
  readonly row?: number;
}

export interface SortCase {
  readonly family: "sort";
  readonly plan: SortSpec;
  readonly steps: readonly SortStep[];
}

export function sortArbitrary(scale: Scale): fc.Arbitrary<SortCase> {
  const type = typeArbitrary(scale);
  const plan = fc.record(
    {
      type,
      maxLength: sizeAround(scale.usualLength),
      descending: fc.boolean(),
      bits: fc.tuple(fc.integer({ min: 0, max: 63 }), fc.integer({ min: 1, max: 64 })),
      values: fc.array(type, { minLength: 1, maxLength: 2 }),
      indices: fc.boolean(),
      lengthOnGpu: fc.boolean(),
      segments: fc.constantFrom("rows" as const, "offsets" as const),
      maxSegmentLength: countArbitrary(scale),
      algorithm: fc.constantFrom(...algorithmNames),
      passes: fc.constantFrom("single" as const, "reduce-then-scan" as const),
      workGroupSize: fc.constantFrom(2, 3, 4, 7, 8, 32, 33, 64, 100, 128),
      itemsPerThread: fc.integer({ min: 1, max: 9 }),
      disorder: fc.integer({ min: 0, max: 3 }),
    },
    { requiredKeys: ["type", "maxLength"] },
  );
  const step = fc.record(
    {
      length: sizeAround(scale.usualLength),
      data: dataArbitrary(),
      before: fc.integer({ min: 0, max: 9 }),
      inPlace: fc.boolean(),
      row: countArbitrary(scale),
      firstIndex: oneIn(4, fc.nat()) as fc.Arbitrary<number>,
    },
    { requiredKeys: ["length", "data", "before"] },
  );
  return fc.record({
    family: fc.constant("sort" as const),
    plan: new Pooled(plan, 6),
    steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  });
}

/** What the elements are sorted by: themselves, or the first field of a struct. */
export function keyOf(type: ElementType): { options: object; reference: object; type: ElementType } {
  const [field] = fieldsOf(type);
  if (type.kind !== "struct" || field === undefined) {
    return { options: {}, reference: {}, type };
  }
  const keyType = typeOf(field.type);
  return {
    options: { key: `x.${field.name}` },
    reference: { key: (x: unknown) => scalarAt(x, field.keys), keyType },
    type: keyType,
  };
}

/** Where the segments of a recording start, and where the last one ends. Some are empty. */
function offsetsOf(
  segments: "rows" | "offsets",
  length: number,
  row: number,
  seed: number,
): readonly number[] {
  const offsets = [0];
  for (let at = 0, turn = seed; at < length; turn = (Math.imul(turn, 1664525) + 1013904223) >>> 0) {
    at = Math.min(length, at + (segments === "rows" ? row : (turn >>> 8) % (row + 1)));
    offsets.push(at);
  }
  return offsets;
}

/** The bits that a plan names as if a key had 64 bits: the first one, and how many. The default is all. */
export function bitsOfKey(
  [first, count]: readonly [first: number, count: number] = [0, 64],
  { bytes }: ElementType,
): readonly [from: number, to: number] {
  const width = bytes * 8;
  const from = Math.floor((first * width) / 64);
  return [from, Math.min(width, from + Math.max(1, Math.floor((count * width) / 64)))];
}

export async function runSort({ plan, steps }: SortCase, fixture: Fixture): Promise<Verdict> {
  const { fold } = fixture;
  const { device } = fold;
  const { type: spec, maxLength, descending = false, indices = false, lengthOnGpu = false } = plan;
  const { algorithm, passes, workGroupSize, itemsPerThread, segments } = plan;
  const mostOfSegment = Math.max(1, plan.maxSegmentLength ?? maxLength);
  const type = typeOf(spec);
  const values = (indices ? [] : (plan.values ?? [])).map(typeOf);
  const key = keyOf(type);
  const bits = bitsOfKey(plan.bits, key.type);
  const options = {
    type,
    ...key.options,
    maxLength,
    descending,
    indices,
    lengthOnGpu,
    ...(plan.bits && { bits }),
    ...(values.length > 0 && { values }),
    ...(segments && { segments }),
    ...(segments && plan.maxSegmentLength && { maxSegmentLength: mostOfSegment }),
    ...(algorithm && { algorithm }),
    ...(passes && { passes }),
    ...(workGroupSize && { workGroupSize }),
    ...(itemsPerThread && { itemsPerThread }),
  };
  const title = `sort<${type.name}> ${JSON.stringify({ ...plan, type: undefined })}`;
  const mustWork =
    [type, ...values].every((one) => hasFeature(fixture, one.feature)) &&
    (algorithm !== "subgroup" || hasFeature(fixture, "subgroups"));
  const { disorder } = plan;
  // What one plan sorts: keys alone, positions, and keys with one array of values that moves with them.
  const [moved, ...more] = values;
  const isPlain =
    segments === undefined &&
    (indices || !("key" in key.options)) &&
    more.length === 0 &&
    (moved === undefined || movesDirectly(moved));
  // Keys alone without sizes of their own are sorted by comparing, on any adapter.
  const isCompared =
    disorder === undefined &&
    moved === undefined &&
    !indices &&
    (algorithm ?? workGroupSize ?? itemsPerThread) === undefined;
  const isOwn = isPlain && (disorder !== undefined || isCompared);
  const made = await preparedOn(fixture, `sort ${JSON.stringify(plan)}`, title, mustWork, async () => {
    if (!isOwn) {
      return fold.prepareSort(options as never);
    }
    const context = contextOf(device);
    const sizes = { byVotes: true, partBytes: 512, compared: [] };
    const testing: SortTesting = isCompared
      ? { compared: [[8192, 8, 32]] }
      : {
          byArrival: true,
          byMarks: true,
          ...sizes,
          ...((disorder ?? 0) > 0 && { disorder: disorder as number }),
        };
    const own = planSort(
      options as never,
      context.facts,
      moved as ScalarType | undefined,
      undefined,
      testing,
    );
    return (await prepare(context, own)) as unknown as Awaited<ReturnType<typeof fold.prepareSort>>;
  });
  if (made === undefined) {
    return "refused";
  }
  const prepared = made;
  for (const step of steps) {
    await runStep(step);
  }
  await fixture.requireNoError(title);
  return "passed";

  async function runStep(step: SortStep): Promise<void> {
    const { length: wanted, data, before, inPlace, firstIndex = 0 } = step;
    const row = Math.max(1, Math.min(step.row ?? 1, mostOfSegment));
    const whole = Math.min(wanted, maxLength);
    // Rows divide a length that the CPU knows.
    const length = segments === "rows" && !lengthOnGpu ? whole - (whole % row) : whole;
    const offsets = segments && offsetsOf(segments, length, row, data.seed);
    const most = lengthOnGpu ? maxLength : length;
    const bytesOf = (of: ElementType, at: number): Uint8Array<ArrayBuffer> =>
      itemBytes(of, { ...data, seed: data.seed + at }, most, false);
    const items = bytesOf(type, 0);
    const own = items.slice(0, length * type.bytes);
    const reference = {
      type,
      descending,
      bits,
      ...key.reference,
      ...(offsets && { segments: { offsets } }),
    } as ReferenceSort<AnyArray>;
    const positions = argSortReference(arrayOf(type, own) as AnyArray, reference);
    const sides: {
      in: Uint8Array<ArrayBuffer>;
      out: Uint8Array<ArrayBuffer>;
      bytes: number;
      outBytes: number;
    }[] = [
      {
        in: items,
        out: indices
          ? new Uint8Array(Uint32Array.from(positions, (one) => one + firstIndex).buffer)
          : gathered(own, positions, type.bytes),
        bytes: type.bytes,
        outBytes: indices ? 4 : type.bytes,
      },
      ...values.map((of, at) => {
        const given = bytesOf(of, at + 1);
        return {
          in: given,
          out: gathered(given.subarray(0, length * of.bytes), positions, of.bytes),
          bytes: of.bytes,
          outBytes: of.bytes,
        };
      }),
    ];
    const made: GPUBuffer[] = [];
    const bufferOf = bufferMaker(device, made);
    const expected: Expected[] = [];
    const pairs = sides.map((side, at) => {
      const isOne = inPlace === true && side.bytes === side.outBytes;
      const startIn = before * side.bytes;
      const startOut = isOne ? startIn : (before + 1) * side.outBytes;
      const input = bufferOf(placed(side.in, startIn));
      const output = isOne
        ? input
        : bufferOf(placed(new Uint8Array(most * side.outBytes).fill(FILL), startOut));
      // What is past the length stays as it was.
      const after = isOne
        ? placed(side.in, startIn)
        : placed(new Uint8Array(most * side.outBytes).fill(FILL), startOut);
      after.set(side.out, startOut);
      expected.push({ name: `range ${at}`, buffer: output, bytes: after });
      if (!isOne) {
        expected.push({ name: `the source of range ${at}`, buffer: input, bytes: placed(side.in, startIn) });
      }
      return { input: { buffer: input, offset: startIn }, output: { buffer: output, offset: startOut } };
    });
    const [keys, ...others] = pairs as [(typeof pairs)[number], ...typeof pairs];
    const ranges = {
      ...keys,
      ...(others.length > 0 && {
        values: isOwn ? others[0]?.input : others.map(({ input }) => input),
        reordered: isOwn ? others[0]?.output : others.map(({ output }) => output),
      }),
      ...(firstIndex > 0 && { firstIndex }),
      ...(segments === "rows" && { rows: row }),
      ...(segments === "offsets" &&
        offsets && {
          offsets: {
            buffer: bufferOf(placed(new Uint8Array(Uint32Array.from(offsets).buffer), 4 * before)),
            offset: 4 * before,
          },
          segmentCount: offsets.length - 1,
        }),
      length: lengthOnGpu ? bufferOf(new Uint8Array(Uint32Array.of(length).buffer)) : length,
    };
    const encoder = device.createCommandEncoder();
    attemptNow(title, true, () => prepared.record(encoder, ranges as never));
    await requireBytes(
      device,
      encoder,
      expected,
      made,
      (name) => `wrong in ${title}'s ${name}, ${length} items${inPlace ? ", in place" : ""}`,
    );
    for (const buffer of made) {
      buffer.destroy();
    }
  }
}
