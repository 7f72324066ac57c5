import type { Algorithm } from "../codegen/algorithms.ts";
import { algorithms } from "../codegen/algorithms.ts";
import type { Fold } from "../node.ts";
import type { Operator } from "../operators.ts";
import { monoid, operators } from "../operators.ts";
import { compactReference } from "../reference/compact.ts";
import { encodeFloat16 } from "../reference/float16.ts";
import type { AnyArray } from "../reference/items.ts";
import { numbersOf } from "../reference/items.ts";
import { reduceReference } from "../reference/reduce.ts";
import { scanReference } from "../reference/scan.ts";
import type { ElementType, TypeName } from "../types.ts";
import { elementTypes } from "../types.ts";
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

interface SelfTest {
  readonly title: string;
  run(): Promise<Outcome>;
}

/** One item; within a tile; several tiles of any adapter, so that carries are passed on. */
const LENGTHS = [1, 61, 4099] as const;

/** Every operator, type and algorithm that the device can run, against the CPU; the rest as skips. */
export function selfTests(fold: Fold): SelfTest[] {
  const features = fold.device.features as unknown as ReadonlySet<string>;
  const tests: SelfTest[] = [];
  for (const type of Object.values<ElementType>(elementTypes)) {
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
            const detail = await check().catch(oneLine);
            return { ...outcome, verdict: detail === undefined ? "passed" : "failed", detail: detail ?? "" };
          },
        });
      };
      for (const op of Object.values<Operator>(operators).filter((one) => takes(one, type))) {
        addFolds(fold, type, op as Operator<TypeName>, algorithm, add);
      }
      addCompactions(fold, type, algorithm, add);
    }
  }
  return tests;
}

type Add = (name: string, check: () => Promise<string | undefined>) => void;

function addFolds(
  fold: Fold,
  type: ElementType,
  op: Operator<TypeName>,
  algorithm: Algorithm,
  add: Add,
): void {
  for (const exclusive of [false, true]) {
    add(`${exclusive ? "exclusive" : "inclusive"} scan<${type.name}, ${op.name}>`, () =>
      overLengths(type, op.name, async (data) =>
        difference(
          await fold.scan(data, { op, type, algorithm, exclusive }),
          scanReference(data, { op, type, exclusive }),
          type,
        ),
      ),
    );
  }
  add(`reduce<${type.name}, ${op.name}>`, () =>
    overLengths(type, op.name, async (data) => {
      const actual = await fold.reduce(data, { op, type, algorithm });
      const expected = reduceReference(data, { op, type });
      return Object.is(actual, expected) ? undefined : `it is ${actual}, and the CPU has ${expected}`;
    }),
  );
}

function addCompactions(fold: Fold, type: ElementType, algorithm: Algorithm, add: Add): void {
  const odd = (_: number, index: number): boolean => index % 3 === 1;
  add(`compact<${type.name}> where`, () =>
    overLengths(type, "max", async (data) =>
      difference(
        await fold.compact(data, { type, algorithm, where: "i % 3u == 1u" }),
        compactReference(data, odd, { type }),
        type,
      ),
    ),
  );
  add(`compact<${type.name}> flags, indices`, () =>
    overLengths(type, "max", async (data) =>
      difference(
        await fold.compact(data, {
          type,
          algorithm,
          flags: Uint8Array.from({ length: data.length }, (_, index) => Number(odd(0, index))),
          indices: true,
        }),
        compactReference(data, odd, { type, indices: true }),
        elementTypes.u32,
      ),
    ),
  );
}

const takes = (op: Operator, type: ElementType): boolean => {
  try {
    monoid(op, type, "doctor");
    return true;
  } catch {
    return false;
  }
};

async function overLengths(
  type: ElementType,
  opName: string,
  check: (data: AnyArray) => Promise<string | undefined>,
): Promise<string | undefined> {
  for (const length of LENGTHS) {
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

/** Values that do not depend on the run, and that each operator tells apart. */
function sample(type: ElementType, opName: string, length: number): AnyArray {
  if (type.kind === "float") {
    const period = opName === "add" ? addends : opName === "mul" ? factors : specials;
    const values = Array.from({ length }, (_, index) => {
      // The extremes late, so that a minimum or a maximum goes on changing.
      const special = index % 5 === 0 || index > length / 2;
      return period === specials && !special ? ((index * 37) % 101) - 50 : (period[index % 7] ?? 0);
    });
    return type.name === "f16" ? Uint16Array.from(values, encodeFloat16) : Float32Array.from(values);
  }
  let state = 0x9e3779b9;
  const values = Array.from({ length }, (_, index) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    // Odd factors never multiply to 0; for the bitwise operators, one bit at a
    // time changes, and comes a second time, which tells `or` from `xor`.
    const bit = 2 ** (31 - (index % 32));
    const sparse = index % 61 === 60 ? bit : 0;
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
  return type.name === "i32"
    ? Int32Array.from(values, (one) => one | 0)
    : Uint32Array.from(values, (one) => one >>> 0);
}

/** The first place where two arrays differ, in words. */
function difference(actual: AnyArray, expected: AnyArray, type: ElementType): string | undefined {
  if (actual.length !== expected.length) {
    return `it has ${actual.length} elements, and the CPU's has ${expected.length}`;
  }
  const [found, wanted] = [numbersOf(actual, type), numbersOf(expected, type)];
  for (let index = 0; index < expected.length; index++) {
    if (!Object.is(found(index), wanted(index))) {
      return `element ${index} is ${found(index)}, and the CPU has ${wanted(index)}`;
    }
  }
  return undefined;
}
