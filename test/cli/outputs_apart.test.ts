import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { requireApart } from "../../src/cli/files.ts";

// A file system that does not tell case apart is found by what it does. So is a stand-in for one: below `state.root`, all names
// are lower case on the disk, whatever case they are given in. Like Linux, it gives a path back in the case that it was given in.

const { state, lowered } = vi.hoisted(() => {
  const held = { root: "" };
  return {
    state: held,
    lowered: (path: string) =>
      held.root !== "" && path.startsWith(held.root)
        ? held.root + path.slice(held.root.length).toLowerCase()
        : path,
  };
});

vi.mock("node:fs", async (original) => {
  const own = await original<typeof import("node:fs")>();
  const on =
    <Rest extends unknown[], Result>(call: (path: string, ...rest: Rest) => Result) =>
    (path: string, ...rest: Rest): Result =>
      call(lowered(path), ...rest);
  return {
    ...own,
    existsSync: on(own.existsSync as (path: string) => boolean),
    mkdirSync: on(own.mkdirSync as (path: string) => undefined),
    openSync: on(own.openSync as (path: string, flags: string) => number),
    rmSync: on(own.rmSync as (path: string, options: object) => undefined),
    statSync: on(own.statSync as (path: string) => unknown),
  };
});
vi.mock("node:fs/promises", async (original) => {
  const own = await original<typeof import("node:fs/promises")>();
  return {
    ...own,
    access: (path: string, mode?: number) => own.access(lowered(path), mode),
    readlink: (path: string) => own.readlink(lowered(path)),
    stat: (path: string) => own.stat(lowered(path)),
    realpath: async (path: string) => {
      const place = await own.realpath(lowered(path));
      return state.root === "" ? place : path;
    },
  };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wavefold-apart-"));
});
afterEach(() => {
  state.root = "";
  rmSync(folder, { recursive: true, force: true });
});

const at = (name: string): string => join(folder, name);
const apart = (...names: string[]): Promise<void> => requireApart(names.map(at));
const refused = (path: string) => ({
  name: "UsageError",
  message: `${path}: two outputs would go there; it takes a file for each`,
});

describe("where case is not told apart", () => {
  beforeEach(() => {
    state.root = folder;
  });

  test("names that differ by case alone are refused, and nothing is left", async () => {
    await expect(apart("x.npy", "X.npy")).rejects.toMatchObject(refused(at("X.npy")));
    await expect(apart("a.npy", "X.NPY", "b.npy", "x.npy")).rejects.toMatchObject(refused(at("x.npy")));
    await apart("x.npy", "y.npy", "Z.npy");
    expect(readdirSync(folder)).toEqual([]);
  });

  test("so are those of a file that is there", async () => {
    writeFileSync(at("x.npy"), "as it was");
    await expect(apart("X.npy", "x.npy")).rejects.toMatchObject(refused(at("x.npy")));
    await apart("X.npy", "y.npy");
    expect(readdirSync(folder)).toEqual(["x.npy"]);
  });

  test("and those in a folder whose name is given in two ways", async () => {
    mkdirSync(at("out"));
    for (const name of ["x.npy", "X.npy"]) {
      await expect(apart("out/x.npy", `Out/${name}`)).rejects.toMatchObject(refused(at(`Out/${name}`)));
    }
    await apart("out/x.npy", "Out/y.npy");
    expect(readdirSync(at("out"))).toEqual([]);
  });
});

test("names that differ by case alone are refused where they name one file here, and only there", async () => {
  writeFileSync(at("probe"), "");
  const isOne = existsSync(at("PROBE"));
  rmSync(at("probe"));
  const asked = apart("x.npy", "X.npy");
  await (isOne ? expect(asked).rejects.toMatchObject(refused(at("X.npy"))) : asked);
  expect(readdirSync(folder)).toEqual([]);
});

test("names in folders of their own are apart, whatever they are", async () => {
  mkdirSync(at("one"));
  mkdirSync(at("two"));
  await apart("one/x.npy", "two/x.npy", "two/y.npy");
  const around = `${folder}/two/../one/x.npy`;
  await expect(requireApart([at("one/x.npy"), around])).rejects.toMatchObject(refused(around));
});
