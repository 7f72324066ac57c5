import { describe, expect, test } from "vitest";
import { parse, unbalanced } from "../../src/codegen/callers.ts";
import { workGroupReduce } from "../../src/codegen/functions.ts";
import { link } from "../../src/codegen/link.ts";
import { assemble, linesOf, reachable, rename, unroll } from "../../src/codegen/module.ts";
import { max } from "../../src/operators.ts";
import { u32 } from "../../src/types.ts";

const lines = (text: string) => linesOf({ name: "test", text });
const parsed = (text: string) => parse(lines(text));
const summary = (text: string) => parsed(text).declarations.map(({ keyword, name }) => `${keyword} ${name}`);

describe("parse", () => {
  test("names every kind of declaration", () => {
    const text = `
enable f16, subgroups;
alias A = u32;
const C = 1u;
override O: u32 = 2u;
struct S { a: u32, }
@group(0) @binding(f(1)) var<storage, read> v: array<A>;
var<private> p: u32;
@compute @workgroup_size(C) fn main() { if (true) { } }
const_assert C == 1u;`;
    expect(parsed(text).enables).toEqual(["f16", "subgroups"]);
    expect(summary(text)).toEqual([
      "alias A",
      "const C",
      "override O",
      "struct S",
      "var v",
      "var p",
      "fn main",
    ]);
  });

  test("comments are no code, and go with what they are right above", () => {
    const text = "// gone\n\n// kept { ( \nfn a() { /* } */ }\n// fn no() {}\nfn b() {}";
    const { declarations } = parsed(text);
    expect(declarations.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(declarations[0]?.lines.map((line) => line.number)).toEqual([3, 4]);
    expect(declarations[1]?.lines.map((line) => line.number)).toEqual([5, 6]);
  });

  test("members are no references", () => {
    const { declarations } = parsed("fn a() { return x.total + total2; }");
    expect(declarations[0]?.references.has("total")).toBe(false);
    expect(declarations[0]?.references.has("total2")).toBe(true);
  });

  test.each(["", "// only a comment", ";;", "fn", "fn a(", "}", "@", "var<"])("%j does not throw", (text) => {
    expect(() => parsed(text)).not.toThrow();
  });
});

test("reachable keeps what is reached, in the order given, and the first of a name", () => {
  const { declarations } = parsed(
    "fn c() {}\nfn b() { c(); }\nfn unused() {}\nfn a() { b(); a(); }\nfn c() { b(); }",
  );
  expect(reachable(declarations, ["a"]).map(({ name }) => name)).toEqual(["c", "b", "a"]);
  expect(reachable(declarations, ["nothing"])).toEqual([]);
});

test("rename replaces whole words that are no members, outside comments", () => {
  const names = new Map([["a", "z"]]);
  expect(rename("a + ab + x.a + a.b + x . a; // a", names)).toBe("z + ab + x.a + z.b + x . a; // a");
});

describe("unroll", () => {
  const loop = "  for (var k = 1u; k < N; k++) { // unroll\n    x[k] = kk;\n  }\nend";
  test("writes out each turn", () => {
    expect(unroll(lines(loop), { N: 3 }).map((line) => line.text)).toEqual([
      "  {",
      "    x[1u] = kk;",
      "  }",
      "  {",
      "    x[2u] = kk;",
      "  }",
      "end",
    ]);
  });
  test("no turn", () => {
    expect(unroll(lines(loop), { N: 1 }).map((line) => line.text)).toEqual(["end"]);
  });
  test("a bound that is not known", () => {
    expect(() => unroll(lines(loop), {})).toThrow("test:1: a loop that cannot be unrolled");
  });
  test("other loops stay", () => {
    const other = "for (var k = 0u; k < N; k++) {\n}";
    expect(
      unroll(lines(other), { N: 3 })
        .map((line) => line.text)
        .join("\n"),
    ).toBe(other);
  });
  test("lines keep where they came from", () => {
    expect(unroll(lines(loop), { N: 3 }).map((line) => line.number)).toEqual([1, 2, 3, 1, 2, 3, 4]);
  });
});

test.each([
  ["a[(b)] // )", undefined],
  ["/* ( */ a", undefined],
  ["a)", { problem: "')' without its '('", line: 1, column: 2 }],
  ["(\n]", { problem: "']' without its '['", line: 2, column: 1 }],
  ["{ (", { problem: "'(' is not closed", line: 1, column: 3 }],
  ["a /* b", { problem: "a comment that does not end", line: 1, column: 3 }],
])("unbalanced: %j", (text, expected) => {
  expect(unbalanced(text)).toEqual(expected);
});

test("assemble puts directives first, once and sorted", () => {
  expect(assemble(["subgroups", "f16", "f16"], parsed("fn a() {}\nfn b() {}").declarations).code).toBe(
    "enable f16;\nenable subgroups;\n\nfn a() {}\n\nfn b() {}\n",
  );
});

test("link: the emitted text", () => {
  const reduce = workGroupReduce({ type: u32, op: max, workGroupSize: 2 });
  const code = link("enable f16;\nfn main() {\n  _ = work_group_reduce_max_u32(1u, 0u);\n}", [reduce]);
  expect(
    code
      .split("\n")
      .filter((line) => !line.startsWith("//"))
      .join("\n"),
  ).toMatchInlineSnapshot(`
    "enable f16;
    fn main() {
      _ = work_group_reduce_max_u32(1u, 0u);
    }

    const _WORK_GROUP_SIZE_max_u32_2 = 2u;

    fn _combine_max_u32_2(earlier: u32, later: u32) -> u32 {
      return max(earlier, later);
    }

    fn _element_from_value_max_u32_2(x: u32) -> u32 {
      return x;
    }

    fn _value_from_element_max_u32_2(x: u32) -> u32 {
      return x;
    }

    var<workgroup> _hillis_steele_elements_max_u32_2: array<u32, 2u * _WORK_GROUP_SIZE_max_u32_2>;

    fn _work_group_reduce_max_u32_2(element: u32, local_index: u32) -> u32 {
      _hillis_steele_elements_max_u32_2[local_index] = element;
      workgroupBarrier();
      for (var distance = 1u; distance < _WORK_GROUP_SIZE_max_u32_2; distance <<= 1u) {
        if (local_index % (2u * distance) == 0u && local_index + distance < _WORK_GROUP_SIZE_max_u32_2) {
          _hillis_steele_elements_max_u32_2[local_index] =
            _combine_max_u32_2(_hillis_steele_elements_max_u32_2[local_index], _hillis_steele_elements_max_u32_2[local_index + distance]);
        }
        workgroupBarrier();
      }
      return workgroupUniformLoad(&_hillis_steele_elements_max_u32_2[0]);
    }

    fn work_group_reduce_max_u32(value: u32, local_index: u32) -> u32 {
      return _value_from_element_max_u32_2(_work_group_reduce_max_u32_2(_element_from_value_max_u32_2(value), local_index));
    }
    "
  `);
  expect(link("fn main() {}", [reduce])).not.toContain("max_u32");
});
