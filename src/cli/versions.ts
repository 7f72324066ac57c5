import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { arch, cpus, version as osVersion, release } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { version } from "../version.ts";
import type { Places } from "./issue_link.ts";

/** What runs, by its versions. A package that is not installed has null. */
export interface Versions {
  readonly wavefold: string;
  readonly node: string;
  readonly webgpu: string | null;
  /** Of the package `@sparticuz/chromium`, which brings SwiftShader. */
  readonly swiftShader: string | null;
}

/** Where it runs. */
export interface OperatingSystem {
  /** As the system calls itself, with its version: `Debian GNU/Linux 12 (bookworm)`. */
  readonly name: string;
  /** The kernel's. */
  readonly release: string;
  readonly platform: string;
  readonly arch: string;
  readonly cpu: string;
}

interface Manifest extends Places {
  readonly name?: string;
  readonly version?: string;
}

/** The nearest package.json above a file, if it is of that package. */
function manifestAbove(file: string, name: string): Manifest | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const path = join(folder, "package.json");
    if (existsSync(path)) {
      const manifest = JSON.parse(readFileSync(path, "utf8")) as Manifest;
      if (manifest.name === name) {
        return manifest;
      }
    }
    if (folder === dirname(folder)) {
      return undefined;
    }
  }
}

/** The version of a package, beside this module or beside the program: where `openFold` looks. */
function installed(name: string): string | null {
  for (const base of [import.meta.url, pathToFileURL(join(process.cwd(), "package.json")).href]) {
    try {
      return manifestAbove(createRequire(base).resolve(name), name)?.version ?? null;
    } catch {
      // It may be beside the program.
    }
  }
  return null;
}

/** Where Wavefold's own sources and issues are, as its package.json says. */
export const ownPlaces = (): Places => manifestAbove(fileURLToPath(import.meta.url), "wavefold") ?? {};

export const versionsOf = (): Versions => ({
  wavefold: version,
  node: process.version,
  webgpu: installed("webgpu"),
  swiftShader: installed("@sparticuz/chromium"),
});

export const operatingSystem = (): OperatingSystem => ({
  name: nameOf(process.platform),
  release: release(),
  platform: process.platform,
  arch: arch(),
  cpu: cpus()[0]?.model.trim() || "unknown",
});

function nameOf(platform: string): string {
  const text = (path: string): string => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return "";
    }
  };
  if (platform === "linux") {
    return /^PRETTY_NAME="?([^"\n]+)/m.exec(text("/etc/os-release"))?.[1] ?? "Linux";
  }
  if (platform === "darwin") {
    const list = text("/System/Library/CoreServices/SystemVersion.plist");
    return `macOS ${/<key>ProductVersion<\/key>\s*<string>([^<]+)/.exec(list)?.[1] ?? ""}`.trim();
  }
  // On Windows, this is "Windows 11 Pro" or the like.
  return osVersion();
}
