import * as nodeFs from "node:fs";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as nodeStream from "node:stream";
import * as arrow from "apache-arrow";
import { transform } from "esbuild";
import { dump } from "npyjs";
import * as typegpu from "typegpu";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as webgpu from "webgpu";
import * as wesl from "wesl";
import * as crossfilter from "../../examples/crossfilter/crossfilter.ts";
import * as runKernel from "../../examples/in-kernel/kernel.ts";
import * as normals from "../../examples/normals/normals.ts";
import * as sampler from "../../examples/sampling/sampler.ts";
import * as splats from "../../examples/splats/splats.ts";
import * as esbuildPlugin from "../../src/build/esbuild.ts";
import * as vitePlugin from "../../src/build/vite.ts";
import * as browser from "../../src/index.ts";
import * as laws from "../../src/laws/index.ts";
import * as monoids from "../../src/monoids/index.ts";
import * as node from "../../src/node.ts";
import * as reference from "../../src/reference/index.ts";
import * as simulator from "../../src/simulator/index.ts";
import * as three from "../../src/three/index.ts";
import * as schemas from "../../src/typegpu.ts";
import * as weslPackage from "../../src/wesl.ts";
import * as wgsl from "../../src/wgsl.ts";
import { isSimulated, SIMULATED } from "./adapter.ts";
import { runIn } from "./command.ts";
import { npyBytes, npyHeaderText } from "./npy_bytes.ts";
import { zipOf } from "./zip.ts";

/** A block of code in a Markdown text. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** What follows the language: "not run: …" says why. */
  readonly note: string;
}

/** The blocks under one heading: those of one language are one program. */
export interface Section {
  readonly heading: string;
  readonly blocks: readonly Block[];
}

/** A block that shows a file of `examples/` has its path behind the language, and is no part of a program: programs import the file. */
const FILE = /^examples\/\S+$/;

/** The files of `examples/` that a Markdown text shows, and what it shows as each. */
export const shownFiles = (markdown: string): { readonly path: string; readonly text: string }[] =>
  Array.from(markdown.matchAll(BLOCK), ([, , , path = "", text = ""]) => ({ path, text })).filter(
    ({ path }) => FILE.test(path),
  );

/** A heading, or a block: its language, the note behind that, and its text. */
const BLOCK = /^#+ (.*)$|^```(\w*) *(.*)\n([\s\S]*?)^```$/gm;

/** A Markdown text's blocks, by headings. */
export function sectionsOf(markdown: string): Section[] {
  const sections: { heading: string; blocks: Block[] }[] = [{ heading: "", blocks: [] }];
  for (const [whole, title, language = "", note = "", text = ""] of markdown.matchAll(BLOCK)) {
    if (whole.startsWith("#")) {
      sections.push({ heading: title ?? "", blocks: [] });
    } else if (!FILE.test(note)) {
      sections.at(-1)?.blocks.push({ language, note, text });
    }
  }
  return sections.filter(({ blocks }) => blocks.length > 0);
}

/** A section's blocks of one language. */
export const blocksOf = ({ blocks }: Section, language: string): readonly Block[] =>
  blocks.filter((block) => block.language === language);

/** Why a block is not run; nothing where it is. */
export const reasonOf = ({ note }: Block): string | undefined => /^not run: (.*)$/.exec(note)?.[1];

/**
 * What a program opens without a word on which adapter is on the simulator, as the tests' folds are. A test of a single pass compares a million
 * elements, for which SwiftShader takes less.
 */
const openFold: typeof node.openFold = (options = {}) =>
  node.openFold(
    isSimulated &&
      options.adapter === undefined &&
      options.cpu !== "always" &&
      options.device === undefined &&
      options.testSinglePass !== true
      ? { ...options, adapter: "simulated" }
      : options,
  );
const nodeOnSimulator = { ...node, openFold };

/** What each import gives; `run` is what takes its place in Node.js: there, people import from `wavefold/node`. */
export const modules: Readonly<Record<string, { readonly named: object; readonly run: object }>> = {
  wavefold: { named: browser, run: nodeOnSimulator },
  "wavefold/node": { named: node, run: nodeOnSimulator },
  "wavefold/wgsl": { named: wgsl, run: wgsl },
  "wavefold/monoids": { named: monoids, run: monoids },
  "wavefold/laws": { named: laws, run: laws },
  "wavefold/simulator": { named: simulator, run: simulator },
  "wavefold/three": { named: three, run: three },
  "wavefold/typegpu": { named: schemas, run: schemas },
  "wavefold/wesl": { named: weslPackage, run: weslPackage },
  typegpu: { named: typegpu, run: typegpu },
  wesl: { named: wesl, run: wesl },
  "wavefold/esbuild": { named: esbuildPlugin, run: esbuildPlugin },
  "wavefold/vite": { named: vitePlugin, run: vitePlugin },
  "wavefold/reference": { named: reference, run: reference },
  webgpu: { named: webgpu, run: webgpu },
  "node:fs": { named: nodeFs, run: nodeFs },
  "node:stream": { named: nodeStream, run: nodeStream },
  "./kernel.ts": { named: runKernel, run: runKernel },
  "./crossfilter.ts": { named: crossfilter, run: crossfilter },
  "apache-arrow": { named: arrow, run: arrow },
  "./sampler.ts": { named: sampler, run: sampler },
  "./normals.ts": { named: normals, run: normals },
  "./splats.ts": { named: splats, run: splats },
};

/** Where the files of `examples/` are that programs import. */
export const exampleFiles: Readonly<Record<string, string>> = {
  "./kernel.ts": "examples/in-kernel/kernel.ts",
  "./crossfilter.ts": "examples/crossfilter/crossfilter.ts",
  "./sampler.ts": "examples/sampling/sampler.ts",
  "./normals.ts": "examples/normals/normals.ts",
  "./splats.ts": "examples/splats/splats.ts",
};

/** An import; what a comment hides from the program is looked at as well. */
export const IMPORT = /^(?:\/\/ )?import \{\s+([^}]*?),?\s+\} from "([^"]*)";/gm;

/** What only TypeScript reads. */
const IMPORT_OF_TYPES = /^import type .*;$/gm;

/** The names of an import, between its braces. */
export const namesIn = (names: string): string[] =>
  names
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);

/** Whether a module is one of an engine's, which runs only in a browser. */
const isEngine = (module: string): boolean => /^(three\/|@babylonjs\/|@luma\.gl\/|playcanvas$)/.test(module);

/** Every name that a text imports, which must be there. What engines export is compared by the compiler. */
export function expectImports(text: string): number {
  const imports = [...text.matchAll(IMPORT)].filter(([, , from = ""]) => !isEngine(from));
  for (const [line, names = "", from = ""] of imports) {
    for (const name of namesIn(names)) {
      expect(modules[from]?.named, line).toHaveProperty(name);
    }
  }
  return imports.length;
}

const NUMBER = String.raw`-?(?:[\d.]+(?:e[+-]?\d+)?n?|Infinity|NaN)`;
/** What a comment claims: numbers, or a value as JavaScript writes it. Anything else is prose. */
const CLAIM = String.raw`${NUMBER}(?: +${NUMBER})*|\{.*\}|\[.*\]|"[^"]*"|true|false`;
/** A statement, and the value that the comment after it claims. */
export const CHECKED = new RegExp(
  String.raw`^(?!const |let |import |return |throw |//|\}|\s)(.*); *// (${CLAIM}) *$`,
  "gm",
);
/** What a comment hides from browsers. In Node.js, people take the comment away. */
const FOR_NODE = /^\/\/ (.*; *\/\/ in Node\.js.*)$/gm;
/** A result that is neither kept nor told. */
const UNCLAIMED = /^await fold\.(scan|reduce|compact)\(.*$/m;
/** The error that a block ends with: its comment, which may go on in the next lines. */
export const THROWN = /^\/\/ (\w*Error: .*(?:\n\/\/ .*)*)\s*$/m;

/** What the checks of a program found. */
export interface Ran {
  /** Values that a comment claims, and errors. */
  readonly checked: number;
  /** The program's `code`, where it has one. */
  readonly code: unknown;
}

/**
 * Runs blocks of TypeScript as one program. A statement that a value follows in a comment is compared with it,
 * and a block that ends with an error in comments must be rejected with that error: `…` stands for any text.
 *
 * @param given - what the blocks leave to their reader, by name.
 */
export async function runBlocks(
  title: string,
  blocks: readonly Block[],
  given: Readonly<Record<string, unknown>>,
): Promise<Ran> {
  const imports = new Map<string, Set<string>>();
  const body = blocks
    .map(({ text }) => {
      const error = THROWN.exec(text)?.[1]?.replaceAll("\n// ", " ");
      const statements = text
        .replace(FOR_NODE, "$1")
        .replace(IMPORT_OF_TYPES, "")
        .replace(IMPORT, (line, names: string, from: string) => {
          if (!line.startsWith("//")) {
            imports.set(from, new Set([...(imports.get(from) ?? []), ...namesIn(names)]));
          }
          return "";
        })
        .replace(
          CHECKED,
          (_, expression: string, claim: string) => `$check(${expression}, ${JSON.stringify(claim)});`,
        )
        .replace(/^export default /m, "const exported = ");
      if (error !== undefined) {
        return `await $fails(async () => {\n${statements}\n}, ${JSON.stringify(error)});`;
      }
      expect(statements.match(UNCLAIMED)?.[0], `${title}: a result that no comment tells`).toBeUndefined();
      return statements;
    })
    .join("\n");
  for (const name of imports.get("wavefold/node") ?? []) {
    imports.get("wavefold")?.delete(name);
  }
  const head = [...imports].map(
    ([from, names]) => `const { ${[...names].join(", ")} } = $modules[${JSON.stringify(from)}].run;`,
  );
  let checked = 0;
  const names = {
    ...given,
    $modules: modules,
    $check(value: unknown, claim: string) {
      checked++;
      expectClaim(value, claim, `${title}: ${claim}`);
    },
    async $fails(run: () => Promise<void>, message: string) {
      checked++;
      await expectFailure(run, message, title);
    },
  };
  const { code } = await transform(
    `async function block(${Object.keys(names)}) { {\n${head.join("\n")}\n${body}\nreturn typeof code === "undefined" ? undefined : code;\n} }`,
    { loader: "ts", sourcefile: title },
  );
  const program = new Function(`${code}\nreturn block;`)() as (...values: unknown[]) => Promise<unknown>;
  return { code: await program(...Object.values(names)), checked };
}

/** Compares a value with what a comment claims. Numbers are one, or an array's; the rest is compared as a whole. */
export function expectClaim(value: unknown, claim: string, title: string): void {
  if (!/^[-\dIN]/.test(claim)) {
    const plain = ArrayBuffer.isView(value) ? Array.from(value as Uint32Array) : value;
    expect(plain, title).toEqual(new Function(`return (${claim});`)());
    return;
  }
  const numbers = claim
    .split(/ +/)
    .map((one) => (one.endsWith("n") ? BigInt(one.slice(0, -1)) : Number(one)));
  expect(typeof value === "object" ? Array.from(value as ArrayLike<number>) : [value], title).toEqual(
    numbers,
  );
}

async function expectFailure(run: () => Promise<void>, claim: string, title: string): Promise<void> {
  const cause = await run().then(
    () => undefined,
    (one: unknown) => one,
  );
  const said = cause instanceof Error ? `${cause.name}: ${cause.message}` : `no error, but ${String(cause)}`;
  const words = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
  const parts = words(claim)
    .split("…")
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  expect(words(said), title).toMatch(new RegExp(`^${parts.join("[^]*")}$`));
}

/** A shell's words, without its comment. */
const wordsOf = (line: string): string[] =>
  [...line.replace(/(^|\s)#.*$/, "").matchAll(/'([^']*)'|"([^"]*)"|[^\s'"]+/g)].map(
    ([word, single, double]) => single ?? double ?? word,
  );

/** What `npx wavefold` is called with in the blocks of a shell. */
export const commandsOf = (sections: readonly Section[]): string[][] =>
  sections
    .flatMap((section) => blocksOf(section, "sh"))
    .flatMap(({ text }) => text.split("\n"))
    .filter((line) => line.startsWith("npx wavefold "))
    .map((line) => wordsOf(line).slice(2));

const skips: Readonly<Record<string, string>> = {
  bench: "it takes minutes, and has tests of its own",
  doctor: "it is slow in software, and its self-test has tests of its own",
  tune: "it takes minutes, and has tests of its own",
};

/** A test for each command, on eight elements: it succeeds, says nothing on stderr, and writes its output. `kernels` are files that commands name. */
export function testCommands(
  commands: readonly (readonly string[])[],
  kernels: Readonly<Record<string, string>>,
): void {
  let folder: string;
  const putArray = (name: string, items: Uint32Array | Float64Array): void =>
    writeFileSync(join(folder, name), Buffer.from(dump(items, [items.length])));
  const put = (name: string, ...items: number[]): void => putArray(name, Uint32Array.from(items));
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "wavefold-commands-"));
    put("in.npy", 3, 1, 7, 0, 4, 1, 6, 3);
    put("keys.npy", 2, 2, 5, 5, 5, 9, 9, 9);
    putArray("times.npy", Float64Array.of(0.25, 0.5, 1.75, 3, 3, 3.5, 7, 8));
    put("heads.npy", 0, 0, 1, 0, 0, 1, 0, 0);
    put("offsets.npy", 0, 2, 2, 8);
    put("begins.npy", 0, 3, 6);
    put("ends.npy", 2, 5, 8);
    put("bits.npy", 0b100100);
    for (const name of ["a.npy", "b.npy"]) {
      put(name, 1, 3, 3, 5, 7, 8, 9, 9);
    }
    for (const name of ["a_values.npy", "b_values.npy", "age.npy", "y.npy"]) {
      put(name, 10, 11, 12, 13, 14, 15, 16, 17);
    }
    const volume = Uint32Array.of(1, 2, 3, 4, 5, 6, 7, 8);
    writeFileSync(join(folder, "volume.npy"), Buffer.from(dump(volume, [2, 2, 2])));
    const narrow = {
      image: ["|u1", 3, 1, 255, 0, 4, 1, 6, 3],
      mask: ["|b1", 1, 0, 1, 0, 0, 1, 1, 0],
    } as const;
    const members = Object.entries(narrow).map(([name, [descr, ...items]]) => ({
      name: `${name}.npy`,
      bytes: npyBytes(npyHeaderText(descr, [items.length]), Uint8Array.from(items)),
    }));
    writeFileSync(join(folder, "data.npz"), zipOf(members));
    for (const [name, kernel] of Object.entries(kernels)) {
      writeFileSync(join(folder, name), kernel);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  for (const args of commands) {
    const reason = skips[args[0] ?? ""];
    test(`npx wavefold ${args.join(" ")}`, ({ skip }) => {
      skip(reason !== undefined, reason);
      if (args[0] === "expand") {
        // What the command before it leaves.
        put("values.npy", 3, 1, 7);
        put("counts.npy", 2, 1, 3);
      } else if (args.includes("--values")) {
        put("values.npy", 10, 11, 12, 13, 14, 15, 16, 17);
      }
      for (const name of args.slice(1).filter((_, at) => !args[at]?.startsWith("-"))) {
        if (name.endsWith(".npy") && !existsSync(join(folder, name))) {
          put(name, 7, 6, 5, 4, 3, 2, 1, 0);
        }
      }
      const takesAdapter =
        isSimulated && !["--help", "check", "emit", "explain", "link"].includes(args[0] ?? "");
      const { status, stderr } = runIn(folder, takesAdapter ? [...args, ...SIMULATED] : args);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      const output = args[args.indexOf("-o") + 1] ?? "";
      if (args.includes("-o")) {
        expect(existsSync(join(folder, output)), output).toBe(true);
        rmSync(join(folder, output));
      }
    });
  }
}
