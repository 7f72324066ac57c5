import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SourceError } from "../../src/errors.ts";
import { link } from "../../src/in_kernel/link.ts";
import { plainText, unbalanced } from "../../src/text/callers.ts";
import { directivesOf, LINE_BREAK, piecesOf, textOf, tokensOf } from "../../src/text/pieces.ts";
import { cpuSeconds } from "../support/cpu_seconds.ts";
import { useNullDevice } from "../support/null_device.ts";
import { seed } from "../support/random.ts";

const device = useNullDevice();

/** Every line break of WGSL. */
const BREAKS = ["\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029"];

/** What texts are put together from: each of it means another thing in a comment than out of it. */
const fragments = fc.array(
  fc.oneof(
    fc.constantFrom("//", "/*", "*/", "/", "*", "//*/", "*//", "/*/", ...BREAKS),
    fc.constantFrom(
      " ",
      "x",
      "été",
      "_1",
      "0x1f",
      "1.5e+3",
      "(",
      ")",
      "[",
      "]",
      "{",
      "}",
      ";",
      ".",
      "@",
      ":",
      ",",
    ),
    fc.constantFrom(
      "fn ",
      "struct S ",
      "var<private> ",
      "enable f16;",
      "return",
      "<",
      ">",
      "\u200e",
      "\ud800",
    ),
  ),
  { maxLength: 30 },
);
const text = fc.oneof(
  fragments.map((all) => all.join("")),
  fc.array(fc.nat({ max: 0x10ffff }), { maxLength: 60 }).map((all) => String.fromCodePoint(...all)),
);
const check = (property: fc.IRawProperty<unknown>, numRuns = 3000): void => {
  fc.assert(property, { numRuns, seed });
};

/** Whether each character is in a comment, one after another: what the specification says, and nothing else. */
function commentsOf(all: string): boolean[] {
  const inComment: boolean[] = [];
  let depth = 0;
  let inLine = false;
  for (let at = 0; at < all.length; ) {
    const two = all.slice(at, at + 2);
    if (inLine && BREAKS.includes(all[at] as string)) {
      inLine = false;
    }
    const opens = !inLine && two === "/*";
    const closes = !inLine && depth > 0 && two === "*/";
    inLine ||= depth === 0 && two === "//";
    const length = opens || closes ? 2 : 1;
    inComment.push(...Array(length).fill(inLine || depth > 0 || opens));
    depth += opens ? 1 : closes ? -1 : 0;
    at += length;
  }
  return inComment;
}

const isBlankCharacter = (character: string): boolean => /[\s\x85\u200e\u200f]/.test(character);

describe("tokens", () => {
  test("joined are the text, and tell comments from code", () => {
    check(
      fc.property(text, (all) => {
        const tokens = [...tokensOf(all)];
        expect(tokens.map(([token]) => token).join("")).toBe(all);
        const seen = tokens.flatMap(([token, blank]) => Array(token.length).fill(Boolean(blank)));
        const comments = commentsOf(all);
        expect(seen).toEqual(
          comments.map((inComment, at) => inComment || isBlankCharacter(all[at] as string)),
        );
      }),
    );
  });

  test("words are whole, and numbers hold none", () => {
    const words = (all: string) =>
      [...tokensOf(all)].flatMap(([, , word]) => (word === undefined ? [] : [word]));
    expect(words("fn été(x_1: f32) { return 0x1fu + 1e5f + .5h + 1.e3 + x_1.y; } /* no */ // no")).toEqual([
      "fn",
      "été",
      "x_1",
      "f32",
      "return",
      "x_1",
      "y",
    ]);
  });

  test("pieces joined are the text", () => {
    check(
      fc.property(text, (all) => {
        expect(piecesOf(all).map(textOf).join("")).toBe(all);
      }),
    );
  });

  test("linking takes nothing but directives from a text, and none of its line breaks", () => {
    expect(link("enable f16\r;\nfn a() {}", [])).toMatch(/^enable f16 ; +\r +\nfn a\(\) \{\}$/);
    for (const each of [")enable f16;\rfn \n", "}enable f16;\r//\n", ")\renable f16\n;"]) {
      expect(link(each, []).match(LINE_BREAK), JSON.stringify(each)).toHaveLength(2);
    }
    check(
      fc.property(text, (all) => {
        const linked = link(all, []);
        if (directivesOf(piecesOf(all)).length === 0) {
          expect(linked).toBe(all);
        }
        expect(linked.match(LINE_BREAK)?.length).toBe(all.match(LINE_BREAK)?.length);
      }),
    );
  });
});

/** What a text is as code: its tokens, without comments and blanks. */
const codeOf = (all: string): string =>
  Array.from(tokensOf(all))
    .flatMap(([token, blank]) => (blank ? [] : [token]))
    .join(" ");

/** A comment of any kind, which holds what would end an expression if it were code. */
const comment = fc.oneof(
  fc
    .tuple(fc.constantFrom(" )", "*/ }", "/* return", " enable f16;", "é"), fc.constantFrom(...BREAKS))
    .map(([inside, end]) => `//${inside}${end}`),
  fc.letrec((tie) => ({
    block: fc
      .array(fc.oneof(fc.constantFrom(" ) ", "// ", "\n", " * / ", "'", "fn "), tie("block")), {
        maxLength: 4,
      })
      .map((inside) => `/* ${inside.join("")} */`),
  })).block as fc.Arbitrary<string>,
);

describe("a caller's expression", () => {
  const parts = ["x", "(", "i", "+", "1u", ")", ">", "f", "(", "x", ",", "i", ")", "."];
  const commented = fc.array(fc.option(comment, { nil: " " }), {
    minLength: parts.length,
    maxLength: parts.length,
  });

  test("is the same with comments of all kinds, and they do not leak", () => {
    check(
      fc.property(commented, (comments) => {
        const all = parts.map((part, at) => `${part}${comments[at]}`).join("");
        const plain = plainText("it", all);
        expect(codeOf(plain)).toBe(parts.join(" "));
        expect(plain).toMatch(/^[xifu1()+>,.\n ]*$/);
        expect(plain.split("\n")).toHaveLength(all.split(LINE_BREAK).length);
      }),
    );
  });

  /** Whether the compiler takes a text. */
  async function compiles(code: string): Promise<boolean> {
    const info = await device().createShaderModule({ code }).getCompilationInfo();
    return info.messages.every(({ type }) => type !== "error");
  }
  const around = (all: string): string => `fn f(x: u32, i: u32) -> bool {\n  return bool(\n${all}\n  );\n}\n`;
  const injection = fc
    .array(
      fc.oneof(
        fc.constantFrom("true", "x", " > ", "1u", "(", ")", " ", "//", "/*", "*/", ...BREAKS),
        fc.constantFrom(") ; } fn evil() -> bool { return bool(true", "); } fn evil() {", "/* /* */"),
      ),
      { minLength: 1, maxLength: 8 },
    )
    .map((all) => all.join(""));

  test("never ends what it is pasted into, as the compiler reads it, and is what its plain text is", async () => {
    device().pushErrorScope("validation");
    const accepted = { valid: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(injection, async (all) => {
        if (unbalanced(all) !== undefined) {
          expect(() => plainText("it", all)).toThrow(SourceError);
          accepted.refused++;
          return;
        }
        const probe = "fn probe() {\n  _ = evil();\n  evil();\n}";
        expect(await compiles(`${around(all)}fn probe() { evil(); }`)).toBe(false);
        expect(await compiles(`${around(all)}${probe}`)).toBe(false);
        const isValid = await compiles(around(all));
        expect(await compiles(around(plainText("it", all)))).toBe(isValid);
        accepted.valid += isValid ? 1 : 0;
      }),
      { numRuns: 1500, seed },
    );
    await device().popErrorScope();
    expect(accepted.valid).toBeGreaterThan(20);
    expect(accepted.refused).toBeGreaterThan(20);
  });

  test.each(BREAKS)("a comment ends at the line break %j", async (end) => {
    const evil = `true // ${end} ); } fn evil() -> bool { return bool(true`;
    device().pushErrorScope("validation");
    expect(await compiles(around(evil))).toBe(true);
    await device().popErrorScope();
    expect(() => plainText("the predicate", evil)).toThrow("the predicate, line 2: ')' without its '('");
    expect(plainText("it", `a // ) ${end}+ b`)).toMatch(/^a +\n\+ b$/);
  });
});

test.each([
  ["fn and blanks", `fn${" ".repeat(2e5)}`],
  ["lines of comments", `${"// a comment\n".repeat(2e4)}fn f() {}`],
  ["nested comments", `${"/* ".repeat(5e4)}${" */".repeat(5e4)} fn f() {}`],
  ["comments that do not end", "/* ".repeat(1e5)],
  ["dots and blanks", `. ${" ".repeat(1e5)}a `.repeat(3)],
  ["var<", "var<".repeat(5e4)],
  ["attributes", "@ workgroup_size ( ".repeat(3e4)],
  ["directives", "enable ".repeat(5e4)],
  ["members of a struct", `struct S { ${"a : u32, ".repeat(3e4)} }`],
  ["brackets", "(".repeat(2e5)],
  ["blank lines", "\n".repeat(2e5)],
])("%s are read in time that grows with the text", (_, all) => {
  const start = cpuSeconds();
  piecesOf(all);
  unbalanced(all);
  expect(cpuSeconds() - start).toBeLessThan(2);
});
