import { relative } from "node:path";
import { gzipSync } from "node:zlib";
import type { Metafile } from "esbuild";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Packed } from "./pack.ts";
import { packPackage } from "./pack.ts";

interface Budget {
  readonly what: string;
  readonly program: string;
  /** KB of 1024 bytes, gzipped, that this shall come down to. */
  readonly goal: number;
  /** Bytes, gzipped: what it took when this was written, and 5 %. It only ever goes down. */
  readonly ceiling: number;
}

const budgets: readonly Budget[] = [
  {
    what: "one function of wavefold/wgsl",
    program: `import { add, link, u32, workGroupScan } from "wavefold/wgsl";
      export const linked = (kernel) => link(kernel, [workGroupScan({ type: u32, op: add, workGroupSize: 256 })]);`,
    goal: 2.5,
    ceiling: 7_930,
  },
  {
    what: "open and scan of u32 from wavefold",
    program: `import { open } from "wavefold";
      const fold = await open();
      console.log(await fold.scan(Uint32Array.of(3, 1, 7)));`,
    goal: 8,
    ceiling: 31_568,
  },
];

let packed: Packed;
beforeAll(async () => {
  packed = await packPackage();
}, 120_000);
afterAll(() => packed?.remove());

/** The outputs that a program loads before it runs: its own, and what that imports but not by `import()`. */
function loadedFirst(outputs: Metafile["outputs"], entry: string): Set<string> {
  const loaded = new Set([entry]);
  for (const path of loaded) {
    for (const { path: imported, kind } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement") {
        loaded.add(imported);
      }
    }
  }
  return loaded;
}

test.each(budgets.map((budget) => [budget.what, budget.goal, budget.ceiling, budget] as const))(
  "%s: the goal is %s KB, and today's ceiling %i bytes",
  async (what, goal, ceiling, { program }) => {
    const project = await packed.project([], { "main.js": program });
    const { metafile, outputFiles } = await build({
      absWorkingDir: project,
      entryPoints: ["main.js"],
      bundle: true,
      minify: true,
      splitting: true,
      format: "esm",
      target: "es2022",
      outdir: "dist",
      metafile: true,
      write: false,
    });
    const loaded = loadedFirst(metafile.outputs, "dist/main.js");
    const bytes = outputFiles
      .filter(({ path }) => loaded.has(relative(project, path)))
      .reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
    console.log(
      `${what}: ${bytes} bytes gzipped in ${loaded.size} files; the goal is ${goal * 1024}, the ceiling ${ceiling}`,
    );
    expect(bytes).toBeGreaterThan(0);
    expect(bytes, `${what} has grown`).toBeLessThanOrEqual(ceiling);
  },
);
