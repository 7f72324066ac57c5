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
import { Fold } from "../src/gpu/fold.ts";
import { algorithms } from "../src/kernels/algorithms.ts";
import type { OptionsOf } from "../src/primitives/option_names.ts";
import { described, prepareName } from "./support/primitives.ts";

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

/** The rows of the README's table of forms. */
const formsRows = /(?<=\n\| \| at hand .*\n\| --- .*\n)(?:\| .*\n)+/;
/** The longest line of a table in the README: see test/docs/pages.test.ts. */
const LONGEST = 130;

/** The methods that a row of the table names, and what it says of their forms. */
const readRow = (line: string): { readonly names: readonly string[]; readonly cells: readonly string[] } => {
  const [names = "", ...cells] = line.slice(2, -2).split(" | ");
  return { names: names.match(/(?<=`)\w+(?=`)/g) ?? [], cells };
};

/** What the table says of a primitive that has no function for kernels. */
const cellsOf = (table: OptionsOf): readonly string[] => {
  const has = (method: string): string => (method in Fold.prototype ? "yes" : "–");
  return ["yes", "yes", has(prepareName(table)), has(`${table.name}Stream`), "–", "yes"];
};

/** The guide that "Which function" links beside the calls of a method. */
function guideOf(method: string): string {
  const lines = readFileSync("docs/guides/which-function.md", "utf8").split("\n");
  const line = lines.find((one) => one.includes(`\`fold.${method}(`)) ?? "";
  const [, guide] = /\]\(([^)]*)\) \|$/.exec(line) ?? [];
  expect(guide, `docs/guides/which-function.md has a row with fold.${method}(…) and a guide`).toBeDefined();
  return guide ?? "";
}

/** The rows with a primitive that they lack: among those of its guide, or behind all. */
function withPrimitive(rows: readonly string[], table: OptionsOf): readonly string[] {
  const { name } = table;
  if (rows.some((line) => readRow(line).names.includes(name))) {
    return rows;
  }
  const guide = guideOf(name);
  const cells = cellsOf(table);
  const page = `](docs/guides/${guide.replace(/#.*/, "")}`;
  const added = (line: string): string => line.replace("`](", `\`, \`${name}\`](`);
  const at = rows.findIndex(
    (line) => line.includes(page) && line.endsWith(row(cells)) && added(line).length <= LONGEST,
  );
  return at < 0
    ? [...rows, row([`[\`${name}\`](docs/guides/${guide})`, ...cells])]
    : rows.map((line, number) => (number === at ? added(line) : line));
}

test("README's table has each primitive", () => {
  const readme = readFileSync("README.md", "utf8");
  const [rows = ""] = formsRows.exec(readme) ?? [];
  const all = described
    .map(({ primitive }): OptionsOf => primitive)
    .reduce<readonly string[]>(withPrimitive, rows.trimEnd().split("\n"));
  expectPage("README.md", readme.replace(rows, `${all.join("\n")}\n`));
});

test.each(described.map(({ primitive }): OptionsOf => primitive))(
  "README's table says which forms $name has",
  (table) => {
    const rows = (formsRows.exec(readFileSync("README.md", "utf8"))?.[0] ?? "")
      .trimEnd()
      .split("\n")
      .map(readRow);
    const { cells = [] } = rows.find(({ names }) => names.includes(table.name)) ?? {};
    const inKernels = 4;
    const ofMethods = (_: string, at: number): boolean => at !== inKernels;
    expect(cells.filter(ofMethods)).toEqual(cellsOf(table).filter(ofMethods));
  },
);
