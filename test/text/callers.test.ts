import { describe, expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { wgslType } from "../../src/algebra/wgsl_type.ts";
import { SourceError } from "../../src/errors.ts";
import { workGroupAllocate, workGroupScan } from "../../src/in_kernel/functions.ts";
import { useSoftwareFold } from "../support/fold.ts";
import { factsWith } from "../support/kernels.ts";
import { planScan } from "../support/plans.ts";

const fold = useSoftwareFold();

const using = (combine: string, declarations = ""): Operator<string> =>
  operator({
    name: "using",
    type: u32,
    identity: 0,
    combine,
    declarations,
    reference: (earlier) => earlier,
  }) as Operator as Operator<string>;

test.each([
  ["another", "\nfn a() {}\n// again\nfn a() {}", "a", 4],
  ["one on its line", "struct b { x: u32 } const b = 1u;", "b", 1],
])("a declaration with the name of %s", async (_, declarations, name, line) => {
  const op = using("earlier", declarations);
  const cause = await planScan({ type: u32, op, maxLength: 100 }, factsWith()).catch((error) => error);
  expect(cause).toBeInstanceOf(SourceError);
  expect(cause.message).toBe(
    `declarations of the operator using, line ${line}: the name ${name} is taken; choose another`,
  );
  expect(cause).toMatchObject({ line, source: declarations });
});

describe.each(["diagnostic", "enable", "requires", "switch", "mut"])("the word %s of WGSL", (word) => {
  test.each([
    ["a function", `const one = 1u;\nfn ${word}(x: u32) -> u32 { return x; }`],
    ["a constant", `\n@must_use fn f() -> u32 { return 1u; } const ${word} = 1u;`],
    ["a struct", `alias A = u32; // ${word}\nstruct ${word} { x: u32 }`],
  ])("is no name of %s", async (_, declarations) => {
    const op = using("earlier", declarations);
    const cause = await planScan({ type: u32, op, maxLength: 100 }, factsWith()).catch((error) => error);
    expect(cause).toBeInstanceOf(SourceError);
    expect(cause.message).toBe(
      `declarations of the operator using, line 2: ${word} is a reserved word of WGSL; choose another name, such as ${word}_`,
    );
    expect(cause).toMatchObject({ line: 2, source: declarations });
  });

  test.each([
    ["a member", `struct S { ${word}: u32 }`],
    ["a parameter", `fn f(${word}: u32) -> u32 { return 1u; }`],
  ])("is no name of %s", async (_, declarations) => {
    const op = using(
      declarations.startsWith("struct") ? "earlier + S(1u).x" : "earlier + f(1u)",
      declarations,
    );
    const cause = await fold()
      .scan(Uint32Array.of(1, 2), { op: op as never })
      .catch((error) => error);
    expect(cause).toBeInstanceOf(SourceError);
    expect(cause).toMatchObject({ line: 1, source: declarations });
  });

  test.each(["", "(off, x)", " f16;", ";", " + 1u"])("followed by %j is no expression", async (rest) => {
    const data = Uint32Array.of(1, 2);
    for (const text of [`${word}${rest}`, `let a = ${word}${rest}`, `u32(${word}${rest})`]) {
      for (const run of [
        () => fold().scan(data, { op: using(text) as never }),
        () => fold().scan(data, { map: text }),
        () => fold().compact(data, { where: text }),
      ]) {
        const cause = await run().catch((error) => error);
        expect(cause, text).toBeInstanceOf(SourceError);
        expect(cause.source, text).toBe(text);
      }
    }
  });
});

describe("an expression with a semicolon", () => {
  const semicolon = (line: number): RegExp =>
    RegExp(`, line ${line}: an expression takes no ";"; leave it out`);

  test.each([
    ["x > 2u;", 1, 7],
    ["x > 2u ; // more", 1, 8],
    ["// a;\n/* ; */ x > 2u\n  ;", 3, 3],
    ["let y = x; y > 2u", 1, 10],
  ])("is refused at its place: %j", async (where, line, column) => {
    const call = fold().compact(Uint32Array.of(1, 2, 3), { where });
    const cause = await call.catch((error: unknown) => error);
    expect(cause).toBeInstanceOf(SourceError);
    expect((cause as Error).message).toMatch(semicolon(line));
    expect((cause as Error).message).toContain('or write statements, the last of which is "return …;"');
    expect(cause).toMatchObject({ line, column, source: where });
  });

  test("is refused in every option", async () => {
    const data = Uint32Array.of(3, 1, 2);
    const pair = wgslType({ name: "vec2u" });
    const calls: (() => unknown)[] = [
      () => fold().scan(data, { map: "x * x;" }),
      () => fold().reduce(data, { op: using("earlier;") as never }),
      () => fold().partition(data, { where: "x > 1u;" }),
      () => fold().partition(data, { class: "x;", classes: 4 }),
      () => fold().histogram(data, { bins: 4, bin: "x;" }),
      () => fold().sort(data, { key: "x;" }),
      () => fold().unique(data, { key: "x;" }),
      () => fold().reduce(data, { segments: { key: "x;" } }),
      () => workGroupAllocate({ counter: "used", capacity: "8u;", workGroupSize: 4 }),
      () =>
        workGroupScan({
          type: pair,
          op: operator({ name: "sum", type: pair, identity: "vec2u();", combine: "earlier + later" }),
          workGroupSize: 4,
        }),
    ];
    for (const call of calls) {
      await expect(async () => call(), String(call)).rejects.toThrow(semicolon(1));
    }
  });

  test("is statements, if they return", async () => {
    const where = "let y = x; return y > 2u;";
    expect(await fold().compact(Uint32Array.of(3, 1, 4), { where })).toEqual(Uint32Array.of(3, 4));
  });
});

test.each([
  [
    "a predicate",
    (text: string) => fold().compact(Uint32Array.of(1), { where: `true &&\n${text}` }),
    "true\0",
  ],
  ["a map", (text: string) => fold().scan(Uint32Array.of(1), { map: `x +\n${text}` }), "1u\0"],
  [
    "combine",
    (text: string) => fold().reduce(Uint32Array.of(1), { op: using(`earlier +\n${text}`) }),
    "later\0",
  ],
  [
    "declarations",
    (text: string) => fold().reduce(Uint32Array.of(1), { op: using("one()", `\n${text}`) }),
    "fn one() -> u32 { return 1u; }\0",
  ],
  [
    "declarations that enable what there is not",
    (text: string) => fold().reduce(Uint32Array.of(1), { op: using("one()", `\n${text}`) }),
    "enable nonsense; fn one() -> u32 { return 1u; }",
  ],
  [
    "combine that enables what there is not",
    (text: string) => fold().reduce(Uint32Array.of(1), { op: using(`\n${text}`) }),
    "enable nonsense; return earlier;",
  ],
])("the caller's error at its line: %s", async (_, call, text) => {
  const error = await call(text).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(SourceError);
  expect((error as SourceError).line).toBe(2);
  expect((error as SourceError).source).toContain(text);
});

test("a NUL character in a comment is blank, as all of a comment", async () => {
  expect(await fold().reduce(Uint32Array.of(1, 2), { map: "x /* \0 */ + 1u // \0" })).toBe(5);
});
