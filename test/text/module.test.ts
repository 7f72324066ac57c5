import { describe, expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { max } from "../../src/algebra/operators.ts";
import { workGroupReduce } from "../../src/in_kernel/functions.ts";
import { link } from "../../src/in_kernel/link.ts";
import { unbalanced } from "../../src/text/callers.ts";
import { parse, resolved, unroll } from "../../src/text/module.ts";
import { generated } from "../../src/text/source.ts";

const summary = (text: string) => parse(text).declarations.map(({ keyword, name }) => `${keyword} ${name}`);

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
const_assert C == 1u;
const_assert 2u > C;`;
    expect(parse(text).directives).toEqual(["enable f16;", "enable subgroups;"]);
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

  test("comments are no code, and go with what they are above", () => {
    const text = "// far\n\n// kept { ( \nfn a() { /* } */ }\n// fn no() {}\nfn b() {}";
    const { declarations } = parse(text);
    expect(declarations.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(declarations[0]?.text).toBe("// far\n\n// kept { ( \nfn a() { /* } */ }");
    expect(declarations[1]?.text).toBe("// fn no() {}\nfn b() {}");
  });

  test("declarations of one line are apart", () => {
    const { declarations } = parse("const A = 1u; const B = A; // both\n// and\nfn c() {} fn d() {}");
    expect(declarations.map(({ text }) => text)).toEqual([
      "const A = 1u;",
      " const B = A; // both",
      "// and\nfn c() {}",
      " fn d() {}",
    ]);
  });

  test("members are no references", () => {
    const { declarations } = parse("fn a() { return x.total + total2; }");
    expect(declarations[0]?.references.has("total")).toBe(false);
    expect(declarations[0]?.references.has("total2")).toBe(true);
  });

  test.each(["", "// only a comment", ";;", "fn", "fn a(", "}", "@", "var<"])("%j does not throw", (text) => {
    expect(() => parse(text)).not.toThrow();
  });
});

describe("sources that are linked together", () => {
  const file = (name: string, text: string) => ({ name: `shaders/${name}.wgsl`, text });
  const one = file("tiles/one", "fn a() {}\n\nfn b() {\n  a();\n}");
  const namesOf = (...texts: string[]) =>
    resolved([one, ...texts.map((text, at) => file(`tiles/${at}`, text))]).declarations.map(
      ({ name, text }) => [name, text],
    );

  test("declare what no other replaces", () => {
    expect(namesOf("// Header.\n// replaces: a\n\nfn c() {}\n\nfn a() { }")).toEqual([
      ["b", "fn b() {\n  a();\n}"],
      ["c", "fn c() {}"],
      ["a", "fn a() { }"],
    ]);
    // In any order.
    expect(
      resolved([file("tiles/two", "// replaces: a, b\n\nfn a() { }\n\nfn b() { }"), one]).declarations,
    ).toHaveLength(2);
  });

  test.each([
    [
      "a name that none says it replaces",
      ["fn b() {}"],
      "b is declared 2 times in shaders/tiles/one.wgsl, shaders/tiles/0.wgsl",
    ],
    ["the same text twice", ["fn b() {\n  a();\n}"], "b is declared 2 times"],
    [
      "a name that no other declares",
      ["// replaces: c\n\nfn c() {}"],
      "c is to be replaced, and is not declared by",
    ],
    [
      "a name that it does not declare",
      ["// replaces: a\n\nfn c() {}"],
      "a is to be replaced, and is not declared by",
    ],
    [
      "what another replaces",
      ["// replaces: a\n\nfn a() { }", "// replaces: a\n\nfn a() {}"],
      "a is replaced twice",
    ],
    ["one of two", ["fn a() {}", "// replaces: a\n\nfn a() { }"], "a is declared 3 times"],
  ])("fail by %s", (_, texts, problem) => {
    expect(() => namesOf(...texts)).toThrow(problem);
  });

  test.each([
    ["a file of another folder", file("io/two", "// replaces: a\n\nfn a() { }"), "shaders/io/two.wgsl"],
    [
      "a file of a folder below",
      file("tiles/b/two", "// replaces: a\n\nfn a() { }"),
      "shaders/tiles/b/two.wgsl",
    ],
    ["a text that is no file", generated("// replaces: a\n\nfn a() { }"), "generated contract"],
  ])("are not replaced by %s", (_, two, name) => {
    const told = `${name} replaces a of shaders/tiles/one.wgsl; a file may replace only names of files in its own folder`;
    expect(() => resolved([one, two])).toThrow(told);
    expect(() => resolved([two, one])).toThrow(told);
  });

  test("are not replaced where neither is a file", () => {
    const texts = ["fn a() {}", "// replaces: a\n\nfn a() { }"].map(generated);
    expect(() => resolved(texts)).toThrow("replaces a of generated contract; a file may replace only");
  });
});

describe("unroll", () => {
  const loop = `fn f() {
  for (var k = 1u; k < N; k++) { // unroll
    // Not this k.
    if (true) {
      x[k] = kk;
    }
  }
}`;
  test("writes out each turn, and leaves comments as they are", () => {
    expect(unroll(loop, { N: 3 })).toBe(`fn f() {
  {
    // Not this k.
    if (true) {
      x[1u] = kk;
    }
  }
  {
    // Not this k.
    if (true) {
      x[2u] = kk;
    }
  }
}`);
  });
  test("no turn", () => {
    expect(unroll(loop, { N: 1 })).toBe("fn f() {\n}");
  });
  test("a loop whose bound is not known stays, and so do loops without the mark", () => {
    expect(unroll(loop, { M: 3 })).toBe(loop);
    const other = loop.replace(" // unroll", "");
    expect(unroll(other, { N: 3 })).toBe(other);
  });
  test("a loop whose bound is an expression stays", () => {
    for (const bound of ["2u * N", "N + 1u", "min(N, 4u)", "a[N]", "N - N"]) {
      const other = loop.replace("k < N", `k < ${bound}`);
      expect(unroll(other, { N: 3, u: 2 }), bound).toBe(other);
    }
  });
  test("a loop in a loop, after an empty line", () => {
    const nested = `fn f() {
  let a = 1u;

  for (var k = 0u; k < N; k++) { // unroll
    for (var i = 0u; i < M; i++) { // unroll
      x[i + k] = k;
    }

  }
  for (var k = 0u; k < L; k++) { // unroll
    x[k] = 0u;
  }
}`;
    expect(unroll(nested, { N: 2, M: 1, L: 1 })).toBe(`fn f() {
  let a = 1u;
  {
    {
      x[0u + 0u] = 0u;
    }

  }
  {
    {
      x[0u + 1u] = 1u;
    }

  }
  {
    x[0u] = 0u;
  }
}`);
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

test("link: the emitted text", () => {
  const reduce = workGroupReduce({ type: u32, op: max, workGroupSize: 2 });
  const code = link("enable f16;\nfn main() {\n  _ = work_group_reduce_max_u32(1u, 0u);\n}", [reduce]);
  expect(
    code
      .split("\n")
      .filter((line) => !line.startsWith("//"))
      .map((line) => line.trimEnd())
      .join("\n"),
  ).toMatchInlineSnapshot(`
    "enable f16;
    fn main() {
      _ = work_group_reduce_max_u32(1u, 0u);
    }

    fn work_group_reduce_max_u32(value: u32, local_index: u32) -> u32 {
      return (_work_group_reduce_max_u32_2((value), local_index));
    }

    fn _work_group_reduce_max_u32_2(element: u32, local_index: u32) -> u32 {
      _hillis_steele_tree_max_u32_2[local_index] = element;
      for (var distance = 1u; distance < 2u; distance <<= 1u) {
        workgroupBarrier();
        if (local_index % (2u * distance) == 0u && local_index + distance < 2u) {
          _hillis_steele_tree_max_u32_2[local_index] =
            _combine_max_u32_2(_hillis_steele_tree_max_u32_2[local_index], _hillis_steele_tree_max_u32_2[local_index + distance]);
        }
      }
      return workgroupUniformLoad(&_hillis_steele_tree_max_u32_2[0]);
    }

    var<workgroup> _hillis_steele_tree_max_u32_2: array<u32, 2u>;

    fn _combine_max_u32_2(earlier: u32, later: u32) -> u32 {
      return max(earlier, later);
    }"
  `);
  expect(link("fn main() {}", [reduce])).not.toContain("max_u32");
});
