import { readdirSync, readFileSync } from "node:fs";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { parseTarGzip } from "nanotar";
import type { Browser } from "playwright-core";
import type typescript from "typescript-6.0";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adapter, skipAll } from "../support/adapter.ts";
import { chromiumMissing, launchChromium, serveFolder } from "../support/chromium.ts";
import { deno, denoMissing, denoOn } from "../support/deno.ts";
import type { Packed } from "./pack.ts";
import { npm, packPackage, run, tsc } from "./pack.ts";

// What checks the package takes long to load, so each test loads its own.

let packed: Packed;
beforeAll(async () => {
  packed = await packPackage();
});
afterAll(() => packed?.remove());

const PREFIXES = "3 4 11 11 15 16 22 25";

/** Scans, and compiles a kernel that a build linked, where there is one. */
const program = (from: string, answer: string, kernel = ""): string => `
${kernel && `import code from "${kernel}";`}
import { max, openFold } from "${from}";
const answer = async () => {
  const fold = await openFold({ cpu: "never" });
  const prefixes = await fold.scan(Uint32Array.of(3, 1, 7, 0, 4, 1, 6, 3));
  const greatest = await fold.reduce(Float64Array.of(2, 9, 4), { op: max });
  ${
    kernel &&
    `const info = await fold.device.createShaderModule({ code }).getCompilationInfo();
  if (info.messages.length > 0) { throw new Error(info.messages[0].message); }`
  }
  fold.destroy();
  return prefixes.join(" ") + ", " + greatest;
};
${answer}
`;
const EXPECTED = `${PREFIXES}, 9`;

const kernelFile = `// wavefold: work_group_scan_exclusive_add_u32
@group(0) @binding(0) var<storage, read_write> counts: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  counts[i] = work_group_scan_exclusive_add_u32(counts[i], i);
}
`;

describe("Node.js", () => {
  test("every entry is imported", async () => {
    const project = await packed.project(["fast-check"], {
      "main.js": `for (const name of ${JSON.stringify(packed.entries.code)}) {
        const names = Object.keys(await import(name));
        if (names.length === 0) { throw new Error(name + " exports nothing"); }
        console.log(name, names.length);
      }`,
    });
    const lines = (await run(process.execPath, ["main.js"], project)).trim().split("\n");
    expect(lines).toHaveLength(packed.entries.code.length);
    expect(packed.entries.code).toContain("wavefold");
  });

  test("a scan, and the command", async () => {
    const project = await packed.project(["webgpu", "@sparticuz/chromium"], {
      "main.js": program("wavefold/node", "console.log(await answer());"),
    });
    expect((await run(process.execPath, ["main.js"], project)).trim()).toBe(EXPECTED);
    const cli = join(project, "node_modules", "wavefold", "dist", "cli.js");
    const emitted = await run(
      process.execPath,
      [cli, "emit", "scan", "--type", "u32", "--op", "add"],
      project,
    );
    expect(emitted).toContain("fn work_group_scan_exclusive");
  });

  test("README's first lines print what it says", async () => {
    const readme = readFileSync("README.md", "utf8");
    const [, program = ""] = /^```js\n([\s\S]*?)^```$/m.exec(readme) ?? [];
    const [, printed] = /They print `([^`]+)`/.exec(readme) ?? [];
    expect(program.trim().split("\n")).toHaveLength(5);
    const project = await packed.project(["webgpu", "@sparticuz/chromium"], { "first.mjs": program });
    expect((await run(process.execPath, ["first.mjs"], project)).trim()).toBe(printed);
  });

  test("npm installs the file in an empty folder, and npx runs its command", async () => {
    const name = basename(packed.file);
    for (const page of ["README.md", "docs/guides/first-scan.md"]) {
      const named = readFileSync(page, "utf8").match(/\bwavefold-[\w.]+\.tgz/g) ?? [];
      expect([...new Set(named)], page).toEqual([name]);
    }
    const folder = await mkdtemp(join(tmpdir(), "wavefold-empty-"));
    try {
      await copyFile(packed.file, join(folder, name));
      await run(...npm("install", "--no-audit", "--no-fund", `./${name}`), folder);
      // `npx`, in npm's own words. It asks nobody, since the package is there.
      const emitted = await run(...npm("exec", "--offline", "--", "wavefold", "emit", "scan"), folder);
      expect(emitted).toContain("fn work_group_scan_inclusive");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("without the optional packages, an error names the one to install", async () => {
    const project = await packed.project([], { "main.js": program("wavefold/node", "await answer();") });
    await expect(run(process.execPath, ["main.js"], project)).rejects.toThrow("npm install webgpu");
  });

  test("it has no dependency", async () => {
    const project = await packed.project([], {
      "main.js":
        'console.log(JSON.stringify((await import("wavefold/package.json", { with: { type: "json" } })).default));',
    });
    const manifest = JSON.parse(await run(process.execPath, ["main.js"], project)) as object;
    expect(manifest).not.toHaveProperty("dependencies");
  });
});

test("Deno", async ({ skip }) => {
  skip(denoMissing !== undefined, denoMissing);
  const project = await packed.project([], {
    "main.js": program("wavefold", "console.log(await answer());\nDeno.exit(0);"),
  });
  const printed = await run(
    deno,
    ["run", "-A", "--no-lock", "--no-remote", "--node-modules-dir=manual", "--unstable-webgpu", "main.js"],
    project,
    {
      ...process.env,
      ...(adapter === "software" ? await denoOn("swiftshader") : { DENO_NO_UPDATE_CHECK: "1" }),
    },
  );
  expect(printed.trim()).toBe(EXPECTED);
});

describe("in Chromium", () => {
  let browser: Browser;
  skipAll(chromiumMissing);
  beforeAll(async () => {
    if (chromiumMissing !== undefined) {
      return;
    }
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  const page = (script: string): string =>
    `<!doctype html><meta charset="utf-8"><title>empty</title><script type="module" src="${script}"></script>`;
  const answer =
    "answer().then((text) => { document.title = text; }, (cause) => { document.title = String(cause); });";

  /** The title that the page of a folder gives itself. */
  async function titleOf(folder: string): Promise<string> {
    const server = await serveFolder(folder);
    const tab = await browser.newPage();
    const errors: string[] = [];
    tab.on("pageerror", (cause) => errors.push(String(cause)));
    tab.on("requestfailed", (request) => errors.push(`${request.url()} failed`));
    try {
      await tab.goto(server.url);
      await tab
        .waitForFunction("document.title !== 'empty'", undefined, { timeout: 120_000 })
        .catch(() => {});
      expect(errors).toEqual([]);
      return await tab.title();
    } finally {
      await tab.close();
      await server.close();
    }
  }

  test('a plain <script type="module">', async () => {
    const project = await packed.project([], {
      "index.html": page("main.js"),
      "main.js": program("./node_modules/wavefold/dist/index.js", answer),
    });
    expect(await titleOf(project)).toBe(EXPECTED);
  });

  test("bundled by esbuild", async () => {
    const project = await packed.project(["esbuild"], {
      "dist/index.html": page("main.js"),
      "kernel.wgsl": kernelFile,
      "main.js": program("wavefold", answer, "./kernel.wgsl"),
      "build.js": `
        import { build } from "esbuild";
        import { wavefold } from "wavefold/esbuild";
        await build({ entryPoints: ["main.js"], bundle: true, format: "esm", outdir: "dist", plugins: [wavefold()] });
      `,
    });
    await run(process.execPath, ["build.js"], project);
    expect(await titleOf(join(project, "dist"))).toBe(EXPECTED);
  });

  test("bundled by Vite", async () => {
    const project = await packed.project(["vite"], {
      "index.html": page("/main.js"),
      "kernel.wgsl": kernelFile,
      "main.js": program("wavefold", answer, "./kernel.wgsl"),
      "vite.config.js":
        'import { wavefold } from "wavefold/vite";\nexport default { plugins: [wavefold()] };',
    });
    await run(process.execPath, [join(project, "node_modules/vite/bin/vite.js"), "build"], project);
    expect(await titleOf(join(project, "dist"))).toBe(EXPECTED);
  });
});

describe("TypeScript", () => {
  const compilerOptions = {
    target: "ES2022",
    lib: ["ES2022", "DOM", "DOM.Iterable"],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    // The compiler's own library.
    skipDefaultLibCheck: true,
    noEmit: true,
  };
  /** `hasWebGpu`: whether the program knows the types of WebGPU. */
  const main = (packages: Packed, hasWebGpu: boolean): string => `
${packages.entries.types.map((name) => `/// <reference types="${name}" />`).join("\n")}
${packages.entries.code.map((name, at) => `import * as entry${at} from "${name}";`).join("\n")}
import { add, and, f32, type Fold, type GpuArray, max, openFold, struct, u32 } from "wavefold";
import { GPUBufferUsage, GPUMapMode } from "wavefold/node";
import { link, workGroupScan } from "wavefold/wgsl";
import kernel from "./kernel.wgsl";

export const entries: object[] = [${packages.entries.code.map((_, at) => `entry${at}`).join(", ")}];
const fold: Fold = await openFold();
export const prefixes: Uint32Array = await fold.scan(Uint32Array.of(1, 2), { op: add, exclusive: true });
export const greatest: number = await fold.reduce(Float32Array.of(1), { op: max });
export const total: bigint = await fold.reduce(BigInt64Array.of(1n));
const Sample = struct({ name: "Sample", fields: { time: u32, value: f32 } });
export const time: number = Sample.from([{ time: 1, value: 0.5 }]).get(0).time;
export const code: string = link(kernel, [workGroupScan({ type: u32, op: add, workGroupSize: 64 })]);
const scan = await fold.prepareScan({ type: f32, op: add, maxLength: 10 });
const device${hasWebGpu ? ": GPUDevice" : ""} = fold.device;
const buffer${hasWebGpu ? ": GPUBuffer" : ""} = device.createBuffer({ size: 40, usage: GPUBufferUsage.STORAGE });
export const read: Promise<unknown> = buffer.mapAsync(GPUMapMode.READ);
scan.record(device.createCommandEncoder(), { input: buffer, output: { buffer, offset: 0 }, length: 10 });
const array: GpuArray<"f32", number> = await fold.upload(Float32Array.of(1));
for (const one of [fold, scan, array]) { one[Symbol.dispose](); }
// @ts-expect-error a bitwise operator has no meaning on f32
void fold.reduce(Float32Array.of(1), { op: and });
// @ts-expect-error an algorithm that there is not
void fold.scan(Uint32Array.of(1), { algorithm: "bubble" });
${hasWebGpu ? "// @ts-expect-error no encoder" : ""}
scan.record(fold.adapterInfo, { input: buffer, output: buffer, length: 10 });
`;

  /** Each two of a compiler, of WebGPU's types and of a resolution meet. */
  const cases = [
    ["typescript-5.4", "none", "bundler"],
    ["typescript-5.4", "@webgpu/types", "nodenext"],
    ["typescript-5.9", "none", "nodenext"],
    ["typescript-5.9", "@webgpu/types", "bundler"],
    // From here on, the library of the DOM has WebGPU.
    ["typescript-6.0", "lib.dom", "bundler"],
    ["typescript-6.0", "lib.dom", "nodenext"],
    ["typescript", "lib.dom", "bundler"],
    ["typescript", "lib.dom", "nodenext"],
  ] as const;
  const resolutions = {
    bundler: { module: "ESNext", moduleResolution: "bundler" },
    nodenext: { module: "NodeNext", moduleResolution: "NodeNext" },
  } as const;

  test.each(cases)("%s, WebGPU's types: %s, moduleResolution %s", async (compiler, types, resolution) => {
    // Types of the plugin for esbuild, and of the check, are those packages' own.
    const project = await packed.project(["esbuild", "fast-check", "@webgpu/types"], {
      "main.ts": main(packed, types !== "none"),
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          ...compilerOptions,
          ...resolutions[resolution],
          types: types === "@webgpu/types" ? [types] : [],
        },
        files: ["main.ts"],
      }),
    });
    await run(...tsc(compiler, "-p", "."), project);
  });

  test("every option has a comment", async () => {
    const { default: ts } = await import("typescript-6.0");
    const project = await packed.project([], {});
    const folder = join(project, "node_modules", "wavefold", "dist", "types");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".d.ts"),
    );
    const program = ts.createProgram(
      files.map((path) => join(folder, path)),
      { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, types: [] },
    );
    const checker = program.getTypeChecker();
    const seen = new Set<typescript.Symbol>();
    const bare: string[] = [];
    let count = 0;
    for (const [, { types }] of Object.entries(packed.exports)) {
      const file = types === undefined ? undefined : program.getSourceFile(join(folder, "..", "..", types));
      const module = file && checker.getSymbolAtLocation(file);
      for (const exported of module === undefined ? [] : checker.getExportsOfModule(module)) {
        const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
        const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
        if (seen.has(symbol)) {
          continue;
        }
        seen.add(symbol);
        const visit = (node: typescript.Node): void => {
          // Patterns that pick from a union, as in `Extract<Own, { keys: unknown }>`, are no options.
          const isPattern =
            ts.isConditionalTypeNode(node) ||
            (ts.isTypeReferenceNode(node) && /^(Extract|Exclude)$/.test(node.typeName.getText()));
          if (isPattern) {
            return;
          }
          if (ts.isPropertySignature(node) || ts.isMethodSignature(node)) {
            count++;
            if (ts.getJSDocCommentsAndTags(node).length === 0) {
              bare.push(`${symbol.name}.${node.name.getText()}`);
            }
          }
          ts.forEachChild(node, visit);
        };
        for (const one of symbol.declarations ?? []) {
          // Tables of types and of operators are variables.
          if (!ts.isVariableDeclaration(one)) {
            ts.forEachChild(one, visit);
          }
        }
      }
    }
    expect(count).toBeGreaterThan(300);
    expect([...new Set(bare)].sort()).toEqual([]);
  });
});

describe("what is in the package", () => {
  let texts: ReadonlyMap<string, string>;
  beforeAll(async () => {
    const files = await parseTarGzip(packed.tarball);
    texts = new Map(
      files.map(({ name, data }) => [name.replace(/^package\//, ""), new TextDecoder().decode(data)]),
    );
  });

  test("pages link what is there", () => {
    const pages = [...texts.keys()].filter((name) => name.endsWith(".md"));
    expect(pages).toContain("README.md");
    const dead = pages.flatMap((page) =>
      [...(texts.get(page) ?? "").matchAll(/\]\(([^)\s#]+)[^)]*\)/g)]
        .map(([, link = ""]) => link)
        // Pages of the site are built from a checkout.
        .filter((link) => !/^https?:|^\.\.\/\.\.\/site\/\w+\.html$/.test(link))
        .filter((link) => !texts.has(join(dirname(page), link)))
        .map((link) => `${page}: ${link}`),
    );
    expect(dead).toEqual([]);
  });

  test("examples that pages name and import are there", () => {
    const pages = [...texts].filter(([name]) => name.startsWith("docs/guides/"));
    const named = pages.flatMap(([page, text]) => [
      ...[...text.matchAll(/(?<!\/)\bexamples\/[\w./-]*[\w/]/g)].map(([path]) => [page, path] as const),
      // Guides import files of their example's folder.
      ...[...text.matchAll(/^import .* from "\.\/(\w+\.ts)"/gm)].map(
        ([, file = ""]) => [page, file] as const,
      ),
    ]);
    expect(new Set(named.map(([, path]) => path)).size).toBeGreaterThan(3);
    const paths = [...texts.keys()];
    const missing = named.filter(
      ([, path]) =>
        !paths.some(
          (one) =>
            one === path ||
            one.startsWith(`${path.replace(/\/$/, "")}/`) ||
            (one.startsWith("examples/") && one.endsWith(`/${path}`)),
        ),
    );
    expect(missing).toEqual([]);
  });

  test("the helper that guides import runs in a program", async () => {
    const project = await packed.project(["esbuild", "webgpu", "@sparticuz/chromium"], {
      "kernel.ts": texts.get("examples/in-kernel/kernel.ts") ?? "",
      "main.ts": `
import { openFold } from "wavefold/node";
import { linkDirectives } from "wavefold/wgsl";
import { runKernel } from "./kernel.ts";
const fold = await openFold({ cpu: "never" });
const kernel = ${JSON.stringify(kernelFile)};
const [counts] = await runKernel(fold.device, linkDirectives(kernel), [new Uint32Array(64).fill(2)]);
console.log(counts?.slice(-3).join(" "));
fold.destroy();
`,
      "build.mjs": `
        import { build } from "esbuild";
        await build({ entryPoints: ["main.ts"], bundle: true, platform: "node", format: "esm", packages: "external", outfile: "main.mjs" });
      `,
    });
    await run(process.execPath, ["build.mjs"], project);
    expect((await run(process.execPath, ["main.mjs"], project)).trim()).toBe("122 124 126");
  });

  test("each package whose code it holds has its licence there", () => {
    const licences = texts.get("dist/THIRD_PARTY_LICENSES.txt") ?? "";
    const titles = [...licences.matchAll(/^(\S+) [\d.]+ \([^)]+\), in (.*)$/gm)];
    const held = new Map(titles.map(([, name = "", files = ""]) => [name, files.split(", ")]));
    // esbuild's comments say where code is from. The command has none: it is minified.
    const found = [...texts].flatMap(([file, text]) =>
      file.endsWith(".js")
        ? [...text.matchAll(/^\s*\/\/ (?:\S*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)/gm)].map(([, name]) => ({
            name,
            file,
          }))
        : [],
    );
    expect(found).toContainEqual({ name: "nanotar", file: "dist/node.js" });
    for (const { name = "", file } of found) {
      expect(held.get(name), `${name} in ${file}`).toContain(file);
    }
    for (const name of ["commander", "echarts", "nanotar", "signal-exit", "yauzl"]) {
      expect(held.get(name)).toContain("dist/cli.js");
    }
    // A notice of the packages' own stands behind each title.
    const parts = licences.split(`\n${"-".repeat(80)}\n`);
    expect(parts).toHaveLength(titles.length);
    expect(parts.filter((part) => !/copyright|permission/i.test(part))).toEqual([]);
  });
});

test("publint finds nothing", async () => {
  const [{ publint }, { formatMessage }] = await Promise.all([import("publint"), import("publint/utils")]);
  const { messages, pkg } = await publint({ pack: { tarball: packed.tarball.buffer }, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
});

test("the types are right in every resolution that takes ESM", async () => {
  const { checkPackage, createPackageFromTarballData } = await import("@arethetypeswrong/core");
  const result = await checkPackage(createPackageFromTarballData(packed.tarball));
  const problems = "problems" in result ? result.problems : [{ kind: "no types" }];
  // The package is ESM alone: attw's own profile for that leaves these two resolutions out.
  const others = problems.filter(
    (problem) =>
      !("resolutionKind" in problem && ["node10", "node16-cjs"].includes(String(problem.resolutionKind))),
  );
  expect(others).toEqual([]);
});
