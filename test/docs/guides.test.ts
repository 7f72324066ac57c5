import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { openFold as openInBrowser } from "../../src/index.ts";
import type { Fold } from "../../src/node.ts";
import { GPUTextureUsage, openFold, u32 } from "../../src/node.ts";
import { linkDirectives } from "../../src/wgsl.ts";
import { storageBuffer } from "../support/buffers.ts";
import type { Section } from "../support/code_blocks.ts";
import {
  blocksOf,
  commandsOf,
  expectImports,
  IMPORT,
  namesIn,
  reasonOf,
  runBlocks,
  sectionsOf,
  THROWN,
  testCommands,
} from "../support/code_blocks.ts";
import { adapter, useFold, useSoftwareFold } from "../support/fold.ts";
import { failures, nullGpu, useNullDevice } from "../support/null_device.ts";

const simulated = useFold();
const software = useSoftwareFold();
/** Sections of words that a driver says, or with a picture. */
const onSoftware = ["errors, SourceError", "render-loop, Particles that die, without reading back"];
const foldOf = (title: string): Fold => (onSoftware.includes(title) ? software() : simulated());
const nullDevice = useNullDevice();
const folder = "docs/guides";

const guides = await Promise.all(
  (await readdir(folder))
    .filter((file) => file.endsWith(".md"))
    .map(async (file) => {
      const text = await readFile(join(folder, file), "utf8");
      return { name: basename(file, ".md"), text, sections: sectionsOf(text) };
    }),
);

/** Frames that a browser would show. */
const FRAMES = 3;

/** The first WGSL of a section with a function of that name. */
const kernelWith = (section: Section, name: string): string =>
  blocksOf(section, "wgsl").find(({ text }) => text.includes(`fn ${name}(`))?.text ?? "";

/** `openFold` of the built package, in a program of its own where no other package is. */
async function openAlone(): Promise<never> {
  const place = await mkdtemp(join(tmpdir(), "wavefold-alone-"));
  try {
    await cp("dist", join(place, "dist"), { recursive: true });
    const url = pathToFileURL(join(place, "dist", "node.js")).href;
    const program = `import { openFold } from ${JSON.stringify(url)};
      openFold().catch(({ name, message }) => console.log(JSON.stringify({ name, message })));`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--eval", program],
      { cwd: place },
    );
    throw Object.assign(new Error(), JSON.parse(stdout) as object);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** What every section may leave to its reader, and what some do. */
async function givenTo(name: string, section: Section): Promise<Record<string, unknown>> {
  const title = `${name}, ${section.heading}`;
  const { device } = foldOf(title);
  const words = (): GPUBuffer => storageBuffer(device, new Uint32Array(1000));
  const given = {
    fold: await openFold({ device }),
    device,
    encoder: device.createCommandEncoder(),
    input: words(),
    output: words(),
    length: 1000,
    kernel: blocksOf(section, "wgsl").at(-1)?.text ?? "",
  };
  switch (title) {
    case "own-kernel, What to expect":
      return { ...given, kernel: guides.find((guide) => guide.name === name)?.sections[0]?.blocks[0]?.text };
    case "render-loop, Particles that die, without reading back": {
      let frames = 0;
      const format = "rgba8unorm";
      const picture = device.createTexture({
        size: [64, 64],
        format,
        usage: GPUTextureUsage.RENDER_ATTACHMENT,
      });
      return {
        ...given,
        format,
        context: { getCurrentTexture: () => picture },
        stepCode: kernelWith(section, "step"),
        drawCode: kernelWith(section, "corner"),
        requestAnimationFrame(frame: () => void) {
          if (frames++ < FRAMES) {
            frame();
          }
        },
      };
    }
    case "render-loop, Options":
      return { ...given, scan: await given.fold.prepareScan({ type: u32, maxLength: 1000 }) };
    case "errors, LimitError":
      return { ...given, navigator: { gpu: nullGpu() } };
    case "errors, FeatureError":
      return {
        ...given,
        deviceWithoutFeatures: await (await nullGpu().requestAdapter())?.requestDevice(),
      };
    case "errors, In a browser":
      return { ...given, openFold: openInBrowser };
    case "errors, In Node.js":
      return { ...given, openFold };
    case "errors, MissingPackageError":
      return { ...given, openFold: openAlone };
    default:
      return given;
  }
}

/** The types of what is given, by name. */
const givenTypes: Readonly<Record<string, string>> = {
  fold: 'import("wavefold").Fold',
  device: "GPUDevice",
  deviceWithoutFeatures: "GPUDevice",
  encoder: "GPUCommandEncoder",
  input: "GPUBuffer",
  output: "GPUBuffer",
  length: "number",
  kernel: "string",
  stepCode: "string",
  drawCode: "string",
  canvas: "HTMLCanvasElement",
  context: "GPUCanvasContext",
  format: "GPUTextureFormat",
  scan: 'import("wavefold").PreparedScan',
  openFold: 'typeof import("wavefold/node").openFold',
};

/** Names that a text declares at its top, or imports. */
const declaredIn = (text: string): string[] =>
  [...text.matchAll(/^(?:const|let|import) (?:\{ ([^}]*) \}|\[([^\]]*)\]|(\w+))/gm)].flatMap(([, ...names]) =>
    names.filter((one) => one !== undefined).flatMap(namesIn),
  );

/** A section's program as a module that type-checks on its own. */
function moduleOf(section: Section): string {
  const texts = blocksOf(section, "ts").map(({ text }) => text);
  const byModule = new Map<string, Set<string>>();
  for (const [, names = "", from = ""] of texts.flatMap((text) => [...text.matchAll(IMPORT)])) {
    byModule.set(from, new Set([...(byModule.get(from) ?? []), ...namesIn(names)]));
  }
  const imports = [...byModule].map(([from, names]) => {
    const file = from === "./kernel.ts" ? "../../examples/in-kernel/kernel.ts" : from;
    return `import { ${[...names].join(", ")} } from "${file}";`;
  });
  const body = texts
    .map((text) => text.replace(IMPORT, ""))
    .map((text) => (THROWN.test(text) ? `{\n${text}}\n` : text));
  const own = new Set(declaredIn([...imports, ...body].join("\n")));
  const given = Object.entries(givenTypes)
    .filter(([name]) => !own.has(name))
    .map(([name, type]) => `declare const ${name}: ${type};`);
  return [...imports, ...given, ...body, "export {};"].join("\n");
}

const hasGpu = (): Promise<boolean> =>
  openFold({ adapter: "gpu" }).then(
    (found) => {
      found.destroy();
      return true;
    },
    () => false,
  );

/** What a machine must lack for a section's error to come. */
const onlyWithoutGpu = ["errors, In Node.js", "errors, OutOfMemoryError"];

test("there are guides, and the index links them all", async () => {
  const index = guides.find(({ name }) => name === "index")?.text ?? "";
  const linked = [...index.matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, name]) => name);
  expect(linked.length).toBeGreaterThanOrEqual(8);
  expect([...linked, "index"].sort()).toEqual(guides.map(({ name }) => name).sort());
});

/** WebGPU's globals. Node.js has none, but a guide may set some. */
const webGpuGlobals = (): string[] =>
  Object.getOwnPropertyNames(globalThis).filter((name) => name.startsWith("GPU"));
afterEach(() => {
  for (const name of webGpuGlobals()) {
    Reflect.deleteProperty(globalThis, name);
  }
});

test("WebGPU has no globals here, as in Node.js", () => {
  expect(webGpuGlobals()).toEqual([]);
});

test("each block that opens a fold says what to import in Node.js", () => {
  const blocks = guides
    // Engines run in browsers alone.
    .filter(({ name }) => name !== "engines")
    .flatMap(({ name, sections }) =>
      sections.flatMap((section) => blocksOf(section, "ts").map(({ text }) => ({ name, text }))),
    )
    .filter(({ text }) => /^import \{[^}]*\bopenFold\b[^}]*\} from "wavefold";/m.test(text));
  expect(blocks.length).toBeGreaterThan(20);
  expect(blocks.filter(({ text }) => !text.includes('// in Node.js: from "wavefold/node"'))).toEqual([]);
});

const withCode = guides.filter((guide) => guide.name !== "index");
/** The sections whose programs run here, of all guides. test/engines/guide.test.ts runs the others in a browser. */
const running = new Set(
  withCode.filter(({ name }) => name !== "engines").flatMap(({ sections }) => sections),
);
for (const { name, text, sections } of withCode) {
  describe(name, () => {
    test("it starts with code, and imports what there is", () => {
      expect(text).toMatch(/^# .*\n(?:\n.*\n)?\n```/);
      expectImports(text);
    });

    for (const section of sections.filter((one) => running.has(one))) {
      const title = `${name}, ${section.heading}`;
      const blocks = blocksOf(section, "ts");
      for (const block of section.blocks.filter((one) => reasonOf(one) !== undefined)) {
        test(`${section.heading}: ${block.text.split("\n")[0]}`, ({ skip }) => skip(true, reasonOf(block)));
      }
      if (blocks.length > 0) {
        test(section.heading, async ({ skip }) => {
          if (onlyWithoutGpu.includes(title)) {
            skip(adapter === "gpu" || (await hasGpu()), "the machine has a GPU");
          }
          const run = blocks.filter((block) => reasonOf(block) === undefined);
          const given = await givenTo(name, section);
          const { device } = foldOf(title);
          device.pushErrorScope("validation");
          await runBlocks(title, run, given);
          expect((await device.popErrorScope())?.message).toBeUndefined();
        });
      }
      const linkedInCode = blocks.some((block) => /\blink\(kernel\b/.test(block.text));
      const kernels = blocksOf(section, "wgsl").filter((block) => reasonOf(block) === undefined);
      if (kernels.length > 0 && !linkedInCode) {
        test(`${section.heading}: WGSL`, async () => {
          const linked = kernels.map((block) => ({ title, code: linkDirectives(block.text) }));
          expect(await failures(nullDevice(), linked)).toEqual([]);
        });
      }
    }
  });
}

const long = guides.find(({ name }) => name === "streams")?.sections[0] as Section;
test("the first example of streams takes 200,000 elements", async () => {
  const [block] = blocksOf(long, "ts");
  const text = block?.text
    .replace("Uint32Array.of(3, 1, 7, 0, 4, 1, 6, 3)", "new Uint32Array(200_000).fill(1)")
    .replace(/^found; .*$/m, "found.length; // 200000\nfound.at(-1); // 200000");
  const { checked } = await runBlocks("streams, long", [{ language: "ts", note: "", text: text ?? "" }], {});
  expect(checked).toBe(2);
});

// A function takes some 100,000 arguments at most, and arrays are longer.
test("no guide spreads an array into arguments", () => {
  const spread = guides.flatMap(({ name, text }) =>
    [...text.matchAll(/\.push\(\.\.\..*$/gm)].map(([line]) => `${name}: ${line}`),
  );
  expect(spread).toEqual([]);
});

test("the guides' TypeScript type-checks", async () => {
  // In the repository, for its packages and its tsconfig.json.
  const place = resolve("build", "guides-types");
  await rm(place, { recursive: true, force: true });
  await mkdir(place, { recursive: true });
  let programs = 0;
  try {
    for (const { name, sections } of guides) {
      for (const [at, section] of sections.entries()) {
        if (blocksOf(section, "ts").length > 0) {
          programs++;
          await writeFile(join(place, `${name}-${at}.ts`), moduleOf(section));
        }
      }
    }
    const compilerOptions = { noUnusedLocals: false };
    await writeFile(
      join(place, "tsconfig.json"),
      JSON.stringify({
        extends: "../../tsconfig.json",
        compilerOptions,
        include: ["*.ts", "../../src/wgsl-files.d.ts"],
      }),
    );
    const { stdout } = await promisify(execFile)(process.execPath, [
      resolve("node_modules/typescript/bin/tsc"),
      "-p",
      place,
    ]).catch((cause: { stdout: string }) => cause);
    expect(stdout).toBe("");
    expect(programs).toBeGreaterThanOrEqual(20);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
});

describe("the guides' commands", () => {
  const kernel = guides.find(({ name }) => name === "own-kernel")?.sections[0]?.blocks[0]?.text ?? "";
  const commands = guides.flatMap(({ sections }) => commandsOf(sections));
  testCommands([...new Map(commands.map((args) => [args.join(" "), args])).values()], kernel);
});
