// Builds dist/ (the package) and build/ (what is run from the repository) with esbuild.
import { chmod, rm } from "node:fs/promises";
import { build } from "esbuild";

const shared = {
  bundle: true,
  format: "esm",
  target: "es2022",
  loader: { ".wgsl": "text" },
  logLevel: "warning",
};

await rm("dist", { recursive: true, force: true });
// One build for all that a program may import together: an operator of one is an operator of the others.
await build({
  ...shared,
  entryPoints: {
    index: "src/index.ts",
    wgsl: "src/wgsl.ts",
    node: "src/node.ts",
    reference: "src/reference/index.ts",
    monoids: "src/monoids/index.ts",
    check: "src/check/index.ts",
    esbuild: "src/build/esbuild.ts",
    vite: "src/build/vite.ts",
  },
  outdir: "dist",
  splitting: true,
  // An optional peer.
  external: ["fast-check"],
  chunkNames: "chunks/[name]-[hash]",
  platform: "node",
});
await build({
  ...shared,
  entryPoints: { cli: "src/cli/main.ts" },
  outdir: "dist",
  platform: "node",
  // A bundled CommonJS package calls require for what Node.js brings.
  banner: {
    js: 'import { createRequire as _createRequire } from "node:module";\nconst require = _createRequire(import.meta.url);',
  },
});
await chmod("dist/cli.js", 0o755);
const inKernelExamples = [
  "opencl-scan",
  "cuda-tile-scan",
  "cuda-stream-compaction",
  "cuda-buffer-allocation",
  "particles",
];
await build({
  ...shared,
  entryPoints: {
    "examples/line-index": "examples/line-index.ts",
    ...Object.fromEntries(
      inKernelExamples.map((name) => [`examples/in-kernel/${name}`, `examples/in-kernel/${name}.ts`]),
    ),
    "bench/throughput": "bench/throughput.ts",
    "bench/in-kernel": "bench/in-kernel.ts",
  },
  outdir: "build",
  packages: "external",
  // These import the package as its users do, not its sources.
  tsconfigRaw: {},
  platform: "node",
});
