import { expect, test } from "vitest";
import { linkSources } from "../../src/text/link.ts";
import { filesOf } from "../../src/text/linked_files.ts";
import type { Source } from "../../src/text/source.ts";
import { generated } from "../../src/text/source.ts";

const file = (name: string, text: string): Source => ({ name: `shaders/${name}.wgsl`, text });
const linked = (...sources: readonly Source[]) =>
  filesOf({ ...linkSources(sources, "main"), entryPoint: "main" });

test("a file is listed with what the kernel has of it, in the order of the sources", () => {
  const files = linked(
    file("b", "const UNUSED = 1u;\nfn b() { c(); }"),
    file("unused", "fn other() {}"),
    file("main", "fn main() { b(); }\nfn c() {}"),
  );
  expect(files).toEqual([
    { name: "shaders/b.wgsl", declares: ["b"], replaces: [] },
    { name: "shaders/main.wgsl", declares: ["main", "c"], replaces: [] },
  ]);
});

test("a name that takes the place of another file's is listed once, with that file", () => {
  const files = linked(
    file("two", "// replaces: step\n\nfn step() {}"),
    file("one", "fn main() { step(); idle(); }\nfn step() {}\nfn idle() {}"),
    file("three", "// replaces: unused\n\nfn unused() {}"),
    file("four", "fn unused() {}"),
  );
  expect(files).toEqual([
    {
      name: "shaders/two.wgsl",
      declares: ["step"],
      replaces: [{ name: "step", file: "shaders/one.wgsl" }],
    },
    { name: "shaders/one.wgsl", declares: ["main", "idle"], replaces: [] },
  ]);
});

test("generated texts are one file, and a text of the caller's has the name that it was given under", () => {
  const where = { name: "the where", text: "x > 3u", callers: true, references: new Set(["x"]) };
  const files = linked(
    generated("const A = 1u;"),
    file("main", "fn main() { keep(A + B); }"),
    [generated("fn keep(x: u32) -> bool {\n  return ("), where, generated(");\n}")],
    generated("const B = 1u;"),
  );
  expect(files).toEqual([
    { name: "generated", declares: ["A", "B"], replaces: [] },
    { name: "shaders/main.wgsl", declares: ["main"], replaces: [] },
    { name: "the where", declares: ["keep"], replaces: [] },
  ]);
});
