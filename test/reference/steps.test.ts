import { describe, expect, test } from "vitest";
import type { Operator } from "../../src/operators.ts";
import { add, max, monoid, operators } from "../../src/operators.ts";
import { scanReference } from "../../src/reference/scan.ts";
import type { Combining, LookBackOptions, LookBackStep } from "../../src/reference/steps.ts";
import { blellochSteps, hillisSteeleSteps, lookBackSteps } from "../../src/reference/steps.ts";
import type { ElementType, Value } from "../../src/types.ts";
import { u32 } from "../../src/types.ts";
import { f64 } from "../../src/types64.ts";
import { affine, last } from "../support/operators.ts";
import { randomBits } from "../support/random.ts";

/** A run of places. Runs combine only where one ends and the next begins, so the order is seen at each step. */
interface Run {
  readonly from: number;
  readonly to: number;
}
const runs: Combining<Run | undefined> = {
  identity: undefined,
  combine(earlier, later) {
    if (earlier === undefined || later === undefined) {
      return earlier ?? later;
    }
    expect(later.from, "a run goes on where the one before it ends").toBe(earlier.to);
    return { from: earlier.from, to: later.to };
  },
};
const runsOf = (length: number): Run[] => Array.from({ length }, (_, at) => ({ from: at, to: at + 1 }));

const end = <S, R>(steps: Generator<S, R>): { steps: S[]; result: R } => {
  const all: S[] = [];
  for (;;) {
    const { value, done } = steps.next();
    if (done) {
      return { steps: all, result: value };
    }
    all.push(value);
  }
};

/** A monoid of the table, or of the caller's, as the traces take it. */
const combiningOf = (
  op: Operator,
  type: ElementType,
): Combining<Value> & { lift: (value: Value) => Value } => {
  const { identity, reference, lift } = monoid(op, type, "test");
  return { identity, lift, combine: reference };
};

const bits = randomBits("steps");
const lengths = [0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64];
const cases = [
  { name: "add", op: add as Operator },
  { name: "max", op: max as Operator },
  { name: "xor", op: operators.xor as Operator },
  { name: "affine, which does not commute", op: affine as Operator },
  { name: "last, which does not commute", op: last as Operator },
];

describe.each(cases)("$name on u32", ({ op }) => {
  const combining = combiningOf(op, u32);
  for (const length of lengths) {
    for (const exclusive of [false, true]) {
      test(`${exclusive ? "exclusive" : "inclusive"}, ${length} elements`, () => {
        const data = Uint32Array.from({ length }, bits);
        const expected = [...scanReference(data, { op: op as Operator<"u32">, exclusive })];
        const elements = [...data];
        expect(end(blellochSteps<Value>(elements, combining, { exclusive })).result).toEqual(expected);
        expect(end(hillisSteeleSteps<Value>(elements, combining, { exclusive })).result).toEqual(expected);
        for (const options of [
          {},
          { seed: bits() },
          { seed: bits(), slots: 3, fanOut: 2 },
          { seed: bits(), tileSize: 3, patience: 1, stuck: [0, 3, 4] },
        ] satisfies LookBackOptions[]) {
          const { result } = end(lookBackSteps<Value>(elements, combining, { ...options, exclusive }));
          expect(result, JSON.stringify(options)).toEqual(expected);
        }
      });
    }
  }
});

test("every combination joins neighbours, in order", () => {
  for (const length of lengths.filter((one) => one > 0)) {
    const prefixes = runsOf(length).map(({ to }) => ({ from: 0, to }));
    const before = prefixes.map((_, at) => (at === 0 ? undefined : { from: 0, to: at }));
    for (const exclusive of [false, true]) {
      const expected = exclusive ? before : prefixes;
      const elements: (Run | undefined)[] = runsOf(length);
      expect(end(blellochSteps(elements, runs, { exclusive })).result).toEqual(expected);
      expect(end(hillisSteeleSteps(elements, runs, { exclusive })).result).toEqual(expected);
      for (const fanOut of [2, 3, 4]) {
        const options = { exclusive, fanOut, seed: bits(), stuck: [bits() % length, bits() % length] };
        expect(end(lookBackSteps(elements, runs, options)).result, JSON.stringify(options)).toEqual(expected);
      }
    }
  }
});

test("f64 is grouped as the kernels group it, bit for bit", () => {
  const combining = combiningOf(add as Operator, f64);
  const data = Float64Array.from({ length: 16 }, () => (bits() - 2 ** 31) / 2 ** (bits() % 40));
  const grouping = {
    passes: "reduce-then-scan",
    workGroupSize: 16,
    itemsPerThread: 1,
    subgroupSize: 4,
  } as const;
  const { result: blelloch } = end(blellochSteps<Value>([...data], combining));
  const { result: hillisSteele } = end(hillisSteeleSteps<Value>([...data], combining, { exclusive: true }));
  expect(blelloch).toEqual([
    ...scanReference(data, { exclusive: true, grouping: { ...grouping, algorithm: "blelloch" } }),
  ]);
  expect(hillisSteele).toEqual([
    ...scanReference(data, { exclusive: true, grouping: { ...grouping, algorithm: "hillis-steele" } }),
  ]);
});

test("a look-back gives the same bits in any order, whoever is stuck", () => {
  const combining = combiningOf(add as Operator, f64);
  const data = Array.from({ length: 53 }, () => (bits() - 2 ** 31) / 2 ** (bits() % 40));
  const expected = end(lookBackSteps<Value>(data, combining, { fanOut: 3 })).result;
  for (let round = 0; round < 50; round++) {
    const stuck = Array.from({ length: round % 8 }, () => bits() % 53);
    const options = { fanOut: 3, seed: bits(), stuck, patience: 1 + (bits() % 3), slots: 1 + (bits() % 20) };
    expect(end(lookBackSteps<Value>(data, combining, options)).result, JSON.stringify(options)).toEqual(
      expected,
    );
  }
});

describe("the look-back's steps", () => {
  const sum: Combining<number> = { identity: 0, combine: (earlier, later) => earlier + later };
  const sixteen = Array.from({ length: 16 }, (_, at) => at + 1);
  const trace = (options: LookBackOptions): readonly LookBackStep<number>[] =>
    end(lookBackSteps(sixteen, sum, options)).steps;

  test("a tile reads nothing before it is there", () => {
    for (let round = 0; round < 20; round++) {
      const steps = trace({ seed: bits(), stuck: [bits() % 16] });
      steps.forEach((step, at) => {
        const before = steps[at - 1];
        for (const { kind, index, apart } of step.read) {
          expect(
            (apart ? before?.apart : before?.spine)?.[kind][index],
            `${kind} ${index} in step ${at}`,
          ).toBeDefined();
        }
        for (const { kind, index } of step.missing) {
          expect(step.spine[kind][index], `${kind} ${index} in step ${at}`).toBeUndefined();
        }
      });
    }
  });

  test("what is handed on apart is what its owner hands on", () => {
    const steps = trace({ seed: bits(), patience: 1, stuck: [1, 6, 11] });
    const last = steps.at(-1) as LookBackStep<number>;
    let compared = 0;
    for (const kind of ["total", "group", "section"] as const) {
      last.apart[kind].forEach((value, index) => {
        if (value !== undefined) {
          expect(value, `${kind} ${index}`).toBe(last.spine[kind][index]);
          compared++;
        }
      });
    }
    expect(compared).toBeGreaterThan(0);
  });

  const readBy14 = (options: LookBackOptions): string[] =>
    trace(options)
      .filter(({ tile, purpose }) => tile === 14 && purpose === "carry")
      .flatMap((step) => step.read)
      .map(({ kind, index }) => `${kind} ${index}`)
      .sort();

  test("tile 14 of 16 reads three groups and two totals", () => {
    expect(readBy14({ patience: 100 })).toEqual(["group 0", "group 1", "group 2", "total 12", "total 13"]);
  });

  test("with a fan-out of 2, tile 14 reads what comes before its section, and a group", () => {
    expect(readBy14({ fanOut: 2, patience: 100 })).toEqual(["group 6", "section 3"]);
  });

  test("only a stuck tile makes others fall back, and it goes on last", () => {
    const patience = 100;
    expect(trace({ seed: 7, patience }).filter(({ action }) => action === "fall back")).toEqual([]);
    const steps = trace({ seed: 7, patience, stuck: [5] });
    const fallbacks = steps.filter(({ action }) => action === "fall back");
    expect(fallbacks.length).toBeGreaterThan(0);
    for (const { handedOn, inputs } of fallbacks) {
      for (const { kind, index } of handedOn) {
        expect(`${kind} ${index}`).toMatch(/^(total 5|group 1)$/);
        expect(inputs).toEqual(kind === "total" ? [5] : []);
      }
    }
    expect(steps.at(-1)?.tile).toBe(5);
    expect(steps.filter(({ action }) => action === "finish")).toHaveLength(16);
  });

  test("each total that is missing is computed once where nobody else looks meanwhile", () => {
    const fallbacks = trace({ patience: 1, slots: 2, stuck: [0] }).filter(
      ({ action }) => action === "fall back",
    );
    expect(fallbacks.map(({ handedOn }) => handedOn[0])).toEqual([{ kind: "total", index: 0, apart: true }]);
  });

  test("a tile looks as often as its patience says, and no more", () => {
    for (const patience of [1, 2, 7]) {
      const steps = trace({ patience, slots: 2, stuck: [0] }).filter(({ tile }) => tile === 1);
      const waits = steps.filter(({ action }) => action === "wait");
      expect(waits).toHaveLength(patience);
      expect(steps[steps.indexOf(waits.at(-1) as LookBackStep<number>) + 1]?.action).toBe("fall back");
    }
  });

  test("no more tiles run at once than there are slots", () => {
    for (const { states } of trace({ seed: 3, slots: 5, stuck: [1, 2] })) {
      expect(
        states.filter((state) => state !== "not started" && state !== "done").length,
      ).toBeLessThanOrEqual(5);
    }
  });

  test("options that mean nothing are errors", () => {
    expect(() => trace({ fanOut: 1 })).toThrow("fanOut is 1; it takes a whole number from 2 up");
    expect(() => trace({ slots: 0 })).toThrow("slots is 0; it takes a whole number from 1 up");
    expect(() => trace({ patience: 0.5 })).toThrow("patience is 0.5");
  });
});
