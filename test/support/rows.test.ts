import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Metafile, Plugin } from "esbuild";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { shaderTexts } from "../../scripts/modules.mjs";
import type { Rotation } from "./rotations.ts";
import { PARTS, rows, rowsInTurn, TURNS } from "./rows.ts";
import { isQuick } from "./tier.ts";

describe("a table's parts", () => {
  /** Tables of few rows, and of about as many as there are turns, in every number of parts, moved by some rows. */
  const lengths = [0, 1, 2, 3, 5, 7, 12, 35, TURNS / 2, TURNS - 1, TURNS, TURNS + 10];
  const splits = lengths.flatMap((length) =>
    PARTS.flatMap((of) => [0, 1, 7].map((shift) => ({ length, of, shift }))),
  );
  const tableOf = (length: number): number[] => Array.from({ length }, (_, at) => at);

  test("are the whole table together, and no row is in two", () => {
    for (const { length, of, shift } of splits) {
      const from = length * 1000 + shift;
      const turns = tableOf(of).map((turn) => from + turn);
      const taken = turns.flatMap((turn) => rowsInTurn(tableOf(length), turn, { of, shift }));
      expect(
        taken.sort((a, b) => a - b),
        `${length} rows in ${of} parts`,
      ).toEqual(tableOf(length));
    }
  });

  test("are of one size, up to a row", () => {
    for (const { length, of, shift } of splits) {
      const sizes = tableOf(of).map((turn) => rowsInTurn(tableOf(length), turn, { of, shift }).length);
      expect([Math.min(...sizes), Math.max(...sizes)], `${length} rows in ${of} parts`).toEqual([
        Math.floor(length / of),
        Math.ceil(length / of),
      ]);
    }
  });

  test("have no row in some turns if there are fewer rows than parts, and are the whole table together", () => {
    const turns = tableOf(6).map((turn) => rowsInTurn(["a", "b"], turn, { of: 6, shift: 1 }));
    expect(turns).toEqual([[], ["a"], ["b"], [], [], []]);
  });

  test("hold the rows that are always taken", () => {
    const always = (row: number): boolean => row === 3;
    expect([0, 1, 2].map((turn) => rowsInTurn([3, 4, 5, 6], turn, { of: 3, always }))).toEqual([
      [3, 6],
      [3, 4],
      [3, 5],
    ]);
  });

  test("are not taken in a test", () => {
    expect(() => rows([1, 2], { of: 2 })).toThrow("rows() is called in a test");
  });
});

/** Tests find files of the repository from where they lie themselves. The programs that are made of them lie elsewhere. */
const inPlace: Plugin = {
  name: "in-place",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](test|src)[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replaceAll(
        "import.meta.url",
        JSON.stringify(pathToFileURL(path).href),
      ),
      loader: "ts",
    }));
  },
};

/** Whether a file imports another, itself or through others. */
function reaches({ inputs }: Metafile, from: string, to: string, seen = new Set<string>()): boolean {
  if (from === to) {
    return true;
  }
  seen.add(from);
  return (inputs[from]?.imports ?? []).some(
    ({ path }) => !seen.has(path) && reaches({ inputs } as Metafile, path, to, seen),
  );
}

/** The files whose turn it is. */
const tests = rows(
  readdirSync("test", { recursive: true })
    .map((name) => `test/${name}`)
    .filter((name) => name.endsWith(".test.ts") && name !== "test/support/rows.test.ts")
    .sort(),
  { of: 60 },
);

test("of every file of tests, the turns together are all tests and all rows", async () => {
  // In the repository, so that packages are found.
  await mkdir("build", { recursive: true });
  const folder = await mkdtemp(resolve("build", "rows-"));
  try {
    const program = "test/support/rotations.ts";
    const { metafile } = await build({
      entryPoints: [program, ...tests],
      outdir: folder,
      outbase: ".",
      outExtension: { ".js": ".mjs" },
      bundle: true,
      splitting: true,
      format: "esm",
      target: "es2022",
      platform: "node",
      packages: "external",
      alias: { vitest: resolve("test/support/collector.ts") },
      plugins: [shaderTexts, inPlace],
      metafile: true,
      logLevel: "warning",
    });
    const inParts = tests.filter((name) => reaches(metafile, name, "test/support/rows.ts"));
    const built = (name: string): string => join(folder, name.replace(/\.ts$/, ".mjs"));
    const urls = new Map(inParts.map((name) => [pathToFileURL(built(name)).href, name]));
    const { stdout } = await promisify(execFile)(process.execPath, [built(program), ...urls.keys()], {
      maxBuffer: 2 ** 28,
    });
    const found = Object.entries(JSON.parse(stdout) as Record<string, Rotation>);
    expect(found.length).toBe(inParts.length);
    expect(found.length).toBeGreaterThan(isQuick() ? 0 : 30);
    const some = (all: readonly string[]): string[] =>
      all.slice(0, 5).map((one) => one.replace(/^(.{80}).*(.{120})$/s, "$1 … $2"));
    const wrong: Record<string, object> = {};
    for (const [url, { tables, turns, lost, added, empty }] of found) {
      const name = urls.get(url) ?? url;
      // No kind of check is away for long.
      const isRare = empty.length > (3 / 4) * turns;
      if (lost.length + added.length > 0 || isRare) {
        wrong[name] = { lost: some(lost), added: some(added), emptyOfTurns: [turns, empty.length] };
      }
      expect(tables, `${name}: tables in parts`).toBeGreaterThan(0);
      expect(TURNS % turns, `${name}: ${turns} turns`).toBe(0);
    }
    expect(wrong).toEqual({});
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 600_000);
