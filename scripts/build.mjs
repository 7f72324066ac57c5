// Builds dist/ (the package) and build/ (what is run from the repository) with esbuild.
import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { build } from "esbuild";
import { evaluated, fromChunks, laterName, modulesOf, shaders, withChunks } from "./modules.mjs";

const shared = {
  bundle: true,
  format: "esm",
  target: "es2022",
  loader: { ".wgsl": "text" },
  logLevel: "warning",
};

await rm("dist", { recursive: true, force: true });
/** What esbuild says of each build of the package. */
const metafiles = [];
/** Builds files that take code from those of dist/chunks/. */
async function buildFiles(options) {
  const { outputFiles, metafile } = await build({ ...shared, ...options, write: false, metafile: true });
  metafiles.push(metafile);
  for (const file of outputFiles) {
    await mkdir(dirname(file.path), { recursive: true });
    await writeFile(file.path, withChunks(file));
  }
}

/** What needs no device, by the files that they are built to. */
const textual = { wgsl: "src/wgsl.ts", reference: "src/reference/index.ts", monoids: "src/monoids/index.ts" };

// What `open` takes at once is two files, the base being what programs without a device take too; what any plan takes
// beside is one, and what is loaded later a file each, which takes the base through the core: a bundler, which makes a
// file of those that the same ones take, then makes one of both. An entry brings all that it exports of what is loaded
// later along, whether a program names it or not: so the types and operators that plans take are their own copies.
const { core, base, plans, later } = await modulesOf(Object.values(textual), shared);
const inFile = (paths, name) => paths.map((path) => [path, name]);
const ofBase = inFile(base, "base");
const ofCore = inFile([...core, ...base], "core");
const buildSet = (name, paths, taken) =>
  buildFiles({
    stdin: { contents: paths.map((path) => `export * from "./${path}";`).join("\n"), resolveDir: "." },
    outfile: `dist/chunks/${name}.js`,
    plugins: [fromChunks(new Map(taken), later), shaders],
  });
await buildSet("base", base, []);
await buildSet("core", [...core, base[0]], ofBase);
await buildSet("plans", plans, ofCore);
await buildFiles({
  entryPoints: { later: "src/later.ts", ...Object.fromEntries(later.map((path) => [laterName(path), path])) },
  outdir: "dist/chunks",
  plugins: [fromChunks(new Map([...ofCore, ...inFile(plans, "plans")]), later, true), shaders, evaluated],
  splitting: true,
  chunkNames: "shared-[hash]",
});
// One build for all that a program may import together: an operator of one is an operator of the others.
await buildFiles({
  entryPoints: {
    ...textual,
    index: "src/index.ts",
    node: "src/node.ts",
    check: "src/check/index.ts",
    esbuild: "src/build/esbuild.ts",
    vite: "src/build/vite.ts",
  },
  outdir: "dist",
  plugins: [fromChunks(new Map([...ofBase, ...inFile(core, "core")]), later), shaders],
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  // An optional peer.
  external: ["fast-check"],
  platform: "node",
});
// The command keeps the comments: it prints WGSL for people to read.
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
metafiles.push(metafile);
await writeFile("dist/THIRD_PARTY_LICENSES.txt", await licencesOf(metafiles));

/** The licences and notices of the packages that bundles hold. */
async function licencesOf(metafiles) {
  /** The files that hold code of a package, by its folder. */
  const holders = new Map();
  for (const [output, { inputs }] of metafiles.flatMap(({ outputs }) => Object.entries(outputs))) {
    for (const path of Object.keys(inputs)) {
      const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
      if (folder !== undefined) {
        const holder = output.replace(/^dist\/chunks\/cli-.*/, "dist/cli.js");
        holders.set(folder, (holders.get(folder) ?? new Set()).add(holder));
      }
    }
  }
  const parts = await Promise.all(
    [...holders]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(async ([folder, files]) => {
        const { name, version, license } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
        const texts = (await readdir(folder, { recursive: true, withFileTypes: true }))
          .filter((file) => file.isFile())
          .map((file) => `${file.parentPath ?? file.path}/${file.name}`)
          .filter((path) => /^(licenses\/|licen[cs]e|notice)/i.test(path.slice(folder.length + 1)))
          .sort();
        if (texts.length === 0) {
          throw new Error(`${folder} has no licence to pass on`);
        }
        const title = `${name} ${version} (${license}), in ${[...files].sort().join(", ")}`;
        return [
          title,
          ...(await Promise.all(texts.map((file) => readFile(file, "utf8")))).map((text) => text.trim()),
        ].join("\n\n");
      }),
  );
  return `Files of wavefold hold these packages.\n\n${[...new Set(parts)].join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
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
