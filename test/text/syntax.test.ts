import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Expression, Span } from "../../src/text/syntax.ts";
import { parseExpression, parseModule, parseStatements, TextFault } from "../../src/text/syntax.ts";
import { failures, useNullDevice } from "../support/null_device.ts";

const device = useNullDevice();

/** An expression with all its parentheses. */
function grouped(one: Expression): string {
  switch (one.kind) {
    case "number":
      return one.text;
    case "boolean":
      return String(one.value);
    case "name":
      return one.name + (one.template ? `<${one.template.map(grouped).join(", ")}>` : "");
    case "parentheses":
      return grouped(one.inner);
    case "member":
      return `${grouped(one.of)}.${one.member}`;
    case "index":
      return `${grouped(one.of)}[${grouped(one.index)}]`;
    case "unary":
      return `(${one.operator}${grouped(one.operand)})`;
    case "binary":
      return `(${grouped(one.left)} ${one.operator} ${grouped(one.right)})`;
    case "call":
      return `${grouped(one.callee)}(${one.args.map(grouped).join(", ")})`;
    default:
      return one satisfies never;
  }
}

describe("an expression", () => {
  test.each([
    ["a + b * c - d", "((a + (b * c)) - d)"],
    ["a && b + c < d", "(a && ((b + c) < d))"],
    ["a < b && c > d", "((a < b) && (c > d))"],
    ["-a * !b", "((-a) * (!b))"],
    ["a - -b", "(a - (-b))"],
    ["a << 1u == b", "((a << 1u) == b)"],
    ["a & b & c", "((a & b) & c)"],
    ["(a | b) ^ c", "((a | b) ^ c)"],
    ["vec2<u32>(a, b).x", "vec2<u32>(a, b).x"],
    ["array<vec2<u32>, 4>(a)[i]", "array<vec2<u32>, 4>(a)[i]"],
    ["array<u32, (2 >> 1)>(a)", "array<u32, (2 >> 1)>(a)"],
    ["a < b", "(a < b)"],
    ["f(a < b, c > (d))", "f(a<b, c>(d))"],
    ["f((a < b), c >= d)", "f((a < b), (c >= d))"],
    ["a[b < c]", "a[(b < c)]"],
    ["a >= b", "(a >= b)"],
    ["1e-3 + .5 + 0x1.8p3f + 7.", "(((1e-3 + .5) + 0x1.8p3f) + 7.)"],
    ["x.y.z[1u]", "x.y.z[1u]"],
    ["*p + 1", "((*p) + 1)"],
    ["true || false", "(true || false)"],
  ])("%s", (text, expected) => {
    expect(grouped(parseExpression(text))).toBe(expected);
  });

  test.each<readonly [text: string, problem: string, at: number]>([
    ["a + b & c", "WGSL takes '+' beside '&' only in parentheses", 2],
    ["a && b || c", "WGSL takes '&&' beside '||' only in parentheses", 2],
    ["a << b + c", "WGSL takes '+' beside '<<' only in parentheses", 7],
    ["a == b == c", "WGSL takes '==' beside '==' only in parentheses", 2],
    ["a +", "expected an expression, and found the end", 3],
    ["a b", "expected an operator, and found 'b'", 2],
    ["a;", "an expression takes no ';'; statements end in 'return …;'", 1],
    ["f(a", "expected ')', and found the end", 3],
    ["", "expected an expression, and found the end", 0],
    [`${"(".repeat(600)}a${")".repeat(600)}`, "it is nested more than 500 levels deep", 500],
    ...[
      `a${" + a".repeat(600)}`,
      `a${"[0]".repeat(20_000)}`,
      `a${".b".repeat(20_000)}`,
      `(a${" + a".repeat(400)})${" + a".repeat(400)}`,
    ].map(
      (text) => [text, "it has more than 500 operations on each other's results; use statements", 0] as const,
    ),
  ])("%s is refused", (text, problem, at) => {
    const fault = ((): unknown => {
      try {
        return parseExpression(text);
      } catch (cause) {
        return cause;
      }
    })();
    expect(fault).toBeInstanceOf(TextFault);
    expect(fault).toMatchObject({ message: problem, at });
  });
});

test("operators group as compilers group them, and need parentheses where they do", async () => {
  const operators = ["+", "*", "%", "<<", "&", "|", "^", "<", "==", "&&", "||"];
  const texts = operators.flatMap((first) => operators.map((second) => `a ${first} b ${second} c`));
  for (const text of texts) {
    const isRead = ((): boolean => {
      try {
        parseExpression(text);
        return true;
      } catch {
        return false;
      }
    })();
    // With operands of a type that its operators take, only the grammar is left to refuse it.
    const [, first = "", second = ""] = /a (\S+) b (\S+) c/.exec(text) ?? [];
    const bools = ["&&", "||"];
    const typed = bools.includes(first) && bools.includes(second);
    const operands = typed ? "a: bool, b: bool, c: bool" : "a: u32, b: u32, c: u32";
    const code = `fn f(${operands}) { _ = ${text}; }\n@compute @workgroup_size(1) fn main() {}`;
    const found = (await failures(device(), [{ title: text, code }])).join("");
    expect(/mixing|parenthes|expected|not.*precedence/i.test(found), `${text}: ${found}`).toBe(!isRead);
  }
});

/** Every span of a tree, and its parent's. */
function requireNested(node: unknown, around: Span): void {
  if (Array.isArray(node)) {
    for (const one of node) {
      requireNested(one, around);
    }
  } else if (typeof node === "object" && node !== null) {
    const { from = around.from, to = around.to } = node as Partial<Span>;
    if (from < around.from || to > around.to || from > to) {
      expect.fail(`${from} to ${to} is not within ${around.from} to ${around.to}`);
    }
    for (const one of Object.values(node)) {
      requireNested(one, { from, to });
    }
  }
}

const shaders = readdirSync("shaders", { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".wgsl"),
);

test("every shader is read, and each part lies within what it is part of", () => {
  expect(shaders.length).toBeGreaterThan(200);
  for (const name of shaders) {
    const text = readFileSync(join("shaders", name), "utf8");
    const declarations = parseModule(text);
    const functions = Array.from(text.matchAll(/^fn (\w+)/gm), ([, own]) => own);
    const read = declarations.flatMap((one) => (one.kind === "function" ? one.name.name : []));
    expect(read, name).toEqual(expect.arrayContaining(functions));
    requireNested(declarations, { from: 0, to: text.length });
  }
});

test("statements of all kinds", () => {
  const text = `var a: array<f32, 2> = array(1.0, 2.0); let b = &a; const C = 3; a[0] += (*b)[1]; _ = C; f(a[0]);
if a[0] > 1.0 { a[1]++; } else if (C == 2) { return; } else { discard; }
for (var i = 0u; i < 4u; i++) { continue; } while true { break; }
loop { if a[0] < 0.0 { break; } continuing { a[0] -= 1.0; break if a[0] < -1.0; } }
switch C { case 1, 2: { } case default { } } const_assert C == 3; { ; } return a[0];`;
  expect(parseStatements(text).map(({ kind }) => kind)).toEqual([
    ...["variable", "variable", "variable", "assign", "assign", "call statement", "if", "for", "while"],
    ...["loop", "switch", "const_assert", "block", "return"],
  ]);
});
