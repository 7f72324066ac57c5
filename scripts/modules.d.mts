import type { Plugin as EsbuildPlugin } from "esbuild";

export function slashed(path: string): string;
export function withLf(text: string): string;
export function packageFolderOf(path: string): string | undefined;
export function withoutComments(text: string): string;
export function wgslModule(path: string, text: string, change?: (text: string) => string): string;
export function loadWgsl(path: string, change?: (text: string) => string): Promise<string>;
export const shaderTexts: EsbuildPlugin;
export const bareShaders: {
  readonly name: string;
  readonly load: { handler(id: string): Promise<{ readonly code: string }> };
};

interface Graph {
  getModuleInfo(id: string): {
    readonly importedIds: readonly string[];
    readonly dynamicImporters: readonly string[];
  } | null;
}
export function inOrder(
  chunks: Readonly<Record<string, readonly string[]>>,
  options?: {
    readonly others?: readonly string[];
    readonly bases?: Readonly<Record<string, string>>;
    readonly joined?: readonly string[];
  },
  path?: { resolve(path: string): string },
): (id: string, graph: Graph) => string | null;
export function byStarts(
  entry: string,
  starts: Readonly<Record<string, readonly string[]>>,
  path?: { resolve(path: string): string },
): (id: string, graph: Graph) => string | null;
