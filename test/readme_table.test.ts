import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { expect, test } from "vitest";
import { elementTypes } from "../src/algebra/element_types.ts";
import type { Operator } from "../src/algebra/monoid.ts";
import { monoid } from "../src/algebra/monoid.ts";
import { operators } from "../src/algebra/operator_table.ts";
import type { Rounding } from "../src/algebra/rounding.ts";
import { roundingOf } from "../src/algebra/rounding.ts";
import type { ScalarType, Value } from "../src/algebra/types.ts";
import { algorithms } from "../src/kernels/algorithms.ts";

const path = new URL("../docs/guides/types-and-operators.md", import.meta.url);
const types = Object.values<ScalarType>(elementTypes);

const results = {
  none: "exact",
  "each operation": "exact, in the plan's order",
  adapter: "within a bound",
} as const satisfies Record<Rounding, string>;

/** Values with a name that says more than their digits. */
const shown = (value: Value, { lowest, greatest }: ScalarType, { name }: Operator): string => {
  if (value === Infinity || value === -Infinity) {
    return value > 0 ? "+∞" : "−∞";
  }
  if (value === 0 || value === 1 || value === 0n || value === 1n) {
    return String(value);
  }
  if (name === "and") {
    return "all bits";
  }
  return value === greatest ? "greatest" : value === lowest ? "least" : String(value);
};

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** What each operator gives on each type, from the rows of the code. */
function table(): string {
  const cell = (op: Operator, type: ScalarType): string => {
    try {
      const { identity, start } = monoid(op, type, "table");
      return `${results[roundingOf(op, type)]}; ${shown(start?.value ?? identity, type, op)}`;
    } catch {
      return "no meaning";
    }
  };
  // Types whose cells are the same stand in one column.
  const columns = new Map<string, { names: string[]; cells: string[] }>();
  for (const type of types) {
    const cells = Object.values<Operator>(operators).map((op) => cell(op, type));
    const known = columns.get(cells.join());
    if (known === undefined) {
      columns.set(cells.join(), { names: [type.name], cells });
    } else {
      known.names.push(type.name);
    }
  }
  const all = [...columns.values()];
  return [
    row(["operator", ...all.map(({ names }) => names.join(", "))]),
    row(["---", ...all.map(() => "---")]),
    ...Object.keys(operators).map((name, at) =>
      row([`\`${name}\``, ...all.map(({ cells }) => cells[at] ?? "")]),
    ),
    "",
    row(["algorithm", "in-kernel", "device-wide", "types and operators", "needs"]),
    row(["---", "---", "---", "---", "---"]),
    ...Object.entries(algorithms).map(([name, { subgroups }]) =>
      row([
        `\`${name}\``,
        "scan, reduce",
        "scan, reduce, compact",
        "all",
        subgroups ? 'the feature "subgroups"' : "nothing",
      ]),
    ),
  ].join("\n");
}

/** A page is as it should be; or becomes so, where tables are written. */
function expectPage(page: string | URL, right: string): void {
  if (process.env.WAVEFOLD_WRITE_TABLES === "1") {
    writeFileSync(page, right);
  } else {
    expect(readFileSync(page, "utf8")).toBe(right);
  }
}

const markers = /(<!-- table: npm run tables -->\n\n)[\s\S]*?(\n\n<!-- end of table -->)/;

test("the guide's table is what the rows of the code say", () => {
  const guide = readFileSync(path, "utf8");
  expect(guide).toMatch(markers);
  expectPage(
    path,
    guide.replace(markers, (_, before, after) => `${before}${table()}${after}`),
  );
});

test("README links the newest chart", () => {
  const readme = readFileSync("README.md", "utf8");
  const charts = /(?<=\(bench\/results\/)[^)]*-throughput-u32\.svg(?=\))/g;
  const newest = readdirSync("bench/results")
    .filter((name) => name.endsWith("-throughput-u32.svg"))
    .sort()
    .at(-1);
  expect(readme.match(charts)).toHaveLength(1);
  expectPage("README.md", readme.replace(charts, newest ?? ""));
});
