import type { Reporter, TestModule } from "vitest/node";

/** Why a test is skipped that is not in the sample. */
export const NOT_SAMPLED = "not in the sample";

/** Names what did not run, and why, but for what is not in the sample: a skip that nobody sees is a test that cannot fail. */
export const skippedReporter: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    for (const module of modules) {
      const byNote = new Map<string, string[]>();
      for (const test of module.children.allTests("skipped")) {
        const result = test.result();
        const note = (result.state === "skipped" && result.note) || "no reason given";
        byNote.set(note, [...(byNote.get(note) ?? []), test.fullName]);
      }
      byNote.delete(NOT_SAMPLED);
      for (const [note, names] of byNote) {
        console.log(
          `skipped: ${module.relativeModuleId}: ${names.length} (${note}): ${names.slice(0, 3).join("; ")}${names.length > 3 ? "; …" : ""}`,
        );
      }
    }
  },
};
