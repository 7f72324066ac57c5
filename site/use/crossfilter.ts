import { makeVector, Table } from "apache-arrow";
import type { Dimension } from "../../examples/crossfilter/crossfilter.ts";
import { makeCrossfilter } from "../../examples/crossfilter/crossfilter.ts";
import type { Fold } from "../../src/index.ts";
import { byId, html, messageOf, svg } from "../dom.ts";

interface Chart extends Dimension {
  readonly title: string;
}

const charts: readonly Chart[] = [
  { column: "hour", title: "Hour of departure", bins: 24, range: [0, 24] },
  { column: "delay", title: "Delay in minutes", bins: 40, range: [-40, 160] },
  { column: "distance", title: "Distance in miles", bins: 40, range: [0, 4000] },
];

/** So many flights, which are the same each time. The later in the day, the later they are. */
export function flights(rows: number): Table {
  let state = 1;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const [hour, delay, distance] = [new Float32Array(rows), new Int32Array(rows), new Float32Array(rows)];
  for (let row = 0; row < rows; row++) {
    const time = 5 + 9 * random() + 9 * random();
    hour[row] = time;
    delay[row] = Math.round(-30 + 40 * random() + 4 * time * random() ** 3);
    distance[row] = 100 + 3800 * random() * random();
  }
  return new Table({ hour: makeVector(hour), delay: makeVector(delay), distance: makeVector(distance) });
}

/** By loops: each chart's counts of the rows that pass the other charts' filters, and the number of those that pass all. */
export function countsOf(
  table: Table,
  ranges: readonly (readonly [low: number, high: number] | undefined)[],
): { counts: number[][]; passing: number } {
  const columns = charts.map(({ column }) => table.getChild(column)?.toArray() as Float32Array);
  const counts = charts.map(({ bins }) => new Array<number>(bins).fill(0));
  let passing = 0;
  for (let row = 0; row < table.numRows; row++) {
    const failed = columns.map((values, at) => {
      const [value = 0, range] = [values[row], ranges[at]];
      return range !== undefined && !(value >= range[0] && value < range[1]);
    });
    passing += failed.includes(true) ? 0 : 1;
    for (const [at, { bins, range }] of charts.entries()) {
      const value = columns[at]?.[row] ?? 0;
      const isCounted =
        value >= range[0] && value <= range[1] && !failed.some((fails, other) => fails && other !== at);
      if (isCounted) {
        const bin = Math.min(bins - 1, Math.floor(((value - range[0]) * bins) / (range[1] - range[0])));
        const own = counts[at] ?? [];
        own[bin] = (own[bin] ?? 0) + 1;
      }
    }
  }
  return { counts, passing };
}

/** A chart's bars and sliders. */
function drawChart({ title, bins, range: [low, high] }: Chart, onInput: () => void) {
  const bars = Array.from({ length: bins }, (_, bin) => svg("rect", { x: bin + 0.05, width: 0.9 }));
  const slider = (name: string, value: number): HTMLInputElement =>
    html("input", { type: "range", min: 0, max: bins, step: 1, value, "aria-label": `${title}: ${name}` });
  const [from, to] = [slider("from", 0), slider("to", bins)];
  const edge = (bin: number): number => low + (bin * (high - low)) / bins;
  const reach = html("output", { class: "note" });
  const range = (): readonly [number, number] => [edge(Number(from.value)), edge(Number(to.value))];
  const tell = (): void => {
    reach.textContent = `from ${range()[0]} up to ${range()[1]}`;
    for (const [bin, bar] of bars.entries()) {
      bar.classList.toggle("passes", bin >= Number(from.value) && bin < Number(to.value));
    }
  };
  for (const one of [from, to]) {
    one.addEventListener("input", () => {
      tell();
      onInput();
    });
  }
  tell();
  const isWhole = (): boolean => Number(from.value) === 0 && Number(to.value) === bins;
  return {
    figure: html(
      "figure",
      {},
      html("figcaption", {}, title),
      svg(
        "svg",
        {
          viewBox: `0 0 ${bins} 1`,
          preserveAspectRatio: "none",
          role: "img",
          "aria-label": `Rows by: ${title}`,
        },
        ...bars,
      ),
      html("label", {}, html("span", {}, "From"), from),
      html("label", {}, html("span", {}, "To"), to),
      reach,
    ),
    /** What passes, from its first number up to its second; nothing if all rows do. */
    range: () => (isWhole() ? undefined : range()),
    show(counts: Uint32Array): void {
      const most = Math.max(1, ...counts);
      for (const [bin, bar] of bars.entries()) {
        const height = (counts[bin] ?? 0) / most;
        bar.setAttribute("y", `${1 - height}`);
        bar.setAttribute("height", `${height}`);
      }
    },
    reset(): void {
      from.value = "0";
      to.value = `${bins}`;
      tell();
    },
  };
}

/** Fills the page's section: charts of as many rows as its list says. */
export function showCrossfilter(fold: Fold): void {
  const rows = byId("crossfilter-rows", HTMLSelectElement);
  const same = byId("crossfilter-same", HTMLElement);
  const problem = byId("crossfilter-problem", HTMLElement);
  let table = flights(Number(rows.value));
  let crossfilter = makeCrossfilter(fold, table, charts);
  let shown: Uint32Array[] = [];
  let passing = 0;
  let asked = 0;
  let queue = Promise.resolve();
  const moved = new Set<number>();

  /** One after another, and only what was asked last: the filters of the charts that have moved, and then all counts. */
  const update = (...charted: readonly number[]): Promise<void> => {
    const number = ++asked;
    for (const at of charted) {
      moved.add(at);
    }
    same.textContent = "";
    queue = queue.then(async () => {
      if (number !== asked) {
        return;
      }
      try {
        const made = await crossfilter;
        for (const at of moved) {
          await made.filter(charts[at]?.column ?? "", drawn[at]?.range());
        }
        moved.clear();
        shown = [];
        for (const { column } of charts) {
          shown.push(await made.histogram(column));
        }
        passing = await made.count();
        for (const [at, counts] of shown.entries()) {
          drawn[at]?.show(counts);
        }
        byId("crossfilter-kept", HTMLElement).textContent =
          `${passing.toLocaleString("en")} of ${table.numRows.toLocaleString("en")} rows pass all filters`;
      } catch (cause) {
        problem.textContent = messageOf(cause);
      }
    });
    return queue;
  };
  const drawn = charts.map((chart, at) => drawChart(chart, () => void update(at)));
  byId("crossfilter", HTMLElement).replaceChildren(...drawn.map(({ figure }) => figure));
  rows.addEventListener("change", () => {
    const old = crossfilter;
    queue = queue.then(async () => (await old).destroy());
    table = flights(Number(rows.value));
    crossfilter = queue.then(() => makeCrossfilter(fold, table, charts));
    void update(...charts.keys());
  });
  byId("crossfilter-all", HTMLButtonElement).addEventListener("click", () => {
    for (const one of drawn) {
      one.reset();
    }
    void update(...charts.keys());
  });
  byId("crossfilter-check", HTMLButtonElement).addEventListener("click", async () => {
    await update();
    const expected = countsOf(
      table,
      drawn.map((one) => one.range()),
    );
    const isSame =
      passing === expected.passing &&
      expected.counts.every((counts, at) => counts.every((count, bin) => count === shown[at]?.[bin]));
    same.textContent = isSame ? "Every count is as on the CPU" : "The counts are not as on the CPU";
  });
  void update();
}
