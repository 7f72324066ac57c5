import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withCpu } from "../fuzz/cpu.ts";
import type { DescribedCase } from "../fuzz/described.ts";
import { layouts, places, runDescribed } from "../fuzz/described.ts";
import { choicesOf } from "../fuzz/described_arguments.ts";
import type { Fixture } from "../fuzz/fixture.ts";
import { fixtureOn } from "../fuzz/fixture.ts";
import { scaleOf } from "../fuzz/plans.ts";
import type { TypeSpec } from "../fuzz/values.ts";
import { dataKinds, typeOf } from "../fuzz/values.ts";
import { useFoldOfOneSize } from "../support/fold.ts";
import { around } from "../support/lengths.ts";
import { pairs } from "../support/pairs.ts";
import { described } from "../support/primitives.ts";
import { randomBits } from "../support/random.ts";
import { typeNames } from "../support/sorts.ts";

// Sums of f64 have the order that groupingOf gives.
const fold = useFoldOfOneSize();
let fixture: Fixture;
beforeAll(() => {
  fixture = fixtureOn(fold(), scaleOf("simulated"));
});
afterAll(() => fixture.destroy());

const sizes = new Set(typeNames.map((name) => typeOf(name).bytes));
/** Types of the same size, and structs. */
const typesBySize: readonly (readonly TypeSpec[])[] = [
  ...[...sizes].map((bytes) => typeNames.filter((name) => typeOf(name).bytes === bytes)),
  [["f32", "u32"]],
  [["u64", "f16", "i32"]],
];
/** With more examples, each example has the types of a size by turns, and not all of them. */
const MANY_EXAMPLES = 10;

describe.each(described)("$primitive.name", ({ primitive, examples }) => {
  const next = randomBits(primitive.name);
  const countOf = (type: TypeSpec): number => examples.of(typeOf(type), 100, next).length;
  const taken = typesBySize.map((types) => types.filter((type) => countOf(type) > 0));
  const most = Math.max(...taken.flat().map(countOf));
  const chosen = Object.entries(choicesOf(primitive)).filter(
    ([name]) => !(name in { workGroupSize: 1, itemsPerThread: 1 }),
  );
  // A tile has 16 items, so that there are two levels of spine; or 1024 if the primitive takes no sizes.
  const longest = "workGroupSize" in primitive.options ? [600] : around(1024);
  const turns = new Map<readonly unknown[], number>();
  /** The values of a list by turns. */
  const nextOf = <Value>(values: readonly Value[]): Value => {
    const turn = turns.get(values) ?? 0;
    turns.set(values, turn + 1);
    return values[turn % values.length] as Value;
  };
  const rows = pairs({
    types:
      most > MANY_EXAMPLES ? taken.filter(({ length }) => length > 0) : taken.flat().map((type) => [type]),
    example: [...Array(most).keys()],
    lengths: [[0], [1], around(16), around(256), longest],
    place: places,
    before: [0, 3, 16],
    lengthOnGpu: [false, true],
    tiles: [{ workGroupSize: 8, itemsPerThread: 2 }, {}],
    data: dataKinds,
    layout: [undefined, ...layouts],
    into: [undefined, 0, 3],
    ...Object.fromEntries(chosen.map(([name, values]) => [name, [undefined, ...values]])),
  }).map(({ types, lengths, ...row }) => ({ ...row, type: nextOf(types), length: nextOf(lengths) }));
  test.for(rows)("$type, example $example, $length elements, $place", async (row, { skip }) => {
    const { type, example, length, place, before, lengthOnGpu, tiles, data, layout, into, ...options } = row;
    const { feature } = typeOf(type);
    for (const needed of [
      feature,
      "algorithm" in options && options.algorithm === "subgroup" && "subgroups",
    ]) {
      skip(Boolean(needed) && !fold().device.features.has(needed as string), `the adapter has no ${needed}`);
    }
    const seed = next();
    const tuning = "workGroupSize" in primitive.options ? tiles : {};
    const call: DescribedCase = {
      family: "described",
      call: {
        primitive: primitive.name,
        type,
        maxLength: length + (seed % 3),
        example,
        seed,
        options: { ...tuning, ...options },
        lengthOnGpu,
      },
      steps: [
        {
          place,
          length,
          before,
          data: { kind: data, seed },
          ...(seed % 4 > 0 && { firstIndex: seed % 4 === 1 ? seed : 2 ** 32 - 1 - (seed % 99) }),
          ...(layout && { layout }),
          ...(into !== undefined && { into }),
        },
      ],
    };
    const isOnCpu = place === "at hand" && seed % 2 === 0;
    const verdict = await withCpu(isOnCpu ? "always" : undefined, fixture, (own) => runDescribed(call, own));
    // Some primitives have no result if there are no elements.
    expect(length === 0 ? "passed" : verdict).toBe("passed");
  });
});
