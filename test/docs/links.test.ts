import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const files = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "bench/LOG.md",
  "bench/peers/README.md",
  ...readdirSync("docs/guides").map((file) => `docs/guides/${file}`),
];

/** What the package has, as package.json lists it: files, folders, and names with a star. */
const packed = (JSON.parse(readFileSync("package.json", "utf8")) as { files: readonly string[] }).files;
const isPacked = (path: string): boolean =>
  packed.some((one) => {
    const [start = "", end] = one.split("*");
    return (
      path === one ||
      path.startsWith(`${one}/`) ||
      (end !== undefined && path.startsWith(start) && path.endsWith(end))
    );
  });

/** The anchors of a text's headings, as code hosts make them. */
const anchorsOf = (text: string): string[] =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

/** A file's links to other files, and to its own headings. */
const linksOf = (
  file: string,
): { readonly link: string; readonly target: string; readonly anchor?: string }[] =>
  [...readFileSync(file, "utf8").matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^https?:/.test(link))
    .map((link) => {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? file : join(dirname(file), path);
      return { link, target, ...(anchor !== undefined && { anchor }) };
    });

test.each(files)("%s links what there is", (file) => {
  const dead = linksOf(file).filter(
    ({ target, anchor }) =>
      !existsSync(target) ||
      (anchor !== undefined && !anchorsOf(readFileSync(target, "utf8")).includes(anchor)),
  );
  expect(dead).toEqual([]);
});

test.each(files.filter(isPacked))("in the package, %s links what that has", (file) => {
  expect(linksOf(file).filter(({ target }) => !isPacked(target))).toEqual([]);
});
