import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shaderTexts } from "../../scripts/modules.mjs";
import { canFindGpu } from "../../src/gpu/adapters/vulkan_loader.ts";
import { packagesMissing } from "../support/adapter.ts";

// Which adapter is taken on systems that this machine is not: the system's name is faked, and so is the package webgpu.

const WEBGPU = `
if (process.env.HAS === "broken") {
  throw new Error("libc.so.6: version GLIBC_2.38 not found");
}
export const create = () => ({
  async requestAdapter(options) {
    console.log("asked " + JSON.stringify(options));
    const isFallbackAdapter = options.forceFallbackAdapter === true || !process.env.HAS.includes("gpu");
    if (isFallbackAdapter && !process.env.HAS.includes("software")) { return null; }
    const requestDevice = async () => { throw new Error(isFallbackAdapter ? "took software" : "took gpu"); };
    return { info: { isFallbackAdapter }, features: new Set(), limits: {}, requestDevice };
  },
});`;

const PROGRAM = `
const [platform, arch, adapter] = process.argv.slice(2);
for (const [name, value] of Object.entries({ platform, arch })) {
  Object.defineProperty(process, name, { value });
}
// Other runtimes say other things of a library that is no module of theirs.
const says = {
  bun: "symbol 'napi_register_module_v1' not found in native module. Is this a Node API (napi) module?",
  deno: "Invalid path",
}[process.env.RUNTIME];
if (says !== undefined) {
  process.dlopen = () => { throw new Error(says); };
}
if (process.env.RUNTIME === "bun") {
  Object.defineProperty(process.versions, "bun", { value: "1.4.5" });
}
if (process.env.RUNTIME === "deno") {
  globalThis.Deno = {};
}
const { openFold } = await import("./wavefold.mjs");
await openFold({ cpu: "never", ...(adapter !== undefined && { adapter }) }).catch((error) => {
  const of = error.name === "AdapterError" && error.package ? " of " + error.package : "";
  console.log(error.name + of + ": " + error.message);
});
`;

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-adapters-"));
  const webgpu = join(folder, "node_modules", "webgpu");
  mkdirSync(webgpu, { recursive: true });
  writeFileSync(join(webgpu, "package.json"), '{ "name": "webgpu", "type": "module", "main": "index.js" }');
  writeFileSync(join(webgpu, "index.js"), WEBGPU);
  writeFileSync(join(folder, "main.mjs"), PROGRAM);
  await build({
    entryPoints: { wavefold: "src/node.ts" },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    target: "es2022",
    platform: "node",
    plugins: [shaderTexts],
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function openedOn(system: string, has: string, adapter?: string, runtime = ""): Promise<string[]> {
  const args = ["main.mjs", ...system.split(" "), ...(adapter === undefined ? [] : [adapter])];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, HAS: has, RUNTIME: runtime },
  });
  return stdout.trim().split("\n");
}

const existsVulkan = process.platform === "linux" && canFindGpu();
const GPU = 'asked {"powerPreference":"high-performance","featureLevel":"core"}';
const FALLBACK = 'asked {"forceFallbackAdapter":true}';
const took = (kind: string): string => `AdapterError: openFold: the adapter gave no device: took ${kind}`;

test.each([
  ["darwin arm64", "gpu", undefined, [GPU, took("gpu")]],
  ["win32 x64", "gpu,software", undefined, [GPU, took("gpu")]],
  // WARP.
  ["win32 x64", "software", undefined, [GPU, FALLBACK, took("software")]],
  ["win32 arm64", "gpu,software", "software", [FALLBACK, took("software")]],
  [
    "win32 x64",
    "software",
    "gpu",
    [
      GPU,
      /^AdapterError: openFold: no GPU was found; a software adapter takes its place with adapter: "software"\. Direct3D 12.*/,
    ],
  ],
  [
    "darwin arm64",
    "gpu",
    "software",
    [
      FALLBACK,
      "AdapterError: openFold: no software adapter was found: SwiftShader is built for Linux x64, and this system, darwin arm64, has none of its own",
    ],
  ],
  [
    "darwin x64",
    "",
    undefined,
    [
      GPU,
      FALLBACK,
      /^AdapterError: openFold: neither a GPU nor a software adapter was found: SwiftShader is built for Linux x64, and this system, darwin x64, has none of its own\. Metal.* has none\..*/,
    ],
  ],
  [
    "linux x64",
    "",
    undefined,
    [
      // The Vulkan loader is asked for first, and may not be there.
      ...(existsVulkan ? [GPU] : []),
      /^MissingPackageError: openFold: the software adapter needs the package @sparticuz\/chromium: npm install @sparticuz\/chromium\. It is needed since no GPU .*\. The /,
    ],
  ],
  [
    "linux x64",
    "",
    "software",
    [
      "MissingPackageError: openFold: the software adapter needs the package @sparticuz/chromium: npm install @sparticuz/chromium",
    ],
  ],
  [
    "darwin x64",
    "broken",
    "gpu",
    [
      /^AdapterError of webgpu: openFold: the package webgpu, .*index\.js, cannot be loaded: libc\.so\.6: version/,
    ],
  ],
] as const)("%s with %j, asked for %s", async (system, has, adapter, lines) => {
  expect(await openedOn(system, has, adapter)).toEqual(
    lines.map((line) => (typeof line === "string" ? line : expect.stringMatching(line))),
  );
});

test.skipIf(packagesMissing("@sparticuz/chromium") !== undefined).each([
  [
    "bun",
    /SwiftShader did not start\. Bun needs LD_LIBRARY_PATH=\S+\/swiftshader-\S+ and VK_ICD_FILENAMES=\S+\.json to be set/,
  ],
  [
    "deno",
    /SwiftShader did not start\. In Deno, import wavefold in place of wavefold\/node, or set LD_LIBRARY_PATH=\S+ before/,
  ],
])("in %s, a GPU is looked for, and the error says what SwiftShader needs", async (runtime, message) => {
  expect(await openedOn("linux x64", "gpu", undefined, runtime)).toEqual([GPU, took("gpu")]);
  const scope = join(folder, "node_modules", "@sparticuz");
  mkdirSync(scope);
  try {
    symlinkSync(realpathSync("node_modules/@sparticuz/chromium"), join(scope, "chromium"), "junction");
    const lines = await openedOn("linux x64", "", undefined, runtime);
    expect(lines[0]).toBe(GPU);
    expect(lines.at(-1)).toMatch(message);
  } finally {
    rmSync(scope, { recursive: true });
  }
});
