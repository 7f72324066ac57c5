import { describe, expect, test } from "vitest";
import { linkSources } from "../../src/text/link.ts";
import { generated } from "../../src/text/source.ts";

const linked = (entryPoint: string, ...texts: string[]): string =>
  linkSources(texts.map(generated), entryPoint).code;

test("what the entry point needs is kept, in the order given", () => {
  const text = "fn c() {}\nfn b() { c(); }\nfn unused() {}\nfn a() { b(); a(); }";
  expect(linked("a", text)).toBe("fn c() {}\n\nfn b() { c(); }\n\nfn a() { b(); a(); }\n");
  expect(linked("nothing", text)).toBe("\n");
});

describe("directives come first, once and sorted", () => {
  const both = "enable subgroups, f16;";
  test("of sources that nothing is taken of, too; and f16 only where it is used", () => {
    expect(linked("a", "enable subgroups;", "enable subgroups;\nfn a() {}", both)).toBe(
      "enable subgroups;\n\nfn a() {}\n",
    );
    expect(linked("a", `${both}\nfn b(x: f16) {}\nfn a() {}`)).toBe("enable subgroups;\n\nfn a() {}\n");
    expect(linked("b", `${both}\nfn b(x: f16) {}`)).toBe(
      "enable f16;\nenable subgroups;\n\nfn b(x: f16) {}\n",
    );
  });
  test("f16 where it is used and no source enables it", () => {
    expect(linked("b", "fn b(x: f16) {}")).toBe("enable f16;\n\nfn b(x: f16) {}\n");
    for (const half of ["0.5h", "1h", "1e-3h", "vec2h(1.0).x", "mat2x3h()[0].x"]) {
      expect(linked("b", `fn b() -> f32 { return f32(${half}); }`), half).toMatch(/^enable f16;\n/);
    }
    expect(linked("b", "fn b() { let h = 1; /* 0.5h */ }")).not.toContain("enable");
  });
});

test("a changed source is linked anew", () => {
  const { relink } = linkSources([generated("fn b() {}"), generated("fn a() {}")], "a");
  const call = (text: string): string => text.replace("fn a() {}", "fn a() { b(); }");
  expect(relink((source) => ({ ...source, text: call(source.text) }))).toBe("fn b() {}\n\nfn a() { b(); }\n");
});
