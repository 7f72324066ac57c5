/**
 * What a diagnosis asks of a machine. Nothing here throws: what cannot be read is undefined. Tests give machines of their own.
 */
export interface System {
  /** As `process.platform` and `process.arch` have it. */
  readonly platform: string;
  readonly arch: string;
  /** The kernel's release, as `os.release()` has it. */
  readonly release: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The first bytes of a file, `most` at most. Undefined if the file cannot be read. */
  read(path: string, most: number): Uint8Array | undefined;
  /** The names in a folder, sorted; none if there is no such folder. */
  list(path: string): readonly string[];
  exists(path: string): boolean;
  /** Where a symbolic link leads to, as it says it. */
  linkOf(path: string): string | undefined;
  /** The number of the group that a file belongs to. */
  groupOf(path: string): number | undefined;
  /** Opens a device for reading and writing, and closes it: the error's code, such as `EACCES`, or undefined if it opens. */
  openProblem(path: string): string | undefined;
  /** Loads a shared library as the Vulkan loader does: what the dynamic linker says if it does not load. */
  loadProblem(name: string): string | undefined;
  /** Where the dynamic linker finds a library, and which of those that it needs it does not find. */
  linkedWith(name: string): { readonly path?: string | undefined; readonly missing: readonly string[] };
}

const MOST_TEXT = 2 ** 20;

/** A file as text, up to a mebibyte. */
export function textOf(system: System, path: string): string | undefined {
  const bytes = system.read(path, MOST_TEXT);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}
