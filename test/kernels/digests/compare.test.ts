import { expect, test } from "vitest";
import { differences, report } from "./compare.ts";

const earlier = [
  "scan: type u32 on nvidia\taa\tbb",
  "scan: type f64 on nvidia\taa\tbb",
  "scan: type u64 on software\taa\tbb",
  "sort: type u32 on nvidia\taa\tbb",
  "topK: type u32 on nvidia\taa\tbb",
  "",
].join("\n");

test("files with the same lines do not differ, whatever their order is", () => {
  const found = differences(earlier, earlier.split("\n").reverse().join("\n"));
  expect(found).toEqual([]);
  expect(report(found)).toBe("Nothing differs.");
});

test("lines that changed, came and went are counted by primitive and adapter, and named", () => {
  const later = earlier
    .replace("scan: type u32 on nvidia\taa\tbb", "scan: type u32 on nvidia\tab\tbb")
    .replace("scan: type f64 on nvidia\taa\tbb", "scan: type f64 on nvidia\tac\tbb")
    .replace("u64 on software\taa\tbb", "u64 on software\taa\tbc")
    .replace("sort: type u32 on nvidia\taa\tbb", "sort: type u32 on nvidia\tab\tbc")
    .replace("topK: type u32", "topK: type i32");
  const found = differences(earlier, later);
  expect(found).toHaveLength(6);
  expect(report(found)).toBe(
    [
      "6 option sets differ:",
      "  scan on nvidia: kernels: 2",
      "  scan on software: plan: 1",
      "  sort on nvidia: kernels and plan: 1",
      "  topK on nvidia: new: 1",
      "  topK on nvidia: missing: 1",
      "",
      "scan: type f64 on nvidia: kernels",
      "scan: type u32 on nvidia: kernels",
      "scan: type u64 on software: plan",
      "sort: type u32 on nvidia: kernels and plan",
      "topK: type i32 on nvidia: new",
      "topK: type u32 on nvidia: missing",
    ].join("\n"),
  );
});

test("at most 20 titles are named", () => {
  const lines = Array.from({ length: 33 }, (_, at) => `scan: maxLength ${at} on any\taa\tbb`);
  const found = differences(lines.join("\n"), "");
  expect(report(found).split("\n")).toHaveLength(1 + 1 + 1 + 20 + 1);
  expect(report(found)).toMatch(/and 13 more$/);
});

test("only titles with the given start are compared", () => {
  const later = earlier.split("\n").filter((line) => line.startsWith("scan"));
  expect(differences(earlier, later.join("\n"), "scan")).toEqual([]);
  expect(differences(earlier, later.join("\n"))).toHaveLength(2);
});
