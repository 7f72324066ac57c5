import { describe, expect, test } from "vitest";
import { type Machine, WorkGroup } from "../../../src/simulator/machine/index.ts";
import { randomBits } from "../../support/random.ts";
import { kindsOf, machineOf, startedGroup } from "./kernels.ts";

const maskOf = (...threads: readonly number[]): Uint8Array => Uint8Array.from(threads);
/** How many threads it holds. */
const countOf = (mask: Uint8Array): number => mask.reduce((count, is) => count + is, 0);

describe("a work-group", () => {
  test("numbers its threads, x first", () => {
    const group = new WorkGroup(machineOf(), [3, 2, 2], 0);
    expect(group.threads).toBe(12);
    expect([...group.localId[0]]).toEqual([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]);
    expect([...group.localId[1]]).toEqual([0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1]);
    expect([...group.localId[2]]).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
    expect([...group.every]).toEqual(Array(12).fill(1));
  });

  test("starts with its ids, and with memory of zeros", () => {
    const machine = machineOf();
    const group = startedGroup(machine, 2, 3);
    group.write(1, 5, 0, 0);
    expect([...group.memory]).toEqual([0, 5, 0]);
    machine.beginDispatch([2, 3, 4]);
    group.start(9, machine.idOf(9), machine.groups);
    expect([...group.id]).toEqual([1, 1, 1]);
    expect([...group.groupCount]).toEqual([2, 3, 4]);
    expect([...group.memory]).toEqual([0, 0, 0]);
  });
});

/** In `steps`, "1 writes" is a write of word 0 by thread 1, and "barrier 2" is a storageBarrier. */
const orders: readonly { name: string; races: boolean; steps: string }[] = [
  { name: "two writes", races: true, steps: "0 writes, 1 writes" },
  { name: "a write, then a read", races: true, steps: "0 writes, 1 reads" },
  { name: "a read, then a write", races: true, steps: "0 reads, 1 writes" },
  { name: "two reads", races: false, steps: "0 reads, 1 reads" },
  { name: "all of one thread", races: false, steps: "0 writes, 0 reads, 0 writes" },
  { name: "the second of two readers writes", races: true, steps: "0 reads, 1 reads, 1 writes" },
  { name: "the first of two readers writes", races: true, steps: "0 reads, 1 reads, 0 writes" },
  { name: "a workgroupBarrier between writes", races: false, steps: "0 writes, barrier 1, 1 writes" },
  { name: "a workgroupBarrier after a read", races: false, steps: "0 reads, barrier 1, 1 writes" },
  { name: "a workgroupBarrier before a read", races: false, steps: "0 writes, barrier 1, 1 reads" },
  { name: "a storageBarrier", races: true, steps: "0 writes, barrier 2, 1 writes" },
  { name: "a barrier of both kinds", races: false, steps: "0 writes, barrier 3, 1 writes" },
  { name: "a read after a barrier", races: true, steps: "0 reads, barrier 1, 1 reads, 0 writes" },
];

function perform(group: WorkGroup, step: string, site: number): void {
  if (step.startsWith("barrier")) {
    group.barrier(group.every, group.threads, Number(step.at(-1)), site);
  } else if (step.includes("reads")) {
    group.read(0, Number(step[0]), site);
  } else {
    group.write(0, 7, Number(step[0]), site);
  }
}

describe("work-group memory", () => {
  test.each(orders)("$name: a race is $races", ({ races, steps }) => {
    const machine = machineOf();
    const group = startedGroup(machine, 2, 1);
    for (const [site, step] of steps.split(", ").entries()) {
      perform(group, step, site);
    }
    expect(kindsOf(machine)).toEqual(races ? ["race"] : []);
  });

  test("other words do not matter", () => {
    const machine = machineOf();
    const group = startedGroup(machine, 2, 2);
    group.write(0, 1, 0, 0);
    group.write(1, 2, 1, 1);
    expect([group.read(0, 0, 2), group.read(1, 1, 3)]).toEqual([1, 2]);
    expect(machine.findings).toEqual([]);
  });

  test.each([0, 1, 2, 3, 4])("of three words that are accessed together from 1 on, word %i", (word) => {
    const isInside = word >= 1 && word <= 3;
    const machine = machineOf();
    const group = startedGroup(machine, 2, 5);
    group.checkWrites(1, 3, 0, 0);
    group.read(word, 1, 1);
    expect(kindsOf(machine)).toEqual(isInside ? ["race"] : []);
    group.barrier(group.every, group.threads, 1, 2);
    group.checkReads(1, 3, 0, 3);
    group.write(word, 1, 1, 4);
    expect(machine.findings).toHaveLength(isInside ? 2 : 0);
  });

  test("the next work-group of an instance forgets", () => {
    const machine = machineOf();
    const group = startedGroup(machine, 2, 1);
    group.write(0, 1, 0, 0);
    group.start(0, [0, 0, 0], [1, 1, 1]);
    group.write(0, 1, 1, 1);
    expect(machine.findings).toEqual([]);
  });

  test("a race names both places, both threads and the variable", () => {
    const machine = machineOf();
    machine.context = { ...machine.context, workGroupVariables: [{ name: "totals", first: 4, count: 8 }] };
    const group = startedGroup(machine, 8, 12);
    group.write(6, 1, 5, 10);
    group.read(6, 7, 20);
    group.write(3, 1, 0, 30);
    group.write(3, 1, 1, 31);
    expect(machine.findings).toEqual([
      {
        kind: "race",
        file: "made-up",
        line: 21,
        column: 1,
        otherLine: 11,
        entryPoint: "main",
        threads: [
          { workGroup: [0, 0, 0], thread: 7 },
          { workGroup: [0, 0, 0], thread: 5 },
        ],
        message:
          "thread 7 of work-group (0, 0, 0) reads word 2 of totals in work-group memory at line 21 (in main), which thread 5 wrote at line 11 (in main); no workgroupBarrier() is between them",
      },
      expect.objectContaining({ message: expect.stringContaining("writes word 3 of work-group memory at") }),
    ]);
  });

  test("each pair of places is told once for each dispatch", () => {
    const machine = machineOf();
    const run = (): void => {
      const group = startedGroup(machine, 4, 2);
      for (const word of [0, 1]) {
        for (const thread of [0, 1, 2, 3]) {
          group.write(word, 0, thread, 1);
        }
      }
    };
    run();
    expect(kindsOf(machine)).toEqual(["race"]);
    run();
    expect(kindsOf(machine)).toEqual(["race", "race"]);
  });

  test("an access is no race with one that is so many barriers ago that epochs begin anew", () => {
    const machine = machineOf();
    const group = startedGroup(machine, 2, 1);
    group.write(0, 1, 0, 0);
    for (let barriers = 0; barriers < 2 ** 20 - 1; barriers++) {
      group.barrier(group.every, group.threads, 1, 1);
    }
    group.write(0, 1, 1, 2);
    expect(machine.findings).toEqual([]);
    group.write(0, 1, 0, 3);
    expect(kindsOf(machine)).toEqual(["race"]);
  });
});

/** Whether an access conflicts with an earlier one, by the definition. */
interface Event {
  readonly thread: number;
  readonly isWrite: boolean;
  readonly epoch: number;
}
const racesWith = (now: Event, earlier: Event): boolean =>
  (now.isWrite || earlier.isWrite) && now.thread !== earlier.thread && now.epoch === earlier.epoch;

test("the first race of random accesses is found, and no other", () => {
  const random = randomBits("work-group races");
  let races = 0;
  for (let round = 0; round < 1000; round++) {
    const machine = machineOf();
    const group = startedGroup(machine, 3, 1);
    const events: Event[] = [];
    let epoch = 0;
    for (let site = 0; site < 12; site++) {
      const bits = random();
      if ((bits & 3) === 0) {
        const kind = 1 + ((bits >>> 2) % 3);
        group.barrier(group.every, group.threads, kind, site);
        epoch += kind & 1;
        continue;
      }
      const event = { thread: (bits >>> 4) % 3, isWrite: ((bits >>> 8) & 3) === 0, epoch };
      perform(group, `${event.thread} ${event.isWrite ? "writes" : "reads"}`, site);
      const conflicting = events.filter((earlier) => racesWith(event, earlier));
      expect(machine.findings.length > 0).toBe(conflicting.length > 0);
      if (conflicting.length > 0) {
        const [now, earlier] = machine.findings[0]?.threads ?? [];
        expect(now?.thread).toBe(event.thread);
        expect(conflicting.map(({ thread }) => thread)).toContain(earlier?.thread);
        races++;
        break;
      }
      events.push(event);
    }
  }
  expect(races).toBeGreaterThan(200);
});

describe("a barrier", () => {
  const findingsOf = (mask: Uint8Array): Machine => {
    const machine = machineOf();
    startedGroup(machine, 4).barrier(mask, countOf(mask), 3, 8);
    return machine;
  };

  test("that all threads reach, or none, is right", () => {
    expect(findingsOf(maskOf(1, 1, 1, 1)).findings).toEqual([]);
    expect(findingsOf(maskOf(0, 0, 0, 0)).findings).toEqual([]);
  });

  test("that some threads reach is a finding", () => {
    expect(findingsOf(maskOf(0, 1, 1, 1)).findings).toEqual([
      {
        kind: "divergence",
        file: "made-up",
        line: 9,
        column: 1,
        entryPoint: "main",
        threads: [
          { workGroup: [0, 0, 0], thread: 1 },
          { workGroup: [0, 0, 0], thread: 0 },
        ],
        message:
          "only 3 of 4 threads reach the barrier at line 9 (in main): thread 1 of work-group (0, 0, 0) does, thread 0 does not",
      },
    ]);
  });

  test("that no thread reaches orders nothing", () => {
    const machine = machineOf();
    const group = startedGroup(machine, 2, 1);
    group.write(0, 1, 0, 0);
    group.barrier(maskOf(0, 0), 0, 1, 1);
    group.write(0, 1, 1, 2);
    expect(kindsOf(machine)).toEqual(["race"]);
  });
});

describe("an index", () => {
  test.each([
    [0, 1],
    [4, 5],
    [-2, 0xffffffff],
  ])("%i is below %i", (index, count) => {
    const machine = machineOf();
    expect(startedGroup(machine, 1).inBounds(index, count, 0, 0)).toBe(index);
    expect(machine.findings).toEqual([]);
  });

  test.each([
    [5, 5, 4],
    [-1, 5, 4],
    [0x80000000 | 0, 7, 6],
    [0, 0, 0],
  ])("%i is not below %i, and %i is taken", (index, count, taken) => {
    const machine = machineOf();
    expect(startedGroup(machine, 4).inBounds(index, count, 3, 2)).toBe(taken);
    expect(machine.findings).toEqual([
      {
        kind: "out-of-bounds",
        file: "made-up",
        line: 3,
        column: 1,
        entryPoint: "main",
        threads: [{ workGroup: [0, 0, 0], thread: 3 }],
        message: `thread 3 of work-group (0, 0, 0) takes index ${index >>> 0} of ${count} at line 3 (in main)`,
      },
    ]);
  });
});

describe("the order of atomics", () => {
  const orderOf = (group: WorkGroup, mask: Uint8Array): number[] => {
    const count = countOf(mask);
    return [...group.order(mask, count).subarray(0, count)];
  };
  const mask = maskOf(1, 0, 1, 1, 0, 1, 1, 1, 0, 1);
  const active = [0, 2, 3, 5, 6, 7, 9];

  test("is by index, or the reverse", () => {
    expect(orderOf(startedGroup(machineOf(), 10), mask)).toEqual(active);
    expect(orderOf(startedGroup(machineOf({ atomics: "reversed" }), 10), mask)).toEqual(
      [...active].reverse(),
    );
    expect(orderOf(startedGroup(machineOf(), 10), new Uint8Array(10))).toEqual([]);
  });

  test("is random by the seed", () => {
    const ordersOf = (seed: number): number[][] => {
      const group = startedGroup(machineOf({ atomics: "random", seed }), 10);
      return [orderOf(group, mask), orderOf(group, mask)];
    };
    const [first = [], second = []] = ordersOf(3);
    expect([...first].sort((a, b) => a - b)).toEqual(active);
    expect(second).not.toEqual(first);
    expect(ordersOf(3)).toEqual([first, second]);
    expect(ordersOf(4)).not.toEqual([first, second]);
  });
});

describe("uninitialized work-group memory", () => {
  test("is found if it is read", () => {
    const machine = machineOf({ uninitialized: true });
    const group = startedGroup(machine, 2, 2);
    group.write(0, 1, 0, 0);
    group.read(0, 0, 1);
    group.barrier(group.every, group.threads, 1, 2);
    group.read(0, 1, 3);
    expect(machine.findings).toEqual([]);
    group.read(1, 1, 4);
    expect(machine.findings.map(({ kind, message }) => [kind, message])).toEqual([
      [
        "uninitialized",
        "thread 1 of work-group (0, 0, 0) reads word 1 of work-group memory at line 5 (in main), which nothing has written",
      ],
    ]);
  });

  test("is what an earlier work-group wrote, too", () => {
    const machine = machineOf({ uninitialized: true });
    const group = startedGroup(machine, 2, 2);
    group.write(0, 1, 0, 0);
    group.start(1, [1, 0, 0], [2, 1, 1]);
    group.read(0, 0, 1);
    expect(kindsOf(machine)).toEqual(["uninitialized"]);
  });

  test("is zeros otherwise", () => {
    const machine = machineOf();
    expect(startedGroup(machine, 1, 1).read(0, 0, 0)).toBe(0);
    expect(machine.findings).toEqual([]);
  });
});
