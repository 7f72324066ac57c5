import { expect, test } from "vitest";
import { readModule } from "../../src/simulator/program.ts";
import { TextFault } from "../../src/text/syntax.ts";
import { runProgram } from "./run_program.ts";

// Modules share functions of the same text. In each pair here, something around a shared text differs, and what that means for it must, too.

const head = `
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> more: array<u32>;
`;

/** The first words of `out` after a run of one work-group of four threads. */
function wordsOf(code: string, constants: Readonly<Record<string, number>> = {}): number[] {
  const { words, findings } = runProgram(`${head}${code}`, [4, 4], [1, 1, 1], { seed: 1 }, constants);
  expect(findings).toEqual([]);
  return [...(words[0] as Int32Array)];
}

const main = (body: string): string =>
  `@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) thread: u32) {\n${body}\n}\n`;

const bits = (value: number): number => new Int32Array(Float32Array.of(value).buffer)[0] as number;

test("the type behind an alias", () => {
  const code = `fn half(a: Value) -> Value { return a / 2; }
${main("out[thread] = bitcast<u32>(half(Value(thread)));")}`;
  expect(wordsOf(`alias Value = u32;\n${code}`)).toEqual([0, 0, 1, 1]);
  expect(wordsOf(`alias Value = f32;\n${code}`)).toEqual([0, 0.5, 1, 1.5].map(bits));
  expect(wordsOf(`alias Value = Other; alias Other = u32;\n${code}`)).toEqual([0, 0, 1, 1]);
  expect(wordsOf(`alias Value = Other; alias Other = f32;\n${code}`)).toEqual([0, 0.5, 1, 1.5].map(bits));
});

test("constants, and the values that a pipeline gives", () => {
  const code = `fn scaled(a: u32) -> u32 { return a * SCALE; }\n${main("out[thread] = scaled(thread);")}`;
  expect(wordsOf(`const SCALE = 3u;\n${code}`)).toEqual([0, 3, 6, 9]);
  expect(wordsOf(`const BASE = 2u; const SCALE = BASE * 2u;\n${code}`)).toEqual([0, 4, 8, 12]);
  expect(wordsOf(`const BASE = 3u; const SCALE = BASE * 2u;\n${code}`)).toEqual([0, 6, 12, 18]);
  expect(wordsOf(`override SCALE: u32 = 5u;\n${code}`)).toEqual([0, 5, 10, 15]);
  expect(wordsOf(`override SCALE: u32 = 5u;\n${code}`, { SCALE: 7 })).toEqual([0, 7, 14, 21]);
  expect(wordsOf(`override SCALE: u32 = 5u;\n${code}`, { SCALE: 8 })).toEqual([0, 8, 16, 24]);
});

test("the body of a function that is called: of each thread, of all together, of other work-groups, too", () => {
  const code = `fn twice(thread: u32) -> u32 { let first = step(thread); return first + step(thread); }
${main("out[thread] = twice(thread);")}`;
  const step = (body: string): string => `fn step(thread: u32) -> u32 { ${body} }\n${code}`;
  const held = "var<workgroup> held: array<u32, 4>;\n";
  const counter = "@group(0) @binding(1) var<storage, read_write> counter: atomic<u32>;\n";
  expect(wordsOf(step("return thread + 1u;"))).toEqual([2, 4, 6, 8]);
  expect(
    wordsOf(
      held +
        step(
          "workgroupBarrier(); held[thread] = thread; workgroupBarrier(); return held[(thread + 1u) % 4u];",
        ),
    ),
  ).toEqual([2, 4, 6, 0]);
  const counted = head.replace(/.*more.*\n/, counter) + step("return atomicAdd(&counter, 1u);");
  const { words, findings } = runProgram(counted, [4, 1], [1, 1, 1], { seed: 1 });
  expect([[...(words[0] as Int32Array)], findings]).toEqual([[4, 6, 8, 10], []]);
  expect(wordsOf(step("return thread;"))).toEqual([0, 2, 4, 6]);
});

test("the address space, the type and the binding of a variable", () => {
  const code = `fn swapped(thread: u32) -> u32 {
  place[thread] = thread;
  let found = place[thread] + 1u;
  return found;
}
${main("out[thread] = swapped(thread);")}`;
  const otherBinding = code.replaceAll("place", "more");
  expect(wordsOf(`var<workgroup> place: array<u32, 4>;\n${code}`)).toEqual([1, 2, 3, 4]);
  expect(wordsOf(`var<workgroup> before: u32; var<private> place: array<u32, 4>;\n${code}`)).toEqual([
    1, 2, 3, 4,
  ]);
  expect(wordsOf(otherBinding)).toEqual([1, 2, 3, 4]);
  const moved = `
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(0) var<storage, read_write> more: array<u32>;
${otherBinding}`;
  const { words } = runProgram(moved, [4, 4]);
  expect(words.map((each) => [...each])).toEqual([
    [0, 1, 2, 3],
    [1, 2, 3, 4],
  ]);
});

test("where members of a struct lie", () => {
  const code = `fn second_of(thread: u32) -> u32 { return rows[thread].second; }
${main("out[thread] = second_of(thread);")}`;
  const rows = (members: string): readonly number[] => {
    const text = `struct Row { ${members} }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> rows: array<Row>;
${code}`;
    return [...(runProgram(text, [4, Array.from({ length: 16 }, (_, at) => at)]).words[0] as Int32Array)];
  };
  expect(rows("first: u32, second: u32")).toEqual([1, 3, 5, 7]);
  expect(rows("second: u32, first: u32")).toEqual([0, 2, 4, 6]);
  expect(rows("first: u32, @align(8) second: u32")).toEqual([2, 6, 10, 14]);
});

test("findings name the lines of the module that ran", () => {
  const shared = `fn outside(thread: u32) -> u32 {
  var four = array<u32, 4>(1u, 2u, 3u, 4u);
  return four[thread + 1u];
}
`;
  const found = (before: string, between: string) => {
    const code = `${before}${head}${shared}${between}${main("out[thread] = outside(thread);\nmore[0] = thread;")}`;
    const lines = code.split("\n");
    return runProgram(code, [4, 4]).findings.map(({ kind, line, message }) => [
      kind,
      lines[line - 1],
      /\(in \w+\)/.exec(message)?.[0],
    ]);
  };
  const expected = [
    ["race", "more[0] = thread;", "(in main)"],
    ["out-of-bounds", "  return four[thread + 1u];", "(in outside)"],
  ];
  expect(found("", "")).toEqual(expected);
  expect(found("\n\n// three lines down\n", "")).toEqual(expected);
  expect(found("/* a comment; } /* with another { */ */", "\n\nconst UNUSED = 1;\n")).toEqual(expected);
});

test("a function that is right in one module is refused in another one, at its place there", () => {
  const shared = `fn sum_of(a: Value) -> u32 { return u32(a.x + a.y); }\n${main("out[thread] = sum_of(Value());")}`;
  const fault = (declared: string): readonly [string, string] => {
    const code = `${head}${declared}\n${shared}`;
    try {
      readModule(code);
    } catch (cause) {
      const { message, at } = cause as TextFault;
      expect(cause).toBeInstanceOf(TextFault);
      return [message, code.slice(at, at + 3)];
    }
    return ["", ""];
  };
  expect(fault("alias Value = vec2<f32>;")).toEqual(["", ""]);
  expect(fault("struct Value { x: i32, y: i32 }")).toEqual(["", ""]);
  expect(fault("struct Value { x: i32, z: i32 }")).toEqual(["Value has no member y; it has x, z", "y);"]);
  expect(fault("alias Value = vec2<f32>;")).toEqual(["", ""]);
});

test("comments and brackets end no declaration", () => {
  const code = `// fn } ;
/* { /* } */ ; */ const FIRST = 1u; /* ; */ const SECOND = array<u32, 2>(2u, /* } */ 3u) // ;
; // {
${main("out[thread] = select(FIRST, SECOND[1], thread > 1u); // }")}`;
  expect(wordsOf(code)).toEqual([1, 1, 3, 3]);
});
