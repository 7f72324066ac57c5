import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { parseTarGzip } from "nanotar";
import type { Browser } from "playwright-core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { softwareFolder } from "../../src/gpu/software_adapter.ts";
import { launchChromium, serveFolder } from "../support/chromium.ts";
import { adapter } from "../support/fold.ts";
import { testInTurn } from "../support/rows.ts";
import type { Packed } from "./pack.ts";
import { command, packPackage, run } from "./pack.ts";

const test = testInTurn({ of: 5 });

let packed: Packed;
beforeAll(async () => {
  packed = await packPackage();
}, 120_000);
afterAll(() => packed?.remove());

const PREFIXES = "3 4 11 11 15 16 22 25";

/** Scans, and compiles a kernel that a build linked, where there is one. */
const program = (from: string, answer: string, kernel = ""): string => `
${kernel && `import code from "${kernel}";`}
import { max, openFold } from "${from}";
const answer = async () => {
  const fold = await openFold();
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
  const deno = fileURLToPath(new URL("../../node_modules/@deno/linux-x64-glibc/deno", import.meta.url));
  skip(!existsSync(deno), "the npm package deno has no binary here");
  const project = await packed.project([], {
    "main.js": program("wavefold", "console.log(await answer());\nDeno.exit(0);"),
  });
  const driver = adapter === "software" ? await softwareFolder() : undefined;
  const printed = await run(
    deno,
    ["run", "-A", "--no-lock", "--no-remote", "--node-modules-dir=manual", "--unstable-webgpu", "main.js"],
    project,
    {
      ...process.env,
      DENO_NO_UPDATE_CHECK: "1",
      ...(driver && {
        LD_LIBRARY_PATH: driver,
        VK_ICD_FILENAMES: join(driver, "vk_swiftshader_icd.json"),
      }),
    },
  );
  expect(printed.trim()).toBe(EXPECTED);
});

describe("in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
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
      await tab.waitForFunction("document.title !== 'empty'", undefined, { timeout: 30_000 }).catch(() => {});
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
    noEmit: true,
  };
  const main = (packages: Packed): string => `
${packages.entries.types.map((name) => `/// <reference types="${name}" />`).join("\n")}
${packages.entries.code.map((name, at) => `import * as entry${at} from "${name}";`).join("\n")}
import { add, and, f32, type Fold, max, openFold, struct, u32 } from "wavefold";
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
const device: GPUDevice = fold.device;
const buffer: GPUBuffer = device.createBuffer({ size: 40, usage: 128 });
scan.record(device.createCommandEncoder(), { input: buffer, output: { buffer, offset: 0 }, length: 10 });
// @ts-expect-error a bitwise operator has no meaning on f32
void fold.reduce(Float32Array.of(1), { op: and });
// @ts-expect-error an algorithm that there is not
void fold.scan(Uint32Array.of(1), { algorithm: "bubble" });
`;

  test.each([
    ["bundler", { module: "ESNext", moduleResolution: "bundler" }],
    ["nodenext", { module: "NodeNext", moduleResolution: "NodeNext" }],
  ] as const)("moduleResolution %s", async (_, resolution) => {
    // Types of the plugin for esbuild, and of the check, are those packages' own.
    const project = await packed.project(["esbuild", "fast-check"], {
      "main.ts": main(packed),
      "tsconfig.json": JSON.stringify({
        compilerOptions: { ...compilerOptions, ...resolution },
        files: ["main.ts"],
      }),
    });
    await run(command("tsc"), ["-p", "."], project);
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
    for (const name of ["commander", "echarts", "nanotar", "npyjs", "signal-exit"]) {
      expect(held.get(name)).toContain("dist/cli.js");
    }
    // A notice of the packages' own stands behind each title.
    const parts = licences.split(`\n${"-".repeat(80)}\n`);
    expect(parts).toHaveLength(titles.length);
    expect(parts.filter((part) => !/copyright|permission/i.test(part))).toEqual([]);
  });
});

test("publint finds nothing", async () => {
  const { messages, pkg } = await publint({ pack: { tarball: packed.tarball.buffer }, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
});

test("the types are right in every resolution that takes ESM", async () => {
  const result = await checkPackage(createPackageFromTarballData(packed.tarball));
  const problems = "problems" in result ? result.problems : [{ kind: "no types" }];
  // The package is ESM alone: attw's own profile for that leaves these two resolutions out.
  const others = problems.filter(
    (problem) =>
      !("resolutionKind" in problem && ["node10", "node16-cjs"].includes(String(problem.resolutionKind))),
  );
  expect(others).toEqual([]);
});
