import { describe, expect, test } from "vitest";
import { type Machine, Memory, StorageRange, type WorkGroup } from "../../../src/simulator/machine/index.ts";
import { randomBits } from "../../support/random.ts";
import { kindsOf, machineOf, rangeOf, readWord, startedGroups, writeWord } from "./kernels.ts";

/** Two work-groups of one dispatch, of two threads each. */
function twoGroups(machine: Machine): [WorkGroup, WorkGroup] {
  machine.beginDispatch([2, 1, 1]);
  return startedGroups(machine, [0, 1], 2) as [WorkGroup, WorkGroup];
}

/** In `steps`, "A1 writes" is a write of word 0 by thread 1 of work-group A, and "A barrier 2" is a storageBarrier of that work-group. */
const orders: readonly { name: string; races: boolean; steps: string }[] = [
  { name: "two writes of a work-group", races: true, steps: "A0 writes, A1 writes" },
  { name: "a write, then a read of a work-group", races: true, steps: "A0 writes, A1 reads" },
  { name: "a read, then a write of a work-group", races: true, steps: "A0 reads, A1 writes" },
  { name: "two reads of a work-group", races: false, steps: "A0 reads, A1 reads" },
  { name: "all of one thread", races: false, steps: "A0 writes, A0 reads, A0 writes" },
  { name: "the first of two readers writes", races: true, steps: "A0 reads, A1 reads, A0 writes" },
  { name: "the second of two readers writes", races: true, steps: "A0 reads, A1 reads, A1 writes" },
  { name: "a storageBarrier between writes", races: false, steps: "A0 writes, A barrier 2, A1 writes" },
  { name: "a storageBarrier after a read", races: false, steps: "A0 reads, A barrier 2, A1 writes" },
  { name: "a storageBarrier before a read", races: false, steps: "A0 writes, A barrier 2, A1 reads" },
  { name: "a workgroupBarrier", races: true, steps: "A0 writes, A barrier 1, A1 writes" },
  { name: "a barrier of both kinds", races: false, steps: "A0 writes, A barrier 3, A1 writes" },
  { name: "a read after a barrier", races: true, steps: "A0 reads, A barrier 2, A1 reads, A0 writes" },
  { name: "two writes of two work-groups", races: true, steps: "A0 writes, B0 writes" },
  { name: "a write, then a read of another work-group", races: true, steps: "A0 writes, B0 reads" },
  { name: "a read, then a write of another work-group", races: true, steps: "A0 reads, B0 writes" },
  { name: "two reads of two work-groups", races: false, steps: "A0 reads, B0 reads" },
  { name: "barriers of both", races: true, steps: "A0 writes, A barrier 3, B barrier 3, B0 writes" },
  { name: "a read of long ago", races: true, steps: "A0 reads, A barrier 2, B1 writes" },
  { name: "the first work-group that reads writes", races: true, steps: "A0 reads, B0 reads, A0 writes" },
  { name: "the second work-group that reads writes", races: true, steps: "A0 reads, B0 reads, B0 writes" },
  {
    name: "two of a work-group read",
    races: true,
    steps: "A0 reads, A1 reads, B0 reads, A barrier 2, A0 writes",
  },
];

function perform(
  [a, b]: readonly [WorkGroup, WorkGroup],
  range: StorageRange,
  step: string,
  site: number,
): void {
  const group = step.startsWith("A") ? a : b;
  if (step.includes("barrier")) {
    group.barrier(group.every, group.threads, Number(step.at(-1)), site);
  } else if (step.includes("reads")) {
    readWord(range, 0, Number(step[1]), group, site);
  } else {
    writeWord(range, 0, 7, Number(step[1]), group, site);
  }
}

describe("storage memory", () => {
  test.each(orders)("$name: a race is $races", ({ races, steps }) => {
    const machine = machineOf();
    const groups = twoGroups(machine);
    const range = rangeOf(1);
    for (const [site, step] of steps.split(", ").entries()) {
      perform(groups, range, step, site);
    }
    expect(kindsOf(machine)).toEqual(races ? ["race"] : []);
  });

  test("a new dispatch forgets", () => {
    const machine = machineOf();
    const range = rangeOf(1);
    for (const step of ["A0 writes", "B0 reads", "B1 writes"]) {
      perform(twoGroups(machine), range, step, 0);
    }
    expect(machine.findings).toEqual([]);
    const groups = twoGroups(machine);
    perform(groups, range, "A0 reads", 0);
    perform(groups, range, "B0 writes", 0);
    expect(kindsOf(machine)).toEqual(["race"]);
  });

  test("a work-group that starts where another has ended is another one", () => {
    const machine = machineOf();
    const range = rangeOf(1);
    machine.beginDispatch([2, 1, 1]);
    const [group] = startedGroups(machine, [0], 1) as [WorkGroup];
    writeWord(range, 0, 1, 0, group, 0);
    group.start(1, [1, 0, 0], [2, 1, 1]);
    writeWord(range, 0, 1, 0, group, 1);
    expect(kindsOf(machine)).toEqual(["race"]);
  });

  test("ranges of one memory share what was accessed", () => {
    const machine = machineOf();
    const memory = new Memory(64, "data");
    const [first, second] = twoGroups(machine);
    const whole = new StorageRange(memory, 0, 64, true);
    const end = new StorageRange(memory, 32, 32, true);
    writeWord(whole, 9, 5, 0, first, 0);
    expect(readWord(end, 1, 0, second, 1)).toBe(5);
    expect(machine.findings[0]?.message).toBe(
      'thread 0 of work-group (1, 0, 0) reads word 1 of buffer "data" at line 2 (in main), which thread 0 of work-group (0, 0, 0) wrote at line 1 (in main); nothing orders work-groups of one dispatch',
    );
  });

  test.each([0, 1, 2, 3, 4])("of three words that are accessed together from 1 on, word %i", (word) => {
    const isInside = word >= 1 && word <= 3;
    const machine = machineOf();
    const [first, second] = twoGroups(machine);
    const range = rangeOf(5);
    range.checkWrites(1, 3, 0, first, 0);
    readWord(range, word, 0, second, 1);
    expect(kindsOf(machine)).toEqual(isInside ? ["race"] : []);
    const other = rangeOf(5);
    other.checkReads(1, 3, 0, first, 2);
    writeWord(other, word, 1, 0, second, 3);
    expect(machine.findings).toHaveLength(isInside ? 2 : 0);
  });

  test("a race within a work-group names what is missing, and the variable", () => {
    const machine = machineOf();
    const [, group] = twoGroups(machine);
    const range = rangeOf(4);
    range.name = "output";
    readWord(range, 3, 1, group, 10);
    writeWord(range, 3, 1, 0, group, 20);
    expect(machine.findings).toEqual([
      {
        kind: "race",
        file: "made-up",
        line: 21,
        column: 1,
        otherLine: 11,
        entryPoint: "main",
        threads: [
          { workGroup: [1, 0, 0], thread: 0 },
          { workGroup: [1, 0, 0], thread: 1 },
        ],
        message:
          'thread 0 of work-group (1, 0, 0) writes word 3 of output, buffer "data" at line 21 (in main), which thread 1 of work-group (1, 0, 0) read at line 11 (in main); no storageBarrier() is between them',
      },
    ]);
  });

  test("atomics are never races", () => {
    const machine = machineOf();
    const groups = twoGroups(machine);
    const range = rangeOf(1);
    for (const [step, group] of groups.entries()) {
      expect(range.load(0, group, 0)).toBe(step);
      range.store(0, range.latest(0, group) + 1, group);
    }
    expect(machine.findings).toEqual([]);
    expect([...range.memory.words]).toEqual([2]);
  });

  test("a range that is only read is not checked", () => {
    const machine = machineOf();
    const [first, second] = twoGroups(machine);
    const range = rangeOf(1, false);
    range.memory.words[0] = -3;
    expect([readWord(range, 0, 0, first, 0), readWord(range, 0, 1, second, 0)]).toEqual([-3, -3]);
    expect(range.memory.shadow.firsts.length).toBe(0);
  });
});

describe("halves of words", () => {
  test("keep each other's bits", () => {
    const machine = machineOf();
    const [group] = twoGroups(machine);
    const range = rangeOf(2);
    range.memory.words[1] = 0x12345678;
    expect([range.readHalf(2, 0, group, 0), range.readHalf(3, 0, group, 0)]).toEqual([0x5678, 0x1234]);
    range.writeHalf(3, 0xfedc, 0, group, 1);
    expect(range.memory.words[1]).toBe(0xfedc5678 | 0);
    range.writeHalf(2, 0xba98, 0, group, 1);
    expect(range.memory.words[1]).toBe(0xfedcba98 | 0);
    expect(range.readHalf(3, 0, group, 0)).toBe(0xfedc);
    expect(machine.findings).toEqual([]);
  });

  test.each([0, 1])("half %i is a location", (half) => {
    const machine = machineOf();
    const [first, second] = twoGroups(machine);
    const range = rangeOf(1);
    range.writeHalf(half, 1, 0, first, 0);
    range.writeHalf(1 - half, 1, 0, second, 1);
    expect(machine.findings).toEqual([]);
    range.readHalf(half, 1, first, 2);
    range.writeHalf(1 - half, 1, 1, second, 3);
    expect(kindsOf(machine)).toEqual(["race", "race"]);
  });
});

/** An access as the definition of a race sees it. */
interface Event {
  readonly group: number;
  readonly thread: number;
  readonly isWrite: boolean;
  readonly epoch: number;
}
const racesWith = (now: Event, earlier: Event): boolean =>
  (now.isWrite || earlier.isWrite) &&
  (now.group !== earlier.group || (now.thread !== earlier.thread && now.epoch === earlier.epoch));

/** Random accesses of one location by three work-groups of three threads; whether a race came. */
function accessAtRandom(random: () => number, machine: Machine, range: StorageRange): boolean {
  machine.beginDispatch([3, 1, 1]);
  machine.findings.length = 0;
  const groups = startedGroups(machine, [0, 1, 2], 3);
  const writesAreRare = (random() & 1) === 1;
  const events: Event[] = [];
  const epochs = [0, 0, 0];
  for (let site = 0; site < 12; site++) {
    const bits = random();
    const of = (bits >>> 3) % 3;
    const group = groups[of] as WorkGroup;
    if ((bits & 3) === 0) {
      const kind = 1 + ((bits >>> 12) % 3);
      group.barrier(group.every, group.threads, kind, site);
      epochs[of] = (epochs[of] as number) + (kind >> 1);
      continue;
    }
    const event = {
      group: of,
      thread: (bits >>> 6) % 3,
      isWrite: ((bits >>> 9) & (writesAreRare ? 7 : 1)) === 0,
      epoch: epochs[of] as number,
    };
    if (event.isWrite) {
      writeWord(range, 0, site, event.thread, group, site);
    } else {
      readWord(range, 0, event.thread, group, site);
    }
    const conflicting = events.filter((earlier) => racesWith(event, earlier));
    expect(machine.findings.length > 0).toBe(conflicting.length > 0);
    if (conflicting.length > 0) {
      const [now, earlier] = machine.findings[0]?.threads ?? [];
      expect(now).toEqual({ workGroup: [of, 0, 0], thread: event.thread });
      expect(conflicting.map(({ group, thread }) => ({ workGroup: [group, 0, 0], thread }))).toContainEqual(
        earlier,
      );
      return true;
    }
    events.push(event);
  }
  return false;
}

test("the first race of random accesses is found, and no other", () => {
  const random = randomBits("storage races");
  const machine = machineOf();
  // It has the marks of earlier dispatches.
  const range = rangeOf(1);
  let races = 0;
  for (let round = 0; round < 1000; round++) {
    races += accessAtRandom(random, machine, range) ? 1 : 0;
  }
  expect(races).toBeGreaterThan(200);
});

describe("uninitialized storage memory", () => {
  const trackedRange = (words: number): StorageRange => {
    const memory = new Memory(4 * words, "data", true);
    return new StorageRange(memory, 0, 4 * words, true);
  };

  test("is found if a word is read", () => {
    const machine = machineOf();
    const [group] = twoGroups(machine);
    const range = trackedRange(2);
    writeWord(range, 0, 1, 0, group, 0);
    readWord(range, 0, 0, group, 1);
    expect(machine.findings).toEqual([]);
    readWord(range, 1, 0, group, 2);
    expect(machine.findings.map(({ kind, message }) => [kind, message])).toEqual([
      [
        "uninitialized",
        'thread 0 of work-group (0, 0, 0) reads word 1 of buffer "data" at line 3 (in main), which nothing has written',
      ],
    ]);
  });

  test("is found of halves", () => {
    const machine = machineOf();
    const [group] = twoGroups(machine);
    const range = trackedRange(1);
    range.writeHalf(1, 1, 0, group, 0);
    range.readHalf(1, 0, group, 1);
    expect(machine.findings).toEqual([]);
    range.readHalf(0, 0, group, 2);
    readWord(range, 0, 0, group, 3);
    range.writeHalf(0, 1, 0, group, 4);
    range.readHalf(0, 0, group, 5);
    readWord(range, 0, 0, group, 6);
    expect(machine.findings.map(({ line }) => line)).toEqual([3, 4]);
  });

  test("is found of atomics, and of ranges that are only read", () => {
    const machine = machineOf();
    const [group] = twoGroups(machine);
    const range = trackedRange(2);
    range.store(0, 1, group);
    range.load(0, group, 0);
    expect(machine.findings).toEqual([]);
    range.load(1, group, 1);
    readWord(new StorageRange(range.memory, 4, 4, false), 0, 0, group, 2);
    expect(machine.findings.map(({ line }) => line)).toEqual([2, 3]);
  });

  test("is not what was written from outside", () => {
    const machine = machineOf();
    const [group] = twoGroups(machine);
    const range = trackedRange(4);
    range.memory.markWritten(4, 8);
    for (const index of [1, 2]) {
      readWord(range, index, 0, group, 0);
    }
    expect(machine.findings).toEqual([]);
    readWord(range, 0, 0, group, 1);
    readWord(range, 3, 0, group, 2);
    expect(machine.findings.map(({ line }) => line)).toEqual([2, 3]);
  });
});

test("a memory of any number of bytes has them all", () => {
  const memory = new Memory(7, "data");
  expect([memory.words.length, memory.bytes.length]).toEqual([2, 7]);
  memory.bytes[5] = 1;
  expect(memory.words[1]).toBe(256);
});
