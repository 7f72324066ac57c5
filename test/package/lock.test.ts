import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

// The lock has what each platform needs: npm leaves out of it what a registry lacked when it was made.

interface Locked {
  readonly os?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly resolved?: string;
}

const { packages } = JSON.parse(
  readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8"),
) as {
  packages: Readonly<Record<string, Locked>>;
};

/** The packages that have a build of their own for each platform, and the platforms that the lock has. */
const builds = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) => {
  const systems = Object.keys(optionalDependencies).flatMap(
    (name) => packages[`${path}/node_modules/${name}`]?.os ?? packages[`node_modules/${name}`]?.os ?? [],
  );
  return new Set(systems).size > 0 && systems.includes("linux") ? [[path, new Set(systems)] as const] : [];
});

test("names builds for Linux, macOS and Windows", () => {
  expect(builds.map(([path]) => path)).toEqual(
    expect.arrayContaining(["node_modules/@biomejs/biome", "node_modules/deno", "node_modules/esbuild"]),
  );
  for (const [path, systems] of builds) {
    expect([...systems], path).toEqual(expect.arrayContaining(["linux", "darwin", "win32"]));
  }
});

test("names no registry", () => {
  const urls = Object.values(packages).filter(({ resolved = "" }) => /^\w+:/.test(resolved));
  expect(urls).toEqual([]);
});
