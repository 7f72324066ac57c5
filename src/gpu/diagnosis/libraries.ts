import type { System } from "./system.ts";

/** What the dynamic linker makes of a shared library. */
export type LibraryState =
  /** Where it is for another processor, there is a file. */
  | { readonly state: "loads" | "absent" | "other-machine" }
  /** It needs libraries that are not there, itself or through others. */
  | { readonly state: "lacks"; readonly missing: readonly string[] }
  /** No library, or one that may not be read; or all that it needs is there, and it is for a newer system. The linker's first line says which. */
  | { readonly state: "unreadable" | "refused"; readonly said: string };

/** What glibc and musl say of a library that they do not find. Its name comes first. */
const notFound = ["cannot open shared object file", "No such file or directory"];
/** Matches the name of another library than the one that is loaded. */
const NEEDED = new RegExp(`([^\\s:]+): (?:${notFound.join("|")})`);

/** Loads a library by its name or path. If that fails, the dynamic linker's words say what is wrong. */
export function stateOfLibrary(system: System, name: string): LibraryState {
  const said = system.loadProblem(name);
  if (said === undefined) {
    return { state: "loads" };
  }
  const isLost = notFound.some((words) => said.includes(`${name}: ${words}`));
  const lost = isLost ? undefined : NEEDED.exec(said)?.[1];
  if (lost !== undefined) {
    // The linker stops at the first one.
    const { missing } = system.linkedWith(name);
    return { state: "lacks", missing: missing.length > 0 ? missing : [lost] };
  }
  if (/wrong ELF class|Exec format error/.test(said)) {
    return { state: "other-machine" };
  }
  const [line = ""] = said.split("\n");
  if (/Permission denied|invalid ELF header|file too short|cannot read file data/.test(said)) {
    return { state: "unreadable", said: line };
  }
  if (!isLost) {
    return { state: "refused", said: line };
  }
  // glibc passes over a file for another processor as if it were not there.
  return { state: name.includes("/") && system.exists(name) ? "other-machine" : "absent" };
}
