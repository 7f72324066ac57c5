import type { ScanPrimitive } from "../src/adapters/tables.ts";
import { ArgumentError } from "../src/errors.ts";
import type { Algorithm } from "../src/kernels/algorithms.ts";
import { algorithms, requireAlgorithm } from "../src/kernels/algorithms.ts";
import type { BenchTypeName, OperatorName } from "./elements.ts";
import { benchTypes, opNames, requireOn } from "./elements.ts";
import { formatLength } from "./sizes.ts";

/** What is timed. `sort` sorts keys alone, and `pairs` sorts them with values of 32 bits. */
export type BenchPrimitive = ScanPrimitive | "sort" | "pairs";

/** Those that have an algorithm, and that tunings and calls at hand are about. */
export const scanPrimitives = ["scan", "reduce", "compact"] as const satisfies readonly ScanPrimitive[];
export const benchPrimitives = [
  ...scanPrimitives,
  "sort",
  "pairs",
] as const satisfies readonly BenchPrimitive[];

/** Whether something is a sort. */
export const isSort = (primitive: string): primitive is "sort" | "pairs" =>
  primitive === "sort" || primitive === "pairs";

/** One thing that is timed, at one length. */
export interface Case<P extends BenchPrimitive = BenchPrimitive> {
  readonly primitive: P;
  /** Left out: the best for the adapter, which is what peers are compared with. */
  readonly algorithm?: Algorithm;
  readonly inPlace: boolean;
}

/** What runs on the same buffers. */
export interface CaseSet<P extends BenchPrimitive = BenchPrimitive> {
  readonly type: BenchTypeName;
  readonly op: OperatorName;
  readonly length: number;
  readonly cases: readonly Case<P>[];
}

/** What is to be timed. What is left out is chosen for the adapter. */
export interface SuiteOptions {
  /** Lengths. */
  readonly sizes?: readonly number[];
  readonly types?: readonly string[];
  readonly ops?: readonly string[];
  /** `default` is the best for the adapter. */
  readonly algorithms?: readonly string[];
  readonly primitives?: readonly string[];
  readonly inPlace?: boolean;
  readonly quick?: boolean;
}

/** What the plan depends on of the adapter. */
export interface SuiteFacts {
  readonly software: boolean;
  readonly features: ReadonlySet<string>;
  readonly maxStorageBufferBindingSize: number;
  readonly maxBufferSize: number;
}

export interface Suite<P extends BenchPrimitive = BenchPrimitive> {
  readonly sets: readonly CaseSet<P>[];
  /** What was asked for and does not fit. */
  readonly notes: readonly string[];
}

function requireNames<Name extends string>(
  what: string,
  given: readonly string[],
  known: readonly Name[],
): Name[] {
  for (const name of given) {
    if (!(known as readonly string[]).includes(name)) {
      throw new ArgumentError(`${what}: "${name}" is not known; it takes ${known.join(", ")}`);
    }
  }
  return [...new Set(given)] as Name[];
}

/** Every other power of two up to the largest that fits, that one included. */
function defaultSizes(from: number, largest: number, step: number): number[] {
  const sizes: number[] = [];
  for (let power = from; power < largest; power += step) {
    sizes.push(2 ** power);
  }
  return [...sizes, 2 ** largest];
}

/**
 * Plans a run.
 *
 * @param known - what may be timed.
 * @throws {ArgumentError} for names that are not known, an operator on a type that it has no meaning
 * on, or sizes of which none fits.
 */
export function planSuite<P extends BenchPrimitive>(
  options: SuiteOptions,
  facts: SuiteFacts,
  known: readonly P[],
): Suite<P> {
  const { inPlace = false, quick = false } = options;
  const most = Math.min(facts.maxStorageBufferBindingSize, facts.maxBufferSize);
  const bytesOf = (type: BenchTypeName): number => benchTypes[type].type.bytes;
  // Where nothing is chosen, other types than u32 are shown beside it.
  const chosenByCaller = options.types ?? options.ops ?? options.algorithms ?? options.primitives;

  const types = requireNames(
    "types",
    options.types ?? (chosenByCaller === undefined ? ["u32", "f32", "u64", "f64", "struct16"] : ["u32"]),
    Object.keys(benchTypes) as BenchTypeName[],
  );
  const ops = requireNames("ops", options.ops ?? ["add"], opNames);
  const primitives = requireNames(
    "primitives",
    // In software a sort takes a hundred times as long as the others.
    options.primitives ?? known.filter((one) => !(facts.software && isSort(one))),
    known,
  );
  const chosen = requireNames("algorithms", options.algorithms ?? ["default"], [
    "default",
    ...(Object.keys(algorithms) as Algorithm[]),
  ]);
  for (const name of chosen) {
    if (name !== "default" && algorithms[requireAlgorithm(name, "bench")].subgroups) {
      requireFeature(facts, "subgroups", `the algorithm ${name}`);
    }
  }
  for (const type of types) {
    const { feature } = benchTypes[type].type as { readonly feature?: string };
    if (feature !== undefined) {
      requireFeature(facts, feature, `the type ${type}`);
    }
    for (const op of ops) {
      requireOn(op, type);
    }
  }

  const largest = Math.floor(Math.log2(most / 4));
  const sizes =
    options.sizes ??
    (facts.software
      ? quick
        ? [2 ** 10, 2 ** 12]
        : defaultSizes(10, 16, 2)
      : quick
        ? defaultSizes(16, largest, 4)
        : defaultSizes(10, largest, 2));
  // The other types are there for how they compare, which small sizes do not show.
  const many = facts.software ? (sizes.at(-1) ?? 0) : 2 ** 20;
  const notes: string[] = [];
  const sets = types.flatMap((type) =>
    ops.flatMap((op) =>
      sizes.flatMap((length): CaseSet<P>[] => {
        const side = chosenByCaller === undefined && type !== "u32";
        if (side && options.sizes === undefined && length < many) {
          return [];
        }
        if (length * bytesOf(type) > most) {
          notes.push(
            `${type} at ${formatLength(length)} was left out: ${length * bytesOf(type)} bytes are more than the ${most} that the adapter takes in a buffer`,
          );
          return [];
        }
        const cases = primitives
          .filter((primitive) => !(side && primitive !== "scan"))
          // A compaction and a sort take no operator, and structs have no order.
          .filter((primitive) => op === "add" || primitive === "scan" || primitive === "reduce")
          .filter((primitive) => !(isSort(primitive) && type === "struct16"))
          .flatMap((primitive) =>
            chosen
              .filter((name) => name === "default" || !isSort(primitive))
              .flatMap((name): Case<P>[] => {
                const one = { primitive, ...(name !== "default" && { algorithm: name }), inPlace: false };
                const hasPlace = primitive === "scan" || primitive === "compact";
                return inPlace && hasPlace ? [one, { ...one, inPlace: true }] : [one];
              }),
          );
        return cases.length === 0 ? [] : [{ type, op, length, cases }];
      }),
    ),
  );
  if (sets.length === 0) {
    throw new ArgumentError(
      notes[0] ??
        `bench: nothing is left to time of ${primitives.join(", ")}; a compaction and a sort take no operator, a sort no algorithm, and struct16 cannot be sorted`,
    );
  }
  return { sets, notes };
}

/** Lengths that people look at first, besides the longest: as long as a large picture, and a short array. */
const LOOKED_AT = [2 ** 24, Number.POSITIVE_INFINITY, 2 ** 20] as const;

/**
 * Sets in the order in which people look at them, so that a run that is ended early has what they look for: of each type, in turn, three
 * lengths, the longest among them; then the others, the longest first.
 */
export function byInterest(sets: readonly CaseSet[]): CaseSet[] {
  const groups = [...new Set(sets.map(({ type, op }) => `${type} ${op}`))].map((key) =>
    sets.filter(({ type, op }) => `${type} ${op}` === key).sort((a, b) => b.length - a.length),
  );
  const first = groups.map((group) => [
    ...new Set(LOOKED_AT.map((most) => group.find(({ length }) => length <= most) ?? group.at(-1))),
  ]);
  return [...new Set([...first, ...groups].flat())].filter((set) => set !== undefined);
}

function requireFeature(facts: SuiteFacts, feature: string, what: string): void {
  if (!facts.features.has(feature)) {
    throw new ArgumentError(`bench: ${what} needs the adapter feature "${feature}", which this one lacks`);
  }
}
