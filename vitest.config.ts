import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { defineConfig } from "vitest/config";
import { LongestFirst, secondsReporter } from "./test/support/longest_first.ts";
import { seedReporter } from "./test/support/seed_reporter.ts";
import { skippedReporter } from "./test/support/skipped_reporter.ts";
import { isQuick } from "./test/support/tier.ts";

// One for all processes of a run: it chooses the data, and the rows of the quick tier.
process.env.WAVEFOLD_SEED ||= String((Math.random() * 2 ** 32) >>> 0);

// Every process that Node.js runs takes it: those of the tests, and those that they start. On a GPU, tests wait as programs do.
const polling = `--import=${pathToFileURL(resolve("test/support/polling.mjs")).href}`;
const { NODE_OPTIONS = "" } = process.env;
if (process.env.WAVEFOLD_TEST_ADAPTER !== "gpu" && !NODE_OPTIONS.includes(polling)) {
  process.env.NODE_OPTIONS = `${NODE_OPTIONS} ${polling}`.trim();
}

export default defineConfig(({ mode }) => {
  // A variable before a command is for Unix shells alone; npm's scripts run in others, too.
  if (mode === "quick") {
    process.env.WAVEFOLD_TIER = "quick";
  } else if (mode === "tables") {
    process.env.WAVEFOLD_WRITE_TABLES = "1";
  }
  return {
    plugins: [
      {
        name: "wgsl-text",
        enforce: "pre" as const,
        async load(id: string) {
          return id.endsWith(".wgsl")
            ? `export default ${JSON.stringify((await readFile(id, "utf8")).replaceAll("\r\n", "\n"))};`
            : undefined;
        },
      },
    ],
    test: {
      include: ["test/**/*.test.ts"],
      pool: "forks" as const,
      // In the quick tier a group of tests may have none whose turn it is.
      passWithNoTests: isQuick(),
      maxWorkers: 2,
      // Only what hangs takes as long: on two busy cores, the longest takes half of it.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      reporters: ["default", seedReporter, skippedReporter, secondsReporter],
      sequence: { sequencer: LongestFirst },
    },
  };
});
