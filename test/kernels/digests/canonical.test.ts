import { expect, test } from "vitest";
import { u32 } from "../../../src/algebra/integers.ts";
import { add } from "../../../src/algebra/operators.ts";
import { factsWith } from "../../support/kernels.ts";
import { planScan } from "../../support/plans.ts";
import { canonicalText } from "./canonical.ts";

const text = `enable subgroups;

const SIZE = 64u;

struct Item { key: u32, value: vec2<u32> }

@group(0) @binding(0) var<storage, read_write> items: array<Item>;
var<workgroup> first: array<u32, SIZE>;
var<workgroup> second: array<u32, SIZE>;

// Twice a number.
fn twice(x: u32) -> u32 {
  let sum = x + x;
  return sum;
}

fn plus(x: u32, y: u32) -> u32 {
  for (var i = 0u; i < 2u; i++) {
    let x = y;
    first[x] = i;
  }
  return x + y;
}

@compute @workgroup_size(SIZE)
fn main(@builtin(local_invocation_index) i: u32) {
  first[i] = twice(items[i].key);
  second[i] = plus(items[i].value.x, first[i]);
}

const_assert SIZE > 1u;
`;

const form = (changed: string, root = "main"): string => canonicalText(changed, [root]);

/** The text with some words replaced, which must be there. */
function replaced(...changes: readonly (readonly [word: string, by: string])[]): string {
  let result = text;
  for (const [word, by] of changes) {
    const next = result.replaceAll(new RegExp(word, "g"), by);
    expect(next).not.toBe(result);
    result = next;
  }
  return result;
}

test.each<[string, string, string?]>([
  [
    "comments and blanks",
    replaced(["\\n\\n", "\n\n\n/* a\n\n /* deep */ comment */ // more\n"], [" = ", "="]),
  ],
  ["names of functions", replaced(["twice", "doubled"], ["\\bmain\\b", "entry"]), "entry"],
  ["names of constants, variables and types", replaced(["SIZE", "WIDTH"], ["first", "a"], ["Item", "Pair"])],
  ["names of members", replaced(["key", "index"], ["value", "index_2"])],
  ["names of locals", replaced(["\\bsum\\b", "twofold"], ["\\bi\\b", "place"])],
  ["a name of one scope alone", replaced(["let x = y;\n    first\\[x\\]", "let z = y;\n    first[z]"])],
  ["a local name that a function has, too", replaced(["\\bsum\\b", "plus"])],
  ["the order of declarations", text.split("\n\n").reverse().join("\n\n")],
])("the canonical form does not depend on %s", (_, changed, root) => {
  expect(changed).not.toBe(text);
  expect(form(changed, root)).toBe(form(text));
});

test.each<[string, string]>([
  ["a constant", replaced(["= 64u", "= 65u"])],
  ["an operator", replaced(["x \\+ y", "x - y"])],
  ["a built-in value", replaced(["local_invocation_index", "global_invocation_id"])],
  ["a binding", replaced(["binding\\(0\\)", "binding(1)"])],
  ["an address space", replaced(["var<workgroup> second", "var<private> second"])],
  [
    "which of two like variables is used",
    replaced(["plus\\(items\\[i\\].value.x, first", "plus(items[i].value.x, second"]),
  ],
  [
    "which of two scopes a name is of",
    replaced(["let x = y;\n    first\\[x\\]", "let z = y;\n    first[x]"]),
  ],
  ["the order of a struct's members", replaced(["key: u32, value: vec2<u32>", "value: vec2<u32>, key: u32"])],
  ["a part of a vector", replaced(["value\\.x", "value.y"])],
  ["an extension", replaced(["enable subgroups", "enable f16"])],
  ["an assertion", replaced(["SIZE > 1u", "SIZE > 2u"])],
  ["a declaration that nothing reaches", `${text}\nconst UNUSED = 1u;\n`],
])("the canonical form depends on %s", (_, changed) => {
  expect(form(changed)).not.toBe(form(text));
});

test("declarations that nothing reaches are in an order of their own", () => {
  const unused = ["const A = 1u;", "const B = A + 1u;", "fn c() -> u32 { return B; }", "const D = A + 2u;"];
  const forms = [unused, [...unused].reverse()].map((some) => form(`${text}\n\n${some.join("\n\n")}`));
  expect(forms[0]).toBe(forms[1]);
  expect(form(`${text}\n\n${unused.join("\n\n").replace("A + 2u", "B + 2u")}`)).not.toBe(forms[0]);
});

test("a function that has empty lines is read whole", () => {
  expect(form(replaced(["let sum = x \\+ x;", "\n\nlet sum = x + x;\n\n"]))).toBe(form(text));
});

test("a root that is missing is an error", () => {
  expect(() => form(text, "entry")).toThrow("the text does not declare entry");
});

test("a kernel's form depends on its sizes and its operator, and not on what its files are called or which comes first", async () => {
  const options = { type: u32, op: add, maxLength: 1e5, itemsPerThread: 4 } as const;
  const formsOf = async (workGroupSize: number, change = (code: string): string => code): Promise<string[]> =>
    (await planScan({ ...options, workGroupSize }, factsWith())).kernels.map(({ code, entryPoint }) =>
      canonicalText(change(code), [entryPoint]),
    );
  const forms = await formsOf(64);
  const shuffled = (code: string): string =>
    code.replaceAll("combine", "joined").split("\n\n").reverse().join("\n\n");
  expect(await formsOf(64, shuffled)).toEqual(forms);
  expect((await formsOf(128)).filter((one) => forms.includes(one))).toEqual([]);
});

test("the name of a loop's variable is that of the module again behind the loop", () => {
  const added = replaced(["x \\+ y", "x + SIZE"]);
  const renamed = added.replace(
    "for (var i = 0u; i < 2u; i++) {\n    let x = y;\n    first[x] = i;",
    "for (var SIZE = 0u; SIZE < 2u; SIZE++) {\n    let x = y;\n    first[x] = SIZE;",
  );
  expect(renamed).not.toBe(added);
  expect(form(renamed)).toBe(form(added));
});

test("two members of one type are not the same", () => {
  const added = replaced(["key: u32,", "key: u32, other: u32,"]);
  expect(form(added.replace("].key", "].other"))).not.toBe(form(added));
});
