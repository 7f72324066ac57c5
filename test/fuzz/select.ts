import fc from "fast-check";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import type { PreparedNth } from "../../src/primitives/nth.ts";
import type { PreparedTopK } from "../../src/primitives/top_k.ts";
import type { ReferenceSort } from "../../src/reference/sort.ts";
import { argSortReference } from "../../src/reference/sort.ts";
import type { Fixture } from "./fixture.ts";
import { hasFeature } from "./fixture.ts";
import type { Scale } from "./plans.ts";
import { countArbitrary, dataArbitrary, oneIn, Pooled, sizeAround, typeArbitrary } from "./plans.ts";
import type { Expected } from "./ranges.ts";
import { bufferMaker, FILL, gathered, placed, preparedOn, requireBytes } from "./ranges.ts";
import { bitsOfKey, keyOf } from "./sort.ts";
import type { DataSpec, TypeSpec } from "./values.ts";
import { arrayOf, itemBytes, typeOf } from "./values.ts";
import type { Verdict } from "./verdict.ts";
import { attemptNow } from "./verdict.ts";

// Selections that are recorded: any type, order, bits and number, by ranges that lie anywhere. All bytes of all buffers are compared.

/** What is prepared. */
export interface SelectSpec {
  readonly type: TypeSpec;
  readonly maxLength: number;
  /** How many of the first elements are asked for. Without it, one element is. */
  readonly k?: number;
  /** Which element is asked for. */
  readonly n?: number;
  /** The other order than the usual one. */
  readonly reversed?: boolean;
  /** The first bit and the number of bits, as parts of 64 of what a key has. */
  readonly bits?: readonly [from: number, count: number];
  readonly lengthOnGpu?: boolean;
  /** Whether elements of each row are asked for, and the most items of a row. */
  readonly ofRows?: boolean;
  readonly maxSegmentLength?: number;
  readonly passes?: "single" | "reduce-then-scan";
}

/** A recording. */
export interface SelectStep {
  readonly length: number;
  readonly data: DataSpec;
  /** Items before each range. */
  readonly before: number;
  readonly firstIndex?: number;
  /** The items of a row. */
  readonly row?: number;
}

export interface SelectCase {
  readonly family: "select";
  readonly plan: SelectSpec;
  readonly steps: readonly SelectStep[];
}

export function selectArbitrary(scale: Scale): fc.Arbitrary<SelectCase> {
  const plan = fc.record(
    {
      type: typeArbitrary(scale),
      maxLength: sizeAround(scale.usualLength),
      k: countArbitrary(scale),
      n: sizeAround(scale.usualLength),
      reversed: fc.boolean(),
      bits: fc.tuple(fc.integer({ min: 0, max: 63 }), fc.integer({ min: 1, max: 64 })),
      lengthOnGpu: fc.boolean(),
      ofRows: fc.boolean(),
      maxSegmentLength: countArbitrary(scale),
      passes: fc.constantFrom("single" as const, "reduce-then-scan" as const),
    },
    { requiredKeys: ["type", "maxLength"] },
  );
  const step = fc.record(
    {
      length: sizeAround(scale.usualLength),
      data: dataArbitrary(),
      before: fc.integer({ min: 0, max: 9 }),
      row: countArbitrary(scale),
      firstIndex: oneIn(4, fc.nat()) as fc.Arbitrary<number>,
    },
    { requiredKeys: ["length", "data", "before"] },
  );
  return fc.record({
    family: fc.constant("select" as const),
    plan: new Pooled(plan, 6),
    steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  });
}

export async function runSelect({ plan, steps }: SelectCase, fixture: Fixture): Promise<Verdict> {
  const { fold } = fixture;
  const { device } = fold;
  const { type: spec, maxLength, n = 0, reversed = false, passes } = plan;
  const isTopK = plan.k !== undefined;
  const ofRows = isTopK && plan.ofRows === true;
  const lengthOnGpu = plan.lengthOnGpu === true && !ofRows;
  const mostOfRow = Math.max(1, plan.maxSegmentLength ?? maxLength);
  const k = Math.max(1, plan.k ?? 1);
  const type = typeOf(spec);
  const key = keyOf(type);
  const bits = bitsOfKey(plan.bits, key.type);
  const common = { type, ...key.options, maxLength, lengthOnGpu, ...(plan.bits && { bits }) };
  const options = isTopK
    ? {
        ...common,
        k,
        smallest: reversed,
        ...(passes && { passes }),
        ...(ofRows && { segments: "rows" }),
        ...(ofRows && plan.maxSegmentLength && { maxSegmentLength: mostOfRow }),
      }
    : { ...common, n, descending: reversed };
  const title = `${isTopK ? "topK" : "nth"}<${type.name}> ${JSON.stringify({ ...plan, type: undefined })}`;
  const mustWork = hasFeature(fixture, type.feature);
  const made = await preparedOn<PreparedTopK | PreparedNth>(
    fixture,
    `select ${JSON.stringify(plan)}`,
    title,
    mustWork,
    () => (isTopK ? fold.prepareTopK(options as never) : fold.prepareNth(options as never)),
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

  async function runStep(step: SelectStep): Promise<void> {
    const { length: wanted, data, before, firstIndex = 0 } = step;
    const whole = Math.min(wanted, maxLength);
    const row = Math.max(1, Math.min(step.row ?? 1, mostOfRow));
    const length = ofRows ? whole - (whole % row) : whole;
    const most = lengthOnGpu ? maxLength : length;
    const items = itemBytes(type, data, most, false);
    const own = items.slice(0, length * type.bytes);
    const descending = isTopK ? !reversed : reversed;
    const reference = {
      type,
      descending,
      bits,
      ...key.reference,
      ...(ofRows && { segments: { rows: row } }),
    } as ReferenceSort<AnyArray>;
    const sorted = argSortReference(arrayOf(type, own) as AnyArray, reference);
    const last = Math.min(n, length - 1);
    const each = ofRows ? row : Math.max(1, length);
    const positions = isTopK ? sorted.filter((_, at) => at % each < k) : sorted.slice(last, last + 1);
    const room = ofRows ? positions.length : isTopK ? Math.min(k, most) : Math.min(1, most);
    const made: GPUBuffer[] = [];
    const bufferOf = bufferMaker(device, made);
    const expected: Expected[] = [];
    const rangeOf = (name: string, given: Uint8Array, after: Uint8Array, bytes: number, items: number) => {
      const offset = items * bytes;
      const buffer = bufferOf(placed(given, offset));
      const all = placed(given, offset);
      all.set(after, offset);
      expected.push({ name, buffer, bytes: all });
      return { buffer, offset };
    };
    // What is past those that are taken stays as it was.
    const blank = (bytes: number): Uint8Array => new Uint8Array(room * bytes).fill(FILL);
    const places = Uint32Array.from(positions, (one) => one + firstIndex);
    const ranges = {
      input: rangeOf("input", items, items, type.bytes, before),
      output: rangeOf(
        "output",
        blank(type.bytes),
        gathered(own, positions, type.bytes, positions.length),
        type.bytes,
        before + 1,
      ),
      indices: rangeOf("indices", blank(4), new Uint8Array(places.buffer), 4, before + 2),
      ...(firstIndex > 0 && { firstIndex }),
      ...(ofRows && { rows: row }),
      ...(isTopK &&
        lengthOnGpu && {
          count: rangeOf(
            "count",
            new Uint8Array(4).fill(FILL),
            new Uint8Array(Uint32Array.of(positions.length).buffer),
            4,
            before,
          ),
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
      (name) => `wrong in ${title}'s ${name}, ${length} items`,
    );
    for (const buffer of made) {
      buffer.destroy();
    }
  }
}
