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

/** The anchors of a text's headings, as code hosts make them. */
const anchorsOf = (text: string): string[] =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

test.each(files)("%s links what there is", (file) => {
  const text = readFileSync(file, "utf8");
  const dead = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^https?:/.test(link))
    .filter((link) => {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? file : join(dirname(file), path);
      return (
        !existsSync(target) ||
        (anchor !== undefined && !anchorsOf(readFileSync(target, "utf8")).includes(anchor))
      );
    });
  expect(dead).toEqual([]);
});
