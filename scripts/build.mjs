// Builds dist/ (the package) and build/ (what is run from the repository) with esbuild.
import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { build } from "esbuild";
import { apart, shaders } from "./modules.mjs";

const shared = {
  bundle: true,
  format: "esm",
  target: "es2022",
  loader: { ".wgsl": "text" },
  logLevel: "warning",
};

/** What the package loads by `import()`, and what only that takes: by its path in src/. */
const loadedLater = [
  "types_float",
  "types64",
  "literals",
  "reference/float16",
  "runtime/hand_compact",
  "runtime/hand_map",
  "primitives/compact",
  "primitives/map",
  "codegen/compact_kernels",
  "codegen/callers",
  "codegen/item_map",
  "runtime/checked",
  "runtime/single_pass_test",
  "runtime/constants",
];

await rm("dist", { recursive: true, force: true });
// One build for all that a program may import together: an operator of one is an operator of the others.
await build({
  ...shared,
  entryPoints: {
    index: "src/index.ts",
    // On its own, so that index.js only names what others hold: a bundler loads what is named.
    "chunks/open": "src/open.ts",
    wgsl: "src/wgsl.ts",
    node: "src/node.ts",
    reference: "src/reference/index.ts",
    monoids: "src/monoids/index.ts",
    check: "src/check/index.ts",
    esbuild: "src/build/esbuild.ts",
    vite: "src/build/vite.ts",
  },
  outdir: "dist",
  // The command keeps the comments: it prints WGSL for people to read.
  plugins: [apart(loadedLater), shaders],
  splitting: true,
  // An optional peer.
  external: ["fast-check"],
  chunkNames: "chunks/[name]-[hash]",
  platform: "node",
});
const { metafile } = await build({
  ...shared,
  metafile: true,
  // A picture's library is large.
  minifySyntax: true,
  minifyWhitespace: true,
  entryPoints: { cli: "src/cli/main.ts" },
  outdir: "dist",
  // What only some commands use is loaded when one of them runs.
  splitting: true,
  chunkNames: "chunks/cli-[name]-[hash]",
  platform: "node",
  // A bundled CommonJS package calls require for what Node.js brings.
  banner: {
    js: 'import { createRequire as _createRequire } from "node:module";\nconst require = _createRequire(import.meta.url);',
  },
});
await chmod("dist/cli.js", 0o755);
await writeFile("dist/THIRD_PARTY_LICENSES.txt", await licencesOf(metafile));

/** The licences and notices of the packages that a bundle holds. */
async function licencesOf({ inputs }) {
  const folders = Object.keys(inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  const parts = await Promise.all(
    [...new Set(folders)].sort().map(async (folder) => {
      const { name, version, license } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
      const files = (await readdir(folder, { recursive: true, withFileTypes: true }))
        .filter((file) => file.isFile())
        .map((file) => `${file.parentPath ?? file.path}/${file.name}`)
        .filter((path) => /^(licenses\/|licen[cs]e|notice)/i.test(path.slice(folder.length + 1)))
        .sort();
      const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
      return [`${name} ${version} (${license})`, ...texts.map((text) => text.trim())].join("\n\n");
    }),
  );
  return `The command wavefold holds these packages.\n\n${parts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}
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
    "bench/in-kernel": "bench/in-kernel.ts",
  },
  outdir: "build",
  packages: "external",
  // These import the package as its users do, not its sources.
  tsconfigRaw: {},
  platform: "node",
});

// Each peer with all that it needs, so that it runs where its packages are not.
const peers = await readdir("bench/peers");
await rm("build/bench/peers", { recursive: true, force: true });
await mkdir("build/bench/peers", { recursive: true });
await build({
  ...shared,
  entryPoints: peers.filter((name) => name.endsWith(".ts")).map((name) => `bench/peers/${name}`),
  outdir: "build/bench/peers",
  platform: "node",
});
for (const name of peers.filter((one) => one.endsWith(".cu"))) {
  await copyFile(`bench/peers/${name}`, `build/bench/peers/${name}`);
}
