import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import type { BuildFailure, Plugin as EsbuildPlugin } from "esbuild";
import * as esbuild from "esbuild";
import type { Plugin as VitePlugin } from "vite";
import * as vite from "vite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { wavefold as forEsbuild } from "../../src/build/esbuild.ts";
import { wavefold as forVite } from "../../src/build/vite.ts";
import { linkDirectives } from "../../src/in_kernel/directives.ts";

const kernel = `// wavefold: work_group_scan_exclusive_add_u32 64
@group(0) @binding(0) var<storage, read_write> ranks: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) local_index: u32) {
  ranks[local_index] = work_group_scan_exclusive_add_u32(1u, local_index);
}
`;
const wrong = `\n/* é */ fn a() {}\n  // wavefold: é 64 size=3\n`;
const ENTRY = 'import code from "./kernel.wgsl";\nprocess.stdout.write(code);\n';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-build-"));
  write("kernel.wgsl", kernel);
  write("main.js", ENTRY);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});
const place = (name: string): string => join(folder, name);
const write = (name: string, text: string): void => writeFileSync(place(name), text);

/** What a built program prints. */
function printed(path: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

test.each([forEsbuild, forVite])("a plugin takes no option that there is not", (plugin) => {
  const call = (options: object) => () => plugin(options as never);
  expect(call({ filtre: /x/ })).toThrow("wavefold takes no option filtre; did you mean filter?");
  expect(call({ filtre: undefined })).not.toThrow();
});

describe("esbuild", () => {
  const build = (plugin: EsbuildPlugin, options: esbuild.BuildOptions = {}) =>
    esbuild.build({
      absWorkingDir: folder,
      entryPoints: ["main.js"],
      bundle: true,
      format: "esm",
      outfile: "out.mjs",
      logLevel: "silent",
      plugins: [plugin],
      ...options,
    });
  const failureOf = async (plugin: EsbuildPlugin): Promise<BuildFailure> => {
    const result = await build(plugin).catch((cause: BuildFailure) => cause);
    expect(readdirSync(folder)).not.toContain("out.mjs");
    return result as BuildFailure;
  };

  test("a kernel's file is its linked text", async () => {
    await build(forEsbuild());
    expect(printed(place("out.mjs"))).toBe(linkDirectives(kernel));
  });

  test("a byte order mark is not text", async () => {
    write("kernel.wgsl", `\uFEFF${kernel}`);
    await build(forEsbuild());
    expect(printed(place("out.mjs"))).toBe(linkDirectives(kernel));
  });

  test("a function that no comment asks for is an error at its call, after a byte order mark too", async () => {
    write("kernel.wgsl", `\uFEFF${kernel.replace("// wavefold:", "/* é */ //")}`);
    const { errors } = await failureOf(forEsbuild());
    expect(errors[0]).toMatchObject({
      text: expect.stringContaining("write // wavefold: work_group_scan_exclusive_add_u32 64"),
      location: { line: 5, column: "  ranks[local_index] = ".length },
    });
    write("kernel.wgsl", `\uFEFF${kernel.replace("wavefold:", "wavefold")}`);
    expect((await failureOf(forEsbuild())).errors[0]).toMatchObject({
      text: expect.stringContaining("has a colon after the word wavefold"),
      location: { line: 1, column: 0, lineText: kernel.split("\n")[0]?.replace(":", "") },
    });
  });

  test("an error is at its line, in esbuild's terms", async () => {
    write("kernel.wgsl", wrong);
    const { errors } = await failureOf(forEsbuild());
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({
      pluginName: "wavefold",
      text: "size is not a setting; it takes algorithm, counter, capacity, items, bits, suffix, min_subgroup_size, max_subgroup_size",
      location: {
        file: "kernel.wgsl",
        line: 3,
        // In bytes, of which é has two.
        column: "  // wavefold: é 64 ".length + 1,
        lineText: "  // wavefold: é 64 size=3",
      },
    });
  });

  test("its filter is the caller's", async () => {
    write("main.js", ENTRY.replace("kernel.wgsl", "kernel.gpu"));
    write("kernel.gpu", kernel);
    await build(forEsbuild({ filter: /\.gpu$/ }));
    expect(printed(place("out.mjs"))).toBe(linkDirectives(kernel));
    write("main.js", ENTRY);
    await expect(build(forEsbuild({ filter: /\.gpu$/ }))).rejects.toThrow(/No loader is configured/);
  });

  test("a change of the kernel is built, after an error too", async () => {
    const results: string[] = [];
    const seen = (count: number): Promise<void> =>
      new Promise((done) => {
        const timer = setInterval(() => {
          if (results.length >= count) {
            clearInterval(timer);
            done();
          }
        }, 20);
      });
    const context = await esbuild.context({
      absWorkingDir: folder,
      entryPoints: ["main.js"],
      bundle: true,
      write: false,
      logLevel: "silent",
      plugins: [
        forEsbuild(),
        {
          name: "results",
          setup: (one) =>
            one.onEnd(({ errors, outputFiles = [] }) => {
              results.push(errors[0]?.text ?? outputFiles[0]?.text ?? "");
            }),
        },
      ],
    });
    try {
      await context.watch();
      await seen(1);
      write("kernel.wgsl", wrong);
      await seen(2);
      write("kernel.wgsl", kernel.replaceAll("exclusive", "inclusive"));
      await seen(3);
    } finally {
      await context.dispose();
    }
    expect(results[0]).toContain("fn work_group_scan_exclusive_add_u32");
    expect(results[1]).toContain("is not a setting");
    expect(results[2]).toContain("fn work_group_scan_inclusive_add_u32");
  });
});

describe("Vite", () => {
  const build = (plugin: VitePlugin, entry = ENTRY) => {
    write("main.js", entry);
    return vite.build({
      root: folder,
      configFile: false,
      logLevel: "silent",
      plugins: [plugin],
      build: {
        lib: { entry: place("main.js"), formats: ["es"], fileName: () => "out.mjs" },
        outDir: place("out"),
        minify: false,
      },
    });
  };

  test.each(["", "?v=2", "?import&t=17"])("a kernel's file%s is its linked text", async (query) => {
    await build(forVite(), ENTRY.replace("kernel.wgsl", `kernel.wgsl${query}`));
    expect(printed(place("out/out.mjs"))).toBe(linkDirectives(kernel));
  });

  test("?raw stays Vite's", async () => {
    await build(forVite(), ENTRY.replace("kernel.wgsl", "kernel.wgsl?raw"));
    expect(printed(place("out/out.mjs"))).toBe(kernel);
  });

  test("an error is at its line", async () => {
    write("kernel.wgsl", wrong);
    const cause = await build(forVite()).then(
      () => undefined,
      (error: unknown) => error as Error & { errors?: { message: string; id: string; loc: unknown }[] },
    );
    expect(cause?.message).toContain("size is not a setting; it takes algorithm,");
    const error = cause?.errors?.[0] ?? cause;
    expect(error).toMatchObject({
      id: place("kernel.wgsl"),
      loc: { file: place("kernel.wgsl"), line: 3, column: "  // wavefold: é 64 ".length },
    });
    expect(readdirSync(folder)).not.toContain("out");
  });

  test("a server hands it out linked, and reads it again after a change", async () => {
    const server = await vite.createServer({
      root: folder,
      configFile: false,
      logLevel: "silent",
      server: { middlewareMode: true, ws: false },
      appType: "custom",
      optimizeDeps: { noDiscovery: true },
      plugins: [forVite()],
    });
    try {
      const first = await server.ssrLoadModule("/kernel.wgsl");
      expect(first.default).toBe(linkDirectives(kernel));
      const inclusive = kernel.replaceAll("exclusive", "inclusive");
      write("kernel.wgsl", inclusive);
      server.moduleGraph.invalidateAll();
      const second = await server.ssrLoadModule("/kernel.wgsl");
      expect(second.default).toBe(linkDirectives(inclusive));
      write("kernel.wgsl", wrong);
      server.moduleGraph.invalidateAll();
      await expect(server.ssrLoadModule("/kernel.wgsl")).rejects.toMatchObject({
        id: place("kernel.wgsl"),
        loc: { line: 3 },
      });
    } finally {
      await server.close();
    }
  });
});

describe("the package", () => {
  test.each([
    ["esbuild", "src/build/esbuild.ts"],
    ["vite", "src/build/vite.ts"],
  ])("brings wavefold/%s, which imports no bundler", (entry, source) => {
    const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(exports[`./${entry}`]).toEqual({
      types: `./${source.replace("src", "dist/types").replace(".ts", ".d.ts")}`,
      default: `./dist/${entry}.js`,
    });
    // From the temporary folder, no package is found.
    cpSync("dist/chunks", place("chunks"), { recursive: true });
    cpSync(`dist/${entry}.js`, place("plugin.mjs"));
    write("print.mjs", 'import { wavefold } from "./plugin.mjs";\nprocess.stdout.write(wavefold().name);\n');
    expect(printed(place("print.mjs"))).toBe("wavefold");
  });

  test.each(["", "?raw", "?url"])("types *.wgsl%s", (query) => {
    mkdirSync(place("node_modules"));
    symlinkSync(resolve("."), place("node_modules/wavefold"));
    write(
      "main.ts",
      `/// <reference types="wavefold/wgsl-modules" />\nimport code from "./kernel.wgsl${query}";\nexport const length: number = code.length;\nexport const wrong: number = code;\n`,
    );
    const { stdout } = spawnSync(
      process.execPath,
      [
        resolve("node_modules/typescript/bin/tsc"),
        ...["--noEmit", "--strict", "--module", "preserve", "--types", ""],
        "main.ts",
      ],
      { cwd: folder, encoding: "utf8" },
    );
    expect(stdout.trim()).toBe(
      "main.ts(4,14): error TS2322: Type 'string' is not assignable to type 'number'.",
    );
  });
});
