import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Context } from "../../src/gpu/device/context.ts";
import type { CallName } from "../../src/gpu/fold.ts";
import { Fold } from "../../src/gpu/fold.ts";
import { primitivesWithoutSorts } from "../../src/primitives/described.ts";
import type { OptionsOf } from "../../src/primitives/option_names.ts";
import * as references from "../../src/reference/index.ts";
import { described, withHelp } from "../support/primitives.ts";

declare global {
  interface ImportMeta {
    glob(pattern: string, options: { readonly eager: true }): Readonly<Record<string, object>>;
  }
}

/** What the files of src/primitives/ export, by the files. */
const exported = import.meta.glob("../../src/primitives/*.ts", { eager: true });

test.each(Object.entries(exported))("src/primitives/described.ts lists each primitive of %s", (_, file) => {
  const isPrimitive = (one: unknown): boolean =>
    ["name", "operands", "plan"].every((name) => name in Object(one));
  const listed: readonly unknown[] = described.map(({ primitive }) => primitive);
  expect(Object.values(file).filter((one) => isPrimitive(one) && !listed.includes(one))).toEqual([]);
});

test("src/primitives/described.ts has the table of each primitive for the methods of Fold", () => {
  const others = withHelp.map(({ primitive }) => primitive).filter((one) => !/^(s|argS)ort$/.test(one.name));
  expect(new Set(primitivesWithoutSorts)).toEqual(new Set(others));
});

test.each(described)(
  "src/reference/index.ts exports $primitive.name with Reference behind it",
  ({ reference, examples, order }) => {
    expect(reference).toBeTypeOf("function");
    expect(order === undefined).toBe(examples.order === undefined);
  },
);

test("src/reference/index.ts exports references, and no function that only they call", () => {
  expect(Object.keys(references).filter((name) => !/Reference$|^(de|en)codeFloat16$/.test(name))).toEqual([]);
});

test.each(withHelp)("$primitive.name has a loop for the CPU, as fold.explain says", ({ primitive }) => {
  expect(primitive.onCpu).toBeDefined();
});

/** The text of src/gpu/fold.ts, and the types that it exports, as src/index.ts does. */
const foldText = readFileSync("src/gpu/fold.ts", "utf8");
const publicTypes = new Set(
  Array.from(foldText.matchAll(/^export type \{([^}]*)\} from "/gm), ([, names = ""]) => names)
    .join()
    .match(/\w+/g),
);

test("src/gpu/fold.ts exports each type that its methods take or give", () => {
  const imports = /^import type \{([^}]*)\} from "\.\.\/primitives\/\w+\.ts";/gm;
  const types = [...foldText.matchAll(imports)].flatMap(([, names = ""]) => names.match(/\w+/g) ?? []);
  expect(types.length).toBeGreaterThan(20);
  expect(types.filter((name) => !publicTypes.has(name))).toEqual([]);
});

test.each(Object.keys(exported))("src/gpu/fold.ts exports the ranges of %s", (file) => {
  const text = readFileSync(new URL(file, import.meta.url), "utf8");
  const ranges = Array.from(
    text.matchAll(/^export (?:interface|type) (\w+Ranges)\b/gm),
    ([, name = ""]) => name,
  );
  expect(ranges.filter((name) => !publicTypes.has(name))).toEqual([]);
});

test("fold.explain knows calls without a primitive of their own", () => {
  const fold = new Fold({} as Context, () => {});
  const others = ["argMin", "argMax", "segments", "exactAdd"] as const;
  expect(others.map((name) => fold.explain(name, 1).machine)).toEqual(others.map(() => "gpu"));
  expect(() => fold.explain("constructor" as CallName, 1)).toThrow("argMin, argMax, segments, exactAdd");
});

describe.each(described.map(({ primitive }): OptionsOf => primitive))("$name", (table) => {
  test("has a method", () => {
    expect(Fold.prototype).toHaveProperty(table.name);
  });

  test("is known to fold.explain", () => {
    const fold = new Fold({} as Context, () => {});
    expect(fold.explain(table.name as CallName, 1).machine).toBe("gpu");
  });
});
