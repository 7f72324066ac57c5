import { expect, test } from "vitest";
import { copied, digestOf, functionText, lineNumber, lines } from "./lines.ts";

// The model must not drift from the shaders.

test.each(Object.entries(lines))("the line that the model calls %s is in its function", (_, line) => {
  expect(functionText(line.file, line.function), `${line.function} in ${line.file}`).toBeDefined();
  expect(lineNumber(line), `${line.text} in ${line.function} of ${line.file}`).toBeGreaterThan(0);
});

test("a line or a function that is not there is found to be missing", () => {
  expect(lineNumber({ ...lines.storeWord, text: "atomicStore(" })).toBe(0);
  expect(lineNumber({ ...lines.storeWord, function: "write_plac" })).toBe(0);
  expect(digestOf(lines.storeWord.file, "write_plac")).toBeUndefined();
});

test("each line's function is one that the model copies", () => {
  for (const { file, function: name } of Object.values(lines)) {
    expect(
      copied.some(([from, one]) => from === file && one === name),
      `${name} of ${file}`,
    ).toBe(true);
  }
});

test.each(copied)("%s: %s is as it was when the model was written", (file, name, digest) => {
  expect(
    digestOf(file, name),
    "see whether the model does what this function does, and then change lines.ts",
  ).toBe(digest);
});
