import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { defineConfig } from "vitest/config";
import { loadWgsl } from "./scripts/modules.mjs";
import { seedReporter } from "./test/support/seed_reporter.ts";
import { skippedReporter } from "./test/support/skipped_reporter.ts";

// All processes of a run take their data and their simulated machines from it.
process.env.WAVEFOLD_SEED ||= String((Math.random() * 2 ** 32) >>> 0);

/** Every process that Node.js runs loads this module first: those of the tests, and those that they start. */
function loadEverywhere(module: string): void {
  const option = `--import=${pathToFileURL(resolve(module)).href}`;
  const { NODE_OPTIONS = "" } = process.env;
  if (!NODE_OPTIONS.includes(option)) {
    process.env.NODE_OPTIONS = `${NODE_OPTIONS} ${option}`.trim();
  }
}

loadEverywhere("test/support/optimise_later.mjs");
// On a GPU, tests wait as programs do.
if (process.env.WAVEFOLD_TEST_ADAPTER !== "gpu") {
  loadEverywhere("test/support/polling.mjs");
}

/** Folders of tests of what other programs run: browsers, Deno, engines, bundlers, compilers, and the pages of the site. */
const IN_OTHER_PROGRAMS = /^test\/(engines|hosts|package|pages|site)\//;
/** What takes any adapter. */
const ON_ANY_ADAPTER = /\buseFold\(/;
/** What replaces modules or globals, which would change the files after it. */
const REPLACES = /\bvi\.(mock|doMock)\(|Object\.assign\(globalThis/;
/** What collects garbage again and again: that takes the longer, the more the files before it have left. */
const COLLECTS = /\bbytesInUse\(/;

interface TestFile {
  readonly name: string;
  readonly text: string;
}

const all: readonly TestFile[] = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".test.ts"))
  .map((path) => join("test", path).replaceAll("\\", "/"))
  .map((name) => ({ name, text: readFileSync(name, "utf8") }));

/** Whether a command takes a file. `npx vitest run FILE` takes any. */
function takes(mode: string, { name, text }: TestFile): boolean {
  switch (mode) {
    case "node":
      return !IN_OTHER_PROGRAMS.test(name);
    case "software":
      return ON_ANY_ADAPTER.test(text);
    default:
      return true;
  }
}

/**
 * Files share the workers' processes, one after another: to start one for each, and to load and warm up the sources there, takes a third of a
 * second of CPU. Those that would change the files after them have their own, and those that collect garbage; on a GPU all have, since a fault
 * can take the device.
 */
function projectsOf(files: readonly TestFile[], onGpu: boolean) {
  return [true, false]
    .map((isolate) => ({
      extends: true as const,
      test: {
        name: isolate ? "isolated" : "together",
        include: files
          .filter(({ text }) => (onGpu || REPLACES.test(text) || COLLECTS.test(text)) === isolate)
          .map(({ name }) => name),
        isolate,
      },
    }))
    .filter(({ test }) => test.include.length > 0);
}

export default defineConfig(({ mode }) => {
  // A variable before a command is for Unix shells alone; npm's scripts run in others, too.
  if (mode === "software") {
    process.env.WAVEFOLD_TEST_ADAPTER = "software";
    process.env.WAVEFOLD_TEST_SAMPLE ||= "10";
  } else if (mode === "tables") {
    process.env.WAVEFOLD_WRITE_TABLES = "1";
  } else if (mode === "explore") {
    process.env.WAVEFOLD_EXPLORE = "1";
  }
  return {
    plugins: [
      {
        name: "wgsl-text",
        enforce: "pre" as const,
        async load(id: string) {
          return id.endsWith(".wgsl") ? loadWgsl(id) : undefined;
        },
      },
    ],
    test: {
      pool: "forks" as const,
      setupFiles: ["test/support/equal_arrays.ts"],
      // Linking and compiling make many short-lived objects. With room for more of them, tests take some 5 % less CPU; and some 5 % less again
      // where the heap, in megabytes, may be as large from the start as it becomes in the end. With the cores busy, threads that collect garbage
      // take some 3 % more.
      execArgv: [
        "--min-semi-space-size=128",
        "--max-semi-space-size=128",
        "--initial-heap-size=2000",
        "--single-threaded-gc",
      ],
      // What Vite makes of a file is kept in node_modules/, by the file's text: both projects take it, and the runs that follow. A run takes some
      // 2 % less CPU by it, the next one 5 % less, and a run of one file half.
      experimental: { fsModuleCache: true },
      projects: projectsOf(
        all.filter((file) => takes(mode, file)),
        process.env.WAVEFOLD_TEST_ADAPTER === "gpu",
      ),
      // Each process compiles for itself what most files have in common: a third one on two cores takes some 5 % more CPU.
      maxWorkers: Math.max(2, availableParallelism()),
      // Only what hangs takes as long: on two busy cores, the longest takes half of it.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      // The default is a second, in which a page that shares the cores with others may not have changed yet.
      expect: { poll: { timeout: 60_000 } },
      reporters: ["default", seedReporter, skippedReporter],
    },
  };
});
