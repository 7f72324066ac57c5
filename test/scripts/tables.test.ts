import { expect, test } from "vitest";
import { byName, tableOf } from "../../scripts/tables.mjs";

test("imports name each table on its own", () => {
  const code = 'import { sort as gpu, moves } from "../adapters/gpu.ts";\n';
  expect(byName(code, "/a/src/plan/sort.ts")).toBe(
    'import { sort as gpu } from "../adapters/gpu.ts?sort"; import { moves } from "../adapters/gpu.ts?moves";\n',
  );
  const beside = 'import { traits } from "./nvidia.ts";';
  expect(byName(beside, "/a/src/adapters/adapter.ts")).toBe('import { traits } from "./nvidia.ts?traits";');
  expect(byName(beside, "C:\\a\\src\\adapters\\adapter.ts")).toBe(
    'import { traits } from "./nvidia.ts?traits";',
  );
});

test.each([
  ["src/plan/sort.ts", 'import { tableFor } from "../adapters/adapter.ts";'],
  ["src/plan/sort.ts", 'import type { A } from "../adapters/gpu.ts";'],
  ["src/simulator/index.ts", 'import { SimulatedGpuObject } from "./device/gpu.ts";'],
  ["src/simulator/device/core.ts", 'import { SimulatedGpuObject } from "./gpu.ts";'],
])("%s keeps %s", (path, code) => {
  expect(byName(code, `/a/${path}`)).toBe(code);
});

const file = `import type { Row } from "./tables.ts";
// Of scans.
const scan = [{ items: 8 }] as const;
export const sort = { scan: 2, items: 4 } as const satisfies Row;
export const all = { scan, sort: [...scan] } as const satisfies Row;`;

test("a table's module has that table, and imports the ones that it names", () => {
  expect(tableOf(file, "gpu.ts", "sort")).toBe(
    "export const sort = { scan: 2, items: 4 } as const satisfies Row;\n",
  );
  expect(tableOf(file, "gpu.ts", "all")).toBe(
    'import { scan } from "./gpu.ts?scan";\nexport const all = { scan, sort: [...scan] } as const satisfies Row;\n',
  );
});

test("a table that is not there, and what is no table, are errors", () => {
  expect(() => tableOf(file, "gpu.ts", "select")).toThrow(
    "gpu.ts has no table select; it has scan, sort, all",
  );
  expect(() => tableOf(`${file}\nfunction row() {}`, "gpu.ts", "sort")).toThrow(
    "gpu.ts has more than tables: function row() {}",
  );
});
