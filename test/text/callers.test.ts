import { describe, expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { SourceError } from "../../src/errors.ts";
import { useSoftwareFold } from "../support/fold.ts";
import { factsWith } from "../support/kernels.ts";
import { planScan } from "../support/plans.ts";
import { rows } from "../support/rows.ts";

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

describe.each(rows(["diagnostic", "enable", "requires", "switch", "mut"], { of: 5 }))(
  "the word %s of WGSL",
  (word) => {
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
  },
);

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
