import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { beforeAll, describe, expect, test } from "vitest";

/** Runs the checker on a folder with these files. `npm run check` runs it on the checkout. */
function check(files: Readonly<Record<string, string>>): { status: number | null; lines: string[] } {
  const folder = mkdtempSync(join(tmpdir(), "wavefold-layers-"));
  try {
    const all = Object.entries({
      "src/gpu/device/device.ts": "",
      "src/parts.ts": "",
      "src/typegpu.ts": "",
      "bench/run.ts": "",
      "examples/a.ts": "",
      "scripts/a.mjs": "",
      "site/a.ts": "",
      "test/a.ts": "",
      ...files,
    });
    for (const [path, text] of all) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const ran = spawnSync(process.execPath, ["scripts/layers.mjs", folder], {
      encoding: "utf8",
    });
    return { status: ran.status, lines: ran.stderr.trim().split("\n").filter(Boolean) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Imports that do not point down, each in a file of its own. */
const breaches: readonly (readonly [file: string, text: string, problem: string])[] = [
  [
    "src/plan/a.ts",
    'import { a } from "../gpu/device/device.ts";',
    "src/gpu/device/device.ts, which is no lower layer",
  ],
  [
    "src/plan/b.ts",
    'import type { A } from "../gpu/device/device.ts";',
    "src/gpu/device/device.ts, which is no lower",
  ],
  [
    "src/plan/c.ts",
    'export * from "../gpu/device/device.ts";',
    "src/gpu/device/device.ts, which is no lower",
  ],
  [
    "src/plan/d.ts",
    'import { loadB, loadFolds as load } from "../parts.ts";',
    "src/gpu/parts/folds.ts, which is no lower",
  ],
  [
    "src/plan/e.ts",
    'type A = typeof import("../gpu/device/device.ts");',
    "src/gpu/device/device.ts, which is no lower",
  ],
  [
    "src/plan/f.ts",
    'let a: import("../gpu/device/device.ts").A;',
    "src/gpu/device/device.ts, which is no lower",
  ],
  ["src/plan/g.ts", 'import "./../gpu/device/device.ts";', "src/gpu/device/device.ts, which is no lower"],
  [
    "src/plan/h.ts",
    'import "../../src/gpu/device/device.ts";',
    "src/gpu/device/device.ts, which is no lower",
  ],
  ["src/plan/i.ts", 'import "../typegpu.ts";', "src/typegpu.ts, which is no lower"],
  ["src/plan/j.ts", 'import "../../scripts/a.mjs";', "scripts/a.mjs, which is no lower"],
  ["src/plan/k.ts", 'import "../../examples/a.ts";', "examples/a.ts, which is no lower"],
  ["src/plan/l.ts", 'import "../../bench/run.ts";', "bench/run.ts, which is no lower"],
  ["src/options.ts", 'import "./plan/a.ts";', "src/plan/a.ts, which is no lower"],
  ["src/errors.ts", 'import { once } from "./parts.ts";', "src/parts.ts, which is no lower"],
  ["src/plan/m.ts", 'import "../in_kernel/link.ts";', "src/in_kernel/link.ts, which is no lower"],
  [
    "src/gpu/device/n.ts",
    'import "../../in_kernel/link.ts";',
    "src/in_kernel/link.ts, which src/gpu/device does without",
  ],
  [
    "src/gpu/fold.ts",
    'import "../reference/a.ts";',
    "src/reference/a.ts, which src/gpu/fold.ts does without",
  ],
  ["src/monoids/a.ts", 'import "../gpu/fold.ts";', "src/gpu/fold.ts, which src/monoids does without"],
  ["src/gpu/device/o.ts", 'import "../executor/a.ts";', "src/gpu/executor/a.ts, which is no lower"],
  [
    "src/gpu/at_hand/a.ts",
    'import type { A } from "../../gpu/fold.ts";',
    "src/gpu/fold.ts, which is no lower",
  ],
  ["src/cli/link.ts", 'import "../../bench/run.ts";', "bench/run.ts; only "],
];

const choice = 'export const a = (facts: Facts) => facts.vendor === "some";';
/** Files that break each rule, and what may stand. They are checked once: to start the checker takes most of its time. */
const broken: Readonly<Record<string, string>> = {
  ...Object.fromEntries(breaches.map(([file, text]) => [file, text])),
  // These imports may stand.
  "src/in_kernel/link.ts": 'import "../kernels/a.ts"; // "../gpu/device/device.ts"',
  "src/kernels/a.ts": 'import "../errors.ts"; import file from "../../shaders/a.wgsl";',
  "src/cli/bench.ts": 'import "../../bench/run.ts";',

  "src/parts.ts": 'export const loadFolds = /* pure */ once(() => import("./gpu/parts/folds.ts"));',
  "src/gpu/parts/a.ts": 'import "./b.ts";',
  "src/gpu/parts/b.ts": 'import {\n  afterLoad,\n  loadFolds,\n} from "../../parts.ts";',
  "src/gpu/parts/folds.ts": 'export type A = typeof import("./a.ts");',
  "src/other/a.ts": "",

  "src/plan/vendor/a.ts": choice,
  "src/gpu/device/vendor/b.ts": 'const known = ["nvidia"];',
  "src/gpu/device/vendor/c.ts": "const c = known !== facts.vendor;",
  // These may stand: what compares none, and the folders whose task it is.
  "src/gpu/device/vendor/d.ts": '// If vendor === "nvidia".\nconst { vendor } = info;',
  "src/adapters/vendor/a.ts": choice,
  "src/gpu/diagnosis/vendor/a.ts": choice,
  "src/simulator/vendor/a.ts": choice,
  "bench/vendor/b.ts": choice,

  "src/gpu/parts/later/a.ts": 'const a = () => part(import("../folds.ts"));',
  "src/gpu/parts/later/b.ts": 'const b = async () => (await import("../../../simulator/index.ts")).gpu;',
  // These may stand: another entry's part, a type, a package, and a file of the command's.
  "src/gpu/parts/later/c.ts": 'const c = () => part(import("../../../simulator/index.ts"));',
  "src/gpu/parts/later/d.ts":
    'type D = import("../../device/device.ts").D | typeof import("../../device/device.ts");',
  "src/gpu/parts/later/e.ts": 'const e = () => import("node:fs");',
  "src/cli/later/f.ts": 'const f = () => import("../bench.ts");',
};

describe("of a folder with files that break the rules", () => {
  let told: readonly string[] = [];
  beforeAll(() => {
    const { status, lines } = check(broken);
    expect(status).toBe(1);
    told = lines;
  });

  test("each kind of import that does not point down is reported", () => {
    for (const [file, , problem] of breaches) {
      expect(told.filter((line) => line.startsWith(`${file} imports ${problem}`))).toHaveLength(1);
    }
  });

  test("a circle is reported, of import() and of types, too, and a file in no layer", () => {
    const circles = told.filter((line) => line.startsWith("a circle of imports: "));
    expect(circles).toHaveLength(1);
    // It may begin at any of them, and ends where it begins.
    const turn = circles[0]?.split(" -> ").slice(1).join(" -> ");
    const all = ["a.ts", "b.ts", "folds.ts"].map((file) => `src/gpu/parts/${file}`).join(" -> ");
    expect(turn).toHaveLength(all.length);
    expect(`${turn} -> ${turn}`).toContain(all);
    expect(told).toContain("src/other/a.ts is in no layer of scripts/layers.mjs");
  });

  test("a vendor is compared in src/adapters/ alone, and where an adapter is described", () => {
    const says = "a trait in src/adapters/ says what differs";
    expect(told.filter((line) => line.includes("/vendor/")).sort()).toEqual([
      `src/gpu/device/vendor/b.ts decides by a vendor ("nvidia"); ${says}`,
      `src/gpu/device/vendor/c.ts decides by a vendor (!== facts.vendor); ${says}`,
      `src/plan/vendor/a.ts decides by a vendor (vendor ===); ${says}`,
    ]);
  });

  test("src/parts.ts has what the package loads later, and a failure is an error of ours", () => {
    const folder = "src/gpu/parts";
    expect(told.filter((line) => line.includes("/later/")).sort()).toEqual([
      `${folder}/later/a.ts loads ${folder}/folds.ts; src/parts.ts has what the package loads later`,
      `${folder}/later/b.ts loads src/simulator/index.ts without part()`,
    ]);
  });

  test("nothing else is reported", () => {
    expect(told).toHaveLength(breaches.length + 2 + 3 + 2);
  });
});
