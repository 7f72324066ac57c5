import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
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
  reasonOf,
  runBlocks,
  sectionsOf,
  shownFiles,
  testCommands,
} from "../support/code_blocks.ts";
import { adapter, useFold, useSoftwareFold } from "../support/fold.ts";
import { typesOf } from "../support/guide_types.ts";
import { failures, nullGpu, useNullDevice } from "../support/null_device.ts";

const simulated = useFold();
const software = useSoftwareFold();
/** Sections of words that a driver says, or with a picture. */
const onSoftware = [
  "errors, SourceError",
  "render-loop, Particles that die, without reading back",
  "splats, Draw them",
];
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
      openFold({ cpu: "never" }).catch(({ name, message }) => console.log(JSON.stringify({ name, message })));`;
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
    case "render-loop, Particles that die, without reading back":
    case "splats, Draw them": {
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

test("files that guides show are those of examples/, which have tests of their own", async () => {
  const shown = guides.flatMap(({ text }) => shownFiles(text));
  expect(shown.length).toBeGreaterThanOrEqual(3);
  for (const { path, text } of shown) {
    expect(text, path).toBe(await readFile(path, "utf8"));
  }
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
  // The engines' types are as long as all others. test/engines/guide.test.ts checks their guide.
  const { programs, told } = await typesOf(guides.filter(({ name }) => name !== "engines"));
  expect(told).toBe("");
  expect(programs).toBeGreaterThanOrEqual(20);
});

describe("the guides' commands", () => {
  const kernelOf = (guide: string): string =>
    guides.find(({ name }) => name === guide)?.sections.flatMap((section) => blocksOf(section, "wgsl"))[0]
      ?.text ?? "";
  const commands = guides.flatMap(({ sections }) => commandsOf(sections));
  testCommands([...new Map(commands.map((args) => [args.join(" "), args])).values()], {
    "in.wgsl": kernelOf("own-kernel"),
    "scale.wgsl": kernelOf("check-a-kernel"),
  });
});
