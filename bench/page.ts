import type { Fold } from "../src/gpu/fold.ts";
import { openFold } from "../src/index.ts";
import { version } from "../src/version.ts";
import type { AtHandOutcome, AtHandRow } from "./at_hand.ts";
import { handPaceFor, planAtHand, timeAtHand } from "./at_hand.ts";
import { partNames } from "./bus.ts";
import type { ShortTimes, WriteTimes } from "./round_trip.ts";
import { SHORT, timeShort, timeWrite } from "./round_trip.ts";
import { formatLength, parseSizes } from "./sizes.ts";
import type { Timing } from "./timer.ts";

// A page that times calls at hand in the browser that shows it. `scripts/at-hand-page.mjs` builds it.

/** What a page is asked for, in its address: `?sizes=1Mi,16Mi&quick`. */
export interface PageOptions {
  readonly sizes: readonly number[];
  readonly primitives: readonly string[];
  /** A third of the runs. */
  readonly quick: boolean;
}

/** A run, as the page shows it as JSON. */
export interface PageReport extends Omit<AtHandOutcome, "rows"> {
  readonly wavefold: string;
  readonly date: string;
  readonly browser: string;
  /** The finest step of the clock that was seen, in microseconds. */
  readonly clock: number;
  readonly device: {
    readonly vendor: string;
    readonly architecture: string;
    readonly description: string;
    readonly software: boolean;
    readonly maxBufferSize: number;
  };
  readonly atHand: readonly AtHandRow[];
  readonly writes: readonly WriteTimes[];
  readonly short?: ShortTimes;
  /** The tables. */
  readonly text: string;
}

const DEFAULT_SIZES = "1Mi,16Mi,128Mi";

/** @throws {ArgumentError} for sizes that mean no lengths. */
export function optionsOf(search: string): PageOptions {
  const given = new URLSearchParams(search);
  return {
    sizes: parseSizes(given.get("sizes") ?? DEFAULT_SIZES),
    primitives: (given.get("primitives") ?? "scan,reduce").split(","),
    quick: given.has("quick"),
  };
}

/** The finest step that the clock takes, in microseconds. */
function clockStep(): number {
  let finest = Number.POSITIVE_INFINITY;
  for (let step = 0; step < 20; step++) {
    const from = performance.now();
    let to = from;
    while (to === from) {
      to = performance.now();
    }
    finest = Math.min(finest, (to - from) * 1000);
  }
  return finest;
}

const milliseconds = ({ median, quartiles: [low, high] }: Timing): string => {
  const decimals = median >= 1e4 ? 1 : median >= 1000 ? 2 : 3;
  return `${(median / 1000).toFixed(decimals)} ±${((high - low) / 2000).toFixed(decimals)}`;
};

/** A table in Markdown. */
const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map((_, at) => (at === 0 ? "---" : "---:")), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");

/** Everything that the page shows of a run for people. */
function textOf(report: Omit<PageReport, "text">): string {
  const { browser, clock, device, atHand, writes, short, notes, wrong } = report;
  const names = [device.vendor, device.architecture, device.description].filter(Boolean).join(" ");
  return [
    `${names}${device.software ? " (software: these figures say nothing about a GPU)" : ""}; ${browser}; clock ${clock.toFixed(1)} µs`,
    "Milliseconds by the page's clock, medians ± half of what lies between the quartiles. Every element was verified.",
    tableOf(
      [
        ...["", "loop", "there and back", "memcpy in", "copy in", "copy out", "memcpy out"],
        ...["first call", "call", "x parts", "x loop"],
      ],
      atHand.map(({ primitive, length, loop, copy, parts, first, call, toParts, toLoop }) => [
        `${primitive} ${formatLength(length)}`,
        ...[loop, copy, ...partNames.map((name) => parts[name])].map(milliseconds),
        (first / 1000).toFixed(1),
        milliseconds(call),
        toParts.toFixed(2),
        toLoop.toFixed(2),
      ]),
    ),
    tableOf(
      ["", "`writeBuffer`", "of that, until it returns"],
      writes.map(({ length, write, returned }) => [
        formatLength(length),
        milliseconds(write),
        milliseconds(returned),
      ]),
    ),
    ...(short === undefined
      ? []
      : [
          `${short.length} elements: bare round trip ${milliseconds(short.bare)}, scan ${milliseconds(short.scan)} (${(short.scan.median / short.bare.median).toFixed(2)}), reduction ${milliseconds(short.reduce)} (${(short.reduce.median / short.bare.median).toFixed(2)})`,
        ]),
    ...notes.map((note) => `note: ${note}`),
    ...wrong.map((one) => `WRONG: ${one}`),
  ].join("\n\n");
}

/** Opens a fold for some work. */
async function withFold<T>(work: (fold: Fold) => Promise<T>): Promise<T> {
  const fold = await openFold({ cpu: "never" });
  try {
    return await work(fold);
  } finally {
    fold.destroy();
  }
}

/** Times a page's calls, each on a device of its own. */
export async function timeInPage(
  { sizes, primitives, quick }: PageOptions,
  step: (stage: string) => void,
): Promise<PageReport> {
  const wrong: string[] = [];
  /** Notes what fails, and goes on. */
  const attempt = async <T>(stage: string, work: (fold: Fold) => Promise<T>): Promise<T | undefined> => {
    step(stage);
    try {
      return await withFold(work);
    } catch (cause) {
      wrong.push(`${stage}: ${cause instanceof Error ? cause.message : cause}`);
      return undefined;
    }
  };
  const { device, suite, pace } = await withFold(async ({ device, adapterInfo, software }) => {
    const { vendor, architecture, description } = adapterInfo;
    const { maxBufferSize, maxStorageBufferBindingSize } = device.limits;
    const limits = { maxBufferSize, maxStorageBufferBindingSize };
    return {
      device: { vendor, architecture, description, software, maxBufferSize },
      suite: planAtHand({ sizes, primitives }, { software, features: new Set<string>(), ...limits }),
      pace: handPaceFor(software, quick),
    };
  });
  const short = await attempt(`${SHORT} elements`, (fold) => timeShort(fold, pace));
  const writes: WriteTimes[] = [];
  for (const length of sizes) {
    const one = await attempt(`writeBuffer at ${formatLength(length)}`, ({ device }) =>
      timeWrite(device, length, pace),
    );
    if (one !== undefined) {
      writes.push(one);
    }
  }
  const { rows, notes, wrong: others } = await timeAtHand(withFold, suite, pace, step);
  const report = {
    wavefold: version,
    date: new Date().toISOString(),
    browser: navigator.userAgent,
    clock: clockStep(),
    device,
    atHand: rows,
    writes,
    ...(short && { short }),
    notes,
    wrong: [...wrong, ...others],
  };
  return { ...report, text: textOf(report) };
}

const shown = document.querySelector("pre");
const button = document.querySelector("button");
const show = (text: string): void => {
  if (shown) {
    shown.textContent = text;
  }
};

/** Runs what the page's address asks for, and shows it. */
async function run(search = location.search): Promise<PageReport> {
  try {
    const report = await timeInPage(optionsOf(search), show);
    show(`${report.text}\n\n${JSON.stringify(report)}`);
    return report;
  } catch (cause) {
    show(String(cause));
    throw cause;
  }
}
button?.addEventListener("click", () => {
  button.disabled = true;
  void run().catch(() => {});
});
// For a program that opens the page.
Object.assign(globalThis, { run });
