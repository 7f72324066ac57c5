import type { RunnerTask as Task } from "vitest";
import { describe, expect, test } from "vitest";
import { digestOfExplored, digestOfParts, isAsked, partsOfModel, recordExplored } from "./explored.ts";
import { copied } from "./lines.ts";

const parts = partsOfModel();

test("the digest is of the model, its cases, the guide and each function that the model copies", () => {
  const sources = ["explore.ts", "lines.ts", "scan.ts", "scan_cases.ts", "sort.ts", "sort_cases.ts"];
  expect([...parts.keys()]).toEqual(
    expect.arrayContaining([...sources, ...copied.map(([file, name]) => `${name} of ${file}`), "the guide"]),
  );
  const digest = digestOfParts(parts);
  for (const [name, text] of parts) {
    expect(text.length, name).toBeGreaterThan(7);
    expect(digestOfParts(new Map([...parts, [name, `${text} `]])), name).not.toBe(digest);
  }
});

// As long as all of this is as it was, exploring finds what it found.
if (isAsked() || digestOfParts(parts) !== digestOfExplored()) {
  describe("every interleaving of the scan", async () => {
    await import("./scan_cases.ts");
  });
  describe("every interleaving of the sort", async () => {
    await import("./sort_cases.ts");
  });

  const testsIn = (task: Task): Task[] => ("tasks" in task ? task.tasks.flatMap(testsIn) : [task]);

  test("what was explored is recorded", ({ task }) => {
    const others = testsIn(task.file).filter((one) => one !== task);
    expect(others.filter(({ result }) => result?.state !== "pass").map(({ name }) => name)).toEqual([]);
    if (isAsked()) {
      recordExplored();
    }
    expect(digestOfExplored(), "the model changed, and was explored: record that with npm run explore").toBe(
      digestOfParts(parts),
    );
  });
}
