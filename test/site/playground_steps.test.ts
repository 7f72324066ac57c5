import { describe, expect, test } from "vitest";
import {
  after,
  before,
  captionOf,
  findingsIn,
  Memory,
  stepsOf,
  usedWords,
} from "../../site/playground/moments.ts";
import type { Recording } from "../../site/playground/recording.ts";
import { MOST_EVENTS, runKernel } from "../../site/playground/run_kernel.ts";
import type { Setup } from "../../site/playground/setup.ts";
import { defaultChoices } from "../../site/playground/setup.ts";
import { bitsOf, MOST_NUMBERS, numbersOf, shown, textOfNumbers } from "../../site/playground/values.ts";
import { randomWords } from "../support/random.ts";

const shift = `@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> shifted: array<u32, 2>;
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) id: vec3<u32>) {
  let place = 2u * id.x + thread;
  shifted[thread] = data[place];
  workgroupBarrier();
  data[place] = shifted[1u - thread];
}
`;

const setupOf = (code: string, more: Partial<Setup> = {}): Setup => ({
  code,
  entryPoint: "",
  groups: "1",
  values: {},
  machine: defaultChoices,
  ...more,
});

async function recordingOf(setup: Setup): Promise<Recording> {
  const outcome = await runKernel(setup);
  return outcome.kind === "ran" ? outcome.recording : expect.fail(outcome.fault.message);
}

async function messageOf(setup: Setup): Promise<string> {
  const outcome = await runKernel(setup);
  return outcome.kind === "fault"
    ? `${outcome.fault.line}: ${outcome.fault.message}`
    : expect.fail("the kernel ran");
}

const twoGroups = setupOf(shift, { groups: "2", values: { data: "3 1 7 4" } });

test("steps end after each event, after a thread's line, and at barriers", async () => {
  const { events } = await recordingOf(twoGroups);
  expect(events.slice(0, 10).map(({ kind, line }) => `${kind} ${line}`)).toEqual([
    ...["start 0", "read 6", "write 6", "read 6", "write 6"],
    ...["barrier 7", "read 8", "write 8", "read 8", "write 8"],
  ]);
  expect(stepsOf(events, "event")).toEqual(Array.from({ length: 21 }, (_, at) => at));
  expect(stepsOf(events, "line")).toEqual([0, 1, 3, 5, 6, 8, 10, 11, 13, 15, 16, 18, 20]);
  expect(stepsOf(events, "barrier")).toEqual([0, 1, 6, 10, 11, 16, 20]);
  expect(stepsOf([], "line")).toEqual([0]);
});

test("one goes from each moment to the steps around it", () => {
  const steps = [0, 1, 6, 10];
  expect([0, 1, 3, 6, 10].map((moment) => after(steps, moment))).toEqual([1, 6, 6, 10, 10]);
  expect([0, 1, 3, 6, 10].map((moment) => before(steps, moment))).toEqual([0, 0, 1, 1, 6]);
});

test("memory at a moment does not depend on the way there", async () => {
  const recording = await recordingOf(twoGroups);
  const { length } = recording.events;
  const stateAt = (memory: Memory, moment: number): unknown => {
    memory.go(moment);
    return {
      data: [...memory.wordsOf("data", "")],
      shifted: ["0,0,0", "1,0,0"].map((group) => [...memory.wordsOf("shifted", group)]),
      lines: [0, 1].map((thread) => memory.lastOf("1,0,0", thread)?.line),
      started: [...memory.started],
    };
  };
  expect(stateAt(new Memory(recording), length)).toEqual({
    data: [1, 3, 4, 7],
    shifted: [
      [3, 1],
      [7, 4],
    ],
    lines: [8, 8],
    started: ["0,0,0", "1,0,0"],
  });
  const memory = new Memory(recording);
  for (const word of randomWords(40, "moments")) {
    const moment = word % (length + 1);
    expect(stateAt(memory, moment), `moment ${moment}`).toEqual(stateAt(new Memory(recording), moment));
  }
});

test("a caption says what happened, and where", async () => {
  const recording = await recordingOf(twoGroups);
  const nameOf = ({ variable, index, values }: (typeof recording.events)[number]): string =>
    `${variable}[${index}] = ${values[0]}`;
  const caption = (from: number, to: number): string => captionOf(recording, [from, to], nameOf);
  expect(caption(0, 0)).toBe("Nothing has run yet. The kernel takes 20 events.");
  expect(caption(0, 1)).toBe("Work-group 0 starts.");
  expect(caption(1, 2)).toBe("Line 6: thread 0 of work-group 0 reads data[0] = 3.");
  expect(caption(1, 6)).toBe(
    "Line 6: 2 reads and 2 writes by 2 threads of work-group 0. Line 7: all 2 threads of work-group 0 meet at a barrier, which orders work-group memory.",
  );
  const alone = await recordingOf(setupOf(shift, { values: { data: "3 1" } }));
  expect(captionOf(alone, [0, 1], nameOf)).toBe("The work-group starts.");
  expect(captionOf(alone, [1, 2], nameOf)).toBe("Line 6: thread 0 reads data[0] = 3.");
});

test("a long trace is cut, and says so", async () => {
  const code = `@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(1)
fn main() {
  for (var i = 0u; i < 30000u; i++) {
    data[0] += 1u;
  }
}`;
  const recording = await recordingOf(setupOf(code));
  expect(recording.events).toHaveLength(MOST_EVENTS);
  expect(recording.total).toBe(60_001);
  expect(captionOf(recording, [MOST_EVENTS - 1, MOST_EVENTS], () => "data")).toMatch(
    / The trace ends here: 20001 events more are left out\.$/,
  );
});

test("a finding stands at its event, and one about no event at the end", async () => {
  const racy = await recordingOf(
    setupOf(shift.replace("  workgroupBarrier();\n", ""), { values: { data: "3 1" } }),
  );
  const [race] = racy.findings;
  expect(race).toMatchObject({ kind: "race", at: 6, other: 3 });
  expect(findingsIn(racy, 6, 7)).toEqual([race]);
  expect(findingsIn(racy, 5, 6)).toEqual([]);
  const waiting = `@group(0) @binding(0) var<storage, read_write> flag: atomic<u32>;
@compute @workgroup_size(1)
fn main() { while (atomicLoad(&flag) == 0u) { } }`;
  const endless = await recordingOf(setupOf(waiting));
  const { length } = endless.events;
  expect(endless.findings).toMatchObject([{ kind: "stuck", at: length }]);
  expect(findingsIn(endless, length - 1, length)).toHaveLength(1);
  expect(findingsIn(endless, length - 2, length - 1)).toEqual([]);
});

test("the words that a kernel uses are known, for each variable", async () => {
  const code = `@group(0) @binding(0) var<storage, read_write> data: array<vec2<u32>>;
@compute @workgroup_size(1)
fn main() { data[2] = data[0]; }`;
  const used = usedWords(await recordingOf(setupOf(code)));
  expect([...used].map(([name, words]) => [name, [...words]])).toEqual([["data", [0, 1, 4, 5]]]);
});

describe("buffers", () => {
  test("are laid out as WGSL says, and their scalars have names", async () => {
    const code = `enable f16;
struct Inner { a: vec3<f32>, b: i32 }
struct Whole { first: f16, second: f16, inner: Inner, rest: array<vec2<u32>> }
@group(0) @binding(0) var<storage, read_write> whole: Whole;
@group(0) @binding(1) var<uniform> factor: f32;
var<workgroup> flags: array<bool, 2>;
@compute @workgroup_size(1)
fn main() {
  whole.rest[1].y = u32(whole.inner.a.y * factor) + u32(whole.second);
  flags[1] = true;
}`;
    const values = { whole: "1 2 0 2.5 0 -1 5 6 7 8", factor: "4" };
    const recording = await recordingOf(setupOf(code, { values }));
    const [whole, factor, flags] = recording.variables;
    expect(whole?.cells.map(({ label, scalar, offset }) => `${label} ${scalar} ${offset}`)).toEqual([
      ...["first f16 0", "second f16 2", "inner.a.x f32 16", "inner.a.y f32 20", "inner.a.z f32 24"],
      ...["inner.b i32 28", "rest[0].x u32 32", "rest[0].y u32 36", "rest[1].x u32 40", "rest[1].y u32 44"],
    ]);
    expect(whole).toMatchObject({ type: "Whole", memory: "buffer", isWritten: true });
    expect(whole?.words.slice(0, 8).map((word) => word >>> 0)).toEqual([
      ...[0x40003c00, 0, 0, 0, 0, 0x40200000, 0, 0xffffffff],
    ]);
    expect(factor).toMatchObject({ cells: [{ label: "", scalar: "f32" }], isWritten: false });
    expect(flags).toMatchObject({ memory: "work-group", cells: [{ label: "0" }, { label: "1", offset: 4 }] });
    const memory = new Memory(recording);
    memory.go(recording.events.length);
    expect(memory.wordsOf("whole", "")[11]).toBe(12);
    expect([...memory.wordsOf("flags", "0,0,0")]).toEqual([0, 1]);
  });

  test("without numbers have zeros, and sixteen elements if they have no length", async () => {
    const { variables } = await recordingOf(setupOf(shift));
    expect(variables[0]?.words).toEqual(new Array<number>(16).fill(0));
  });

  test.each([
    [{ data: "3 one" }, /data has “one”; it takes numbers such as 7/],
    [{ data: "-1" }, /data has -1, which is no u32/],
    [{ data: "1.5" }, /data has 1.5, which is no u32/],
    [{ data: `0*${MOST_NUMBERS + 1}` }, /data has more than 16384 numbers/],
  ])("%o gets a clear error", async (values, message) => {
    expect(await messageOf(setupOf(shift, { values }))).toMatch(message);
  });

  test("with room for fewer numbers than there are get a clear error", async () => {
    const code = `@group(0) @binding(0) var<storage, read_write> pair: vec2<u32>;
@compute @workgroup_size(1) fn main() { pair.x = 1u; }`;
    expect(await messageOf(setupOf(code, { values: { pair: "1 2 3" } }))).toBe(
      "0: pair has room for 2 numbers, and here are 3",
    );
  });
});

describe("a kernel that does not run says why", () => {
  test.each([
    ["a fault in the text, with its line", setupOf(shift.replace("thread] =", "thread] = =")), /^6: /],
    [
      "a text without a kernel",
      setupOf("const x = 1;"),
      /^0: there is no entry point; it takes a function such as/,
    ],
    [
      "no number of work-groups",
      setupOf(shift, { groups: "two" }),
      /^0: the work-groups are “two”; it takes one to three numbers/,
    ],
    ["too many work-groups", setupOf(shift, { groups: "64 64" }), /of at most 256 work-groups$/],
    ["too many threads", setupOf(shift.replace("size(2)", "size(512)")), /512/],
    [
      "an option that there is not",
      setupOf(shift, { machine: { ...defaultChoices, subgroupSize: 3 } }),
      /subgroupSize is 3; it takes 1, 2, 4, 8, 16, 32, 64 or 128$/,
    ],
  ])("%s", async (_, setup, message) => {
    expect(await messageOf(setup)).toMatch(message);
  });

  test("of several entry points, the chosen one runs, and all are named", async () => {
    const code = `@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(1) fn one() { data[0] = 1u; }
@compute @workgroup_size(1) fn two() { data[0] = 2u; }`;
    const recording = await recordingOf(setupOf(code, { entryPoint: "two" }));
    expect(recording.entryPoints).toEqual(["one", "two"]);
    expect(recording.events.at(-1)?.values).toEqual([2]);
  });
});

test("numbers become text and come back", () => {
  for (const numbers of [
    [],
    [0, 0, 0],
    [1, 2, 2, 2, 2, 3],
    [0, -0, 0.5, Number.NaN, -Infinity],
    new Array(40).fill(7),
  ]) {
    expect(numbersOf(textOfNumbers(numbers), "x")).toEqual(numbers);
  }
  expect(textOfNumbers([5, ...new Array<number>(16).fill(0)])).toBe("5 0*16");
  expect(numbersOf("0x1f, 1e3 .5 true -inf", "x")).toEqual([31, 1000, 0.5, 1, -Infinity]);
});

test("bits are shown as their type's numbers", () => {
  for (const [scalar, number, text] of [
    ["u32", 4294967295, "4294967295"],
    ["i32", -7, "-7"],
    ["f32", 0.1, "0.1"],
    ["f32", -0, "-0"],
    ["f16", 1.5, "1.5"],
    ["bool", 1, "true"],
  ] as const) {
    expect(shown(scalar, bitsOf(scalar, number, "x"))).toBe(text);
  }
});
