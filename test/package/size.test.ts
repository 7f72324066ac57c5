import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { type Rolldown, build as viteBuild } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { slashed } from "../../scripts/modules.mjs";
import type { Packed } from "./pack.ts";
import { packPackage, put, run } from "./pack.ts";

interface Budget {
  readonly what: string;
  readonly program: string;
  /** What runs after it, and is not bundled. */
  readonly after?: string;
  /** What they leave in `globalThis.result`, as JSON. */
  readonly result: unknown;
  /** Bytes, gzipped, and files that the program loads at most, as Vite bundles it. */
  readonly limit: { readonly bytes: number; readonly files: number };
  /** Bytes as esbuild does, which loads at once what an entry of the package exports and something else loads later. */
  readonly esbuild: number;
}

/** A program as those of most pages: nothing waits at its top level, where Vite would join fewer files. */
const programOf = (
  names: string,
  body: string,
  options = '{ cpu: "never" }',
): string => `import { ${names} } from "wavefold";
      globalThis.done = (async () => {
        const fold = await openFold(${options});
        ${body}
        fold.destroy();
      })();`;
const scanOf = (data: string, options = "{}"): string =>
  programOf("openFold", `globalThis.result = [...await fold.scan(${data}.of(3, 1, 7), ${options})];`);

/** What `openFold` and a scan of any native type may take. */
const SCAN = { bytes: 44_000, files: 3 };

/** Runs a kernel that `linked` joins with a scan in a work-group of 1 … 256: the last prefix, and the total at each thread. */
const IN_KERNEL = `const code = linked(\`
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(256) fn main(@builtin(local_invocation_index) i: u32) {
          let prefix = work_group_scan_exclusive_add_u32(i + 1u, i);
          let scan = work_group_scan_inclusive_add_u32_total(i + 1u, i);
          data[i] = select(0u, scan.prefix, scan.prefix == prefix + i + 1u && scan.total == 32896u);
        }\`);
      const layout = "auto";
      const pipeline = device.createComputePipeline({ layout, compute: { module: device.createShaderModule({ code }) } });
      const [data, read] = [0x84, 0x9].map((usage) => device.createBuffer({ size: 1024, usage }));
      const entries = [{ binding: 0, resource: { buffer: data } }];
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
      pass.dispatchWorkgroups(1);
      pass.end();
      encoder.copyBufferToBuffer(data, 0, read, 0, 1024);
      device.queue.submit([encoder.finish()]);
      await read.mapAsync(1);
      const words = new Uint32Array(read.getMappedRange());
      globalThis.result = [0, 1, 255].map((at) => words[at]);`;

const budgets: readonly Budget[] = [
  {
    what: "one function of wavefold/wgsl",
    program: `import { add, u32, workGroupScan } from "wavefold/wgsl";
      globalThis.linked = (kernel) => workGroupScan({ type: u32, op: add, workGroupSize: 256 }).code + kernel;`,
    after: IN_KERNEL,
    result: [1, 3, 32_896],
    limit: { bytes: 2_990, files: 1 },
    esbuild: 3_000,
  },
  {
    what: "the same, linked with a kernel",
    program: `import { add, link, u32, workGroupScan } from "wavefold/wgsl";
      globalThis.linked = (kernel) => link(kernel, [workGroupScan({ type: u32, op: add, workGroupSize: 256 })]);`,
    after: IN_KERNEL,
    result: [1, 3, 32_896],
    limit: { bytes: 3_990, files: 1 },
    esbuild: 4_050,
  },
  {
    what: "openFold and scan of u32 from wavefold",
    // Of one tile, and of three levels of tiles.
    program: programOf(
      "openFold",
      "globalThis.result = [...await fold.scan(Uint32Array.of(3, 1, 7)), (await fold.scan(new Uint32Array(300_000).fill(1))).at(-1)];",
    ),
    result: [3, 4, 11, 300_000],
    limit: SCAN,
    esbuild: 51_000,
  },
  {
    what: "openFold, max and an exclusive scan of u32",
    program: programOf(
      "openFold, max",
      "globalThis.result = [...await fold.scan(Uint32Array.of(3, 1, 7), { op: max, exclusive: true })];",
    ),
    result: [0, 3, 3],
    limit: SCAN,
    esbuild: 51_000,
  },
  {
    what: "openFold and scan of f32",
    program: scanOf("Float32Array"),
    result: [3, 4, 11],
    limit: SCAN,
    esbuild: 51_000,
  },
  {
    what: "openFold and a scan of u32 on the CPU",
    program: programOf(
      "openFold",
      "globalThis.result = [...await fold.scan(Uint32Array.of(3, 1, 7))];",
      '{ cpu: "always" }',
    ),
    result: [3, 4, 11],
    limit: { bytes: 15_000, files: 2 },
    esbuild: 20_650,
  },
  {
    what: "openFold and a scan, in a program that waits at its top level",
    program: `import { openFold } from "wavefold";
      const fold = await openFold({ cpu: "never" });
      globalThis.result = [...await fold.scan(Uint32Array.of(3, 1, 7))];
      fold.destroy();`,
    result: [3, 4, 11],
    // One of the files is Vite's own.
    limit: { bytes: 44_850, files: 7 },
    esbuild: 51_000,
  },
  {
    what: "openFold and a sort of u32",
    program: programOf("openFold", "globalThis.result = [...await fold.sort(Uint32Array.of(3, 1, 7))];"),
    result: [1, 3, 7],
    limit: { bytes: 82_500, files: 6 },
    esbuild: 90_700,
  },
  {
    what: "openFold and prepareScan of u32",
    program: programOf(
      "openFold, u32",
      "const scan = await fold.prepareScan({ type: u32, maxLength: 1000 }); globalThis.result = typeof scan.record;",
    ),
    result: "function",
    limit: { bytes: 63_750, files: 5 },
    esbuild: 71_450,
  },
];

let packed: Packed;
beforeAll(async () => {
  packed = await packPackage();
});
afterAll(() => packed?.remove());

/** A browser's `navigator.gpu`, on the software adapter. */
const gpuFrom = (entry: string): string => `import { openFold } from "${entry}";
const { device } = await openFold({ adapter: "software" });
const adapter = { features: device.features, limits: device.limits, requestDevice: async () => device };
Object.defineProperty(globalThis, "navigator", { value: { gpu: { requestAdapter: async () => adapter, wgslLanguageFeatures: new Set() } } });`;

interface Bundled {
  /** Every file: its bytes, gzipped, and its text. */
  readonly files: ReadonlyMap<string, { readonly bytes: number; readonly text: string }>;
  /** Those that the program had loaded when it came to its end. */
  readonly loaded: readonly string[];
  readonly result: unknown;
}

/** Who bundles the program. Most apps are built with Vite, which tells best what is loaded later; esbuild also makes one file. */
type Bundler = "vite" | "esbuild" | "one file";

/** What Vite makes of a project's `main.js`. */
async function viteBuilt(project: string): Promise<Rolldown.RolldownOutput["output"]> {
  const built = await viteBuild({
    root: project,
    configFile: false,
    logLevel: "error",
    build: {
      write: false,
      target: "es2022",
      modulePreload: false,
      rolldownOptions: {
        input: join(project, "main.js"),
        output: { entryFileNames: "main.mjs", chunkFileNames: "[name]-[hash].mjs", minify: true },
      },
    },
  });
  const [{ output }] = [built].flat() as [Rolldown.RolldownOutput];
  return output;
}

const bundlers: Record<
  Bundler,
  (project: string) => Promise<readonly (readonly [path: string, text: string])[]>
> = {
  async vite(project) {
    const output = await viteBuilt(project);
    return output.map((one) => [join(project, "dist", one.fileName), one.type === "chunk" ? one.code : ""]);
  },
  esbuild: (project) => esbuilt(project, true),
  "one file": (project) => esbuilt(project, false),
};

async function esbuilt(
  project: string,
  splitting: boolean,
): Promise<readonly (readonly [path: string, text: string])[]> {
  const { outputFiles } = await build({
    absWorkingDir: project,
    entryPoints: ["main.js"],
    bundle: true,
    minify: true,
    splitting,
    format: "esm",
    target: "es2022",
    outdir: "dist",
    outExtension: { ".js": ".mjs" },
    write: false,
  });
  return outputFiles.map(({ path, text }) => [path, text]);
}

/** Bundles a program, runs it, and sees which files it loads. */
async function bundleAndRun(program: string, bundler: Bundler, after = ""): Promise<Bundled> {
  const project = await packed.project(["webgpu", "@sparticuz/chromium"], { "main.js": program });
  const files = new Map<string, { bytes: number; text: string }>();
  for (const [path, text] of await bundlers[bundler](project)) {
    const name = basename(path);
    files.set(name, { bytes: gzipSync(text, { level: 9 }).length, text });
    await put(path, `(globalThis.loaded ??= []).push("${name}");\n${text}`);
  }
  await put(
    join(project, "run.mjs"),
    `${gpuFrom("wavefold/node")}
await import("./dist/main.mjs");
await globalThis.done;
${after}
console.log(JSON.stringify({ loaded: globalThis.loaded, result: globalThis.result }));
process.exit();`,
  );
  const printed = (await run(process.execPath, ["run.mjs"], project)).trim().split("\n").at(-1) ?? "";
  return { files, ...(JSON.parse(printed) as Pick<Bundled, "loaded" | "result">) };
}

/**
 * Runs a program with the package as it lies in `dist/`, and sees which of its files it loads. The adapter comes from another copy of the package.
 */
async function runUnbundled(program: string): Promise<Bundled> {
  const other = await packed.project(["webgpu", "@sparticuz/chromium"], {});
  const entry = pathToFileURL(join(other, "node_modules/wavefold/dist/node.js")).href;
  const project = await packed.project([], {
    "main.js": program,
    "run.mjs": `import { Session } from "node:inspector";
${gpuFrom(entry)}
const session = new Session();
const scripts = [];
session.connect();
session.on("Debugger.scriptParsed", ({ params }) => scripts.push(params.url));
session.post("Debugger.enable");
scripts.length = 0;
await import("./main.js");
await globalThis.done;
console.log(JSON.stringify({ scripts, result: globalThis.result }));
process.exit();`,
  });
  const printed = (await run(process.execPath, ["run.mjs"], project)).trim().split("\n").at(-1) ?? "";
  const { scripts, result } = JSON.parse(printed) as { scripts: readonly string[]; result: unknown };
  const files = new Map<string, { bytes: number; text: string }>();
  for (const url of scripts.filter((one) => one.includes("/node_modules/wavefold/dist/"))) {
    const text = await readFile(new URL(url), "utf8");
    files.set(basename(url), { bytes: gzipSync(text, { level: 9 }).length, text });
  }
  return { files, loaded: [...files.keys()], result };
}

const bytesOf = ({ files, loaded }: Bundled): number =>
  loaded.reduce((sum, name) => sum + (files.get(name)?.bytes ?? Number.NaN), 0);

test.each(budgets.map((budget) => [budget.what, budget] as const))(
  "%s",
  async (what, { program, after, result, limit, esbuild }) => {
    const [vite, split, whole] = (await Promise.all(
      (["vite", "esbuild", "one file"] as const).map((bundler) => bundleAndRun(program, bundler, after)),
    )) as [Bundled, Bundled, Bundled];
    for (const one of [vite, split, whole]) {
      expect(one.result).toEqual(result);
      expect(bytesOf(one)).toBeGreaterThan(0);
    }
    const show = (one: Bundled): string =>
      `${bytesOf(one)} bytes in ${one.loaded.length} of ${one.files.size} files`;
    console.log(
      `${what}, gzipped: by Vite ${show(vite)} (at most ${limit.bytes} in ${limit.files}), by esbuild ${show(split)} (at most ${esbuild}), in one file ${bytesOf(whole)}.\n${vite.loaded.map((name) => `  ${vite.files.get(name)?.bytes} ${name}`).join("\n")}`,
    );
    expect(bytesOf(vite), `${what} has grown`).toBeLessThanOrEqual(limit.bytes);
    expect(vite.loaded.length, `${what} takes more requests`).toBeLessThanOrEqual(limit.files);
    expect(bytesOf(split), `${what} has grown as esbuild bundles it`).toBeLessThanOrEqual(esbuild);
  },
);

/** What those of the reader's files have that do its work. */
const READER = "takes no number with a fraction, and this is";
const readersIn = ({ files, loaded }: Bundled): number =>
  loaded.filter((name) => files.get(name)?.text.includes(READER)).length;

const loads: Readonly<Record<string, (program: string) => Promise<Bundled>>> = {
  "by Vite": (program) => bundleAndRun(program, "vite"),
  "by esbuild": (program) => bundleAndRun(program, "esbuild"),
  unbundled: runUnbundled,
};

test.each(Object.entries(loads))(
  "what reads texts over 64-bit values is loaded with the first array of such values, or the first such text, and once: %s",
  async (_, load) => {
    const onWords = await load(scanOf("Uint32Array", '{ map: "x * x" }'));
    expect([onWords.result, readersIn(onWords)]).toEqual([[9, 10, 59], 0]);
    const withoutText = await load(scanOf("Float64Array"));
    expect([withoutText.result, readersIn(withoutText)]).toEqual([[3, 4, 11], 1]);
    const withText = await load(scanOf("Float64Array", '{ map: "x * x" }'));
    expect([withText.result, readersIn(withText)]).toEqual([[9, 10, 59], 1]);
    const toOther = await load(
      programOf(
        "f64, openFold",
        'globalThis.result = [...await fold.scan(Uint32Array.of(3, 1, 7), { type: f64, map: "f64(x) / 2" })];',
      ),
    );
    expect([toOther.result, readersIn(toOther)]).toEqual([[1.5, 2, 5.5], 1]);
  },
);

/** A program that writes a kernel's functions for an operator on f64. */
const inKernelOf = (names: string, from: string): string => `import { ${names} } from "wavefold";
  import { ${from} } from "wavefold/wgsl";
  const sum = operator({ name: "sum", type: f64, identity: 0, combine: "earlier + later" });
  try {
    globalThis.result = workGroupReduce({ type: f64, op: sum, workGroupSize: 64 }).code.includes("add_f64");
  } catch (cause) {
    globalThis.result = cause.message;
  }`;

test("a bundle's in-kernel functions read texts over the types of wavefold/wgsl", async () => {
  const direct = inKernelOf("openFold, operator", "f64, workGroupReduce");
  const mixed = inKernelOf("f64, operator", "workGroupReduce");
  for (const bundler of ["vite", "esbuild"] as const) {
    expect((await bundleAndRun(direct, bundler)).result).toBe(true);
    // Bundlers leave out the types that nothing uses, and the reader with them.
    expect((await bundleAndRun(mixed, bundler)).result).toContain('take these types from "wavefold/wgsl"');
  }
  expect((await runUnbundled(mixed)).result).toBe(true);
});

test("the 64-bit arithmetic is loaded where a 64-bit array is met, and not before", async () => {
  const has = ({ files, loaded }: Bundled): boolean =>
    loaded.some((name) => files.get(name)?.text.includes("fn add_f64("));
  const narrow = await bundleAndRun(scanOf("Uint32Array"), "vite");
  expect(has(narrow)).toBe(false);
  const wide = await bundleAndRun(scanOf("Float64Array"), "vite");
  expect(wide.result).toEqual([3, 4, 11]);
  expect(has(wide)).toBe(true);
});

test("ARCHITECTURE.md has the bytes of each part that is loaded later", async () => {
  const project = await packed.project([], {
    "main.js":
      'import { openFold, runLitmusTests, tuneAdapter } from "wavefold"; globalThis.all = [openFold, runLitmusTests, tuneAdapter];',
  });
  const chunks = (await viteBuilt(project)).filter((one) => one.type === "chunk");
  const named = new Map(chunks.map((one) => [one.fileName, one]));
  /** A file, and what it imports at once. */
  const reached = (fileName: string, found = new Set<string>()): ReadonlySet<string> => {
    if (named.has(fileName) && !found.has(fileName)) {
      found.add(fileName);
      for (const one of named.get(fileName)?.imports ?? []) {
        reached(one, found);
      }
    }
    return found;
  };
  const atOnce = reached("main.mjs");
  const DEVICE = "src/gpu/at_hand/on_device.ts";
  const filesOf = (path: string): ReadonlySet<string> => {
    const file = `/chunks/${basename(path, ".ts")}.js`;
    const entry = chunks.find(({ moduleIds }) => moduleIds.some((id) => slashed(id).endsWith(file)));
    return reached(entry?.fileName ?? "");
  };
  // What a device takes is there before all other parts that need one.
  const sizeOf = (path: string): number => {
    const before = path === DEVICE ? atOnce : new Set([...atOnce, ...filesOf(DEVICE)]);
    const bytes = [...filesOf(path)]
      .filter((name) => !before.has(name))
      .map((name) => gzipSync(named.get(name)?.code ?? "", { level: 9 }).length);
    return bytes.reduce((sum, one) => sum + one, 0) / 1000;
  };
  const rows = (await readFile("ARCHITECTURE.md", "utf8")).matchAll(
    /^\| `(src\/[^`|]+)` \| [^|]+ \| ([\d.]+) \|$/gm,
  );
  const said = [...rows].map(([, path = "", kilobytes]) => [path, Number(kilobytes)] as const);
  const loaders = (await readFile("src/parts.ts", "utf8")).matchAll(/import\("\.\/([^"]+)"\)/g);
  const parts = [...loaders].map(([, path]) => `src/${path}`);
  expect(said.map(([path]) => path).sort()).toEqual(parts.sort());
  const sizes = said.map(([path, kilobytes]) => ({ path, kilobytes, size: sizeOf(path) }));
  console.log(sizes.map(({ path, size }) => `  ${size.toFixed(1)} KB ${path}`).join("\n"));
  const isOff = ({ kilobytes, size }: (typeof sizes)[0]): boolean =>
    !(Math.abs(size - kilobytes) <= Math.max(0.6, size / 20));
  expect(sizes.filter(isOff)).toEqual([]);
});
