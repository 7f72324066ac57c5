/**
 * The plugin for esbuild.
 *
 * @module wavefold/esbuild
 */
import { relative } from "node:path";
import process from "node:process";
import type { Plugin } from "esbuild";
import { requireOptions } from "../options.ts";
import { linkFile } from "./kernel_file.ts";

/** What {@link wavefold} takes. */
export interface WavefoldPluginOptions {
  /** The files to link, by their paths; those that end in `.wgsl` where it is left out. */
  readonly filter?: RegExp;
}

/**
 * An esbuild plugin: a `.wgsl` file is its text, by default export, with the functions linked that it asks
 * for in its `// wavefold:` lines. What is wrong with such a line is an error of the build, at that line.
 *
 * @example
 * ```ts
 * await build({ entryPoints: ["main.ts"], bundle: true, outdir: "dist", plugins: [wavefold()] });
 * // in main.ts:  import code from "./kernel.wgsl";
 * ```
 */
export function wavefold(options: WavefoldPluginOptions = {}): Plugin {
  requireOptions("wavefold", options, { filter: true });
  const { filter = /\.wgsl$/ } = options;
  return {
    name: "wavefold",
    setup(build) {
      const folder = build.initialOptions.absWorkingDir ?? process.cwd();
      build.onLoad({ filter, namespace: "file" }, async ({ path }) => {
        const linked = await linkFile(path, folder);
        const watchFiles = [path];
        if ("code" in linked) {
          return { contents: linked.code, loader: "text", watchFiles };
        }
        const { text, line, lineText } = linked;
        // esbuild counts bytes.
        const column = new TextEncoder().encode(lineText.slice(0, linked.column)).length;
        const location = { file: relative(folder, path), line, column, lineText };
        return { errors: [{ text, location }], watchFiles };
      });
    },
  };
}
