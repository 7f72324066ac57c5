import { ArgumentError } from "../src/errors.ts";
import type { Algorithm } from "../src/kernels/algorithms.ts";
import { algorithms, requireAlgorithm } from "../src/kernels/algorithms.ts";
import type { Primitive } from "../src/plan/tuning_row.ts";
import type { BenchTypeName, OperatorName } from "./elements.ts";
import { benchTypes, identityOn, opNames } from "./elements.ts";
import { formatLength } from "./sizes.ts";

/** One thing that is timed, at one length. */
export interface Case {
  readonly primitive: Primitive;
  /** Left out: the best for the adapter, which is what peers are compared with. */
  readonly algorithm?: Algorithm;
  readonly inPlace: boolean;
}

/** What runs on the same buffers. */
export interface CaseSet {
  readonly type: BenchTypeName;
  readonly op: OperatorName;
  readonly length: number;
  readonly cases: readonly Case[];
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

export interface Suite {
  readonly sets: readonly CaseSet[];
  /** What was asked for and does not fit. */
  readonly notes: readonly string[];
}

const primitiveNames = ["scan", "reduce", "compact"] as const satisfies readonly Primitive[];
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
 * @throws {ArgumentError} for names that are not known, an operator on a type that it has no meaning
 * on, or sizes of which none fits.
 */
export function planSuite(options: SuiteOptions, facts: SuiteFacts): Suite {
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
  const primitives = requireNames("primitives", options.primitives ?? primitiveNames, primitiveNames);
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
      identityOn(op, type);
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
      sizes.flatMap((length): CaseSet[] => {
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
          // A compaction takes no operator.
          .filter(
            (primitive) => !(side && primitive !== "scan") && !(primitive === "compact" && op !== "add"),
          )
          .flatMap((primitive) =>
            chosen.flatMap((name): Case[] => {
              const one: Case = { primitive, ...(name !== "default" && { algorithm: name }), inPlace: false };
              return inPlace && primitive !== "reduce" ? [one, { ...one, inPlace: true }] : [one];
            }),
          );
        return cases.length === 0 ? [] : [{ type, op, length, cases }];
      }),
    ),
  );
  if (sets.length === 0) {
    throw new ArgumentError(
      notes[0] ??
        `bench: nothing is left to time; compact takes no operator, so that --ops ${ops.join(",")} leaves it out`,
    );
  }
  return { sets, notes };
}

function requireFeature(facts: SuiteFacts, feature: string, what: string): void {
  if (!facts.features.has(feature)) {
    throw new ArgumentError(`bench: ${what} needs the adapter feature "${feature}", which this one lacks`);
  }
}
