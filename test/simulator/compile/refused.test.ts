import { describe, expect, test } from "vitest";
import { Program, readModule } from "../../../src/simulator/program.ts";
import { TextFault } from "../../../src/text/syntax.ts";

const head = `enable f16, subgroups;
struct S { a: u32, v: vec3<f32> }
struct Open { n: u32, items: array<u32> }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> in: array<u32>;
@group(0) @binding(2) var<uniform> u: vec4<u32>;
@group(0) @binding(3) var<storage, read_write> open: Open;
var<workgroup> w: array<u32, 4>; var<workgroup> tally: atomic<u32>; var<private> p: f32;
override late: u32 = 3u; const LIST = array(1u, 2u);
fn half(x: f32) -> f32 { return x / 2.0; }
fn nothing_back() {}
`;

/** What is wrong with a module, and where: the line, and the text from the place on. */
function refusal(code: string): readonly [message: string, line: number, text: string] {
  try {
    const module = readModule(code);
    for (const { name } of module.entryPoints) {
      new Program(module, name);
    }
  } catch (cause) {
    expect(cause, String((cause as Error).stack)).toBeInstanceOf(TextFault);
    const { message, at } = cause as TextFault;
    return [message, code.slice(0, at).split("\n").length, code.slice(at)];
  }
  return expect.fail("it was not refused");
}

type Row = readonly [text: string, from: string, message: string];

/** Tests rows of a text, where its fault starts, and a part of the message. The text stands in a line of its own. */
function testRefused(rows: readonly Row[], around: (text: string) => string): void {
  test.each(rows)("%s", (text, from, message) => {
    const [told, line, rest] = refusal(`${head}${around(`\n${text}\n`)}`);
    expect(told).toContain(message);
    expect([line, rest.slice(0, from.length)]).toEqual([head.split("\n").length + 1, from]);
  });
}

const inMain = (text: string): string =>
  `@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) t: u32) { var x = 1u; var i = 1i; var f = 1.0; var v = vec3(1.0); let k = 2u; ${text} }`;

describe("operators whose operands have no common type", () => {
  testRefused(
    [
      ["let y = t > 1.0;", "> 1.0", "'>' takes no u32 and a number with a fraction"],
      ["let y = x + i;", "+ i", "'+' takes no u32 and i32; convert one of them, as in u32(…)"],
      ["let y = f * x;", "* x", "'*' takes no f32 and u32; convert one of them, as in f32(…)"],
      ["let y = x * f;", "* f", "'*' takes no u32 and f32; convert one of them, as in f32(…)"],
      [
        "let y = x / 2.5;",
        "/ 2.5",
        "'/' takes no u32 and a number with a fraction; convert one of them, as in f32(…)",
      ],
      ["let y = v + vec2(1.0);", "+ vec2", "'+' takes no vec3<f32> and vec2<abstract float>"],
      ["let y = f & 1;", "& 1", "'&' takes no f32 and a whole number"],
      ["let y = (f == 1.0) + 1;", "+ 1", "'+' takes no bool and a whole number"],
      ["let y = x << i;", "<< i", "'<<' takes no u32 and i32; a shift's count is a u32"],
      ["let y = x && t == 1u;", "&& t", "'&&' takes no u32 and bool"],
      ["let y = !x;", "!x", "'!' takes no u32"],
      ["let y = -x;", "-x", "'-' takes no u32; 0u - x wraps around"],
      ["let y = ~f;", "~f", "'~' takes no f32"],
      ["let y = *x;", "*x", "'*' takes a pointer"],
      ["x += 1.5;", "x += 1.5", "'+' takes no u32 and a number with a fraction"],
      ["let y = mat2x2<f32>() * v;", "* v", "'*' takes no mat2x2<f32> and vec3<f32>"],
      ["let y = S() == S();", "== S", "'==' takes no S and S"],
      ["let y = (v < v) < (v < v);", "< (v", "'<' takes no vec3<bool> and vec3<bool>"],
    ],
    inMain,
  );
});

describe("statements", () => {
  testRefused(
    [
      ["k = 3u;", "k", "k is a let, which cannot be assigned; a var can"],
      ["t = 3u;", "t", "t is a parameter, which cannot be assigned"],
      ["LIST[0] = 3u;", "LIST", "LIST is a constant"],
      ["late++;", "late", "late is a constant"],
      ["in[0] = 3u;", "in", "in is storage of read access"],
      ["u.x = 3u;", "u", "u is uniform"],
      ["half(1.0).x = 3.0;", "x = ", "f32 has no members"],
      ["S().a = 3u;", "S()", "only variables and their parts can be assigned"],
      ["v.xy = vec2(1.0);", "v.xy", "one component of a vector can be assigned"],
      ["f++;", "f++", "'++' takes an i32 or a u32, and this is f32"],
      ["x = 1.0;", "1.0", "this place takes u32, and the value is a number with a fraction"],
      ["let y: f32 = x;", "x", "y is f32, and its value is u32"],
      ["let y: u32 = f;", "f", "y is u32, and its value is f32"],
      ["let y = nothing_back();", "nothing_back", "this call gives no value"],
      ["if (x) { }", "(x)", "a condition is a bool, and this is u32"],
      ["while (1) { }", "(1)", "a condition is a bool"],
      ["for (; f;) { }", "f", "a condition is a bool, and this is f32"],
      ["switch (f) { default: {} }", "(f)", "a switch takes an i32 or a u32"],
      ["switch (x) { case 1: {} }", "switch", "a switch has one default, and here are none"],
      ["switch (x) { case 1, 1: {} default: {} }", "1: {", "the switch has the selector 1 twice"],
      ["switch (x) { case t: {} default: {} }", "t", "a selector is a constant"],
      ["switch (x) { case 1i: {} default: {} }", "1i", "this selector is i32, and the switch takes u32"],
      ["break;", "break", "'break' stands in no loop and no switch"],
      ["if (t == 1u) { continue; }", "continue", "'continue' stands in no loop"],
      ["discard;", "discard", "no 'discard'"],
      ["return 1u;", "1u", "main returns nothing, and this is u32"],
      ["let x = 1;", "x", "x is declared twice in this block"],
      ["var y: array<u32>;", "array", "a variable of a function has a size"],
      ["var y: nowhere;", "nowhere", "nowhere is no type that is known here"],
      ["var y: array<u32, t>;", "t", "the count of an array is a constant"],
      ["var y: array<u32, late>;", "late", "the count of an array is a constant"],
      ["var y: texture_2d<f32>;", "texture_2d", "the simulator has no texture_2d"],
      ["const_assert 1 > 2;", "1 > 2", "this const_assert does not hold"],
      ["const_assert LIST[1] == 3u;", "LIST", "this const_assert does not hold"],
    ],
    inMain,
  );
});

describe("names, members and calls", () => {
  testRefused(
    [
      ["let y = nowhere;", "nowhere", "nowhere is not declared"],
      ["nowhere(1);", "nowhere", "nowhere is not declared"],
      ["let requires = 1;", "requires", "requires is a word that WGSL keeps for itself"],
      ["let y = half;", "half", "half is a function"],
      ["let y = S().b;", "b;", "S has no member b; it has a, v"],
      ["let y = v.w;", "w;", "vec3<f32> has no .w; it has xyz"],
      ["let y = v.xg;", "xg;", "vec3<f32> has no .xg"],
      ["let y = x.a;", "a;", "u32 has no members"],
      ["let y = x[0];", "[0]", "u32 has no elements"],
      ["let y = v[f];", "f]", "an index is an i32 or a u32, and this is f32"],
      ["let y = v[3];", "3]", "index 3 is not one of vec3<f32>"],
      ["let y = w[4];", "4]", "index 4 is not one of array<u32, 4>"],
      ["let y = LIST[2];", "2]", "index 2 is not one of array<u32, 2>"],
      ["let y = out[-1];", "-1]", "index -1"],
      ["let y = half(1.0, 2.0);", "half", "half takes 1 argument, and here are 2"],
      ["let y = half(x);", "half", "half takes f32 as argument 1, and this is u32"],
      ["let y = S(1u);", "S(", "S takes 2 arguments, and here are 1"],
      ["let y = S(1u, vec2(1.0));", "S(", "S takes vec3<f32> as argument 2"],
      ["let y = vec3<u32>(1u, 2u);", "vec3", "vec3<u32> is made of 3 numbers, and here are 2"],
      ["let y = vec3<u32>(f);", "vec3", "vec3<u32> is made of u32, and not of f32"],
      ["let y = vec3(1u, 2i, 3u);", "vec3", "arguments of several types: u32, i32, u32"],
      ["let y = vec2<f32>(v);", "vec2", "vec2<f32> is not made of vec3<f32>"],
      ["let y = array<u32, 3>(1, 2);", "array", "array<u32, 3> takes 3 arguments, and here are 2"],
      ["let y = u32(v);", "u32(", "u32(…) takes a number or a bool, and here is vec3<f32>"],
      ["let y = max(1u);", "max", "max takes 2 operands, and here are 1"],
      ["let y = textureLoad(x);", "textureLoad", "has no textureLoad"],
      ["let y = x + u32(-1);", "-1", "-1 is not a value of u32"],
      ["x = t << 32;", "32", "a shift's count is 0 to 31, and this is 32"],
      ["x <<= 40u;", "40u", "a shift's count is 0 to 31"],
      ["x = t / (1u - 1u);", "(1u", "an integer is divided by 0"],
      ["i %= 0;", "0", "an integer is divided by 0"],
      ["let y = tally;", "tally", "atomicLoad(&x) gives its value"],
      ["x = half(f);", "half", "this place takes u32, and the value is f32"],
      ["let y = max(x, f);", "max", "max takes values of one type, and here are u32 and f32"],
      ["let y = sqrt(x);", "sqrt", "sqrt takes no u32"],
      ["let y = countOneBits(f);", "countOneBits", "countOneBits takes no f32"],
      ["let y = select(x, i, true);", "select", "select takes values of one type, and here are u32 and i32"],
      ["let y = select(1u, 2u, x);", "select", "select takes a bool, or a vector of them, and here is u32"],
      ["let y = select(v, v, vec3(1u));", "select", "select takes a bool, or a vector of them"],
      ["let y = any(x);", "any", "any takes a bool, or a vector of them, and here is u32"],
      ["let y = all(v);", "all", "all takes a bool, or a vector of them, and here is vec3<f32>"],
      ["atomicAdd(&x, 1u);", "atomicAdd", "atomicAdd takes a pointer to an atomic"],
      ["atomicAdd(&tally);", "atomicAdd", "atomicAdd takes 2 arguments, and here are 1"],
      ["atomicAdd(&tally, 1i);", "atomicAdd", "atomicAdd takes u32 as argument 2, and this is i32"],
      ["atomicAdd(tally, 1u);", "atomicAdd", "atomicAdd takes a pointer to an atomic, as in &x"],
      ["tally += 1u;", "tally", "'+' takes no atomic<u32> and u32"],
      ["let y = arrayLength(&w);", "arrayLength", "arrayLength takes a pointer to an array without a length"],
      ["let y = subgroupAdd(x, 1u);", "subgroupAdd", "subgroupAdd takes 1 argument, and here are 2"],
      ["let y = subgroupShuffle(x, f);", "subgroupShuffle", "subgroupShuffle takes a lane"],
      ["workgroupBarrier(1);", "workgroupBarrier", "workgroupBarrier takes 0 arguments, and here are 1"],
      ["let y = dpdx(f);", "dpdx", "the simulator runs compute shaders on buffers, and has no dpdx"],
      ["let y = open;", "open", "has no size"],
      ["let y: u32 = -1;", "-1", "-1 is not a value of u32"],
      ["let y = x + 4294967296;", "4294967296", "4294967296 is not a value of u32"],
      ["let y: i32 = 2147483648;", "2147483648", "2147483648 is not a value of i32"],
    ],
    inMain,
  );
});

describe("functions and variables of the module", () => {
  testRefused(
    [
      ["fn a() { b(); } fn b() { a(); }", "a", "a calls itself"],
      [
        "fn a(x: u32) -> u32 { if (x > 1u) { return 1u; } }",
        "}",
        "a returns u32, and its end is reached without a 'return'",
      ],
      [
        "fn a(x: u32) -> u32 { loop { if (x > 1u) { break; } return 1u; } }",
        "}",
        "its end is reached without a 'return'",
      ],
      [
        "fn a(x: u32) -> u32 { switch (x) { case 1u: { return 1u; } default: { break; } } }",
        "}",
        "its end is reached without",
      ],
      ["fn a() -> u32 { return 1.5; }", "1.5", "a returns u32, and this is a number with a fraction"],
      ["fn a() -> u32 { return; }", "return", "a returns u32, and this is no value"],
      ["fn a(x: u32, x: u32) {}", "x: u32) {}", "x is declared twice"],
      ["fn half() {}", "half", "half is declared twice"],
      ["fn a(x: nowhere) {}", "nowhere", "nowhere is no type"],
      ["struct T { default: u32 }", "default", "default is a word that WGSL keeps for itself"],
      ["fn match() {}", "match", "match is a word"],
      ["struct T { a: nowhere }", "nowhere", "nowhere is no type"],
      [
        "var<workgroup> open_words: array<u32>;",
        "array",
        "a variable of the address space workgroup has a size",
      ],
      ["var<workgroup> words: array<u32, late>;", "late", "the count of an array is a constant"],
      ["var<workgroup> words: array<u32, 0>;", "0", "an array has at least one element, and not 0"],
      ["var<private> number: u32 = 1.5;", "1.5", "number is u32, and its value is a number with a fraction"],
      [
        "@group(0) var<storage> words: array<u32>;",
        "words",
        "words is in the address space storage, and has no @binding",
      ],
      [
        "@group(0) @binding(9) var image: texture_2d<f32>;",
        "@group(0) @binding(9)",
        "the simulator has no texture_2d; it runs compute shaders on buffers",
      ],
      [
        "const_assert late_constant == 2; const late_constant = 3;",
        "late_constant",
        "this const_assert does not hold",
      ],
      [
        "@compute @workgroup_size(64, 64) fn main() {}",
        "@workgroup_size",
        "@workgroup_size(64, 64, 1) has 4096 threads; it takes 1 to 2048",
      ],
      ["@compute @workgroup_size(0) fn main() {}", "@workgroup_size", "it takes 1 to 2048"],
      ["@compute fn main() {}", "@compute", "main is no compute shader with a @workgroup_size"],
      [
        "@compute @workgroup_size(1) fn main(@builtin(position) p: vec4<f32>) {}",
        "@builtin",
        "the simulator has no built-in value position",
      ],
      ["@compute @workgroup_size(1) fn main(x: u32) {}", "x", "x of an entry point has no @builtin"],
      [
        "override missing: u32; @compute @workgroup_size(1) fn main() { out[0] = missing; }",
        "missing; }",
        "the pipeline gives missing no value",
      ],
    ],
    (text) => text,
  );
});

test("constants that the module does not have", () => {
  const module = readModule(`${head}@compute @workgroup_size(1) fn main() {}`);
  expect(() => new Program(module, "main", { nowhere: 1 })).toThrow(
    'the module has no override "nowhere"; it has late',
  );
});
