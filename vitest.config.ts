import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { loadWgsl } from "./scripts/modules.mjs";
import { filesApart } from "./test/support/apart.ts";
import { LongestFirst, secondsReporter } from "./test/support/longest_first.ts";
import { seedReporter } from "./test/support/seed_reporter.ts";
import { skippedReporter } from "./test/support/skipped_reporter.ts";
import { isQuick } from "./test/support/tier.ts";

// One for all processes of a run: it chooses the data, and the rows of the quick tier.
process.env.WAVEFOLD_SEED ||= String((Math.random() * 2 ** 32) >>> 0);

const onGpu = process.env.WAVEFOLD_TEST_ADAPTER === "gpu";

// Every process that Node.js runs takes it: those of the tests, and those that they start. On a GPU, tests wait as programs do.
const polling = `--import=${pathToFileURL(resolve("test/support/polling.mjs")).href}`;
const { NODE_OPTIONS = "" } = process.env;
if (!onGpu && !NODE_OPTIONS.includes(polling)) {
  process.env.NODE_OPTIONS = `${NODE_OPTIONS} ${polling}`.trim();
}

const ALL = "test/**/*.test.ts";

/**
 * Most files of tests share a process for each worker, one file after another. To start one, and to load the sources and warm them up, takes a
 * third of a second of CPU for each file. On a GPU, each file has its own: there a fault can take the device from the files after it.
 */
function inFewProcesses() {
  const apart = filesApart();
  return [
    { extends: true as const, test: { name: "apart", include: apart } },
    {
      extends: true as const,
      test: {
        name: "together",
        include: [ALL],
        exclude: [...configDefaults.exclude, ...apart],
        isolate: false,
      },
    },
  ];
}

export default defineConfig(({ mode }) => {
  // A variable before a command is for Unix shells alone; npm's scripts run in others, too.
  if (mode === "quick") {
    process.env.WAVEFOLD_TIER = "quick";
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
      ...(isQuick() && !onGpu ? { projects: inFewProcesses() } : { include: [ALL] }),
      // In the quick tier a group of tests may have none whose turn it is.
      passWithNoTests: isQuick(),
      // Tests of pages and of the command wait for other processes. The quick tier has a third worker, so that both cores are busy then.
      maxWorkers: isQuick() && !onGpu ? 3 : 2,
      // Only what hangs takes as long: on two busy cores, the longest takes half of it.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      // The default is a second, in which a page that shares the cores with others may not have changed yet.
      expect: { poll: { timeout: 60_000 } },
      reporters: ["default", seedReporter, skippedReporter, secondsReporter],
      sequence: { sequencer: LongestFirst },
    },
  };
});
