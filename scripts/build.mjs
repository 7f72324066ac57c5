// Builds dist/ (the package) and build/ (what is run from the repository) with esbuild.
import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { relative } from "node:path";
import { build } from "esbuild";
import { rolldown } from "rolldown";
import { bareShaders, bundled, byStarts, inOrder, packageFolderOf, shaders, slashed } from "./modules.mjs";

await rm("dist", { recursive: true, force: true });

// The package's entries, and what they share. What programs load together is one file, so that they load it in few requests. What is loaded by
// import() is a file each.
const textual = { wgsl: "src/wgsl.ts", reference: "src/reference/index.ts", monoids: "src/monoids/index.ts" };
const bundler = await rolldown({
  input: {
    index: "src/index.ts",
    node: "src/node.ts",
    ...textual,
    laws: "src/laws/index.ts",
    simulator: "src/simulator/index.ts",
    three: "src/three/index.ts",
    typegpu: "src/typegpu.ts",
    wesl: "src/wesl.ts",
    esbuild: "src/build/esbuild.ts",
    vite: "src/build/vite.ts",
  },
  platform: "neutral",
  preserveEntrySignatures: "allow-extension",
  resolve: { mainFields: ["module", "main"] },
  // The last ones are optional peers.
  external: [/^node:/, "esbuild", "fast-check", "vite"],
  plugins: [bareShaders],
  transform: { define: { WAVEFOLD_BUILT: "true" } },
});
const { output } = await bundler.write({
  dir: "dist",
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "chunks/[name].js",
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [
      {
        debugName: "what is loaded together",
        name: inOrder(
          {
            core: [
              "src/gpu/open.ts",
              // What the device and the CPU's calls share.
              "src/algebra/array_kinds.ts",
              "src/algebra/array_values.ts",
              "src/algebra/check_value.ts",
              "src/algebra/initial.ts",
              "src/algebra/monoid.ts",
              "src/algebra/operators.ts",
              "src/plan/require_feature.ts",
              // What all loops of the CPU share.
              "src/cpu/numbers.ts",
              "src/cpu/fold_words.ts",
            ],
            on_device: [
              "src/gpu/at_hand/on_device.ts",
              "src/plan/ranges.ts",
              // What kernels of a program's own take, too. So it is in no file with `import()`.
              "src/kernels/subgroup_sources.ts",
              // What the reference takes of the checks of sorts and segments.
              "src/algebra/segments.ts",
              "src/plan/require_scalar.ts",
              "src/plan/sort_key.ts",
            ],
            cpu_folds: ["src/gpu/at_hand/cpu_calls.ts"],
            wide_options: ["src/algebra/wide_options.ts"],
            cpu_elements: ["src/cpu/other_elements.ts"],
            recording: [
              "src/gpu/recordings/recording.ts",
              // What most of the files below share.
              "src/gpu/executor/with_params.ts",
              "src/kernels/move_items.ts",
              "src/plan/plain_plan.ts",
              "src/plan/reduce.ts",
              "src/plan/window_length.ts",
              "shaders/device/io/total_buffer.wgsl",
              "shaders/device/look_back/tile_by_number.wgsl",
            ],
            words_64: ["src/algebra/words_64.ts"],
            fields: ["src/algebra/fields.ts"],
            folds: ["src/gpu/parts/folds.ts"],
            forms: [
              "src/gpu/forms/forms.ts",
              // What several primitives share.
              "src/kernels/sort_key.ts",
              "src/plan/explain_way.ts",
              "src/plan/gather.ts",
              "src/plan/given_options.ts",
              "src/primitives/help.ts",
              "shaders/device/histogram/amount_one.wgsl",
              "shaders/device/histogram/bins_words.wgsl",
              "shaders/device/histogram/counters_words.wgsl",
              "shaders/device/histogram/tally_each.wgsl",
              "shaders/device/kernels/histogram.wgsl",
              "src/primitives/examples.ts",
              "src/primitives/sort_starts.ts",
              "src/primitives/sort_ways.ts",
              "src/algebra/padding.ts",
              "src/plan/count_bounds.ts",
              "src/plan/run_key.ts",
              "src/plan/segment_counts.ts",
              "shaders/device/segments/offsets.wgsl",
              "shaders/device/segments/parts.wgsl",
              // What sorts share with what reads data once.
              "src/kernels/subgroup_tiles.ts",
              "shaders/device/sort/memory.wgsl",
              "shaders/device/sort/rank_by_votes.wgsl",
            ],
            sorts: ["src/gpu/parts/sorts.ts"],
            look_back: ["src/kernels/look_back.ts"],
            segment_sorts: ["src/plan/sort_segments.ts"],
            faster_and_narrow: ["src/plan/faster_and_narrow.ts"],
          },
          {
            others: Object.values(textual),
            bases: { core: "base", on_device: "device_base" },
            // What many programs load.
            joined: [
              "src/gpu/at_hand/on_device.ts",
              "src/gpu/parts/folds.ts",
              "src/gpu/parts/sorts.ts",
              "src/plan/faster_and_narrow.ts",
            ],
          },
        ),
      },
    ],
  },
});
await bundler.close();
await writeFile("dist/whole.js", wholeOf(output));

/**
 * wavefold/whole: everything of wavefold, and what it loads later, imported at once. Where a build is one file, Rollup runs
 * what import() asks for after the modules that import: too late for a program that waits at its top level.
 */
function wholeOf(chunks) {
  const named = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const reached = new Set(["index.js"]);
  const later = new Set();
  for (const name of reached) {
    const { imports = [], dynamicImports = [] } = named.get(name) ?? {};
    for (const one of dynamicImports) {
      later.add(one);
    }
    for (const one of [...imports, ...dynamicImports]) {
      reached.add(one);
    }
  }
  return `${[...later]
    .sort()
    .map((name) => `import "./${name}";\n`)
    .join("")}export * from "./index.js";\n`;
}

// The command keeps the comments: it prints WGSL for people to read. What only some commands use is loaded when one of them runs. Node.js takes
// as long to find and open a file as to compile 17 KB, so what the same commands load is one file.
const commandBundler = await rolldown({
  input: { cli: "src/cli/main.ts" },
  platform: "node",
  preserveEntrySignatures: "allow-extension",
  external: [/^node:/],
  plugins: [shaders],
  transform: { target: "node20" },
  // What the package loads later, some commands import at once.
  checks: { ineffectiveDynamicImport: false },
});
const { output: command } = await commandBundler.write({
  dir: "dist",
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "cli/[name].js",
  // A picture's library is large.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [
      {
        debugName: "what commands load",
        name: byStarts("src/cli/main.ts", {
          run: ["src/cli/run.ts"],
          kernels: ["src/cli/declare_kernels.ts", "src/cli/emit.ts", "src/cli/link.ts"],
          folds: ["src/cli/declare_folds.ts", "src/cli/arrays.ts"],
          primitives: ["src/cli/declare_primitives.ts", "src/cli/primitive.ts", "src/cli/explain.ts"],
          simulator: ["src/simulator/index.ts"],
        }),
      },
    ],
  },
});
await commandBundler.close();
await chmod("dist/cli.js", 0o755);
await writeFile(
  "dist/THIRD_PARTY_LICENSES.txt",
  await licencesOf(
    [...output, ...command].map(({ fileName, moduleIds = [] }) => [`dist/${fileName}`, moduleIds]),
  ),
);

/** The licences and notices of the packages that the package's files hold, which come with the modules in each. */
async function licencesOf(files) {
  /** The files that hold code of a package, by its folder. */
  const holders = new Map();
  for (const [file, modules] of files) {
    for (const path of modules) {
      const folder = packageFolderOf(relative(".", path));
      if (folder !== undefined) {
        const holder = file.replace(/^dist\/cli\/.*/, "dist/cli.js");
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
          .map((file) => slashed(`${file.parentPath ?? file.path}/${file.name}`))
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
  ...bundled,
  entryPoints: {
    "examples/line-index": "examples/line-index.ts",
    "examples/parts/scan-parts": "examples/parts/scan-parts.ts",
    ...Object.fromEntries(
      inKernelExamples.map((name) => [`examples/in-kernel/${name}`, `examples/in-kernel/${name}.ts`]),
    ),
    "bench/in-kernel": "bench/in-kernel.ts",
    "bench/beside": "bench/beside.ts",
    "bench/gaps": "bench/gaps.ts",
    "bench/machines": "bench/machines.ts",
    "bench/cpu_loops": "bench/cpu_loops.ts",
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
  ...bundled,
  entryPoints: peers.filter((name) => name.endsWith(".ts")).map((name) => `bench/peers/${name}`),
  outdir: "build/bench/peers",
  platform: "node",
});
for (const name of peers.filter((one) => one.endsWith(".cu"))) {
  await copyFile(`bench/peers/${name}`, `build/bench/peers/${name}`);
}
