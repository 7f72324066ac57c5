import type { Reporter, TestModule } from "vitest/node";

/** Names what did not run, and why: a skip that nobody sees is a test that cannot fail. */
export const skippedReporter: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    for (const module of modules) {
      const byNote = new Map<string, string[]>();
      for (const test of module.children.allTests("skipped")) {
        const result = test.result();
        const note = (result.state === "skipped" && result.note) || "no reason given";
        byNote.set(note, [...(byNote.get(note) ?? []), test.fullName]);
      }
      for (const [note, names] of byNote) {
        console.log(
          `skipped: ${module.relativeModuleId}: ${names.length} (${note}): ${names.slice(0, 3).join("; ")}${names.length > 3 ? "; …" : ""}`,
        );
      }
    }
  },
};
