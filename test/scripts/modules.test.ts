import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import nodePath, { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import {
  bareShaders,
  byStarts,
  inOrder,
  loadWgsl,
  packageFolderOf,
  shaderTexts,
  slashed,
  wgslModule,
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
  test("are the same as with LF, with comments and without", () => {
    expect(files.length).toBeGreaterThan(100);
    for (const [path, text] of files) {
      const file = fileURLToPath(new URL(path, shaders));
      expect(withoutComments(withCrlf(text)), path).toBe(withoutComments(text));
      for (const change of [undefined, withoutComments]) {
        expect(wgslModule(file, withCrlf(text), change), path).toBe(wgslModule(file, text, change));
      }
    }
  });

  test("would be split as the others are", () => {
    for (const [path, text] of files) {
      const names = (one: string): string[] => parse(one).declarations.map(({ name }) => name);
      expect(names(withCrlf(text)), path).toEqual(names(text));
    }
  });
});

describe("an imported .wgsl file", () => {
  test("of shaders/ is its path and its text, which the package has without comments", async () => {
    for (const [path, text] of files) {
      const file = fileURLToPath(new URL(path, shaders));
      const name = `shaders/${path}`;
      const { code } = await bareShaders.load.handler(file);
      expect(code).toBe(`export default ${JSON.stringify({ name, text: withoutComments(text) })};`);
      expect(await loadWgsl(file)).toBe(`export default ${JSON.stringify({ name, text })};`);
    }
  });

  test("of a program is its text alone, with its comments", async () => {
    const folder = await mkdtemp(join(tmpdir(), "wavefold-wgsl-"));
    try {
      const text = "// A comment.\nconst A = 1u;\n";
      for (const path of ["shaders.wgsl", "shaders/a.wgsl"].map((name) => join(folder, name))) {
        await mkdir(dirname(path), { recursive: true });
        writeFileSync(path, withCrlf(text));
        const { code } = await bareShaders.load.handler(path);
        expect(code).toBe(`export default ${JSON.stringify(text)};`);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("of shaders/ is bundled only if it is used", async () => {
    const { outputFiles } = await build({
      stdin: {
        contents:
          'import used from "#shaders/contract.wgsl";\nimport unused from "#shaders/device/kernels/scan_tiles.wgsl";\nexport { used };',
        resolveDir: fileURLToPath(shaders),
      },
      bundle: true,
      format: "esm",
      write: false,
      plugins: [shaderTexts],
    });
    const [bundle] = outputFiles;
    const { used } = (await import(`data:text/javascript,${encodeURIComponent(bundle?.text ?? "")}`)) as {
      used: unknown;
    };
    const [, text] = files.find(([path]) => path === "contract.wgsl") ?? [];
    expect(used).toEqual({ name: "shaders/contract.wgsl", text });
    expect(bundle?.text.match(/shaders\/\w[\w/]*\.wgsl"/g)).toEqual(['shaders/contract.wgsl"']);
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
      [name("src/gpu/device.ts")]: [
        name("src/gpu/open.ts"),
        name("src/gpu/shared.ts"),
        name("src/gpu/alone.ts"),
      ],
      [name("src/gpu/cpu.ts")]: [name("src/gpu/shared.ts")],
      [name("src/gpu/shared.ts")]: [],
      [name("src/gpu/alone.ts")]: [],
      [name("src/errors.ts")]: [],
      [name("src/wgsl.ts")]: [name("src/errors.ts")],
    };
    /** What import() names. */
    const parts = [name("src/gpu/device.ts")];
    const context = {
      getModuleInfo: (id: string) =>
        graph[id] === undefined
          ? null
          : { importedIds: graph[id], dynamicImporters: parts.includes(id) ? [name("src/gpu/fold.ts")] : [] },
    };
    const chunks = {
      core: ["src/gpu/open.ts"],
      device: ["src/gpu/device.ts"],
      cpu: ["src/gpu/cpu.ts"],
    };
    const options = { others: ["src/wgsl.ts"], bases: { core: "base" } };
    const chunksWith = (joined: readonly string[]) =>
      Object.keys(graph).map((id) => inOrder(chunks, { ...options, joined }, nodePath.win32)(id, context));
    expect(chunksWith([])).toEqual(["core", "core", null, "cpu", "device", "device", "base", null]);
    expect(chunksWith(["src/gpu/device.ts"])).toEqual([
      "core",
      "core",
      "device",
      "cpu",
      "device",
      "device",
      "base",
      null,
    ]);
    expect(() =>
      inOrder({ none: ["src/none.ts"] }, {}, nodePath.win32)(name("src/wgsl.ts"), context),
    ).toThrow("there is no module");
    const starts = { errors: ["src/errors.ts"], device: ["src/gpu/device.ts"], cpu: ["src/gpu/cpu.ts"] };
    const chunkByStart = byStarts("src/wgsl.ts", { ...starts, wgsl: ["src/wgsl.ts"] }, nodePath.win32);
    expect(Object.keys(graph).map((id) => chunkByStart(id, context))).toEqual([
      "device",
      "device",
      "device",
      "cpu",
      "device_cpu",
      "device",
      "errors",
      null,
    ]);
  });
});
