import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import nodePath, { join } from "node:path";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import {
  atOnce,
  bareShaders,
  packageFolderOf,
  shaderTexts,
  slashed,
  withoutComments,
} from "../../scripts/modules.mjs";
import { parse } from "../../src/text/module.ts";
import { linkDirectives } from "../../src/wgsl.ts";

const shaders = new URL("../../shaders/", import.meta.url);
const files = readdirSync(shaders, { recursive: true, encoding: "utf8" })
  .map(slashed)
  .filter((path) => path.endsWith(".wgsl"))
  .map((path) => [path, readFileSync(new URL(path, shaders), "utf8").replaceAll("\r\n", "\n")] as const);
const withCrlf = (text: string): string => text.replaceAll("\n", "\r\n");

describe("shaders of a checkout whose lines end in CRLF", () => {
  test("are the same in the package", async () => {
    expect(files.length).toBeGreaterThan(100);
    const folder = await mkdtemp(join(tmpdir(), "wavefold-crlf-"));
    try {
      for (const [path, text] of files) {
        expect(withoutComments(withCrlf(text)), path).toBe(withoutComments(text));
        const file = join(folder, path.replaceAll("/", "-"));
        writeFileSync(file, withCrlf(text));
        const { code } = await bareShaders.load.handler(file);
        expect(code, path).toBe(`export default ${JSON.stringify(withoutComments(text))};`);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("are the same where esbuild bundles them", async () => {
    const folder = await mkdtemp(join(tmpdir(), "wavefold-crlf-"));
    try {
      const [path, text] = files.find(([one]) => one.endsWith("scan_single_pass.wgsl")) ?? ["", ""];
      writeFileSync(join(folder, "one.wgsl"), withCrlf(text));
      writeFileSync(join(folder, "main.js"), 'import text from "./one.wgsl";\nexport default text;');
      const { outputFiles } = await build({
        entryPoints: [join(folder, "main.js")],
        bundle: true,
        format: "esm",
        write: false,
        plugins: [shaderTexts],
      });
      const module = `data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? "")}`;
      const { default: bundled } = (await import(module)) as { default: string };
      expect(bundled, path).toBe(text);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("would be split as the others are", () => {
    for (const [path, text] of files) {
      const names = (one: string): string[] => parse(one).declarations.map(({ name }) => name);
      expect(names(withCrlf(text)), path).toEqual(names(text));
    }
  });
});

test("a kernel of a caller's whose lines end in CRLF is linked as with LF", () => {
  const kernel = `// wavefold: work_group_scan_exclusive_add_u32 64
enable f16;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
  data[i] = work_group_scan_exclusive_add_u32(data[i], i);
}
`;
  const code = (text: string): string => text.replaceAll("\r\n", "\n").replaceAll(/[ \t]+$/gm, "");
  expect(code(linkDirectives(withCrlf(kernel)))).toBe(code(linkDirectives(kernel)));
});

describe("paths of Windows", () => {
  test("name the package that a file is of", () => {
    for (const path of [
      "C:\\wavefold\\node_modules\\@scope\\name\\lib\\main.js",
      "..\\node_modules\\nanotar\\dist\\index.mjs",
      "node_modules/nanotar/dist/index.mjs",
    ]) {
      expect(packageFolderOf(path), path).toMatch(/node_modules\/(@scope\/name|nanotar)$/);
    }
    expect(packageFolderOf("C:\\wavefold\\src\\index.ts")).toBeUndefined();
  });

  test.each([
    ["backslashes", (path: string) => path],
    ["slashes", slashed],
  ])("of modules, with %s, are told apart", (_, written) => {
    const name = (path: string): string => written(nodePath.win32.resolve(path));
    const graph: Record<string, readonly string[]> = {
      [name("src/gpu/open.ts")]: [name("src/errors.ts"), name("src/gpu/fold.ts")],
      [name("src/gpu/fold.ts")]: [],
      [name("src/errors.ts")]: [],
      [name("src/wgsl.ts")]: [name("src/errors.ts")],
    };
    const context = {
      getModuleInfo: (id: string) => (graph[id] === undefined ? null : { importedIds: graph[id] }),
    };
    const chunkOf = atOnce(["src/gpu/open.ts"], ["src/wgsl.ts"], nodePath.win32);
    expect(Object.keys(graph).map((id) => chunkOf(id, context))).toEqual(["core", "core", "base", null]);
    expect(() => atOnce(["src/none.ts"], [], nodePath.win32)(name("src/wgsl.ts"), context)).toThrow(
      "there is no module",
    );
  });
});
