// Builds the program of `npm run digests` into build/digests.js, and runs it.
import { spawnSync } from "node:child_process";
import process from "node:process";
import { build } from "esbuild";
import { bundled } from "./modules.mjs";

await build({
  ...bundled,
  entryPoints: { digests: "test/kernels/digests/main.ts" },
  outdir: "build",
  platform: "node",
  packages: "external",
  // The tests check that shaders go together.
  define: { WAVEFOLD_BUILT: "true" },
});
// Most of what it makes is garbage soon.
const program = ["--max-semi-space-size=64", "build/digests.js"];
const { status } = spawnSync(process.execPath, [...program, ...process.argv.slice(2)], { stdio: "inherit" });
process.exitCode = status ?? 1;
