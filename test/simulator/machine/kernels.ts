import type { FindingKind } from "../../../src/simulator/findings.ts";
import {
  type Instance,
  Machine,
  Memory,
  runDispatch,
  type Site,
  StorageRange,
  WorkGroup,
} from "../../../src/simulator/machine/index.ts";
import type { SimulatorOptions } from "../../../src/simulator/options.ts";

/** Places whose line is their number, plus one. */
const sites: readonly Site[] = Array.from({ length: 100 }, (_, site) => ({
  line: site + 1,
  column: 1,
  function: "main",
}));

/** A machine that runs a kernel of a made-up text. */
export function machineOf(options: SimulatorOptions = {}): Machine {
  const machine = new Machine(options);
  machine.context = { file: "made-up", entryPoint: "main", sites };
  return machine;
}

/** A work-group that has started, of a dispatch of its own. */
export function startedGroup(machine: Machine, threads: number, memoryWords = 0): WorkGroup {
  machine.beginDispatch([1, 1, 1]);
  return startedGroups(machine, [0], threads, memoryWords)[0] as WorkGroup;
}

/** Work-groups of the present dispatch that have started. */
export function startedGroups(
  machine: Machine,
  indices: readonly number[],
  threads: number,
  memoryWords = 0,
): WorkGroup[] {
  return indices.map((index) => {
    const group = new WorkGroup(machine, [threads, 1, 1], memoryWords);
    group.start(index, machine.idOf(index), machine.groups);
    return group;
  });
}

/** A buffer of zeros, bound whole. */
export function rangeOf(words: number, isWritten = true): StorageRange {
  return new StorageRange(new Memory(4 * words, "data"), 0, 4 * words, isWritten);
}

/** Reads a word plainly, as a kernel's JavaScript does. */
export function readWord(range: StorageRange, index: number, t: number, g: WorkGroup, site: number): number {
  if (range.checksReads) {
    range.checkReads(index, 1, t, g, site);
  }
  return range.words[index] as number;
}

/** Writes a word plainly, as a kernel's JavaScript does. */
export function writeWord(
  range: StorageRange,
  index: number,
  value: number,
  t: number,
  g: WorkGroup,
  site: number,
): void {
  range.checkWrites(index, 1, t, g, site);
  range.words[index] = value;
}

/** What was found, in order. */
export const kindsOf = (machine: Machine): FindingKind[] => machine.findings.map(({ kind }) => kind);

/** The steps of one work-group. It yields a place before each atomic operation. */
export type Steps = (group: WorkGroup) => Generator<number, void, void> | undefined;

/** Runs a kernel whose work-groups have one thread each, and says how many instances were made. */
export function dispatch(machine: Machine, groups: readonly [number, number, number], steps: Steps): number {
  let instances = 0;
  const makeInstance = (): Instance => {
    instances++;
    const group = new WorkGroup(machine, [1, 1, 1], 0);
    return { group, run: () => steps(group) };
  };
  runDispatch(makeInstance, groups, machine);
  return instances;
}
