/**
 * The plugin for Vite and Rollup.
 *
 * @module wavefold/vite
 */
import { requireOptions } from "../options.ts";
import { linkFile } from "./kernel_file.ts";

/** What {@link wavefold} takes. */
export interface WavefoldPluginOptions {
  /** The files to link, by their paths without a query; those that end in `.wgsl` where it is left out. */
  readonly filter?: RegExp;
}

/** What of a Vite, Rollup or Rolldown plugin is used here. */
export interface WavefoldPlugin {
  /** Its name in messages of the bundler. */
  readonly name: string;
  /** It takes a file before the bundler's own plugins do. */
  readonly enforce: "pre";
  /** A kernel's file as a module, linked; nothing for other files. */
  load(
    this: WavefoldPluginContext,
    id: string,
  ): Promise<{
    /** The module. */
    code: string;
    /** A source map. */
    map: {
      /** There are none. */
      mappings: "";
    };
  } | null>;
}

/** What a bundler hands to a plugin. */
export interface WavefoldPluginContext {
  /** Builds again when the file changes. */
  addWatchFile(path: string): void;
  /** Ends the build with an error at its place. */
  error(error: {
    /** What is wrong. */
    message: string;
    /** The file. */
    id: string;
    /** The place. */
    loc: {
      /** The file. */
      file: string;
      /** Counted from 1. */
      line: number;
      /** Counted from 0. */
      column: number;
    };
    /** The line itself. */
    frame: string;
  }): never;
}

/** The queries by which Vite is asked for the file itself. */
const AS_IT_IS = /[?&](raw|url)\b/;

/**
 * A Vite plugin, and Rollup's: a `.wgsl` file is its text, by default export, with the functions linked that
 * it asks for in its `// wavefold:` lines. What is wrong with such a line is an error of the build, at that
 * line. `kernel.wgsl?raw` and `?url` stay Vite's.
 *
 * @example
 * ```ts
 * export default defineConfig({ plugins: [wavefold()] });
 * // in main.ts:  import code from "./kernel.wgsl";
 * ```
 */
export function wavefold(options: WavefoldPluginOptions = {}): WavefoldPlugin {
  requireOptions("wavefold", options, { filter: true });
  const { filter = /\.wgsl$/ } = options;
  return {
    name: "wavefold",
    enforce: "pre",
    async load(id) {
      const [path = "", query] = id.split(/(?=\?)/);
      if (path.startsWith("\0") || path.search(filter) < 0 || (query !== undefined && AS_IT_IS.test(query))) {
        return null;
      }
      this.addWatchFile(path);
      const linked = await linkFile(path);
      if ("code" in linked) {
        return { code: `export default ${JSON.stringify(linked.code)};\n`, map: { mappings: "" } };
      }
      const { text, line, column, lineText } = linked;
      return this.error({ message: text, id, loc: { file: path, line, column }, frame: lineText });
    },
  };
}
