import fc from "fast-check";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { partitionReference } from "../../src/reference/partition.ts";
import type { Fixture } from "./fixture.ts";
import { hasFeature } from "./fixture.ts";
import type { Scale } from "./plans.ts";
import { algorithmNames, dataArbitrary, oneIn, Pooled, sizeAround, typeArbitrary } from "./plans.ts";
import { onGpu, partsOf, requireEqual } from "./segments.ts";
import type { DataSpec, TypeSpec } from "./values.ts";
import { arrayOf, bitsOf, itemBytes, typeOf } from "./values.ts";
import type { Verdict } from "./verdict.ts";
import { attempt, Fault, oneLine, verdictOf } from "./verdict.ts";

// Partitions, in two and by classes: at hand and on the GPU. All of them are exact.

/** Predicates over an item's index. */
export const places = ["i % 3u == 1u", "i >= 40u", "true", "false", "(i ^ (i >> 3u)) % 2u == 0u"] as const;
export const keeps: Readonly<Record<(typeof places)[number], (index: number) => boolean>> = {
  "i % 3u == 1u": (i) => i % 3 === 1,
  "i >= 40u": (i) => i >= 40,
  true: () => true,
  false: () => false,
  "(i ^ (i >> 3u)) % 2u == 0u": (i) => (i ^ (i >>> 3)) % 2 === 0,
};

/** Flags of items: of about a third, no flag. */
export function flagsOf(length: number, seed: number): Uint32Array<ArrayBuffer> {
  const next = bitsOf(seed + 1);
  return Uint32Array.from({ length }, () => (next() % 3 === 0 ? 0 : next()));
}

/** The forms of a class, from the u32 `text`: WGSL, and what it means. */
const forms = {
  u32: [(text: string) => text, (number: number) => number],
  i32: [(text: string) => `i32(${text}) - 3`, (number: number) => number - 3],
  f32: [(text: string) => `f32(${text}) * 0.5 - 1.75`, (number: number) => number * 0.5 - 1.75],
  lines: [(text: string) => `let number = ${text};\nreturn number;`, (number: number) => number],
} as const;

/** What is called. */
export interface PartitionSpec {
  readonly kind: "partition" | "classes";
  readonly type: TypeSpec;
  /** Of a partition in two: flags, where it is left out. */
  readonly where?: (typeof places)[number];
  readonly indices?: boolean;
  /** Classes. */
  readonly count: number;
  /** How an item's class comes from its index: `i * factor % modulus`. */
  readonly factor: number;
  readonly modulus: number;
  /** What is done with that number: it is made an i32 that may be below 0, or an f32 with a fraction; or lines return it. */
  readonly as?: keyof typeof forms;
  readonly algorithm?: (typeof algorithmNames)[number];
  readonly workGroupSize?: number;
  readonly itemsPerThread?: number;
}

export interface PartitionStep {
  readonly length: number;
  readonly data: DataSpec;
  readonly onGpu?: boolean;
}

export interface PartitionCase {
  readonly family: "partition";
  readonly call: PartitionSpec;
  readonly steps: readonly PartitionStep[];
}

export function partitionArbitrary(scale: Scale): fc.Arbitrary<PartitionCase> {
  const call = fc.record(
    {
      kind: fc.constantFrom("partition" as const, "classes" as const),
      type: typeArbitrary(scale),
      where: oneIn(2, fc.constantFrom(...places)) as fc.Arbitrary<(typeof places)[number]>,
      indices: fc.boolean(),
      count: fc.integer({ min: 1, max: 16 }),
      factor: fc.integer({ min: 1, max: 9999 }),
      modulus: fc.integer({ min: 1, max: 4000 }),
      as: fc.constantFrom("u32" as const, "i32" as const, "f32" as const, "lines" as const),
      algorithm: fc.constantFrom(...algorithmNames),
      workGroupSize: fc.constantFrom(2, 3, 4, 7, 8, 16, 32, 33, 64, 100, 128),
      itemsPerThread: fc.integer({ min: 1, max: 9 }),
    },
    { requiredKeys: ["kind", "type", "count", "factor", "modulus"] },
  );
  const step = fc.record(
    {
      length: sizeAround(Math.min(scale.usualLength, 50_000)),
      data: dataArbitrary(),
      onGpu: fc.boolean(),
    },
    { requiredKeys: ["length", "data"] },
  );
  return fc.record({
    family: fc.constant("partition" as const),
    call: new Pooled(call, scale.software ? 6 : 24),
    steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  });
}

export async function runPartition({ call, steps }: PartitionCase, fixture: Fixture): Promise<Verdict> {
  const verdict = await verdictOf(steps, (step) => runStep(call, step, fixture));
  await fixture.requireNoError(call.kind);
  return verdict;
}

async function runStep(spec: PartitionSpec, step: PartitionStep, fixture: Fixture): Promise<Verdict> {
  const { kind, count, factor, modulus } = spec;
  const type = typeOf(spec.type);
  const { length } = step;
  const data = arrayOf(type, itemBytes(type, step.data, length, false));
  const title = `${kind}<${type.name}> of ${length} items${step.onGpu ? ", on the GPU" : ""}`;
  const isF16 = type.name === "f16" ? { type } : {};
  const [textOf, numberOf] = forms[spec.as ?? "u32"];
  const numbers = (index: number): number => numberOf((Math.imul(index, factor) >>> 0) % modulus);
  const text = textOf(`((i * ${factor}u) % ${modulus}u)`);
  const tuning = Object.fromEntries(
    (["algorithm", "workGroupSize", "itemsPerThread"] as const)
      .filter((name) => spec[name] !== undefined)
      .map((name) => [name, spec[name]]),
  );
  // The options, the arrays among them, and what it means.
  let options: Record<string, unknown>;
  const arrays: Record<string, AnyArray> = {};
  let expected: unknown;
  const indices = spec.indices ? { indices: true } : {};
  if (kind === "partition") {
    const flags = flagsOf(length, step.data.seed);
    if (spec.where === undefined) {
      arrays.flags = flags;
    }
    options = { ...indices, ...(spec.where !== undefined && { where: spec.where }) };
    const keep = spec.where === undefined ? (index: number) => flags[index] !== 0 : keeps[spec.where];
    expected = partitionReference(data, (_: unknown, index: number) => keep(index), {
      ...isF16,
      ...indices,
    } as never);
  } else {
    const classes = 1 + (count % 16);
    options = { ...indices, classes, class: text };
    expected = partitionReference(data, (_: unknown, index: number) => numbers(index), {
      ...isF16,
      ...indices,
      classes,
    } as never);
  }
  const method = fixture.fold.partition.bind(fixture.fold) as unknown as (
    data: unknown,
    options: object,
  ) => Promise<unknown>;
  const asIs = async (one: unknown): Promise<AnyArray> =>
    (typeof one === "number" ? Uint32Array.of(one) : one) as AnyArray;
  const made = await attempt(title, false, async () => {
    if (!step.onGpu) {
      return partsOf(await method(data, { ...tuning, ...options, ...arrays, ...isF16 }), asIs);
    }
    return onGpu(fixture, async (up, read) => {
      const there: Record<string, unknown> = {};
      for (const [name, array] of Object.entries(arrays)) {
        there[name] = await up(array);
      }
      return partsOf(await method(await up(data, isF16.type), { ...tuning, ...options, ...there }), read);
    });
  });
  if ("refusal" in made) {
    const mustWork =
      hasFeature(fixture, type.feature) &&
      (spec.algorithm !== "subgroup" || hasFeature(fixture, "subgroups")) &&
      (spec.workGroupSize ?? 2) * (spec.itemsPerThread ?? 2) > 1;
    if (mustWork && made.refusal.name !== "LimitError") {
      throw new Fault(`${title} is refused, and must work: ${oneLine(made.refusal)}`);
    }
    return "refused";
  }
  for (const [name, array] of Object.entries(await partsOf(expected, asIs))) {
    requireEqual(made.result[name], array, `${title}${name === "" ? "" : `: ${name}`}`);
  }
  return "passed";
}
