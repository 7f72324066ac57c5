import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

// The lock has what each platform needs: npm leaves out of it what a registry lacked when it was made.

interface Locked {
  readonly os?: readonly string[];
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
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

test("what a host's install script cannot do stops no install", () => {
  expect(packages["node_modules/deno"]).toMatchObject({ hasInstallScript: true, optional: true });
  // These have what they need for each system: the first in builds of its own, the second in itself.
  const others = Object.entries(packages).filter(([, one]) => one.hasInstallScript && !one.optional);
  expect(others.map(([path]) => path)).toEqual(["node_modules/esbuild", "node_modules/webgpu"]);
});

test("npm is told that it may run each install script", () => {
  // Newer npms warn of every other one.
  const { allowScripts } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  ) as { allowScripts: Readonly<Record<string, boolean>> };
  const scripts = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  expect(Object.keys(allowScripts).map((name) => `node_modules/${name}`)).toEqual(
    scripts.map(([path]) => path).sort(),
  );
});

test("TypeScript's command is that of the version that checks this repository", () => {
  // Each alias has a command of the same name.
  const named = Object.entries(packages)[0]?.[1] as { devDependencies: Record<string, string> };
  expect(named.devDependencies.typescript).toMatch(/^\^7/);
  const { scripts } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    scripts: Record<string, string>;
  };
  expect(Object.values(scripts).join("\n")).not.toMatch(/(^|&& )tsc /m);
});

test("types that the code takes are dependencies of its own, and WebGPU's are an optional peer", () => {
  const read = (name: string): object =>
    JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), "utf8")) as object;
  const { compilerOptions } = read("tsconfig.json") as { compilerOptions: { types: readonly string[] } };
  const { devDependencies, peerDependencies, peerDependenciesMeta } = read("package.json") as Readonly<
    Record<"devDependencies" | "peerDependencies" | "peerDependenciesMeta", Readonly<Record<string, unknown>>>
  >;
  expect(compilerOptions.types).toContain("@webgpu/types");
  for (const name of compilerOptions.types) {
    expect(devDependencies).toHaveProperty([name.startsWith("@") ? name : `@types/${name}`]);
  }
  expect(peerDependencies).toHaveProperty(["@webgpu/types"]);
  expect(peerDependenciesMeta["@webgpu/types"]).toEqual({ optional: true });
});

test("names no registry", () => {
  const urls = Object.values(packages).filter(({ resolved = "" }) => /^\w+:/.test(resolved));
  expect(urls).toEqual([]);
});
