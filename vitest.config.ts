import { readFile } from "node:fs/promises";
import { defineConfig } from "vitest/config";
import { skippedReporter } from "./test/support/skipped_reporter.ts";

export default defineConfig({
  plugins: [
    {
      name: "wgsl-text",
      enforce: "pre",
      async load(id) {
        return id.endsWith(".wgsl")
          ? `export default ${JSON.stringify(await readFile(id, "utf8"))};`
          : undefined;
      },
    },
  ],
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ["default", skippedReporter],
  },
});
