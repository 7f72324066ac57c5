import { describe, expect, test } from "vitest";
import type { Combining, LookBackOptions, LookBackStep, SpineEntry } from "../../site/watch/steps.ts";
import { blellochSteps, hillisSteeleSteps, lookBackSteps } from "../../site/watch/steps.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add, max, operators } from "../../src/algebra/operators.ts";
import type { ElementType, Value } from "../../src/algebra/types.ts";
import { f64 } from "../../src/algebra/types_64.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { referenceMonoid } from "../../src/reference/twins.ts";
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
  const { identity, reference, lift } = referenceMonoid(op, type, "test");
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
          { seed: bits(), fanOut: 1 },
          { seed: bits(), fanOut: 2, mostGroups: 1 + (bits() % 3), stuck: [1, 5] },
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
      for (const fanOut of [1, 2, 3, 4]) {
        const stuck = [bits() % length, bits() % length];
        const options = { exclusive, fanOut, mostGroups: 1 + (bits() % 5), seed: bits(), stuck };
        expect(end(lookBackSteps(elements, runs, options)).result, JSON.stringify(options)).toEqual(expected);
      }
    }
  }
});

/** What an exclusive sum shows: a 0 before what the trace has, whose prefixes start from the identity. */
const shown = (prefixes: readonly Value[]): Value[] => prefixes.map((prefix) => 0 + (prefix as number));

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
  expect(shown(blelloch)).toEqual([
    ...scanReference(data, { exclusive: true, grouping: { ...grouping, algorithm: "blelloch" } }),
  ]);
  expect(shown(hillisSteele)).toEqual([
    ...scanReference(data, { exclusive: true, grouping: { ...grouping, algorithm: "hillis-steele" } }),
  ]);
});

/** Groups between a tile's own and the one whose carry it found. */
const distanceOf = ({ tile, group = 0 }: LookBackStep<unknown>, fanOut: number): number =>
  Math.floor(tile / fanOut) - group;

describe("a look-back groups f64 as the kernels do, bit for bit, in any order and whoever is stuck", () => {
  const combining = combiningOf(add as Operator, f64);
  const data = Float64Array.from({ length: 106 }, () => (bits() - 2 ** 31) / 2 ** (bits() % 40));
  // A work-group of one thread combines its tile's items one after another, as the trace does.
  const grouping = {
    algorithm: "hillis-steele",
    passes: "single",
    workGroupSize: 1,
    subgroupSize: 4,
  } as const;
  const shapes = [
    [1, 3],
    [2, 1],
    [2, 4],
    [3, 2],
  ] as const;
  test.each(shapes)("tiles of %i in groups of %i", (tileSize, fanOut) => {
    const items = { itemsPerThread: tileSize, itemsPerVector: tileSize };
    const tiles = Math.ceil(data.length / tileSize);
    const distances = new Set<number>();
    for (let round = 0; round < 40; round++) {
      const exclusive = round % 2 === 0;
      const expected = [
        ...scanReference(data, {
          exclusive,
          grouping: { ...grouping, ...items, lookBack: { byVotes: false, fanOut } },
        }),
      ];
      const options = {
        exclusive,
        tileSize,
        fanOut,
        mostGroups: 1 + (bits() % 6),
        seed: bits(),
        stuck: Array.from({ length: round % 8 }, () => bits() % tiles),
        patience: 1 + (bits() % 3),
        slots: 1 + (bits() % 20),
      };
      const { steps, result } = end(lookBackSteps<Value>([...data], combining, options));
      expect(exclusive ? shown(result) : result, JSON.stringify(options)).toEqual(expected);
      for (const step of steps.filter(({ action }) => action === "read")) {
        distances.add(distanceOf(step, fanOut));
      }
    }
    // Carries were found near and far.
    expect([...distances]).toEqual(expect.arrayContaining([0, 1, 2]));
  });
});

describe("the look-back's steps", () => {
  const sum: Combining<number> = { identity: 0, combine: (earlier, later) => earlier + later };
  const sixteen = Array.from({ length: 16 }, (_, at) => at + 1);
  const trace = (options: LookBackOptions): readonly LookBackStep<number>[] =>
    end(lookBackSteps(sixteen, sum, options)).steps;

  const name = ({ kind, index, apart }: SpineEntry): string => `${kind} ${index}${apart ? " apart" : ""}`;
  const total = (index: number): string => `total ${index}`;
  const between = (first: number, end: number): number[] =>
    Array.from({ length: end - first }, (_, at) => first + at);
  /** Many orders, with tiles that are stuck and without. */
  const rounds = (): readonly { fanOut: number; mostGroups: number; steps: ReturnType<typeof trace> }[] =>
    Array.from({ length: 40 }, (_, round) => {
      const shape = { fanOut: 1 + (bits() % 4), mostGroups: 1 + (bits() % 5) };
      const stuck = round % 2 === 0 ? [] : [bits() % 16, bits() % 16];
      return { ...shape, steps: trace({ ...shape, seed: bits(), stuck, patience: 1 + (bits() % 3) }) };
    });

  test("a tile reads nothing before it is there", () => {
    for (const { steps } of rounds()) {
      steps.forEach((step, at) => {
        const before = steps[at - 1];
        for (const entry of step.read) {
          const { kind, index, apart } = entry;
          expect(
            (apart ? before?.apart : before?.spine)?.[kind][index],
            `${name(entry)} in step ${at}`,
          ).toBeDefined();
        }
        for (const entry of step.missing) {
          expect(step.spine[entry.kind][entry.index], `${name(entry)} in step ${at}`).toBeUndefined();
        }
      });
    }
  });

  test("a tile knows its carry when it has the nearest one it found and all totals since", () => {
    const distances = new Set<number>();
    for (const { fanOut, steps } of rounds()) {
      for (const step of steps.filter(({ action }) => action === "read")) {
        const group = step.group as number;
        const has = [...step.held, ...step.read].map(({ kind, index }) => `${kind} ${index}`).sort();
        const totals = between(group * fanOut, step.tile).map(total);
        expect(has).toEqual([...(group > 0 ? [`carry ${group}`] : []), ...totals].sort());
        expect(step.carries[step.tile]).toBe((step.tile * (step.tile + 1)) / 2);
        distances.add(distanceOf(step, fanOut));
      }
      expect(steps.filter(({ action }) => action === "read")).toHaveLength(15);
    }
    expect(distances.size).toBeGreaterThan(2);
  });

  test("a tile goes on to the group before where totals are there and the carry is not", () => {
    let wentOn = 0;
    for (const { fanOut, mostGroups, steps } of rounds()) {
      steps.forEach((step, at) => {
        const { tile, action, group = 0, missing } = step;
        if (action !== "go on") {
          return;
        }
        wentOn++;
        expect(missing).toEqual([{ kind: "carry", index: group }]);
        const has = new Set([...step.held, ...step.read].map(({ index }) => index));
        const totals = between(group * fanOut, Math.min(tile, (group + 1) * fanOut));
        expect(totals.filter((index) => !has.has(index))).toEqual([]);
        expect(distanceOf(step, fanOut)).toBeLessThan(mostGroups - 1);
        const next = steps.slice(at + 1).find((one) => one.tile === tile);
        expect(next?.action === "give up" ? group - 1 : next?.group).toBe(group - 1);
      });
    }
    expect(wentOn).toBeGreaterThan(0);
  });

  test("a tile waits for totals; for a carry only where the group is the farthest", () => {
    const waited = new Set<string>();
    for (const { fanOut, mostGroups, steps } of rounds()) {
      for (const step of steps.filter(({ action }) => action === "wait")) {
        for (const { kind } of step.missing) {
          waited.add(kind);
          expect(kind === "total" || distanceOf(step, fanOut) === mostGroups - 1).toBe(true);
        }
        expect(step.missing.length).toBeGreaterThan(0);
      }
    }
    expect([...waited].sort()).toEqual(["carry", "total"]);
  });

  test("what is handed on apart is what its owner hands on", () => {
    const steps = trace({ seed: bits(), patience: 1, fanOut: 2, stuck: [1, 6, 11] });
    const last = steps.at(-1) as LookBackStep<number>;
    const compared = { total: 0, carry: 0 };
    for (const kind of ["total", "carry"] as const) {
      last.apart[kind].forEach((value, index) => {
        if (value !== undefined) {
          expect(value, `${kind} ${index}`).toBe(last.spine[kind][index]);
          compared[kind]++;
        }
      });
    }
    expect(compared.total).toBeGreaterThan(0);
    expect(compared.carry).toBeGreaterThan(0);
  });

  /** What a tile did once it had started: each look with the group, what it read and what it missed. */
  const looksOf = (tile: number, options: LookBackOptions): string[] =>
    trace(options)
      .filter((step) => step.tile === tile && step.group !== undefined)
      .map(
        ({ action, group, read, missing }) =>
          `${action} ${group}: ${read.map(name).join(", ")}; ${missing.map(name).join(", ")}`,
      );

  test("tile 14 of 16, with all before it done, reads its group's carry and two totals", () => {
    expect(looksOf(14, { slots: 1 })).toEqual(["read 3: total 12, total 13, carry 3; "]);
    expect(looksOf(14, { slots: 1, fanOut: 2 })).toEqual(["read 7: carry 7; "]);
  });

  test("tile 14 of 16, with no carry there, looks back to the first group", () => {
    // A turn each, in order: all totals are there before the first carry is.
    expect(looksOf(14, {})).toEqual([
      "go on 3: total 12, total 13; carry 3",
      "go on 2: total 8, total 9, total 10, total 11; carry 2",
      "go on 1: total 4, total 5, total 6, total 7; carry 1",
      "read 0: total 0, total 1, total 2, total 3; ",
    ]);
    expect(looksOf(14, { mostGroups: 2, patience: 9 })).toEqual([
      "go on 3: total 12, total 13; carry 3",
      "wait 2: total 8, total 9, total 10, total 11; carry 2",
      "read 2: carry 2; ",
    ]);
  });

  test("only a stuck tile makes others fall back, and it goes on last", () => {
    const patience = 100;
    expect(trace({ seed: 7, patience }).filter(({ action }) => action === "fall back")).toEqual([]);
    const steps = trace({ seed: 7, patience, stuck: [5] });
    const fallbacks = steps.filter(({ action }) => action === "fall back");
    expect(fallbacks.length).toBeGreaterThan(0);
    for (const { handedOn, inputs } of fallbacks) {
      for (const { kind, index } of handedOn) {
        expect(`${kind} ${index}`).toMatch(/^(total 5|carry 2)$/);
        expect(inputs).toEqual(kind === "total" ? [5] : []);
      }
    }
    expect(steps.at(-1)?.tile).toBe(5);
    expect(steps.filter(({ action }) => action === "finish")).toHaveLength(16);
  });

  test("a tile that gives up begins at the nearest carry, and computes each one up to its own", () => {
    // Tiles 1 and 3 start and hand on nothing; the others come one after another.
    const options = { fanOut: 2, patience: 1, slots: 3, stuck: [1, 3] };
    const handed = trace(options).flatMap(({ tile, handedOn }) =>
      handedOn.filter(({ apart }) => apart).map((entry) => `${tile}: ${name(entry)}`),
    );
    expect(handed).toEqual(["2: total 1 apart", "2: carry 1 apart", "4: total 3 apart", "4: carry 2 apart"]);
    expect(looksOf(2, options)).toEqual([
      "go on 1: ; carry 1",
      "wait 0: total 0; total 1",
      "give up 0: ; carry 1",
      "fall back 0: ; ",
      "fall back 0: total 0, total 1 apart; ",
      "read 1: ; ",
    ]);
    expect(looksOf(4, options)).toEqual([
      "go on 2: ; carry 2",
      "wait 1: total 2; total 3",
      "give up 1: carry 1 apart; carry 2",
      "fall back 1: ; ",
      "fall back 1: total 2, total 3 apart; ",
      "read 2: ; ",
    ]);
    // What others handed on apart is found there, once the owners were waited for.
    expect(looksOf(5, options)).toEqual([
      "go on 2: total 4; carry 2",
      "wait 1: total 2; total 3",
      "read 1: total 3 apart, carry 1 apart; ",
    ]);
  });

  test("each total that is missing is computed once where nobody else looks meanwhile", () => {
    const fallbacks = trace({ patience: 1, slots: 2, stuck: [0] }).filter(({ inputs }) => inputs.length > 0);
    expect(fallbacks.map(({ handedOn }) => handedOn[0])).toEqual([{ kind: "total", index: 0, apart: true }]);
  });

  test("a tile looks as often as its patience says, and no more", () => {
    for (const patience of [1, 2, 7]) {
      const steps = trace({ patience, slots: 2, stuck: [0] }).filter(({ tile }) => tile === 1);
      const waits = steps.filter(({ action }) => action === "wait");
      expect(waits).toHaveLength(patience);
      expect(steps[steps.indexOf(waits.at(-1) as LookBackStep<number>) + 1]?.action).toBe("give up");
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
    expect(() => trace({ fanOut: 0 })).toThrow("fanOut is 0; it takes a whole number from 1 up");
    expect(() => trace({ mostGroups: -1 })).toThrow("mostGroups is -1; it takes a whole number from 1 up");
    expect(() => trace({ slots: 0 })).toThrow("slots is 0; it takes a whole number from 1 up");
    expect(() => trace({ patience: 0.5 })).toThrow("patience is 0.5");
  });
});
