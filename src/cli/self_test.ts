import { valuesOf } from "../algebra/array_values.ts";
import type { ScalarArray } from "../algebra/arrays.ts";
import { elementTypes } from "../algebra/element_types.ts";
import { encodeFloat16 } from "../algebra/float16.ts";
import type { Operator } from "../algebra/monoid.ts";
import { monoid } from "../algebra/monoid.ts";
import { operators } from "../algebra/operators.ts";
import type { Scalar, ScalarType, TypeName } from "../algebra/types.ts";
import { DeviceLostError } from "../errors.ts";
import type { Algorithm } from "../kernels/algorithms.ts";
import { algorithms } from "../kernels/algorithms.ts";
import type { Fold } from "../node.ts";
import type { TuningOptions } from "../plan/options.ts";
import { compactReference } from "../reference/compact.ts";
import { reduceReference } from "../reference/reduce.ts";
import { scanReference } from "../reference/scan.ts";
import { oneLine } from "./errors.ts";

/** What became of one check. */
export interface Outcome {
  readonly title: string;
  readonly type: TypeName;
  readonly algorithm: Algorithm;
  readonly verdict: "passed" | "failed" | "skipped";
  /** Why, where it did not pass. */
  readonly detail: string;
}

/** A check that is still to be run. */
export interface SelfTest {
  readonly title: string;
  run(): Promise<Outcome>;
}

/** How the checks are carried out: over which lengths, and in tiles of which size. */
interface Scope {
  readonly fold: Fold;
  /** One item; within a tile; several tiles, so that carries are passed on. */
  readonly lengths: readonly number[];
  readonly tuning: TuningOptions;
}

/** A GPU is checked as it is used, with its own tiles. Software spends its time compiling: its tiles are small, as what is unrolled over their items then is. */
const scopeOf = (fold: Fold): Scope =>
  fold.software
    ? { fold, lengths: [1, 13, 211], tuning: { workGroupSize: 8, itemsPerThread: 2 } }
    : { fold, lengths: [1, 61, 4099], tuning: {} };

/**
 * Every operator, type and algorithm that the device can run, against the CPU; the rest as skips.
 *
 * @param types - the names of the types; left out, all.
 */
export function selfTests(fold: Fold, types: readonly string[] = Object.keys(elementTypes)): SelfTest[] {
  const features: ReadonlySet<string> = fold.device.features;
  const scope = scopeOf(fold);
  const tests: SelfTest[] = [];
  for (const type of Object.values<ScalarType>(elementTypes).filter(({ name }) => types.includes(name))) {
    for (const algorithm of Object.keys(algorithms) as Algorithm[]) {
      const needs = [type.feature, algorithms[algorithm].subgroups ? "subgroups" : undefined];
      const missing = needs.find((feature) => feature !== undefined && !features.has(feature));
      const add = (name: string, check: () => Promise<string | undefined>): void => {
        const title = `${name} (${algorithm})`;
        tests.push({
          title,
          async run() {
            const outcome = { title, type: type.name, algorithm };
            if (missing !== undefined) {
              return { ...outcome, verdict: "skipped", detail: `no ${missing}` };
            }
            const detail = await check().catch((cause: unknown) => {
              // If the device is lost, all other checks would fail, too.
              if (cause instanceof DeviceLostError) {
                throw cause;
              }
              return oneLine(cause);
            });
            return { ...outcome, verdict: detail === undefined ? "passed" : "failed", detail: detail ?? "" };
          },
        });
      };
      for (const op of Object.values<Operator>(operators).filter((one) => takes(one, type))) {
        addFolds(scope, type, op as Operator<TypeName>, algorithm, add);
      }
      addCompactions(scope, type, algorithm, add);
    }
  }
  return tests;
}

/** Most of the time goes into compiling, which the adapter does for several checks at once. */
const CONCURRENT = 8;

/** Runs checks, several at a time, and tells of each one when it starts. */
export async function runSelfTests(
  tests: readonly SelfTest[],
  step: (title: string) => void,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const queue = tests.entries();
  const work = async (): Promise<void> => {
    for (const [index, { title, run }] of queue) {
      step(title);
      outcomes[index] = await run();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  return outcomes;
}

type Add = (name: string, check: () => Promise<string | undefined>) => void;

function addFolds(
  { fold, lengths, tuning }: Scope,
  type: ScalarType,
  op: Operator<TypeName>,
  algorithm: Algorithm,
  add: Add,
): void {
  for (const exclusive of [false, true]) {
    add(`${exclusive ? "exclusive" : "inclusive"} scan<${type.name}, ${op.name}>`, () =>
      overLengths(lengths, type, op.name, async (data) =>
        difference(
          await fold.scan(data, { op, type, algorithm, exclusive, ...tuning }),
          scanReference(data, { op, type, exclusive }),
          type,
        ),
      ),
    );
  }
  add(`reduce<${type.name}, ${op.name}>`, () =>
    overLengths(lengths, type, op.name, async (data) => {
      const actual = await fold.reduce(data, { op, type, algorithm, ...tuning });
      const expected = reduceReference(data, { op, type });
      return Object.is(actual, expected) ? undefined : `it is ${actual}, and the CPU has ${expected}`;
    }),
  );
}

function addCompactions(
  { fold, lengths, tuning }: Scope,
  type: ScalarType,
  algorithm: Algorithm,
  add: Add,
): void {
  const odd = (_: Scalar, index: number): boolean => index % 3 === 1;
  add(`compact<${type.name}> where`, () =>
    overLengths(lengths, type, "max", async (data) =>
      difference(
        await fold.compact(data, { type, algorithm, where: "i % 3u == 1u", ...tuning }),
        compactReference(data, odd, { type }),
        type,
      ),
    ),
  );
  add(`compact<${type.name}> flags, indices`, () =>
    overLengths(lengths, type, "max", async (data) =>
      difference(
        await fold.compact(data, {
          type,
          algorithm,
          flags: Uint8Array.from({ length: data.length }, (_, index) => Number(odd(0, index))),
          indices: true,
          ...tuning,
        }),
        compactReference(data, odd, { type, indices: true }),
        elementTypes.u32,
      ),
    ),
  );
}

const takes = (op: Operator, type: ScalarType): boolean => {
  try {
    monoid(op, type, "doctor");
    return true;
  } catch {
    return false;
  }
};

async function overLengths(
  lengths: readonly number[],
  type: ScalarType,
  opName: string,
  check: (data: ScalarArray) => Promise<string | undefined>,
): Promise<string | undefined> {
  for (const length of lengths) {
    const wrong = await check(sample(type, opName, length));
    if (wrong !== undefined) {
      return `length ${length}: ${wrong}`;
    }
  }
  return undefined;
}

// Whatever way these are grouped, no sum or product of them is rounded: seven add up to 0, and
// multiply to 1.
const addends = [3, -2, 1, -3, 2, 0, -1];
const factors = [2, 0.5, -1, 4, 0.25, -1, 1];
const specials = [Number.NaN, -0, 0, -Infinity, 5, Infinity, -7.5];
// A sum that is rounded at each step loses what is added to the greatest of these.
const cancelling = (type: ScalarType): readonly number[] => {
  const most = 2 ** (type.bytes === 2 ? 11 : type.bytes === 4 ? 24 : 53);
  return [most, 1, -most, 2, -1, 0.5, -2.5];
};

/** Values that do not depend on the run, and that each operator tells apart. */
function sample(type: ScalarType, opName: string, length: number): ScalarArray {
  if (type.kind === "float") {
    const own: Readonly<Record<string, readonly number[]>> = {
      add: addends,
      mul: factors,
      exactAdd: cancelling(type),
    };
    const period = own[opName] ?? specials;
    const values = Array.from({ length }, (_, index) => {
      // The extremes late, so that a minimum or a maximum goes on changing.
      const special = index % 5 === 0 || index > length / 2;
      return period === specials && !special ? ((index * 37) % 101) - 50 : (period[index % 7] ?? 0);
    });
    return type.name === "f16"
      ? Uint16Array.from(values, encodeFloat16)
      : type.name === "f64"
        ? Float64Array.from(values)
        : Float32Array.from(values);
  }
  let state = 0x9e3779b9;
  // Odd, so that the bits come in turn; and small enough for each to come twice.
  const gap = Math.floor(length / 67) | 1;
  const values = Array.from({ length }, (_, index) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    // Odd factors never multiply to 0; for the bitwise operators, one bit at a
    // time changes, and comes a second time, which tells `or` from `xor`.
    const bit = 2 ** (31 - (index % 32));
    const sparse = index % gap === gap - 1 ? bit : 0;
    switch (opName) {
      case "mul":
        return state | 1;
      case "or":
        return sparse;
      case "and":
        return ~sparse;
      case "logicalAnd":
        return index > length - 3 ? 0 : state | 1;
      case "logicalOr":
        return index > length / 3 ? state : 0;
      default:
        return state;
    }
  });
  if (type.bytes === 8) {
    // The same in both words.
    const wide = values.map((one) => BigInt(one >>> 0) * 0x1_0000_0001n);
    return type.name === "i64" ? BigInt64Array.from(wide) : BigUint64Array.from(wide);
  }
  return type.name === "i32"
    ? Int32Array.from(values, (one) => one | 0)
    : Uint32Array.from(values, (one) => one >>> 0);
}

/** The first place where two arrays differ, in words. */
function difference(actual: ScalarArray, expected: ScalarArray, type: ScalarType): string | undefined {
  if (actual.length !== expected.length) {
    return `it has ${actual.length} elements, and the CPU's has ${expected.length}`;
  }
  const [found, wanted] = [valuesOf(actual, type), valuesOf(expected, type)];
  for (let index = 0; index < expected.length; index++) {
    if (!Object.is(found(index), wanted(index))) {
      return `element ${index} is ${found(index)}, and the CPU has ${wanted(index)}`;
    }
  }
  return undefined;
}
