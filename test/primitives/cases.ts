import type { Fold } from "../../src/node.ts";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import { withCpu } from "../fuzz/cpu.ts";
import { layouts, runDescribed } from "../fuzz/described.ts";
import { choicesOf } from "../fuzz/described_arguments.ts";
import type { DescribedSpec, DescribedStep } from "../fuzz/described_call.ts";
import { places } from "../fuzz/described_call.ts";
import type { Fixture } from "../fuzz/fixture.ts";
import type { TypeSpec } from "../fuzz/values.ts";
import { dataKinds, typeOf } from "../fuzz/values.ts";
import type { Verdict } from "../fuzz/verdict.ts";
import { planAs } from "../support/fold.ts";
import { around } from "../support/lengths.ts";
import { pairs } from "../support/pairs.ts";
import type { Described } from "../support/primitives.ts";
import { randomBits } from "../support/random.ts";
import { typeNames } from "../support/sorts.ts";

// The cases of a described primitive's examples: pairs of all that a call may differ in.

/** A call, and what its plan is made for. */
export interface ExampleCase {
  readonly call: DescribedSpec;
  readonly step: DescribedStep;
  readonly facts: Partial<DeviceFacts>;
  /** Whether the CPU takes the call, if it is at hand. */
  readonly isOnCpu: boolean;
}

const itemBytes = new Set(typeNames.map((name) => typeOf(name).bytes));
/** Types of the same size, and structs. */
const typesBySize: readonly (readonly TypeSpec[])[] = [
  ...[...itemBytes].map((bytes) => typeNames.filter((name) => typeOf(name).bytes === bytes)),
  [["f32", "u32"]],
  [["u64", "f16", "i32"]],
];
/** With more examples, each example has the types of a size by turns, and not all of them. */
const MANY_EXAMPLES = 10;

/** What plans are made for: the device as it is, a GPU, and one of NVIDIA's, whose kernels look back. */
export const adapters = {
  own: {},
  gpu: { software: false, vendor: "any", lookBack: false },
  nvidia: { software: false, vendor: "nvidia", lookBack: true },
} as const satisfies Record<string, Partial<DeviceFacts>>;

/** Sizes, and lengths at which something changes: two levels of spine, whole vectors of each type, several subgroups, tiles that keep votes. */
const tiles = [
  { sizes: { workGroupSize: 8, itemsPerThread: 2 }, edges: [16, 256] },
  { sizes: { workGroupSize: 8, itemsPerThread: 8 }, edges: [64, 512] },
  { sizes: { workGroupSize: 48, itemsPerThread: 4 }, edges: [192, 576] },
  { sizes: { workGroupSize: 32, itemsPerThread: 12 }, edges: [384, 768] },
] as const;
/** The sizes that are chosen. */
const chosenTiles = { sizes: {}, edges: [256, 1024] } as const;
type Edges = readonly [number, number];
const lengths: readonly ((edges: Edges) => readonly number[])[] = [
  () => [0],
  () => [1],
  ([tile]) => around(tile),
  ([, several]) => around(several),
  () => [600],
];

/** The cases of a primitive's examples. */
export function casesOf({ primitive, examples }: Described): readonly ExampleCase[] {
  const { name } = primitive;
  const next = randomBits(name);
  const countOf = (type: TypeSpec): number => examples.of(typeOf(type), 100, next).length;
  const taken = typesBySize.map((types) => types.filter((type) => countOf(type) > 0));
  const most = Math.max(...taken.flat().map(countOf));
  const chosen = Object.entries(choicesOf(primitive)).filter(
    ([option]) => !(option in { workGroupSize: 1, itemsPerThread: 1 }),
  );
  const turns = new Map<unknown, number>();
  /** The values of a list by turns. */
  const nextOf = <Value>(key: unknown, values: readonly Value[]): Value => {
    const turn = turns.get(key) ?? 0;
    turns.set(key, turn + 1);
    return values[turn % values.length] as Value;
  };
  return pairs({
    types:
      most > MANY_EXAMPLES ? taken.filter(({ length }) => length > 0) : taken.flat().map((type) => [type]),
    example: [...Array(most).keys()],
    lengths,
    place: places,
    before: [0, 3, 16],
    lengthOnGpu: [false, true],
    tiles: "workGroupSize" in primitive.options ? [...tiles, chosenTiles] : [chosenTiles],
    facts: Object.values(adapters),
    params: [false, true],
    kind: dataKinds,
    layout: [undefined, ...layouts],
    into: [undefined, 0, 3],
    isChained: [false, true],
    ...Object.fromEntries(chosen.map(([option, values]) => [option, [undefined, ...values]])),
  }).map((row) => {
    const { types, example, lengths: lengthsOf, place, before, lengthOnGpu, ...others } = row;
    const { tiles: own, facts, params, kind, layout, into, isChained, ...options } = others;
    const length = nextOf(lengthsOf, lengthsOf(own.edges));
    const seed = next();
    return {
      call: {
        primitive: name,
        type: nextOf(types, types),
        maxLength: length + (seed % 3),
        example,
        seed,
        options: { ...own.sizes, ...options },
        lengthOnGpu,
        params,
      },
      step: {
        place,
        length,
        before,
        data: { kind, seed },
        ...(seed % 4 > 0 && { firstIndex: seed % 4 === 1 ? seed : 2 ** 32 - 1 - (seed % 99) }),
        ...(layout && { layout }),
        ...(into !== undefined && { into }),
        isChained,
      },
      facts,
      isOnCpu: place === "at hand" && seed % 2 === 0,
    };
  });
}

/** The feature that a case needs and the device lacks. */
export const missingFor = ({ device }: Fold, { type, options }: DescribedSpec): string | undefined =>
  [typeOf(type).feature, options?.algorithm === "subgroup" ? "subgroups" : undefined].find(
    (needed) => needed !== undefined && !device.features.has(needed),
  );

/** Makes the call of a case, and compares what it gives. */
export function verdictOn(fixture: Fixture, { call, step, facts, isOnCpu }: ExampleCase): Promise<Verdict> {
  const restore = planAs(fixture.fold, facts);
  return withCpu(isOnCpu ? "always" : undefined, fixture, (own) =>
    runDescribed({ family: "described", call, steps: [step] }, own),
  ).finally(restore);
}
