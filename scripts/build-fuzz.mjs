// The fuzzer in one file, build/fuzz.js. It runs on machines that have Node.js and the package webgpu alone; what finds the
// software adapter is loaded where it is asked for.
import { build } from "esbuild";
import { bundled } from "./modules.mjs";

await build({
  ...bundled,
  entryPoints: { fuzz: "test/fuzz/main.ts", mutants: "test/fuzz/mutants.ts" },
  outdir: "build",
  platform: "node",
  external: ["webgpu", "@sparticuz/chromium"],
  banner: {
    js: 'import { createRequire as _createRequire } from "node:module";\nconst require = _createRequire(import.meta.url);',
  },
});
