import { describe, expect, test } from "vitest";
import { readyKernels } from "../../site/playground/kernels/index.ts";
import { setupOf } from "../../site/playground/link.ts";
import { Memory } from "../../site/playground/moments.ts";
import type { Recording } from "../../site/playground/recording.ts";
import { runKernel } from "../../site/playground/run_kernel.ts";
import type { MachineChoices, ReadyKernel, Setup } from "../../site/playground/setup.ts";
import { numbersOf } from "../../site/playground/values.ts";

const kernels = await readyKernels();
const kernelOf = (name: string): ReadyKernel =>
  kernels.find((kernel) => kernel.name === name) ?? expect.fail(`there is no kernel ${name}`);

async function recordingOf(setup: Setup): Promise<Recording> {
  const outcome = await runKernel(setup);
  return outcome.kind === "ran" ? outcome.recording : expect.fail(outcome.fault.message);
}

/** What a buffer holds in the end. */
function resultOf(recording: Recording, name: string): readonly number[] {
  const memory = new Memory(recording);
  memory.go(recording.events.length);
  return [...memory.wordsOf(name, "")];
}

/** Prefixes, each of all up to it. */
const scanned = (items: readonly number[], combine = (a: number, b: number): number => a + b) =>
  items.map((_, at) => items.slice(0, at + 1).reduce(combine));
const above3 = (items: readonly number[]): readonly number[] => items.filter((item) => item > 3);
const ascending = (items: readonly number[]): readonly number[] => [...items].sort((a, b) => a - b);
const padded = (items: readonly number[], length: number): readonly number[] =>
  Array.from({ length }, (_, at) => items[at] ?? 0);
const whole = (items: readonly number[]): number => items.reduce((a, b) => a + b, 0);

/** What the output holds at first, whatever the order of work-groups. */
const expected: Readonly<Record<string, (items: readonly number[]) => readonly number[]>> = {
  "scan-hillis-steele": (items) => scanned(items),
  "scan-blelloch": (items) => [0, ...scanned(items).slice(0, -1)],
  "scan-subgroups": (items) => scanned(items),
  "scan-max": (items) => scanned(items, (a, b) => Math.max(a, b)),
  "scan-segments": (items) => [
    ...scanned(items.slice(0, 3)),
    ...scanned(items.slice(3, 5)),
    ...scanned(items.slice(5)),
  ],
  "scan-order": (items) => scanned(items, (a, b) => 10 * a + b),
  reduce: (items) => items.map(() => whole(items)),
  compact: (items) => padded(above3(items), 8),
  split: ascending,
  "sort-work-group": ascending,
  "look-back": (items) => scanned(items),
  "look-back-late": (items) => scanned(items),
  "two-pass-reduce": (items) => [0, 4, 8, 12].map((at) => whole(items.slice(at, at + 4))),
  "two-pass-scan": (items) => scanned(items),
  "compact-single-pass": (items) => padded(above3(items), 16),
  "sort-pass": (items) => [0, 1, 2, 3].flatMap((digit) => items.filter((item) => item % 4 === digit)),
};

const machines: readonly Partial<MachineChoices>[] = [
  {},
  { schedule: "random", seed: 5, subgroupSize: 8, residentGroups: 8 },
  { schedule: "priorities", seed: 8, subgroupSize: 2, lanes: "reversed", atomics: "random" },
  { schedule: "reversed", subgroupSize: 16, lanes: "permuted", seed: 3, olderValues: true },
];

describe.each(Object.entries(expected))("%s", (name, resultsFor) => {
  test.each(machines)("is right with %o", async (choices) => {
    const setup = setupOf(kernelOf(name));
    const recording = await recordingOf({ ...setup, machine: { ...setup.machine, ...choices } });
    const items = numbersOf(setup.values.input ?? "", "input");
    const results = resultsFor(items);
    expect(resultOf(recording, "output").slice(0, results.length)).toEqual(results);
    expect(recording.findings).toEqual([]);
    expect(recording.total).toBe(recording.events.length);
  });
});

test("work-groups append to a list in the order in which they come", async () => {
  const lists = new Set<string>();
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const setup = setupOf(kernelOf("compact-groups"));
    const recording = await recordingOf({
      ...setup,
      machine: { ...setup.machine, schedule: "random", seed },
    });
    const items = numbersOf(setup.values.input ?? "", "input");
    expect(resultOf(recording, "length")).toEqual([above3(items).length]);
    const list = resultOf(recording, "output").slice(0, above3(items).length);
    expect(ascending(list)).toEqual(ascending(above3(items)));
    expect(recording.findings).toEqual([]);
    lists.add(list.join());
  }
  expect(lists.size).toBe(2);
});

test("a sort counts the digits of each tile", async () => {
  const recording = await recordingOf(setupOf(kernelOf("sort-count")));
  const items = numbersOf(kernelOf("sort-count").values.input ?? "", "input");
  const counts = [0, 1, 2, 3].flatMap((digit) =>
    [items.slice(0, 8), items.slice(8)].map((tile) => tile.filter((item) => item % 4 === digit).length),
  );
  expect(resultOf(recording, "digit_counts").slice(0, 8)).toEqual(counts);
});

test("a late work-group's total is computed by another one", async () => {
  const kernel = kernelOf("look-back-late");
  const lines = kernel.code.split("\n");
  const start = lines.findIndex((line) => line.startsWith("fn look_back_again")) + 1;
  const end = lines.findIndex((line, at) => at > start && line === "}") + 1;
  const { events } = await recordingOf(setupOf(kernel));
  expect(events.some(({ line }) => line > start && line < end)).toBe(true);
});

/** Findings of a kernel: their kinds, and the lines of both accesses. */
async function findingsOf(setup: Setup): Promise<readonly string[]> {
  const { findings, events } = await recordingOf(setup);
  return findings.map(({ kind, line, at, other }) => {
    // The finding is about the event at its moment, unless it is about none.
    expect(events[at]?.line ?? line).toBe(line);
    if (other !== undefined) {
      // Both use one word.
      const [one, two] = [events[at], events[other]];
      expect([two?.variable, two?.index]).toEqual([one?.variable, one?.index]);
    }
    return other === undefined ? `${kind} ${line}` : `${kind} ${line}, ${events[other]?.line}`;
  });
}

describe("a fault is found", () => {
  test.each([
    { name: "race", findings: ["race 6, 7"], fix: ["\n  data[thread] =", "\n  workgroupBarrier();$&"] },
    { name: "race-scan", findings: ["race 11, 14"], fix: ["// workgroupBarrier", "workgroupBarrier"] },
    {
      name: "race-groups",
      findings: ["race 6, 6", "race 6, 6"],
      fix: ["> count: u32", "> count: atomic<u32>", "count = count + 1u", "atomicAdd(&count, 1u)"],
    },
    { name: "divergence", findings: ["divergence 8"], fix: ["rounds[thread]; round", "2u; round"] },
    {
      name: "bounds",
      findings: ["out-of-bounds 6"],
      fix: ["input[thread + 1u]", "input[(thread + 1u) % 8u]"],
    },
    { name: "waits", findings: ["stuck 6"], fix: ["groups.x - 1u", "0u"] },
  ])("$name", async ({ name, findings, fix }) => {
    const setup = setupOf(kernelOf(name));
    expect(await findingsOf(setup)).toEqual(findings);
    let { code } = setup;
    for (let at = 0; at < fix.length; at += 2) {
      expect(code).toContain(fix[at]);
      code = code.replace(fix[at] ?? "", fix[at + 1] ?? "");
    }
    expect(await findingsOf({ ...setup, code })).toEqual([]);
  });

  test("the order of a list is open, and no fault", async () => {
    const setup = setupOf(kernelOf("order"));
    const lists = new Set<string>();
    for (const seed of [1, 2, 3, 4]) {
      const recording = await recordingOf({ ...setup, machine: { ...setup.machine, seed } });
      expect(recording.findings).toEqual([]);
      lists.add(resultOf(recording, "list").join());
    }
    expect(lists.size).toBeGreaterThan(1);
  });
});

test("each kernel is tested, and has a name and words of its own", () => {
  const others = ["compact-groups", "sort-count", "race", "race-scan", "race-groups", "order"];
  const tested = [...Object.keys(expected), ...others, "divergence", "bounds", "waits"];
  expect(kernels.map(({ name }) => name).sort()).toEqual(tested.sort());
  expect(new Set(kernels.map(({ title }) => title)).size).toBe(kernels.length);
  expect(kernels.filter(({ about }) => about.length < 40)).toEqual([]);
});
