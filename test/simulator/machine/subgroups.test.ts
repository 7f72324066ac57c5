import { describe, expect, test } from "vitest";
import { type QuadKind, type ShuffleKind, WorkGroup } from "../../../src/simulator/machine/index.ts";
import type { LaneOrder, SimulatorOptions } from "../../../src/simulator/options.ts";
import { randomBits } from "../../support/random.ts";
import { kindsOf, machineOf } from "./kernels.ts";

const sizes = [1, 2, 4, 8, 16, 32, 64, 128];
const laneOrders: readonly LaneOrder[] = ["natural", "reversed", "permuted"];

interface Case {
  readonly options: SimulatorOptions;
  readonly threads: number;
}
/** In most of them, the last subgroup is not full. */
const cases: readonly Case[] = sizes.flatMap((subgroupSize) =>
  laneOrders.flatMap((lanes) => [
    { options: { subgroupSize, lanes }, threads: 5 },
    { options: { subgroupSize, lanes }, threads: 72 },
    { options: { subgroupSize, lanes }, threads: 128 },
    { options: { subgroupSize, lanes, partlyFilled: true }, threads: 5 },
    { options: { subgroupSize, lanes, partlyFilled: true }, threads: 100 },
  ]),
);
const nameOf = ({ options, threads }: Case): string =>
  `${threads} threads, subgroups of ${options.subgroupSize}, ${options.lanes}${options.partlyFilled ? ", partly filled" : ""}`;

function groupOf({ options, threads }: Case): WorkGroup {
  const machine = machineOf(options);
  const group = new WorkGroup(machine, [threads, 1, 1], 0);
  machine.beginDispatch([1, 1, 1]);
  group.start(0, [0, 0, 0], [1, 1, 1]);
  return group;
}

/** The threads of each subgroup, by lane. */
function subgroupsOf({ threads, subgroupCount, subgroupOf, laneOf }: WorkGroup): Map<number, number>[] {
  const subgroups = Array.from({ length: subgroupCount }, () => new Map<number, number>());
  for (let t = 0; t < threads; t++) {
    subgroups[subgroupOf[t] as number]?.set(laneOf[t] as number, t);
  }
  return subgroups.map((lanes) => new Map([...lanes].sort(([a], [b]) => a - b)));
}

describe.each(cases.map((row) => [nameOf(row), row] as const))("%s", (_name, row) => {
  const { subgroupSize = 0, lanes, partlyFilled } = row.options;

  test("each thread has a lane", () => {
    const group = groupOf(row);
    const subgroups = subgroupsOf(group);
    expect(subgroups.reduce((sum, { size }) => sum + size, 0)).toBe(row.threads);
    for (const subgroup of subgroups) {
      expect(subgroup.size).toBeGreaterThan(0);
      expect(Math.max(...subgroup.keys())).toBeLessThan(subgroupSize);
    }
    if (!partlyFilled) {
      expect(group.subgroupCount).toBe(Math.ceil(row.threads / subgroupSize));
      const full = subgroups.slice(0, -1);
      expect(full.map(({ size }) => size)).toEqual(full.map(() => subgroupSize));
      const last = [...(subgroups.at(-1)?.keys() ?? [])];
      expect(last).toEqual(last.map((_, lane) => lane));
    }
    const order = subgroups.flatMap((subgroup) => {
      const threads = [...subgroup.values()];
      return lanes === "reversed" ? threads.reverse() : threads;
    });
    const sorted = order.map((_, t) => t);
    if (lanes === "permuted") {
      expect([...order].sort((a, b) => a - b)).toEqual(sorted);
    } else {
      expect(order).toEqual(sorted);
    }
  });

  test("subgroup functions do what they say", () => {
    const group = groupOf(row);
    checkFunctions(group, group.every, nameOf(row));
    expect(group.machine.findings).toEqual([]);
  });

  test("only some subgroups may call them", () => {
    const group = groupOf(row);
    const mask = Uint8Array.from(group.subgroupOf, (subgroup) => subgroup % 2);
    checkFunctions(group, mask, nameOf(row));
    expect(group.machine.findings).toEqual([]);
  });

  test("it is a finding if some threads of a subgroup call them, and these have their results", () => {
    const group = groupOf(row);
    const random = randomBits(`mask of ${nameOf(row)}`);
    const mask = Uint8Array.from(group.every, () => random() & 1);
    checkFunctions(group, mask, nameOf(row));
    const isPartial = subgroupsOf(group).some((subgroup) => {
      const calls = new Set([...subgroup.values()].map((t) => mask[t]));
      return calls.size === 2;
    });
    expect(kindsOf(group.machine)).toEqual(isPartial ? ["divergence"] : []);
  });
});

const UNTOUCHED = 0x5555;
/** Marks a result that is poison. */
const POISON = "poison";

/** For a subgroup, what each of its active threads gets. Both maps are from lanes to words. */
type Expected = (
  words: ReadonlyMap<number, number>,
  lane: number,
  by: number,
  lanes: readonly number[],
) => number | typeof POISON;
type Call = (input: Int32Array, by: Int32Array, output: Int32Array) => void;

const combine = (earlier: number, later: number): number => (Math.imul(earlier, 31) + later) | 0;
const wordAt = (words: ReadonlyMap<number, number>, lane: number): number | typeof POISON =>
  words.get(lane) ?? POISON;
const shuffles: Record<ShuffleKind, (lane: number, by: number) => number> = {
  at: (_, by) => by,
  up: (lane, by) => lane - by,
  down: (lane, by) => lane + by,
  xor: (lane, by) => Number(BigInt(lane) ^ BigInt(by)),
};
const quads: Record<QuadKind, (lane: number) => number> = {
  x: (lane) => (lane % 2 === 0 ? lane + 1 : lane - 1),
  y: (lane) => (lane % 4 < 2 ? lane + 2 : lane - 2),
  diagonal: (lane) => lane - (lane % 4) + 3 - (lane % 4),
};

/** Each function, beside what a plain loop gives. */
function functionsOf(group: WorkGroup, mask: Uint8Array): readonly (readonly [string, Call, Expected])[] {
  const before = (words: ReadonlyMap<number, number>, end: number): number[] =>
    [...words].filter(([lane]) => lane < end).map(([, word]) => word);
  return [
    [
      "reduce",
      (input, _, output) => group.reduce(mask, combine, input, output, 0),
      (words) => [...words.values()].reduce(combine),
    ],
    [
      "inclusive scan",
      (input, _, output) => group.scan(mask, combine, undefined, input, output, 0),
      (words, lane) => before(words, lane + 1).reduce(combine),
    ],
    [
      "exclusive scan",
      (input, _, output) => group.scan(mask, combine, 99, input, output, 0),
      (words, lane) => (before(words, lane).length === 0 ? 99 : before(words, lane).reduce(combine)),
    ],
    [
      "elect",
      (_, __, output) => group.elect(mask, output, 0),
      (_, lane, __, lanes) => (lane === lanes[0] ? 1 : 0),
    ],
    [
      "broadcast first",
      (input, _, output) => group.broadcastFirst(mask, input, output, 0),
      (words, _, __, lanes) => wordAt(words, lanes[0] ?? -1),
    ],
    [
      "broadcast",
      (input, by, output) => group.broadcast(mask, input, by, output, 0),
      (words, _, by) => wordAt(words, by),
    ],
    ...Object.entries(shuffles).map(([kind, source]): [string, Call, Expected] => [
      `shuffle ${kind}`,
      (input, by, output) => group.shuffle(mask, kind as ShuffleKind, input, by, output, 0),
      (words, lane, by) => wordAt(words, source(lane, by)),
    ]),
    ...Object.entries(quads).map(([kind, source]): [string, Call, Expected] => [
      `quad ${kind}`,
      (input, _, output) => group.quad(mask, kind as QuadKind, input, output, 0),
      (words, lane) => wordAt(words, source(lane)),
    ]),
    [
      "quad broadcast",
      (input, by, output) => group.quadBroadcast(mask, input, by, output, 0),
      (words, lane, by) => (by < 4 ? wordAt(words, lane - (lane % 4) + by) : POISON),
    ],
    [
      "all",
      (input, _, output) => group.vote(mask, true, input, output, 0),
      (words) => ([...words.values()].every((word) => word !== 0) ? 1 : 0),
    ],
    [
      "any",
      (input, _, output) => group.vote(mask, false, input, output, 0),
      (words) => ([...words.values()].some((word) => word !== 0) ? 1 : 0),
    ],
    ...[0, 1, 2, 3].map((at): [string, Call, Expected] => [
      `ballot ${at}`,
      (input, by, output) => {
        const others = [0, 1, 2].map(() => new Int32Array(by.length));
        const outputs = [...others.slice(0, at), output, ...others.slice(at)] as [
          Int32Array,
          Int32Array,
          Int32Array,
          Int32Array,
        ];
        group.ballot(mask, input, outputs, 0);
      },
      (words) => {
        const bits = [...words].filter(([lane, word]) => word !== 0 && Math.floor(lane / 32) === at);
        return bits.reduce((sum, [lane]) => sum + 2 ** (lane % 32), 0) | 0;
      },
    ]),
  ];
}

function checkFunctions(group: WorkGroup, mask: Uint8Array, name: string): void {
  const random = randomBits(name);
  const words = [
    // Zeros are what votes and ballots look at.
    Int32Array.from(mask, () => ((random() & 3) === 0 ? 0 : random())),
    Int32Array.from(mask, () => random() & 1),
    new Int32Array(mask.length).fill(1),
  ];
  const by = Int32Array.from(mask, () => {
    const bits = random();
    return (bits & 7) === 0 ? random() : (bits >>> 3) % (group.subgroupSize + 1);
  });
  const subgroups = subgroupsOf(group);
  const wrong: string[] = [];
  for (const [what, call, expected] of functionsOf(group, mask)) {
    for (const input of words) {
      const output = new Int32Array(mask.length).fill(UNTOUCHED);
      call(input, by, output);
      const all = expectedOf({ subgroups, mask, input, by, expected });
      wrong.push(...threadsThatDiffer(all, output).map((t) => `${what} of thread ${t}`));
      // The output may be the input.
      const both = input.slice();
      call(both, by, both);
      const differ = threadsThatDiffer(all, both).filter((t) => mask[t] === 1);
      wrong.push(...differ.map((t) => `${what} of thread ${t}, in place`));
    }
  }
  expect(wrong).toEqual([]);
}

function threadsThatDiffer(all: readonly (number | typeof POISON)[], output: Int32Array): number[] {
  const isRight = (word: number, t: number): boolean =>
    all[t] === POISON ? (word & 1) === 1 : word === all[t];
  return [...output.keys()].filter((t) => !isRight(output[t] as number, t));
}

/** A call, and what each of its threads gets. */
interface CallOfThreads {
  readonly subgroups: readonly Map<number, number>[];
  readonly mask: Uint8Array;
  readonly input: Int32Array;
  readonly by: Int32Array;
  readonly expected: Expected;
}

function expectedOf({ subgroups, mask, input, by, expected }: CallOfThreads): (number | typeof POISON)[] {
  const all: (number | typeof POISON)[] = Array(mask.length).fill(UNTOUCHED);
  for (const subgroup of subgroups) {
    const active = [...subgroup].filter(([, t]) => mask[t] === 1);
    const lanes = active.map(([lane]) => lane);
    const words = new Map(active.map(([lane, t]) => [lane, input[t] as number]));
    for (const [lane, t] of active) {
      all[t] = expected(words, lane, (by[t] as number) >>> 0, lanes);
    }
  }
  return all;
}

test("permuted lanes and gaps are of the seed, and change from one work-group to the next", () => {
  const lanesOf = (options: SimulatorOptions): number[][] => {
    const machine = machineOf({ subgroupSize: 8, ...options });
    machine.beginDispatch([2, 1, 1]);
    const group = new WorkGroup(machine, [64, 1, 1], 0);
    return [0, 1].map((index) => {
      group.start(index, [index, 0, 0], [2, 1, 1]);
      return [...group.laneOf, ...group.subgroupOf];
    });
  };
  for (const options of [{ lanes: "permuted" }, { partlyFilled: true }] as const) {
    const [first = [], second = []] = lanesOf({ ...options, seed: 5 });
    expect(second).not.toEqual(first);
    expect(lanesOf({ ...options, seed: 5 })).toEqual([first, second]);
    expect(lanesOf({ ...options, seed: 6 })).not.toEqual([first, second]);
  }
  const [first, second] = lanesOf({ lanes: "reversed" });
  expect(second).toEqual(first);
});

test("partly filled subgroups have gaps, also between lanes", () => {
  const group = groupOf({ options: { subgroupSize: 16, partlyFilled: true }, threads: 256 });
  const subgroups = subgroupsOf(group).map((subgroup) => [...subgroup.keys()]);
  expect(group.subgroupCount).toBeGreaterThan(16);
  expect(
    subgroups.some((lanes) => lanes.some((lane, at) => at > 0 && lane !== (lanes[at - 1] ?? 0) + 1)),
  ).toBe(true);
});

test("what no lane holds differs from one time to the next, and is never 0", () => {
  const group = groupOf({ options: { subgroupSize: 4 }, threads: 4 });
  const [input, by, output] = [Int32Array.of(1, 2, 3, 4), new Int32Array(4).fill(4), new Int32Array(4)];
  const seen = new Set<number>();
  for (let round = 0; round < 100; round++) {
    group.shuffle(group.every, "at", input, by, output, 0);
    for (const word of output) {
      seen.add(word);
      // As f16, and as f32.
      expect(word & 0x7fff).toBeGreaterThan(0x6400);
      expect(word & 0x7c00).toBe(0x6400);
      expect((word >>> 23) & 0xfe).toBe(0x94);
    }
  }
  expect(seen.size).toBeGreaterThan(50);
});

test("a finding names the function's line, and a thread that calls and one that does not", () => {
  const group = groupOf({ options: { subgroupSize: 4 }, threads: 8 });
  group.elect(Uint8Array.of(1, 1, 1, 1, 0, 1, 0, 1), new Int32Array(8), 6);
  expect(group.machine.findings).toEqual([
    {
      kind: "divergence",
      file: "made-up",
      line: 7,
      column: 1,
      entryPoint: "main",
      threads: [
        { workGroup: [0, 0, 0], thread: 5 },
        { workGroup: [0, 0, 0], thread: 4 },
      ],
      message:
        "only 2 of 4 threads of subgroup 1 reach the subgroup function at line 7 (in main): thread 5 of work-group (0, 0, 0) does, thread 4 does not",
    },
  ]);
});
