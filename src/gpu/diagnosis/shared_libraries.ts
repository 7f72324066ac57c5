import { dirname, join } from "node:path/posix";
import type { Elf } from "./elf.ts";
import { readElf } from "./elf.ts";
import type { System } from "./system.ts";

/** ELF's number of the processor that a program of this kind runs on. */
const machines: Readonly<Record<string, number>> = { x64: 62, arm64: 183, arm: 40, ia32: 3 };

/** Where glibc and musl look at last, with the folders of Debian's architectures. */
const defaultFolders = (arch: string): readonly string[] => {
  const triple = { x64: "x86_64-linux-gnu", arm64: "aarch64-linux-gnu" }[arch];
  const own = triple === undefined ? [] : [`/lib/${triple}`, `/usr/lib/${triple}`];
  return [...own, "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"];
};

const CACHE = "/etc/ld.so.cache";
const CACHE_MAGIC = "glibc-ld.so.cache1.1";
const MOST_CACHE = 2 ** 24;

/** A library that is needed and is not there. */
export interface MissingLibrary {
  readonly name: string;
  /** The path of the library that needs it. */
  readonly neededBy: string;
}

/** The state of a library, which is found out without loading it. */
export type LibraryState =
  | { readonly state: "absent" }
  | { readonly state: "unreadable" | "other-machine"; readonly path: string }
  | { readonly state: "found"; readonly path: string; readonly missing: readonly MissingLibrary[] };

/**
 * Looks for shared libraries of Linux as the dynamic linker does: ld.so(8) says in which order. Libraries of other processors
 * do not count.
 */
export function librariesOf(system: System): {
  check(name: string): LibraryState;
  find(name: string): string | undefined;
} {
  const cached = cachedPaths(system);
  const fromEnvironment = (system.env.LD_LIBRARY_PATH ?? "").split(/[:;]/).filter((one) => one !== "");
  const parsed = new Map<string, Elf | undefined>();
  const elfOf = (path: string): Elf | undefined => {
    if (!parsed.has(path)) {
      parsed.set(
        path,
        readElf((from, bytes) => system.read(path, from, bytes)),
      );
    }
    return parsed.get(path);
  };
  const fits = ({ machine }: Elf): boolean => (machines[system.arch] ?? machine) === machine;
  const isUsable = (path: string): boolean => {
    const elf = system.exists(path) ? elfOf(path) : undefined;
    return elf !== undefined && fits(elf);
  };
  const candidates = (name: string, owner?: { readonly path: string; readonly elf: Elf }): string[] => {
    const own = (folders: readonly string[] = []): string[] =>
      folders
        .map((folder) => folder.replace(/\$ORIGIN|\$\{ORIGIN\}/g, dirname(owner?.path ?? "")))
        .filter((folder) => !folder.includes("$"));
    const { rpath = [], runpath = [] } = owner?.elf ?? {};
    return [...(runpath.length === 0 ? own(rpath) : []), ...fromEnvironment, ...own(runpath)]
      .map((folder) => join(folder, name))
      .concat(cached.get(name) ?? [])
      .concat(defaultFolders(system.arch).map((folder) => join(folder, name)));
  };
  const find = (name: string, owner?: { readonly path: string; readonly elf: Elf }): string | undefined =>
    name.includes("/") ? (isUsable(name) ? name : undefined) : candidates(name, owner).find(isUsable);
  const missingOf = (path: string, seen: Set<string>): MissingLibrary[] => {
    const elf = elfOf(path);
    return (elf?.needed ?? []).flatMap((name) => {
      if (elf === undefined || seen.has(name)) {
        return [];
      }
      seen.add(name);
      const found = find(name, { path, elf });
      return found === undefined ? [{ name, neededBy: path }] : missingOf(found, seen);
    });
  };
  return {
    find: (name) => find(name),
    check(name) {
      const path = find(name);
      if (path !== undefined) {
        return { state: "found", path, missing: missingOf(path, new Set()) };
      }
      const there = (name.includes("/") ? [name] : candidates(name)).find((one) => system.exists(one));
      if (there === undefined) {
        return { state: "absent" };
      }
      return { state: elfOf(there) === undefined ? "unreadable" : "other-machine", path: there };
    },
  };
}

/**
 * The paths in the cache of `ldconfig`, by the name of the library.
 *
 * Source: glibc, sysdeps/generic/dl-cache.h, `struct cache_file_new`.
 */
function cachedPaths(system: System): ReadonlyMap<string, readonly string[]> {
  const paths = new Map<string, string[]>();
  const bytes = system.read(CACHE, 0, MOST_CACHE);
  // An older format may come first. Offsets count from the start of the newer one.
  const start = bytes === undefined ? -1 : Buffer.from(bytes).indexOf(CACHE_MAGIC);
  if (bytes === undefined || start < 0 || bytes.length < start + 48) {
    return paths;
  }
  const cache = bytes.subarray(start);
  const view = new DataView(cache.buffer, cache.byteOffset, cache.byteLength);
  const text = (at: number): string => {
    const end = cache.indexOf(0, at);
    return new TextDecoder().decode(cache.subarray(at, end < 0 ? at : end));
  };
  const count = Math.min(view.getUint32(20, true), Math.floor((cache.length - 48) / 24));
  for (let index = 0; index < count; index++) {
    const at = 48 + 24 * index;
    const name = text(view.getUint32(at + 4, true));
    paths.set(name, [...(paths.get(name) ?? []), text(view.getUint32(at + 8, true))]);
  }
  return paths;
}
