import { expect, test } from "vitest";
import { moduleText } from "../../src/simulator/kept_texts.ts";
import { TextFault } from "../../src/text/syntax.ts";

const textOf = (value: number): string => `
override added = 1u;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() { out[0] = ${value}u + added; }`;

test("a text is read once, and its programs are made once for each set of constants", () => {
  const text = moduleText(textOf(7));
  expect(moduleText(textOf(7))).toBe(text);
  expect(moduleText(textOf(8))).not.toBe(text);
  const program = text.program("main", { added: 2 });
  expect(text.program("main", { added: 2 })).toBe(program);
  expect(text.program("main", { added: 3 })).not.toBe(program);
});

test("what was not used for long is read again", () => {
  const text = moduleText(textOf(9));
  for (let value = 1000; value < 1300; value++) {
    moduleText(textOf(value));
  }
  expect(moduleText(textOf(9))).not.toBe(text);
});

test("what is wrong inside a function is told when its text is read", () => {
  const code = (sum: string): string => `
struct Row { a: u32 }
@group(0) @binding(0) var<storage, read_write> out: array<Row>;
@compute @workgroup_size(1) fn main() { ${sum} }`;
  expect(() => moduleText(code("out[0].a = out[1].a + 1u;"))).not.toThrow();
  for (const [wrong, message] of [
    ["let x = out[0] == out[1];", "'==' takes no Row"],
    ["let x = -out[0];", "'-' takes no Row"],
    ["let x = 1u + out[0];", "takes no"],
    ["let x = u32(out[0]);", "Row"],
    ["let x = vec2<u32>(1u, out[0]);", "Row"],
    ["let x = array(1u, 2u) == array(1u, 2u);", "array<u32, 2>"],
  ] as const) {
    expect(() => moduleText(code(wrong))).toThrow(message);
    expect(() => moduleText(code(wrong))).toThrow(TextFault);
  }
});
