import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";

/** Runs the checker on a folder with these files; on the checkout if there are none. */
function check(files?: Readonly<Record<string, string>>): { status: number | null; lines: string[] } {
  const folder = mkdtempSync(join(tmpdir(), "wavefold-layers-"));
  try {
    const all = Object.entries({
      "src/gpu/device/device.ts": "",
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
    const ran = spawnSync(process.execPath, ["scripts/layers.mjs", ...(files ? [folder] : [])], {
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
    'const a = await part(import("../gpu/recordings/primitives.ts"));',
    "src/gpu/recordings/primitives.ts, which is no lower",
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

test("imports of the checkout point down", () => {
  expect(check()).toEqual({ status: 0, lines: [] });
});

test("each kind of import that does not point down is reported", () => {
  const { status, lines } = check(
    Object.fromEntries([
      ...breaches.map(([file, text]) => [file, text]),
      // These may stand.
      ["src/in_kernel/link.ts", 'import "../kernels/a.ts"; // "../gpu/device/device.ts"'],
      ["src/kernels/a.ts", 'import "../errors.ts"; import file from "../../shaders/a.wgsl";'],
      ["src/cli/bench.ts", 'import "../../bench/run.ts";'],
    ]),
  );
  expect(status).toBe(1);
  for (const [file, , problem] of breaches) {
    expect(lines.filter((line) => line.startsWith(`${file} imports ${problem}`))).toHaveLength(1);
  }
  expect(lines).toHaveLength(breaches.length);
});

test("a circle is reported, of import() and of types, too, and a file in no layer", () => {
  const { status, lines } = check({
    "src/gpu/recordings/a.ts": 'import "./b.ts";',
    "src/gpu/recordings/b.ts": 'export const c = () => part(import("./primitives.ts"));',
    "src/gpu/recordings/primitives.ts": 'export type A = typeof import("./a.ts");',
    "src/other/a.ts": "",
  });
  expect(lines.sort()).toEqual([
    "a circle of imports: src/gpu/recordings/a.ts -> src/gpu/recordings/b.ts -> src/gpu/recordings/primitives.ts -> src/gpu/recordings/a.ts",
    "src/other/a.ts is in no layer of scripts/layers.mjs",
  ]);
  expect(status).toBe(1);
});

test("a vendor is compared in src/adapters/ alone, and where an adapter is described", () => {
  const choice = 'export const a = (facts: Facts) => facts.vendor === "some";';
  const { status, lines } = check({
    "src/plan/a.ts": choice,
    "src/gpu/device/b.ts": 'const known = ["nvidia"];',
    "src/gpu/device/c.ts": "const c = known !== facts.vendor;",
    // These may stand: what compares none, and the folders whose task it is.
    "src/gpu/device/d.ts": '// If vendor === "nvidia".\nconst { vendor } = info;',
    "src/adapters/a.ts": choice,
    "src/gpu/diagnosis/a.ts": choice,
    "src/simulator/a.ts": choice,
    "bench/b.ts": choice,
  });
  expect([...lines].sort()).toEqual([
    'src/gpu/device/b.ts decides by a vendor ("nvidia"); a trait in src/adapters/ says what differs',
    "src/gpu/device/c.ts decides by a vendor (!== facts.vendor); a trait in src/adapters/ says what differs",
    "src/plan/a.ts decides by a vendor (vendor ===); a trait in src/adapters/ says what differs",
  ]);
  expect(status).toBe(1);
});

test("what the package loads later is a part of the list, and its failure an error of ours", () => {
  const { status, lines } = check({
    "src/gpu/recordings/primitives.ts": "",
    "src/gpu/recordings/a.ts": 'const a = () => part(import("../device/device.ts"));',
    "src/gpu/recordings/b.ts": 'const b = async () => (await import("./primitives.ts")).prepareScan;',
    // These may stand: a part of the list, a type, a package, and a file of the command's.
    "src/gpu/recordings/c.ts": 'const c = () => part(import("./primitives.ts"));',
    "src/gpu/recordings/d.ts":
      'type D = import("../device/device.ts").D | typeof import("../device/device.ts");',
    "src/gpu/recordings/e.ts": 'const e = () => import("node:fs");',
    "src/gpu/recordings/f.ts": 'const f = once(() => import("./primitives.ts"));',
    "src/cli/f.ts": 'const f = () => import("./g.ts");',
  });
  expect(lines).toEqual([
    "src/gpu/recordings/a.ts loads src/gpu/device/device.ts, which is not among the parts of scripts/layers.mjs",
    "src/gpu/recordings/b.ts loads src/gpu/recordings/primitives.ts without part() or once()",
  ]);
  expect(status).toBe(1);
});
