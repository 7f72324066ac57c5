import { describe, expect, test } from "vitest";
import {
  type Machine,
  runDispatch,
  type StorageRange,
  WorkGroup,
} from "../../../src/simulator/machine/index.ts";
import { pickerOf, type Resident } from "../../../src/simulator/machine/pickers.ts";
import type { Schedule } from "../../../src/simulator/options.ts";
import { dispatch, kindsOf, machineOf, rangeOf, type Steps } from "./kernels.ts";

const schedules: readonly Schedule[] = ["in order", "reversed", "random", "priorities", "starve"];

const linear = ({ id, groupCount }: WorkGroup): number => {
  const [x = 0, y = 0, z = 0] = id;
  const [width = 0, height = 0] = groupCount;
  return x + width * (y + height * z);
};

/** atomicAdd of 1, without the turn before it. */
function increment(range: StorageRange, index: number, group: WorkGroup): number {
  const value = range.latest(index, group);
  range.store(index, value + 1, group);
  return value;
}

/** Waits until a word is not 0. */
function* waitFor(
  range: StorageRange,
  index: number,
  group: WorkGroup,
  site: number,
): Generator<number, void, void> {
  yield site;
  while (range.load(index, group, site) === 0) {
    yield site;
  }
}

/** A work-group that has not had its first turn. */
function residentOf(machine: Machine): Resident {
  const group = new WorkGroup(machine, [1, 1, 1], 0);
  const running = waitFor(rangeOf(1), 0, group, 0);
  const instance = { group, run: () => running };
  return { instance, running, site: -1, idleTurns: 0, turns: 0, priority: 0 };
}

/** Logs which work-group goes on at which place. */
const logged =
  (log: string[], steps: number): Steps =>
  (group) =>
    (function* () {
      for (let step = 0; step < steps; step++) {
        log.push(`${linear(group)}:${step}`);
        yield step;
      }
    })();

/** The order in which work-groups end. */
function endsOf(log: readonly string[], last: number): number[] {
  return log.filter((entry) => entry.endsWith(`:${last}`)).map((entry) => Number.parseInt(entry, 10));
}

describe.each(schedules)("the schedule %s", (schedule) => {
  test("lets each work-group run once, with its ids, and no more at a time than may", () => {
    const machine = machineOf({ schedule, residentGroups: 3, seed: 11 });
    const range = rangeOf(2);
    const ids: string[] = [];
    const tickets: number[] = [];
    const instances = dispatch(machine, [3, 4, 2], (group) =>
      (function* () {
        ids.push([...group.id, ...group.groupCount].join());
        yield 0;
        tickets.push(increment(range, 0, group));
        yield 1;
        increment(range, 1, group);
      })(),
    );
    const all = Array.from({ length: 24 }, (_, index) =>
      [index % 3, Math.floor(index / 3) % 4, Math.floor(index / 12), 3, 4, 2].join(),
    );
    expect([...ids].sort()).toEqual([...all].sort());
    expect([...tickets].sort((a, b) => a - b)).toEqual(all.map((_, ticket) => ticket));
    expect([...range.memory.words]).toEqual([24, 24]);
    expect(instances).toBe(3);
    expect(machine.findings).toEqual([]);
  });

  test("lets work-groups run that never yield, and instances be used again", () => {
    const machine = machineOf({ schedule });
    const ids: number[] = [];
    const instances = dispatch(machine, [40, 1, 1], (group) => {
      ids.push(linear(group));
      return undefined;
    });
    expect([...ids].sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index));
    expect(instances).toBe(1);
    expect(machine.findings).toEqual([]);
  });

  test("is the same for the same seed", () => {
    const logOf = (seed: number): string[] => {
      const log: string[] = [];
      const machine = machineOf({ schedule, seed });
      for (let round = 0; round < 2; round++) {
        dispatch(machine, [20, 1, 1], logged(log, 4));
      }
      return log;
    };
    const log = logOf(5);
    expect(log).toHaveLength(2 * 20 * 4);
    expect(logOf(5)).toEqual(log);
    const changes = [6, 7, 8].some((seed) => logOf(seed).join() !== log.join());
    expect(changes).toBe(schedule !== "in order" && schedule !== "reversed");
  });

  test("a chain of waits ends, in either direction", () => {
    for (let seed = 0; seed < 8; seed++) {
      for (const direction of [-1, 1]) {
        const machine = machineOf({ schedule, residentGroups: 12, seed, patience: 20_000 });
        const range = rangeOf(14);
        // The first one waits for nobody: words are one up.
        range.memory.words[direction === -1 ? 0 : 13] = 1;
        dispatch(machine, [12, 1, 1], (group) =>
          (function* () {
            const place = 1 + linear(group);
            yield* waitFor(range, place + direction, group, 3);
            yield 4;
            range.store(place, 1, group);
          })(),
        );
        expect(machine.findings).toEqual([]);
        expect([...range.memory.words].filter((word) => word === 1)).toHaveLength(13);
      }
    }
  });

  test("a chain by tickets ends, though few run at a time", () => {
    for (let seed = 0; seed < 8; seed++) {
      const machine = machineOf({ schedule, residentGroups: 4, seed, patience: 20_000, olderValues: true });
      const range = rangeOf(42);
      range.memory.words[1] = 1;
      dispatch(machine, [40, 1, 1], (group) =>
        (function* () {
          yield 1;
          const ticket = increment(range, 0, group);
          yield* waitFor(range, 1 + ticket, group, 2);
          yield 3;
          range.store(2 + ticket, 1, group);
        })(),
      );
      expect(machine.findings).toEqual([]);
      expect([...range.memory.words.subarray(1)]).toEqual(Array(41).fill(1));
    }
  });

  test("two that take turns go on for long", () => {
    const machine = machineOf({ schedule, patience: 5000 });
    const range = rangeOf(1);
    const rounds = 500;
    dispatch(machine, [2, 1, 1], (group) =>
      (function* () {
        for (let round = 0; round < rounds; round++) {
          yield 0;
          while (range.load(0, group, 0) % 2 !== linear(group)) {
            yield 0;
          }
          yield 1;
          increment(range, 0, group);
        }
      })(),
    );
    expect(machine.findings).toEqual([]);
    expect(range.memory.words[0]).toBe(2 * rounds);
  });

  test("waiting for what nobody does is found", () => {
    const machine = machineOf({ schedule, residentGroups: 3, patience: 2000 });
    const range = rangeOf(1);
    dispatch(machine, [5, 1, 1], (group) => waitFor(range, 0, group, 6));
    expect(machine.findings).toHaveLength(1);
    expect(machine.findings[0]).toMatchObject({
      kind: "stuck",
      file: "made-up",
      line: 7,
      entryPoint: "main",
    });
    expect(machine.findings[0]?.threads).toHaveLength(3);
    expect(machine.findings[0]?.message).toMatch(
      /^work-group \(., 0, 0\), work-group \(., 0, 0\), work-group \(., 0, 0\) wait for ever at line 7 \(in main\): no work-group ended and no word of storage memory changed in \d+ turns; 2 of 5 work-groups had not started$/,
    );
  });

  test("waiting by atomics that change nothing is found", () => {
    const machine = machineOf({ schedule, patience: 2000 });
    const range = rangeOf(1);
    dispatch(machine, [2, 1, 1], (group) =>
      (function* () {
        for (;;) {
          yield 6;
          range.store(0, range.latest(0, group), group);
        }
      })(),
    );
    const [, turns] = machine.findings[0]?.message.match(/memory changed in (\d+) turns/) ?? [];
    expect(Number(turns)).toBeGreaterThan(2000);
    expect(Number(turns)).toBeLessThan(4000);
  });

  test("waiting for one that has not started is found", () => {
    const machine = machineOf({ schedule, residentGroups: 2, patience: 2000, seed: 3 });
    const range = rangeOf(8);
    // Each sets its flag and waits for all others'.
    dispatch(machine, [8, 1, 1], (group) =>
      (function* () {
        yield 1;
        range.store(linear(group), 1, group);
        for (let index = 0; index < 8; index++) {
          yield* waitFor(range, index, group, 2);
        }
      })(),
    );
    expect(kindsOf(machine)).toEqual(["stuck"]);
    expect(machine.findings[0]?.message).toContain("6 of 8 work-groups had not started");
    // With room for all, it ends.
    const roomy = machineOf({ schedule, residentGroups: 8, patience: 2000, seed: 3 });
    dispatch(roomy, [8, 1, 1], (group) =>
      (function* () {
        yield 1;
        range.store(linear(group), 1, group);
        for (let index = 0; index < 8; index++) {
          yield* waitFor(range, index, group, 2);
        }
      })(),
    );
    expect(roomy.findings).toEqual([]);
  });

  test("going on without end is found, though memory changes", () => {
    const machine = machineOf({ schedule, patience: 20 });
    const range = rangeOf(1);
    dispatch(machine, [1, 1, 1], (group) =>
      (function* () {
        for (;;) {
          yield 8;
          increment(range, 0, group);
        }
      })(),
    );
    expect(machine.findings.map(({ kind, line }) => [kind, line])).toEqual([["stuck", 9]]);
    expect(machine.findings[0]?.message).toMatch(
      /waits for ever at line 9 \(in main\): no work-group ended in \d+ turns$/,
    );
  });

  test("one that adds in a loop does not keep the others waiting", () => {
    const machine = machineOf({ schedule });
    const range = rangeOf(2);
    dispatch(machine, [3, 1, 1], (group) =>
      (function* () {
        // Two count until the third sets the flag.
        if (linear(group) === 1) {
          yield 0;
          range.store(0, 1, group);
          return;
        }
        for (yield 1; range.load(0, group, 1) === 0; yield 1) {
          yield 2;
          increment(range, 1, group);
        }
      })(),
    );
    expect(machine.findings).toEqual([]);
  });
});

describe("which goes on", () => {
  const logOf = (machine: Machine, groups: number, steps: number): string[] => {
    const log: string[] = [];
    dispatch(machine, [groups, 1, 1], logged(log, steps));
    return log;
  };

  test("in order, each to its end", () => {
    const log = logOf(machineOf({ residentGroups: 3 }), 6, 2);
    expect(log.join(" ")).toBe("0:0 0:1 1:0 1:1 2:0 2:1 3:0 3:1 4:0 4:1 5:0 5:1");
  });

  test("reversed, each to its end", () => {
    const log = logOf(machineOf({ residentGroups: 3, schedule: "reversed" }), 4, 2);
    expect(log.join(" ")).toBe("3:0 3:1 2:0 2:1 1:0 1:1 0:0 0:1");
  });

  test("at random, any", () => {
    const log = logOf(machineOf({ residentGroups: 4, schedule: "random" }), 8, 16);
    const switches = log.filter(
      (entry, at) => Number.parseInt(entry, 10) !== Number.parseInt(log[at - 1] ?? entry, 10),
    );
    expect(switches.length).toBeGreaterThan(32);
    expect(endsOf(log, 15)).not.toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test("by priorities, few changes", () => {
    const switchesOf = (seed: number): number => {
      const log = logOf(machineOf({ residentGroups: 4, schedule: "priorities", seed }), 4, 30);
      return log.filter(
        (entry, at) => Number.parseInt(entry, 10) !== Number.parseInt(log[at - 1] ?? entry, 10),
      ).length;
    };
    const switches = [1, 2, 3, 4, 5, 6, 7, 8].map(switchesOf);
    // To run one after another takes three.
    expect(Math.max(...switches)).toBeGreaterThan(3);
    expect(Math.max(...switches)).toBeLessThan(20);
  });

  test.each(["random", "priorities"] as const)("%s: they start in any order", (schedule) => {
    const log = logOf(machineOf({ residentGroups: 1, schedule }), 30, 1);
    const order = endsOf(log, 0);
    const sorted = [...order].sort((a, b) => a - b);
    expect(order).not.toEqual(sorted);
    expect(sorted).toEqual(Array.from({ length: 30 }, (_, index) => index));
  });

  test("a starved work-group comes last, and which it is depends on the seed", () => {
    const lastOf = (seed: number): number => {
      const log = logOf(machineOf({ residentGroups: 4, schedule: "starve", seed }), 16, 30);
      const ends = endsOf(log, 29);
      const first = log.findIndex((entry) => Number.parseInt(entry, 10) === ends.at(-1));
      // All others end before it has its first turn.
      expect(first).toBe(15 * 30);
      return ends.at(-1) ?? -1;
    };
    const last = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map(lastOf);
    expect(Math.max(...last)).toBeLessThan(4);
    expect(new Set(last).size).toBeGreaterThan(1);
  });

  test("a starved work-group that waits lets the others go on", () => {
    for (let seed = 0; seed < 6; seed++) {
      const machine = machineOf({ residentGroups: 2, schedule: "starve", seed, patience: 20_000 });
      const range = rangeOf(1);
      dispatch(machine, [2, 1, 1], (group) =>
        (function* () {
          if (linear(group) === 0) {
            yield* waitFor(range, 0, group, 1);
          } else {
            for (let turn = 0; turn < 1000; turn++) {
              yield 2;
              range.load(0, group, 2);
            }
            range.store(0, 1, group);
          }
        })(),
      );
      expect(machine.findings).toEqual([]);
    }
  });

  test("when a starved work-group has ended, any may be the next, also the one that goes on", () => {
    const nextOf = (seed: number): boolean => {
      const machine = machineOf({ schedule: "starve", seed });
      const picker = pickerOf(machine);
      const [a, b, c] = [0, 1, 2].map(() => residentOf(machine)) as [Resident, Resident, Resident];
      const current = picker.pick([a, b]);
      return picker.pick([current, c]) === current;
    };
    expect(new Set([1, 2, 3, 4, 5, 6, 7, 8].map(nextOf)).size).toBe(2);
  });

  test("a starved work-group goes on after many turns of the others", () => {
    const machine = machineOf({ residentGroups: 3, schedule: "starve" });
    const range = rangeOf(2);
    const last: number[] = [];
    dispatch(machine, [3, 1, 1], (group) =>
      (function* () {
        // Whoever comes third ends the others, which change memory all the time.
        yield 0;
        if (increment(range, 0, group) === 2) {
          last.push(linear(group));
        }
        for (yield 1; range.load(0, group, 1) < 3; yield 1) {
          yield 2;
          increment(range, 1, group);
        }
      })(),
    );
    expect(machine.findings).toEqual([]);
    expect(last).toHaveLength(1);
    expect(range.memory.words[1]).toBeGreaterThan(5000);
  });
});

test("after a dispatch that waits for ever, the machine goes on", () => {
  const machine = machineOf({ patience: 500 });
  const range = rangeOf(1);
  let ended = 0;
  const steps: Steps = (group) =>
    (function* () {
      try {
        yield* waitFor(range, 0, group, 2);
      } finally {
        ended++;
      }
    })();
  dispatch(machine, [2, 1, 1], steps);
  expect(ended).toBe(2);
  dispatch(machine, [1, 1, 1], steps);
  expect(kindsOf(machine)).toEqual(["stuck", "stuck"]);
  range.memory.words[0] = 1;
  dispatch(machine, [3, 1, 1], steps);
  expect(machine.findings).toHaveLength(2);
  expect(ended).toBe(6);
});

test("work-groups that wait at several places have a finding for each", () => {
  const machine = machineOf({ patience: 500, residentGroups: 9 });
  const range = rangeOf(1);
  dispatch(machine, [9, 1, 1], (group) => waitFor(range, 0, group, linear(group) < 8 ? 3 : 5));
  const [many, single] = machine.findings;
  expect(many?.message).toContain(
    "work-group (0, 0, 0), work-group (1, 0, 0), work-group (2, 0, 0) and 5 more wait for ever at line 4",
  );
  expect(single?.message).toContain("work-group (8, 0, 0) waits for ever at line 6");
  expect(single?.threads).toEqual([{ workGroup: [8, 0, 0] }]);
});

test("a dispatch of no work-groups does nothing", () => {
  const machine = machineOf();
  runDispatch(
    () => {
      throw new Error("an instance was made");
    },
    [4, 0, 1],
    machine,
  );
  expect(machine.findings).toEqual([]);
});

test("what onFinding throws ends the dispatch", () => {
  const machine = machineOf({
    onFinding: ({ message }) => {
      throw new Error(message);
    },
  });
  let ended = 0;
  expect(() =>
    dispatch(machine, [9, 1, 1], (group) =>
      (function* () {
        try {
          yield 0;
          group.inBounds(7, 3, 0, 1);
        } finally {
          ended++;
        }
      })(),
    ),
  ).toThrow("thread 0 of work-group (0, 0, 0) takes index 7 of 3 at line 2 (in main)");
  expect(ended).toBe(1);
});
