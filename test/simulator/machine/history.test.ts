import { describe, expect, test } from "vitest";
import type { WorkGroup } from "../../../src/simulator/machine/index.ts";
import { randomBits } from "../../support/random.ts";
import { machineOf, rangeOf, startedGroups } from "./kernels.ts";

describe("older values of atomics", () => {
  test("are coherent: no work-group sees a word go back", () => {
    const random = randomBits("older values");
    let older = 0;
    for (let round = 0; round < 60; round++) {
      const machine = machineOf({ olderValues: true, seed: random() });
      machine.beginDispatch([3, 1, 1]);
      const groups = startedGroups(machine, [0, 1, 2], 1);
      const range = rangeOf(2);
      // Words count up. For each work-group, the latest that it has seen of each word.
      const seen = groups.map(() => [0, 0]);
      for (let step = 0; step < 60; step++) {
        const bits = random();
        const of = bits % 3;
        const word = (bits >>> 3) & 1;
        const group = groups[of] as WorkGroup;
        const views = seen[of] as number[];
        const newest = range.memory.words[word] as number;
        if (((bits >>> 5) & 3) === 0) {
          expect(range.latest(word, group)).toBe(newest);
          range.store(word, newest + 1, group);
          views[word] = newest + 1;
        } else if (((bits >>> 5) & 31) === 31) {
          // An atomic that changes nothing, as a compare-and-exchange that fails.
          expect(range.latest(word, group)).toBe(newest);
          views[word] = newest;
        } else {
          const value = range.load(word, group, 0);
          expect(value).toBeGreaterThanOrEqual(views[word] as number);
          expect(value).toBeLessThanOrEqual(newest);
          older += value < newest ? 1 : 0;
          views[word] = value;
        }
      }
    }
    expect(older).toBeGreaterThan(60);
  });

  test("give way to the newest after some tries", () => {
    const machine = machineOf({ olderValues: true });
    const range = rangeOf(1);
    let most = 0;
    for (let round = 1; round < 3000; round++) {
      machine.beginDispatch([2, 1, 1]);
      const [writer, reader] = startedGroups(machine, [0, 1], 1) as [WorkGroup, WorkGroup];
      range.store(0, round, writer);
      let tries = 1;
      while (range.load(0, reader, 0) !== round) {
        tries++;
      }
      most = Math.max(most, tries);
      expect(range.load(0, writer, 0)).toBe(round);
    }
    expect(most).toBe(9);
  });

  test("go back a few stores", () => {
    const seen = new Set<number>();
    for (let seed = 0; seed < 50; seed++) {
      const machine = machineOf({ olderValues: true, seed });
      machine.beginDispatch([2, 1, 1]);
      const [writer, reader] = startedGroups(machine, [0, 1], 1) as [WorkGroup, WorkGroup];
      const range = rangeOf(1);
      for (let value = 1; value <= 9; value++) {
        range.store(0, value, writer);
      }
      seen.add(range.load(0, reader, 0));
    }
    expect([...seen].sort()).toEqual([6, 7, 8, 9]);
  });

  test("are never of an earlier dispatch", () => {
    const machine = machineOf({ olderValues: true });
    const range = rangeOf(1);
    for (let value = 1; value < 50; value++) {
      machine.beginDispatch([2, 1, 1]);
      const [writer, reader] = startedGroups(machine, [0, 1], 1) as [WorkGroup, WorkGroup];
      expect(range.load(0, reader, 0)).toBe(value - 1);
      range.store(0, value, writer);
    }
    machine.beginDispatch([1, 1, 1]);
    // What the CPU writes between dispatches counts.
    range.memory.words[0] = 1000;
    const [reader] = startedGroups(machine, [0], 1) as [WorkGroup];
    expect(range.load(0, reader, 0)).toBe(1000);
  });

  test("are not seen by a work-group that starts in the place of another", () => {
    const machine = machineOf({ olderValues: true });
    machine.beginDispatch([3, 1, 1]);
    const [writer, reader] = startedGroups(machine, [0, 1], 1) as [WorkGroup, WorkGroup];
    const range = rangeOf(1);
    const seen = new Set<number>();
    for (let round = 0; round < 60; round++) {
      range.store(0, round, writer);
      // It has seen the newest, but the next one to start has not.
      range.latest(0, reader);
      reader.start(2, [2, 0, 0], [3, 1, 1]);
      seen.add(round - range.load(0, reader, 0));
    }
    expect(Math.max(...seen)).toBeGreaterThan(0);
  });

  test("are an option", () => {
    const machine = machineOf();
    machine.beginDispatch([2, 1, 1]);
    const [writer, reader] = startedGroups(machine, [0, 1], 1) as [WorkGroup, WorkGroup];
    const range = rangeOf(1);
    for (let value = 1; value < 50; value++) {
      range.store(0, value, writer);
      expect(range.load(0, reader, 0)).toBe(value);
    }
  });
});
