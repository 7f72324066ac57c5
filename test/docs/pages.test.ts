import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";

const guides = readdirSync("docs/guides").map((file) => `docs/guides/${file}`);
const read = (file: string): string => readFileSync(file, "utf8");

test.each([
  ["README.md", 120],
  ["ARCHITECTURE.md", 130],
] as const)("%s has at most %i lines", (file, most) => {
  expect(read(file).trimEnd().split("\n").length).toBeLessThanOrEqual(most);
});

test("README.md's lines are of readable length", () => {
  const long = read("README.md")
    .split("\n")
    .filter((line) => line.length > (line.startsWith("|") ? 130 : 120));
  expect(long).toEqual([]);
});

/** What a page puts in backquotes, without its blocks of code. */
const quoted = (text: string): string[] =>
  Array.from(text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/`([^`\n]+)`/g), ([, code = ""]) => code);

/** A path of a file or a folder. Neither the package's entries nor what a build writes. */
const isPath = (code: string): boolean =>
  /^[\w./-]+$/.test(code) &&
  /\/|\.(ts|mjs|json|wgsl|md)$/.test(code) &&
  !/^(wavefold|dist|build|site-dist)\//.test(code);

describe("ARCHITECTURE.md", () => {
  const text = read("ARCHITECTURE.md");
  const [drawing = ""] = /^```[\s\S]*?^```$/m.exec(text) ?? [];

  test("has one drawing, and names files that exist, from the repository's root on", () => {
    const paths = [...quoted(text).filter(isPath), ...(drawing.match(/\b(src|shaders)\/[\w./]+\w/g) ?? [])];
    expect(text.match(/^```/gm)).toHaveLength(2);
    expect(paths.length).toBeGreaterThanOrEqual(50);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });

  test("names what is in these files", () => {
    const places = [...text.matchAll(/`([A-Za-z_]\w*)`\s+in\s+`([\w./-]+\.\w+)`/g)];
    expect(places.length).toBeGreaterThanOrEqual(10);
    const absent = places.filter(([, name, path = ""]) => !new RegExp(`\\b${name}\\b`).test(read(path)));
    expect(absent.map(([whole]) => whole)).toEqual([]);
  });
});

test("the code has each word of CONTRIBUTING.md's list", () => {
  const [, table = ""] = /### Words\n([\s\S]*?)\n## /.exec(read("CONTRIBUTING.md")) ?? [];
  const words = [...table.matchAll(/^\| ([a-z][a-z -]*) \|/gm)].map(([, word = ""]) => word);
  const files = ["src", "shaders"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(ts|wgsl)$/.test(name))
      .map((name) => read(`${folder}/${name}`)),
  );
  const code = files.join("\n");
  expect(words.length).toBeGreaterThanOrEqual(40);
  // In names, spaces are underscores or capitals: run_number, runNumber.
  const isThere = (word: string): boolean =>
    new RegExp(`\\b${word.replaceAll(/[ -]/g, "[ _-]?")}(s|es)?\\b`, "i").test(code);
  expect(words.filter((word) => word !== "word" && !isThere(word))).toEqual([]);
});

/** Folders of the repository, as their names begin a path. */
const FOLDERS = /^(src|shaders|test|docs|bench|scripts|examples|site)\//;

test.each(["README.md", "CONTRIBUTING.md", ...guides])("%s names files that exist", (file) => {
  const paths = quoted(read(file)).filter((code) => isPath(code) && FOLDERS.test(code));
  expect(paths.filter((path) => !existsSync(path) && basename(path) !== "NAME.test.ts")).toEqual([]);
});
