import { describe, expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { expressionOver } from "../../src/algebra/expression_files.ts";
import { fixedArray, vec2 } from "../../src/algebra/fields.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import { monoid } from "../../src/algebra/monoid.ts";
import { numericFiles } from "../../src/algebra/numeric_files.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import { SourceError } from "../../src/errors.ts";
import { callersText } from "../../src/text/callers.ts";
import { withCure } from "../../src/text/habits.ts";
import { functionHeads } from "../../src/text/long_numbers.ts";
import { parseModule } from "../../src/text/syntax.ts";

const Point = struct({ name: "Point", fields: { time: i64, at: vec2(f32), sums: fixedArray(f64, 2) } });

/** What a caller's text over an element `x` and its index becomes. */
const written = (text: string, x: ElementType, result: ElementType | "condition" | "class"): string =>
  callersText("the map", text, expressionOver({ x, i: "u32" }, result)).text;

type Row = readonly [
  x: ElementType,
  result: ElementType | "condition" | "class",
  text: string,
  expected: string,
];
type Rows = readonly Row[];

const titled = ([x, result, text, expected]: Row): readonly [string, ...Row] => [
  `${x.name} to ${typeof result === "string" ? result : result.name}: ${text}`,
  x,
  result,
  text,
  expected,
];

describe("a text becomes calls of shaders/numeric/", () => {
  test.each(
    (
      [
        // Operators.
        [f64, f64, "x * x", "mul_f64(x, x)"],
        [f64, f64, "x + x - x", "sub_f64(add_f64(x, x), x)"],
        [f64, f64, "-x / (x % x)", "div_f64(negate_f64(x), (rem_f64(x, x)))"],
        [u64, u64, "x / x % x", "rem_u64(div_u64(x, x), x)"],
        [i64, i64, "x / x % -x", "rem_i64(div_i64(x, x), negate_i64(x))"],
        [i64, i64, "x * x + x", "add_u64(mul_u64(x, x), x)"],
        [u64, u64, "~x & x", "(~x & x)"],
        [i64, i64, "(x << 3u) >> i", "shr_i64((shl_u64(x, 3u)), i)"],
        [u64, u64, "x >> x", "shr_u64(x, u32_from_u64(x))"],
        [u64, u64, "u64(1) << 70u", "vec2<u32>(0x40u, 0x0u)"],
        // Comparisons.
        [f64, "condition", "x == x", "equal_f64(x, x)"],
        [f64, "condition", "x != x || x <= x", "!equal_f64(x, x) || at_most_f64(x, x)"],
        [i64, "condition", "x < x && x >= x", "less_i64(x, x) && at_least_i64(x, x)"],
        [u64, "condition", "!(x > x)", "!(greater_u64(x, x))"],
        // Numbers.
        [f64, f64, "x - 1", "sub_f64(x, vec2<u32>(0x0u, 0x3ff00000u))"],
        [f64, f64, "x * 0.1", "mul_f64(x, vec2<u32>(0x9999999au, 0x3fb99999u))"],
        [f64, "condition", "x > -2.5", "greater_f64(x, vec2<u32>(0x0u, 0xc0040000u))"],
        [u64, u64, "x + 18446744073709551615", "add_u64(x, vec2<u32>(0xffffffffu, 0xffffffffu))"],
        [i64, i64, "x + (2 - 3) * 4", "add_u64(x, vec2<u32>(0xfffffffcu, 0xffffffffu))"],
        [u64, u64, "x % 10u", "rem_u64(x, vec2<u32>(0xau, 0x0u))"],
        [i64, i64, "x + i", "add_u64(x, u64_from_u32(i))"],
        [f64, f64, "x * i", "mul_f64(x, f64_from_u32(i))"],
        [f64, f64, "0x1.8p1", "vec2<u32>(0x0u, 0x40080000u)"],
        [f64, f64, "x * .5", "mul_f64(x, vec2<u32>(0x0u, 0x3fe00000u))"],
        [f64, f64, "return .5 * x;", "return mul_f64(vec2<u32>(0x0u, 0x3fe00000u), x);"],
        [f64, f64, "0x1.8p-1073", "vec2<u32>(0x3u, 0x0u)"],
        [f64, f64, "0x1.00000p-1070", "vec2<u32>(0x10u, 0x0u)"],
        // Numbers of shorter types are rounded to those before they become longer.
        [f64, "condition", "x == 0.1f", "equal_f64(x, vec2<u32>(0xa0000000u, 0x3fb99999u))"],
        [f64, f64, "f64(0.1h)", "f64_from_f16(0.1h)"],
        [
          f64,
          f64,
          "const y: f32 = 0.1; return f64(y);",
          "const y: f32 = 0.1; return vec2<u32>(0xa0000000u, 0x3fb99999u);",
        ],
        [f64, f64, "const y: f16 = 0.1; return f64(y);", "const y: f16 = 0.1; return f64_from_f16(y);"],
        [
          u64,
          u64,
          "const MOST: u64 = 10u; return x + MOST;",
          "const MOST: vec2<u32> = vec2<u32>(0xau, 0x0u); return add_u64(x, vec2<u32>(0xau, 0x0u));",
        ],
        [
          u64,
          u64,
          "const N: u64 = 2u * 3u; return N;",
          "const N: vec2<u32> = vec2<u32>(0x6u, 0x0u); return vec2<u32>(0x6u, 0x0u);",
        ],
        [
          i64,
          i64,
          "const A = -7i; const N: i64 = (A / 2) % 2 + (1i << 4u) - (3i | 4i); return N;",
          "const A = -7i; const N: vec2<u32> = vec2<u32>(0x8u, 0x0u); return vec2<u32>(0x8u, 0x0u);",
        ],
        [u64, u64, "x + (0u - 1u)", "add_u64(x, vec2<u32>(0xffffffffu, 0x0u))"],
        [i64, i64, "x + ~0i * -2147483648i", "add_u64(x, vec2<u32>(0x80000000u, 0xffffffffu))"],
        [f64, f64, "x * (0.1f * 3f)", "mul_f64(x, vec2<u32>(0x40000000u, 0x3fd33333u))"],
        // What WGSL refuses is left to the compiler.
        [u64, u64, "x + (3u << 31u)", "add_u64(x, u64_from_u32((3u << 31u)))"],
        [u64, u64, "x + (1u << 32u)", "add_u64(x, u64_from_u32((1u << 32u)))"],
        [u64, u64, "x + 1u / 0u", "add_u64(x, u64_from_u32(1u / 0u))"],
        [i64, i64, "x + -2147483648i / -1i", "add_u64(x, i64_from_i32(-2147483648i / -1i))"],
        [f64, f64, "x + 3e38f * 2f", "add_f64(x, f64_from_f32(3e38f * 2f))"],
        [u64, u64, "x + -1u", "add_u64(x, u64_from_u32(-1u))"],
        [
          u64,
          u64,
          "var n = 3u; let p = &n; return x * u64(n**p);",
          "var n = 3u; let p = &n; return mul_u64(x, u64_from_u32(n**p));",
        ],
        // What is made of numbers without a type at run time is of the type that stands beside it.
        [i64, i64, "x & (1 << i)", "(x & (shl_u64(vec2<u32>(0x1u, 0x0u), i)))"],
        [
          u64,
          u64,
          "x & ~((1 << i) - 1)",
          "(x & ~(sub_u64((shl_u64(vec2<u32>(0x1u, 0x0u), i)), vec2<u32>(0x1u, 0x0u))))",
        ],
        [f64, f64, "x * ((8 >> i) / 3)", "mul_f64(x, (f64_from_i32((8 >> i) / 3)))"],
        [
          f64,
          f64,
          "x * max(0.5, 1.5)",
          "mul_f64(x, max_f64(vec2<u32>(0x0u, 0x3fe00000u), vec2<u32>(0x0u, 0x3ff80000u)))",
        ],
        // WGSL's functions.
        [f64, f64, "min(x, 1)", "min_f64(x, vec2<u32>(0x0u, 0x3ff00000u))"],
        [i64, i64, "max(abs(x), sign(x))", "max_i64(magnitude_i64(x), sign_i64(x))"],
        [u64, u64, "abs(x)", "(x)"],
        [u64, u64, "clamp(x, 1, x)", "min_u64(max_u64(x, vec2<u32>(0x1u, 0x0u)), x)"],
        [
          f64,
          f64,
          "select(0, x, x > 0.5)",
          "select(vec2<u32>(0x0u, 0x0u), x, greater_f64(x, vec2<u32>(0x0u, 0x3fe00000u)))",
        ],
        [u64, u64, "select(0, 1, i > 2u)", "select(vec2<u32>(0x0u, 0x0u), vec2<u32>(0x1u, 0x0u), i > 2u)"],
        [
          f64,
          f64,
          "floor(x) + fract(round(ceil(trunc(x))))",
          "add_f64(floor_f64(x), fract_f64(round_f64(ceil_f64(trunc_f64(x)))))",
        ],
        // Conversions.
        [f64, u32, "u32(x)", "u32_from_f64(x)"],
        [f64, i32, "i32(x) + 1", "i32_from_f64(x) + 1"],
        [f64, f32, "f32(x)", "f32_from_f64(x)"],
        [f64, f16, "f16(x)", "f16_from_f64(x)"],
        [f64, "condition", "bool(x)", "bool_from_f64(x)"],
        [f64, u64, "u64(x)", "u64_from_f64(x)"],
        [u64, f64, "f64(x)", "f64_from_u64(x)"],
        [u64, i64, "i64(x)", "(x)"],
        [i64, u32, "u32(x >> 32u)", "u32_from_u64(shr_i64(x, 32u))"],
        [f32, f64, "f64(x)", "f64_from_f32(x)"],
        [i32, u64, "u64(x)", "i64_from_i32(x)"],
        [u32, i64, "i64(x)", "u64_from_u32(x)"],
        [f32, i64, "i64(x)", "i64_from_f32(x)"],
        [u32, u64, "u64(i > 1u) + u64(2.9)", "add_u64(u64_from_bool(i > 1u), vec2<u32>(0x2u, 0x0u))"],
        [f64, f64, "f64(1) + f64()", "add_f64(vec2<u32>(0x0u, 0x3ff00000u), vec2<u32>())"],
        // What a result takes without a conversion.
        [u32, u64, "x", "u64_from_u32(x)"],
        [f64, "condition", "x", "bool_from_f64(x)"],
        [f64, "class", "x", "i32_from_f64(x)"],
        [u64, "class", "x % 3", "nearest_i32_from_u64(rem_u64(x, vec2<u32>(0x3u, 0x0u)))"],
        [i64, "class", "x", "nearest_i32_from_i64(x)"],
        [u32, u64, "vec2(x, i)", "vec2(x, i)"],
        // Words.
        [f64, u32, "bitcast<vec2<u32>>(x).y", "x.y"],
        [u32, f64, "bitcast<f64>(vec2(x, i))", "bitcast<vec2<u32>>(vec2(x, i))"],
        [f64, f64, "add_f64(x, vec2(0, 1))", "add_f64(x, vec2(0, 1))"],
        // Calls of functions of ours stay.
        [f64, f64, "add_f64(x, mul_f64(x, x))", "add_f64(x, mul_f64(x, x))"],
        [i64, "condition", "add_u64(x, x) < 0", "less_i64(add_u64(x, x), vec2<u32>(0x0u, 0x0u))"],
        [f16, f64, "f64(bits_from_f16(x))", "f64_from_u32(bits_from_f16(x))"],
        // Structs and arrays.
        [Point, i64, "x.time + 1", "add_u64(x.time, vec2<u32>(0x1u, 0x0u))"],
        [Point, f64, "x.sums[i % 2u] * f64(x.at.x)", "mul_f64(x.sums[i % 2u], f64_from_f32(x.at.x))"],
        [
          Point,
          Point,
          "Point(x.time * 2, x.at * 2, array(x.sums[1], 0.5))",
          "Point(mul_u64(x.time, vec2<u32>(0x2u, 0x0u)), x.at * 2, array(x.sums[1], vec2<u32>(0x0u, 0x3fe00000u)))",
        ],
        [u64, u64, "array<u64, 2>(x, 7)[i]", "array<vec2<u32>, 2>(x, vec2<u32>(0x7u, 0x0u))[i]"],
        [
          u64,
          u64,
          "var a: array<u64, 2> = array(1, 2); a[u32(x)] += 3; return a[0];",
          "var a: array<vec2<u32>, 2> = array(vec2<u32>(0x1u, 0x0u), vec2<u32>(0x2u, 0x0u)); a[u32_from_u64(x)] = add_u64(a[u32_from_u64(x)], vec2<u32>(0x3u, 0x0u)); return a[0];",
        ],
        // Vectors of numbers without a type.
        [f64, f64, "f64((vec2(1, 2) * f32(x)).y)", "f64_from_f32((vec2(1, 2) * f32_from_f64(x)).y)"],
        [
          f64,
          f64,
          "f64(dot(vec2(1, 2), vec2f(f32(x))))",
          "f64_from_f32(dot(vec2(1, 2), vec2f(f32_from_f64(x))))",
        ],
        // What has no number of 64 bits stays as it is.
        [
          f64,
          f32,
          "dot(vec3f(1, 2, 3), vec3f(f32(x))) * sin(1.0)",
          "dot(vec3f(1, 2, 3), vec3f(f32_from_f64(x))) * sin(1.0)",
        ],
      ] as const satisfies Rows
    ).map(titled),
  )("%s", (_, x, result, text, expected) => {
    expect(written(text, x, result)).toBe(expected);
  });

  test("statements, on the same lines", () => {
    const text = `const HALF: f64 = 1.0 / 2;
const two = 2;
let y = x * HALF; // a comment
var sum: f64 = 0;
var parts: array<f64, 3>;
for (var k = 0u; k < 3u; k++) {
  parts[k] = f64(k) / y;
  sum += parts[k]
    * two;
}
if sum > 1e300 { sum = -sum; } else if (sum == 0) { return y; }
var n = u64(x);
n++; n <<= 3u; n %= 7; n |= 1; n = n - 1;
switch i { case 0u: { sum -= 1; } default: { sum *= f64(n); } }
loop { if n < 3 { break; } n--; continuing { n /= 2; } }
while n > 5 { n -= 1u; }
let p = &sum;
*p = *p + 1;
return sum;`;
    const result = written(text, f64, f64);
    expect(result.split("\n").map((line) => line.trimEnd())).toEqual([
      "const HALF: vec2<u32> = vec2<u32>(0x0u, 0x3fe00000u);",
      "const two = 2;",
      "let y = mul_f64(x, vec2<u32>(0x0u, 0x3fe00000u));",
      "var sum: vec2<u32> = vec2<u32>(0x0u, 0x0u);",
      "var parts: array<vec2<u32>, 3>;",
      "for (var k = 0u; k < 3u; k++) {",
      "  parts[k] = div_f64(f64_from_u32(k), y);",
      "  sum = add_f64(sum, mul_f64(parts[k]",
      "    , vec2<u32>(0x0u, 0x40000000u)));",
      "}",
      "if greater_f64(sum, vec2<u32>(0x8800759cu, 0x7e37e43cu)) { sum = negate_f64(sum); } else if (equal_f64(sum, vec2<u32>(0x0u, 0x0u))) { return y; }",
      "var n = u64_from_f64(x);",
      "n = add_u64(n, vec2<u32>(0x1u, 0x0u)); n = shl_u64(n, 3u); n = rem_u64(n, vec2<u32>(0x7u, 0x0u)); n = (n | vec2<u32>(0x1u, 0x0u)); n = sub_u64(n, vec2<u32>(0x1u, 0x0u));",
      "switch i { case 0u: { sum = sub_f64(sum, vec2<u32>(0x0u, 0x3ff00000u)); } default: { sum = mul_f64(sum, f64_from_u64(n)); } }",
      "loop { if less_u64(n, vec2<u32>(0x3u, 0x0u)) { break; } n = sub_u64(n, vec2<u32>(0x1u, 0x0u)); continuing { n = div_u64(n, vec2<u32>(0x2u, 0x0u)); } }",
      "while greater_u64(n, vec2<u32>(0x5u, 0x0u)) { n = sub_u64(n, vec2<u32>(0x1u, 0x0u)); }",
      "let p = &sum;",
      "*p = add_f64(*p, vec2<u32>(0x0u, 0x3ff00000u));",
      "return sum;",
    ]);
  });

  test("names that begin with the mark stay apart from those that get it", () => {
    expect(written("let callers_vec2 = x; let vec2 = x + x; return callers_vec2 - vec2;", f64, f64)).toBe(
      "let callers_callers_vec2 = x; let callers_vec2 = add_f64(x, x); return sub_f64(callers_callers_vec2, callers_vec2);",
    );
  });

  test("a step on two lines stays on two", () => {
    expect(written("var n = x; n\n++; return n;", u64, u64).split("\n")).toHaveLength(2);
  });

  test("an operator's declarations, and the combination that uses them", () => {
    const { callers } = monoid(
      operator({
        name: "larger",
        type: u64,
        identity: 0n,
        declarations: `alias Count = u64;
struct Both { a: u64, b: array<f64, 2> }
const LEAST: Count = 5;
fn larger(both: Both) -> u64 { return max(both.a, LEAST) + u64(both.b[0]); }
fn add_u64(a: Count, vec2: u64) -> u64 { return a + vec2; }`,
        combine: "larger(Both(add_u64(earlier, later), array<f64, 2>(1, f64(later))))",
      }),
      u64,
      "scan",
    );
    const text = callers?.text("fn combine(earlier: vec2<u32>, later: vec2<u32>) -> vec2<u32> {", []) ?? "";
    expect(text.split("\n").map((line) => line.trim())).toEqual(
      expect.arrayContaining([
        "alias callers_Count = vec2<u32>;",
        "struct callers_Both { a: vec2<u32>, b: array<vec2<u32>, 2> }",
        "const callers_LEAST: callers_Count = vec2<u32>(0x5u, 0x0u);",
        "fn callers_larger(both: callers_Both) -> vec2<u32> { return add_u64(max_u64(both.a, vec2<u32>(0x5u, 0x0u)), u64_from_f64(both.b[0])); }",
        // Names that the new text uses are given up to it.
        "fn callers_callers_add_u64(a: callers_Count, callers_callers_vec2: vec2<u32>) -> vec2<u32> { return add_u64(a, callers_callers_vec2); }",
        "callers_larger(callers_Both(callers_callers_add_u64(earlier, later), array<vec2<u32>, 2>(vec2<u32>(0x0u, 0x3ff00000u), f64_from_u64(later))))",
      ]),
    );
  });
});

describe("what cannot be understood is refused at the caller's line", () => {
  test.each(
    (
      [
        [
          u64,
          u32,
          "x.x",
          "u64 is a number, and has no .x; u32(x) is the low word, and u32(x >> 32) the high one",
        ],
        [f64, u32, "x.y", "f64 is a number, and has no .y; bitcast<vec2<u32>>(x) has the words of its bits"],
        [
          i64,
          u32,
          "x[0]",
          "i64 is a number, and has no parts; bitcast<vec2<u32>>(x) has the words of its bits",
        ],
        [u64, u64, "-x", "u64 has no minus, as u32 has none in WGSL; write 0 - x, which wraps around"],
        [f64, f64, "~x", "'~' takes no f64"],
        [f64, f64, "x & x", "'&' takes no f64"],
        [f64, f64, "x << 1u", "'<<' takes no f64"],
        [f64, f64, "x ^ 2", "'^' takes no f64; a square is x * x"],
        [f64, f64, "x ** 2", "'*' takes a pointer here"],
        [u64, u64, "x + f32(i) ** 2.0", "'*' takes a pointer here"],
        [u64, "condition", "!x", "'!' takes no u64"],
        [u64, "condition", "x && true", "'&&' takes no u64 and bool"],
        [u64, u64, "x + i32(i)", "'+' takes no u64 and i32; convert one of them, as in u64(…)"],
        [u64, u64, "x + f64(i)", "'+' takes no u64 and f64; convert one of them, as in u64(…)"],
        [u64, u64, "x + 2.5", "'+' takes no u64 and a number with a fraction"],
        [i64, "condition", "x > 0.5", "'>' takes no i64 and a number with a fraction; compare f64(…)"],
        [u64, "condition", "0.5 <= x", "'<=' takes no u64 and a number with a fraction; compare f64(…)"],
        [i64, "condition", "x == f32(i)", "'==' takes no i64 and f32; compare f64(…)"],
        [u64, u64, "x + -1", "-1 is no u64"],
        [
          u64,
          u64,
          "2.5",
          "u64 takes no number with a fraction, and this is 2.5; write u64(…), which drops it",
        ],
        [u64, u64, "x << i32(i)", "a shift's count is a u32, and this one is i32"],
        [
          f64,
          f64,
          "sqrt(x)",
          "sqrt takes no f64; what does: min, max, abs, sign, clamp, select, floor, ceil, trunc, round, fract",
        ],
        [i64, i64, "floor(x)", "floor takes no i64; what does: min, max, abs, sign, clamp, select"],
        [
          f64,
          f64,
          "min(x)",
          "min takes no f64 here; what does: min, max, abs, sign, clamp, select, floor, ceil, trunc, round, fract",
        ],
        [f64, f64, "vec2(x, x)", "there are no vectors of f64; array<f64, 2> holds two"],
        [f64, f64, "vec2<f64>(x, x).x", "there are no vectors of f64; array<f64, 2> holds two"],
        [f64, f32, "x", "this is a number of type f64, and f32 is needed; write f32(…)"],
        [f32, f64, "vec3f(x)", "this is vec3<f32>, and f64 is needed"],
        [i32, u64, "x", "this is a number of type i32, and u64 is needed; write u64(…)"],
        [f64, f64, "y * x", "y is not declared"],
        [f64, f64, "add_f64 + x", "add_f64 is a function"],
        [f64, f64, "what(x)", "what is not declared"],
        [f64, f64, "add_u64(x, x)", "this is a number of type f64, and u64 is needed; write u64(…)"],
        [u64, f32, "array(1.0, 2.0)[x]", "this is a number of type u64; an index is a u32 or an i32"],
        [
          u64,
          u64,
          "bitcast<u64>(1.0f)",
          "bitcast makes u64 of two words, the low one first, as in bitcast<u64>(vec2(low, high))",
        ],
        [
          f64,
          f32,
          "bitcast<f32>(x)",
          "bitcast makes no f32 of f64, which has two words; write bitcast<vec2<u32>>(…)",
        ],
        [f64, f64, "x 1", "expected an operator, and found '1'"],
        [f64, f64, "1x", "1x is no number of WGSL"],
        [f64, f64, "x * 1.5.2", "1.5.2 is no number of WGSL"],
        [f64, f64, "x * 0x", "0x is no number of WGSL"],
        [f64, f64, "x * 1.5u", "1.5u is no number of WGSL"],
        [f64, f64, "x * 010", "010 is no number of WGSL"],
        [f64, f64, "x + !5", "'!' takes no number"],
        [f64, f64, "let min = 3; return min(x, 1);", "min is a value here, and no function"],
        [f64, f64, "x * sqrt(2.0)", "WGSL makes no f64 of this; write the number itself, or f64(f32(…))"],
        [u64, u64, "1 << x", "a shift's count is a u32 here, and this one is u64; write u32(…)"],
        [
          u64,
          u64,
          "select(1u, 2u, x) + x",
          "this is a number of type u64; a condition is a bool, as in x != 0",
        ],
        [
          f64,
          f64,
          "var v = frexp(vec2f(f32(x))).what; v = x; return x;",
          "this is a number of type f64, and the type that is needed here is not known",
        ],
        // The words of one type are no words of another.
        [
          i64,
          f64,
          "let a = array(x, x); var b: array<f64, 2> = a; return b[0];",
          "this is array<i64, 2>, and array<f64, 2> is needed",
        ],
        [f64, f64, "let y = x; y", "expected an operator, and found 'y'"],
        [
          f64,
          f64,
          "if x { return x; } return x;",
          "this is a number of type f64; a condition is a bool, as in x != 0",
        ],
        [
          u64,
          u64,
          "switch x { default: { return x; } }",
          "this is a number of type u64; switch takes a u32 or an i32",
        ],
        [
          f64,
          f64,
          "var s = 0; s += x; return f64(s);",
          "this is a number of type f64, and i32 is needed; write i32(…)",
        ],
        [f64, f64, "var s = x; s++; return s;", "'++' takes integers; write += 1"],
        [
          f64,
          f64,
          "const s = x; return s;",
          "a const of type f64 takes numbers, and + - * / % of them; use let",
        ],
        [f64, f64, "var a: atomic<u64>; return x;", "there are no atomics of u64; array<u64, 2> holds two"],
      ] as const satisfies Rows
    ).map(titled),
  )("%s", (_, x, result, text, problem) => {
    const fault = ((): unknown => {
      try {
        return written(`\n${text}`, x, result);
      } catch (cause) {
        return cause;
      }
    })();
    expect(fault).toBeInstanceOf(SourceError);
    const told = withCure(problem, text.split("\n")[0] as string);
    expect((fault as SourceError).message.split("\n")[0]).toBe(`the map, line 2: ${told}`);
    expect(fault).toMatchObject({ line: 2, source: `\n${text}` });
  });

  test.each([
    [
      "fn double(p: ptr<function, f64>) { *p *= 2; }\nfn f(n: i64) { var k = n; double(&k); }",
      "line 2: this is a pointer to i64, and a pointer to f64 is needed",
    ],
    [
      "fn f(n: u64) -> u64 { var a: array<u64, 2>;\na[place()] += 1; return a[0]; }\nfn place() -> u32 { return 1u; }",
      "line 2: the place of a compound assignment takes no call of a function of yours; keep its result in a let",
    ],
    [
      Array.from({ length: 8000 }, (_, at) => `const C${at} = C${at + 1};`).join(""),
      "line 1: more than 500 declarations need each other; put each behind what it needs",
    ],
  ])("declarations: %s", (declarations, problem) => {
    const op = operator({ name: "odd", type: u64, identity: 0n, declarations, combine: "earlier" });
    const { callers } = monoid(op, u64, "scan");
    expect(() => callers?.sources("fn combine() {")).toThrow(`declarations of the operator odd, ${problem}`);
  });

  test("an argument of a function of the caller's that takes words", () => {
    const op = operator({
      name: "wide",
      type: u64,
      identity: 0n,
      declarations: "fn sum(a: vec2<u32>) -> vec2<u32> {\n  return a + a;\n}",
      combine: "sum(earlier)",
    });
    const { callers } = monoid(op, u64, "scan");
    expect(() => callers?.sources("fn combine() {")).toThrow(
      "combine of the operator wide, line 1: this is a number of type u64, and vec2<u32> is needed; declare it as u64, or write bitcast<vec2<u32>>(…)",
    );
  });
});

test("a text over other types is not read at all", () => {
  expect(written("x +* nonsense", u32, f32)).toBe("x +* nonsense");
});

test("functions without their bodies take and give what they do", () => {
  for (const { name, text } of numericFiles) {
    const headsOf = (of: string): readonly string[] =>
      parseModule(of).flatMap((one) =>
        one.kind === "function" ? [of.slice(one.from, one.body.from).trim()] : [],
      );
    const heads = headsOf(text);
    expect(heads.length, name).toBeGreaterThan(0);
    expect(headsOf(functionHeads(text)), name).toEqual(heads);
  }
});
