import { expect, test } from "vitest";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { ElementType, TypeName } from "../../src/algebra/types.ts";
import type { TuningOptions } from "../../src/plan/options.ts";
import { argSortReference } from "../../src/reference/sort.ts";
import { expectSameBits } from "../support/compare.ts";
import { useSoftwareFold } from "../support/fold.ts";
import { randomBits } from "../support/random.ts";
import { rows } from "../support/rows.ts";
import { gathered, kinds } from "../support/sorted_arrays.ts";

// Sorts of rows and of other segments, each on its own.

const fold = useSoftwareFold();
const names = Object.keys(elementTypes) as TypeName[];
const missing = ({ feature }: ElementType): boolean =>
  feature !== undefined && !fold().device.features.has(feature);

const ways: readonly (TuningOptions & { readonly name: string })[] = [
  { name: "votes", algorithm: "subgroup", workGroupSize: 64 },
  { name: "counters", algorithm: "blelloch", workGroupSize: 32 },
  { name: "what the plan chooses" },
];
const cases = ways.flatMap((way) => names.map((type) => ({ ...way, way: way.name, type })));

/** Offsets of segments whose lengths are 0, 1, up to a limit, and at last what is left. */
function offsetsFor(length: number, most: number, name: string): number[] {
  const next = randomBits(name);
  const offsets = [0, 0];
  for (let at = 0; at < length; ) {
    const own = next() % 4 === 0 ? next() % 2 : next() % (most + 1);
    at = Math.min(length, at + own);
    offsets.push(at);
  }
  return [...offsets, length];
}

test.for(rows(cases, { of: 7 }))("$way, $type: rows and segments of every length", async (one, { skip }) => {
  const { way: _, name: __, type: name, ...tuning } = one;
  const type = elementTypes[name];
  skip(missing(type), `the adapter has no ${type.feature}`);
  const kindNames = Object.keys(kinds) as (keyof typeof kinds)[];
  // Rows of one item, rows that share a tile, that fill it, and that do not fit.
  for (const [turn, length] of [1, 3, 8, 17, 64, 100, 256, 300, 1500].entries()) {
    const count = Math.max(2, Math.min(9, Math.floor(700 / length)));
    const items = length * count;
    const data = kinds[turn % 2 === 0 ? "few" : (kindNames[turn % kindNames.length] as "any")](
      name,
      items,
      `${name} ${length}`,
    ) as Uint32Array;
    const values = Uint32Array.from(data, (_, at) => at * 3);
    for (const segments of [
      { rows: length },
      { offsets: offsetsFor(items, length, `${name} ${length} offsets`) },
    ]) {
      const descending = turn % 3 === 1;
      const title = `${JSON.stringify(segments).slice(0, 60)}, ${items} items${descending ? ", descending" : ""}`;
      const options = { type: type as never, descending, segments };
      const positions = argSortReference(data, options);
      expectSameBits(await fold().argSort(data, { ...options, ...tuning }), positions, `${title}: positions`);
      const sorted = await fold().sort(data, { ...options, ...tuning, values });
      expectSameBits(sorted.keys, gathered(data, positions), `${title}: keys`);
      expectSameBits(sorted.values, gathered(values, positions), `${title}: values`);
      if (turn % 4 === 0) {
        expectSameBits(await fold().sort(data, { ...options, ...tuning }), gathered(data, positions), title);
      }
    }
  }
});
