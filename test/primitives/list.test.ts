import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Fold } from "../../src/gpu/fold.ts";
import { described, missing, optionTables, prepareName } from "../support/primitives.ts";

test("each described primitive has examples and a reference", () => {
  expect(missing).toEqual([]);
  expect(described.length).toBeGreaterThanOrEqual(4);
});

/** The rows of the README's table of forms: the names of a row, and what it says of each form. */
const rows = readFileSync("README.md", "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && line.split(" | ").length === 7)
  .map((line) => line.slice(2, -2).split(" | "))
  .map(([names = "", ...forms]) => ({
    names: Array.from(names.matchAll(/`(\w+)`/g), ([, name]) => name),
    forms,
  }));

describe.each(optionTables)("$name", (table) => {
  test("has a method, and a row in the README's table, which says whether it is recorded", () => {
    const row = rows.find(({ names }) => names.includes(table.name));
    expect(Fold.prototype).toHaveProperty(table.name);
    expect(row?.forms.slice(0, 2)).toEqual(["yes", "yes"]);
    expect(row?.forms[2] === "yes").toBe(prepareName(table) in Fold.prototype);
  });
});
