import { afterAll, beforeAll, expect, test } from "vitest";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import type { Example } from "../../src/primitives/examples.ts";
import { layouts } from "../fuzz/described.ts";
import type { Fixture } from "../fuzz/fixture.ts";
import { fixtureOn } from "../fuzz/fixture.ts";
import { scaleOf } from "../fuzz/plans.ts";
import type { TypeSpec } from "../fuzz/values.ts";
import { typeOf } from "../fuzz/values.ts";
import { useFoldOfOneSize } from "../support/fold.ts";
import { around } from "../support/lengths.ts";
import { exampleNumbers } from "../support/primitives.ts";
import { randomBits } from "../support/random.ts";
import { adapters, missingFor, verdictOn } from "./cases.ts";

// Kernels that only some plans have, by the examples that take them: recorded, at every edge of a tile, by ranges that lie anywhere.

// Sums of f64 have the order that groupingOf gives.
const fold = useFoldOfOneSize();
let fixture: Fixture;
beforeAll(() => {
  fixture = fixtureOn(fold(), scaleOf("simulated"));
});
afterAll(() => fixture.destroy());

/** What examples have, by the names of what is done. */
const kinds = {
  rows: ({ options }: Example) => has(options, "rows"),
  columns: ({ options }: Example) => has(options, "columns") || has(options, "shape"),
  "no segments": ({ options, operands = {} }: Example) =>
    !(
      "segments" in options ||
      ["offsets", "begins", "heads", "headBits", "keys"].some((name) => name in operands)
    ),
  "two sides": ({ options, recorded }: Example) => !("classes" in options || recorded),
  "the rest in a range of its own": ({ recorded }: Example) => recorded !== undefined,
  classes: ({ options }: Example) => "classes" in options,
} as const;
const has = (options: object, name: string): boolean =>
  name in Object((options as { readonly segments?: unknown }).segments);

interface Way {
  readonly primitives: readonly string[];
  readonly kinds: readonly (keyof typeof kinds)[];
  readonly types: readonly TypeSpec[];
  readonly facts: Partial<DeviceFacts>;
  readonly options: {
    readonly workGroupSize: number;
    readonly itemsPerThread: number;
    readonly algorithm?: string;
  };
}

interface VectorWay {
  readonly type: TypeSpec;
  readonly algorithm: string;
  readonly itemsPerThread: number;
  readonly workGroupSize?: number;
  readonly facts?: Partial<DeviceFacts>;
}

const { own, gpu, nvidia } = adapters;
const twelve = ["u32", "u32", "f32"] as const;
const twenty = ["u32", "u32", "i32", "u32", "u32"] as const;
const twentyFour = ["i64", "i32", "i32", "u32"] as const;
const segmented = ["scan", "reduce"];
const some: readonly TypeSpec[] = ["u32", "f32", "f64", "f16", "u64", twelve];

/** Vectors of one item, of two, of four and of eight; several a thread; and 80 bytes, which are too many for one. */
const vectors: readonly VectorWay[] = [
  { type: "u32", algorithm: "blelloch", itemsPerThread: 8 },
  { type: "u32", algorithm: "subgroup", itemsPerThread: 8 },
  { type: "u64", algorithm: "hillis-steele", itemsPerThread: 4 },
  { type: twelve, algorithm: "blelloch", itemsPerThread: 4, facts: own },
  { type: twelve, algorithm: "subgroup", itemsPerThread: 4 },
  { type: twentyFour, algorithm: "subgroup", itemsPerThread: 2 },
  { type: twentyFour, algorithm: "subgroup", itemsPerThread: 3, facts: own },
  { type: twenty, algorithm: "hillis-steele", itemsPerThread: 4 },
  { type: "f16", algorithm: "subgroup", itemsPerThread: 8 },
  // With subgroups of at most 32 lanes, votes are kept in place of ranks.
  { type: "u32", algorithm: "subgroup", itemsPerThread: 12, workGroupSize: 32 },
];

const ways: readonly Way[] = [
  // Rows that work-groups take whole, or in parts: level by level, and by subgroups.
  ...[
    { workGroupSize: 4, itemsPerThread: 4 },
    { workGroupSize: 8, itemsPerThread: 4 },
    { workGroupSize: 16, itemsPerThread: 8 },
  ].map((options) => ({ primitives: segmented, kinds: ["rows"] as const, types: some, facts: gpu, options })),
  ...[
    { workGroupSize: 8, itemsPerThread: 4 },
    { workGroupSize: 64, itemsPerThread: 4 },
  ].map((options) => ({
    primitives: segmented,
    kinds: ["rows"] as const,
    types: some,
    facts: nvidia,
    options,
  })),
  {
    primitives: segmented,
    kinds: ["rows"],
    types: some,
    facts: own,
    options: { workGroupSize: 8, itemsPerThread: 4 },
  },
  // A thread for each column, and work-groups that take blocks of columns.
  {
    primitives: segmented,
    kinds: ["columns"],
    types: some,
    facts: own,
    options: { workGroupSize: 8, itemsPerThread: 4 },
  },
  {
    primitives: segmented,
    kinds: ["columns"],
    // Exact sums of f64 take more memory than so many threads have.
    types: some.filter((type) => type !== "f64"),
    facts: gpu,
    options: { workGroupSize: 64, itemsPerThread: 2 },
  },
  ...vectors.flatMap(({ type, facts = gpu, ...options }) =>
    [
      { primitives: ["scan", "reduce", "compact"], kinds: ["no segments"] as const },
      {
        primitives: ["partition"],
        kinds: ["two sides", "the rest in a range of its own", "classes"] as const,
      },
    ].map((what) => ({ ...what, types: [type], facts, options: { workGroupSize: 8, ...options } })),
  ),
];

const isSegmented = (kind: keyof typeof kinds): boolean => kind === "rows" || kind === "columns";
/** How many examples of a kind a way takes. In results.test.ts, each example meets each adapter. */
const counts: Partial<Record<keyof typeof kinds, number>> = { "no segments": 3, columns: 2 };

const wayRows = ways.flatMap(({ types, facts, options, ...way }, at) =>
  way.primitives.flatMap((primitive, by) =>
    way.kinds.flatMap((kind, turn) => {
      // Types take turns.
      const chosen = types.filter((_, place) => types.length === 1 || (place + at + by) % 3 === 0);
      return chosen.flatMap((type) => {
        const all = exampleNumbers(primitive, typeOf(type), kinds[kind]);
        const { [kind]: count = 1 } = counts;
        // Rows have other lengths in each draw.
        const draws = kind === "rows" ? 4 : Math.min(count, all.length);
        return Array.from({ length: draws }, (_, place) => ({
          primitive,
          kind,
          type,
          facts,
          options: {
            ...options,
            // If passes are named, no work-group takes whole rows.
            ...(!isSegmented(kind) && {
              passes: (["single", "reduce-then-scan"] as const)[
                (kind === "no segments" ? place : at + turn) % 2
              ],
            }),
          },
          // The first example without segments is the plain call: it goes in one pass and in two.
          example: all[kind === "no segments" && place < 2 ? 0 : (at + by + place) % all.length] as number,
          reverse: place % 3 === 1,
          turn: at + by + turn + place,
        }));
      });
    }),
  ),
);

test.for(wayRows)(
  "$primitive of $type, $kind, example $example, $options, $facts.vendor",
  async ({ primitive, kind, type, facts, options, example, reverse, turn }, { skip }) => {
    const tile = options.workGroupSize * options.itemsPerThread;
    const lengths = isSegmented(kind) ? [0, 1, 97, 360, 1024, 1536] : [0, 1, ...around(tile), 2 * tile + 5];
    const call = {
      primitive,
      type,
      maxLength: Math.max(...lengths),
      example,
      seed: randomBits(`${primitive} ${type} ${kind} ${turn} ${example}`)(),
      options: {
        ...options,
        ...(primitive === "scan" && { exclusive: turn % 4 < 2, reverse }),
      },
      lengthOnGpu: turn % 2 === 0,
    };
    const missing = missingFor(fold(), call);
    skip(missing !== undefined, `the adapter has no ${missing}`);
    // From the start of buffers, and some from other items on.
    const steps = [
      ...lengths.map((length) => ({ length, before: 0 })),
      ...lengths.slice(1).map((length, at) => ({ length, before: at + 1 })),
    ];
    for (const [at, { length, before }] of steps.entries()) {
      const step = {
        place: "recorded",
        length,
        before,
        data: { kind: "bits", seed: at },
        ...(before > 0 && { layout: layouts[(at + turn) % layouts.length] as (typeof layouts)[number] }),
      } as const;
      const verdict = await verdictOn(fixture, { call, step, facts, isOnCpu: false });
      // No shape has no elements.
      expect(length === 0 && isSegmented(kind) ? "passed" : verdict, `${length} items`).toBe("passed");
    }
  },
);
