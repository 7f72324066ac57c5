import manifest from "../package.json" with { type: "json" };
import { factsOf } from "../src/cli/adapter_facts.ts";
import type { Places } from "../src/cli/issue_link.ts";
import { issueLink } from "../src/cli/issue_link.ts";
import { checksEnd, runSelfTests, SELF_TEST_PIPELINES, selfTests } from "../src/cli/self_test.ts";
import type { Examined, Verdict } from "../src/cli/verdicts.ts";
import { nothingFound, resultOf, summaryOf, verdictsOf } from "../src/cli/verdicts.ts";
import type { Fold, SinglePassTest } from "../src/index.ts";
import { DeviceLostError, elementTypes, openFold, runLitmusTests } from "../src/index.ts";
import { byId, drawn, html, messageOf } from "./dom.ts";
import { openGpu } from "./gpu.ts";
import { formatTime, threeDigits } from "./timing.ts";
import type { BenchResult } from "./use/bench.ts";
import { runBench } from "./use/bench.ts";

/** The manifest names them once they are known. */
const places: Places & { readonly version: string } = manifest;
const element = (id: string): HTMLElement => byId(id, HTMLElement);
const button = (id: string): HTMLButtonElement => byId(id, HTMLButtonElement);
const types = byId("types", HTMLSelectElement);
const progress = byId("progress", HTMLProgressElement);

const shown = { ok: "ok", note: "note", failed: "FAILED" } as const;
const classes = { ok: "verdict good", note: "verdict", failed: "verdict bad" } as const;

/** A paragraph for each verdict: its colour says no more than its first word. Those that stand there already stay. */
function show(verdicts: readonly Verdict[]): void {
  const list = element("verdicts");
  verdicts.forEach(({ about, state, text }, at) => {
    const line = html("p", { class: classes[state] }, html("strong", {}, shown[state]), ` ${about}: ${text}`);
    const before = list.children[at];
    if (before === undefined) {
      list.append(line);
    } else if (before.textContent !== line.textContent) {
      before.replaceWith(line);
    }
  });
  while (list.children.length > verdicts.length) {
    list.lastElementChild?.remove();
  }
}

const say = (stage: string): Promise<void> => {
  element("stage").textContent = stage;
  return drawn();
};

/** Opens a device, and tests single passes on it. The test may be what loses the device. A new one is checked without it. */
async function openTested(): Promise<{ fold: Fold; singlePass: SinglePassTest | null }> {
  const options = { cpu: "never", maxPipelines: SELF_TEST_PIPELINES } as const;
  const start = performance.now();
  const fold = await openFold(options);
  show(verdictsOf({ ...nothingFound, adapter: factsOf(fold) }));
  await say("The test of single passes …");
  try {
    const { singlePassTest = null } = await openFold({ device: fold.device, testSinglePass: true });
    return { fold, singlePass: singlePassTest };
  } catch (cause) {
    if (!(cause instanceof DeviceLostError)) {
      throw cause;
    }
    const milliseconds = Math.round(performance.now() - start);
    return {
      fold: await openFold(options),
      singlePass: { passed: false, detail: cause.message, milliseconds },
    };
  }
}

/** What was found, and the times of a bench: undefined if results are wrong before it. */
interface Checked {
  readonly examined: Examined;
  readonly bench?: BenchResult;
  /** Of the bench. */
  readonly verdict?: Verdict;
}

/** One length of the bench of "Use it", which compares each result before its time counts. */
async function measure(fold: Fold): Promise<Pick<Checked, "bench" | "verdict">> {
  const about = "bench";
  const length = fold.software ? 2 ** 12 : 2 ** 20;
  let bench: BenchResult;
  try {
    bench = await runBench(fold, [length], (title) => say(`The bench: ${title}`));
  } catch (cause) {
    return { verdict: { about, state: "failed", text: messageOf(cause) } };
  }
  const copy = bench.measurements.find(({ what }) => what === "copy");
  const times = bench.measurements.map(({ what, microseconds }) => {
    const copies = what === "copy" || !copy ? "" : ` (${threeDigits(microseconds / copy.microseconds)} ×)`;
    return `${what} ${formatTime(microseconds)}${copies}`;
  });
  return times.length === 0
    ? { verdict: { about, state: "note", text: "nothing could be timed" } }
    : {
        bench,
        verdict: {
          about,
          state: "ok",
          text: `${length.toLocaleString("en")} u32, by ${bench.clock}: ${times.join(", ")}`,
        },
      };
}

/** The test of single passes, the self-test, the bench and the litmus tests, on a device of their own. */
async function examine(names: readonly string[]): Promise<Checked> {
  const start = performance.now();
  const { fold, singlePass } = await openTested();
  try {
    const found: Examined = { ...nothingFound, adapter: factsOf(fold), singlePass };
    show(verdictsOf(found));
    const tests = selfTests(fold, { types: names, singlePass });
    const until = checksEnd(fold, start);
    progress.max = tests.length;
    progress.value = 0;
    const outcomes = await runSelfTests(tests, {
      step(title) {
        element("stage").textContent = `${progress.value + 1} of ${tests.length}: ${title}`;
        progress.value++;
      },
      done: (some) => show(verdictsOf({ ...found, selfTest: resultOf(some) })),
      until,
    });
    const examined = { ...found, selfTest: resultOf(outcomes) };
    show(verdictsOf(examined));
    const measured = examined.selfTest.failed === 0 && (await measure(fold));
    // Last, since these may lose the device.
    const litmus = await runLitmusTests(fold, { onTest: (name) => void say(`The litmus test of ${name}`) });
    return { examined: { ...examined, litmus }, ...measured };
  } finally {
    fold.destroy();
  }
}

let report: object | undefined;

async function run(): Promise<void> {
  button("start").disabled = true;
  button("copy").disabled = true;
  progress.hidden = false;
  progress.removeAttribute("value");
  element("summary").textContent = "";
  show([]);
  element("text").replaceChildren();
  element("issue").replaceChildren();
  const names = types.value === "" ? Object.keys(elementTypes) : [types.value];
  const { examined, bench, verdict } = await examine(names).catch(
    (cause: unknown): Checked => ({ examined: { ...nothingFound, error: messageOf(cause) } }),
  );
  const verdicts = [...verdictsOf(examined), ...(verdict === undefined ? [] : [verdict])];
  const { works, summary } =
    verdict?.state === "failed"
      ? { works: false, summary: `Wavefold does not work here. ${verdict.text.replace(/\.$/, "")}` }
      : summaryOf(examined);
  show(verdicts);
  const versions = { wavefold: manifest.version, browser: navigator.userAgent };
  const link = issueLink(places, { summary, versions, verdicts });
  if (link !== undefined) {
    element("issue").append(html("a", { href: link }, "Open an issue with the verdicts"));
  }
  report = {
    version: 2,
    date: new Date().toISOString(),
    works,
    summary,
    versions,
    ...examined,
    bench,
    verdicts,
  };
  element("summary").className = works ? "verdict good" : "verdict bad";
  element("summary").textContent = `${summary}.`;
  element("stage").textContent = "";
  progress.hidden = true;
  button("start").disabled = false;
  button("copy").disabled = false;
}

async function copy(): Promise<void> {
  const text = JSON.stringify(report, undefined, 1);
  try {
    await navigator.clipboard.writeText(text);
    element("stage").textContent = "The report is on the clipboard, as JSON.";
  } catch {
    // Without the permission, the text itself is there to be copied.
    const area = html("textarea", { rows: 12, "aria-label": "The report as JSON" }, text);
    element("text").replaceChildren(area);
    area.focus();
    area.select();
    element("stage").textContent =
      "The browser keeps the clipboard to itself; the text beneath is selected, to be copied.";
  }
}

types.append(...Object.keys(elementTypes).map((name) => html("option", { value: name }, name)));
const fold = await openGpu(
  "There is nothing to check. In Node.js, npx wavefold doctor says what is missing.",
);
if (fold === undefined) {
  button("start").disabled = true;
  types.disabled = true;
} else {
  // The check opens a device of its own.
  fold.destroy();
  button("start").addEventListener("click", () => void run());
  button("copy").addEventListener("click", () => void copy());
}
document.documentElement.dataset.ready = "";
