import type { Fold } from "../src/index.ts";
import { byId, drawn, html, messageOf } from "./dom.ts";
import { openGpu } from "./gpu.ts";
import { formatTime, threeDigits } from "./timing.ts";
import type { BenchResult, Measurement } from "./use/bench.ts";
import { lengthsTo, runBench } from "./use/bench.ts";
import type { Blur } from "./use/blur.ts";
import { makeBlur } from "./use/blur.ts";
import { drawPicture } from "./use/box_blur.ts";
import type { Particles } from "./use/particles.ts";
import { makeParticles, Particle } from "./use/particles.ts";
import type { Player } from "./use/play.ts";
import { playOn, rateText } from "./use/play.ts";
import type { Splats } from "./use/splats.ts";
import { makeSplats, SPLAT_BYTES } from "./use/splats.ts";

const element = (id: string): HTMLElement => byId(id, HTMLElement);
const button = (id: string): HTMLButtonElement => byId(id, HTMLButtonElement);
const select = (id: string): HTMLSelectElement => byId(id, HTMLSelectElement);
const canvas = byId("canvas", HTMLCanvasElement);

const count = (value: number): string => value.toLocaleString("en");

/** Offers numbers to choose from. */
const offer = (into: HTMLSelectElement, values: readonly number[], first: number | undefined): void =>
  into.append(...values.map((one) => html("option", { value: one, selected: one === first }, count(one))));

/** The particles, and what steers them. */
function showParticles(fold: Fold): Player<Particles> {
  const capacities = fold.software ? [5_000, 20_000, 100_000] : [100_000, 1_000_000, 4_000_000];
  const room = Math.floor(fold.device.limits.maxStorageBufferBindingSize / Particle.bytes);
  offer(
    select("capacity"),
    capacities.filter((one) => one <= room),
    capacities[fold.software ? 0 : 1],
  );
  const player = playOn(fold, canvas, {
    make: () => makeParticles(fold, canvas, Number(select("capacity").value)),
    births: () => byId("births", HTMLInputElement).checked,
    onChange({ running, rate, problem }) {
      button("play").textContent = running ? "Pause" : "Play";
      element("rate").textContent = rate === undefined ? "" : `at ${rateText(rate)}`;
      element("particles-problem").textContent = problem === undefined ? "" : messageOf(problem);
    },
  });
  button("play").addEventListener("click", player.toggle);
  select("capacity").addEventListener("change", () => {
    element("living").textContent = "";
    player.rebuild();
  });
  button("count").addEventListener("click", () =>
    answer("living", "particles-problem", async () => {
      const particles = await player.ready();
      return `${count(await particles.count())} live`;
    }),
  );
  return player;
}

/** Shows that an answer is on its way, then the answer, or what went wrong. */
async function answer(at: string, problemAt: string, ask: () => Promise<string>): Promise<void> {
  const place = element(at);
  place.textContent = "Checking …";
  try {
    place.textContent = await ask();
  } catch (cause) {
    place.textContent = "";
    element(problemAt).textContent = messageOf(cause);
  }
}

/** The splats, and what steers them. */
function showSplats(fold: Fold): Player<Splats> {
  const sizes = fold.software ? [2_000, 8_000, 32_000] : [100_000, 1_000_000, 4_000_000];
  const room = Math.floor(fold.device.limits.maxStorageBufferBindingSize / SPLAT_BYTES);
  offer(
    select("splats-count"),
    sizes.filter((one) => one <= room),
    sizes[fold.software ? 0 : 1],
  );
  const stage = byId("splats", HTMLCanvasElement);
  const sorts = byId("splats-sort", HTMLInputElement);
  const order = element("splats-order");
  const splats = (): number => Number(select("splats-count").value);
  const player = playOn(fold, stage, {
    make: () => makeSplats(fold, stage, splats(), { count: splats, sorts: () => sorts.checked }),
    onChange({ running, rate, problem }) {
      button("splats-play").textContent = running ? "Pause" : "Play";
      button("splats-play").ariaLabel = running ? "Pause the splats" : "Play the splats";
      element("splats-rate").textContent = rateText(rate);
      element("splats-problem").textContent = problem === undefined ? "" : messageOf(problem);
    },
  });
  button("splats-play").addEventListener("click", player.toggle);
  select("splats-count").addEventListener("change", () => {
    order.textContent = "";
    player.rebuild();
  });
  sorts.addEventListener("change", () => {
    order.textContent = "";
  });
  button("splats-check").addEventListener("click", () =>
    answer("splats-order", "splats-problem", async () => {
      const shown = await player.ready();
      return (await shown.check())
        ? `${count(await shown.inSight())} of ${count(splats())} splats are in sight, each drawn once, from the farthest to the nearest`
        : "They are in no order";
    }),
  );
  return player;
}

/** The picture, and the slider that blurs it. It is made when it comes into sight. */
function showBlur(fold: Fold): void {
  const stage = byId("blur", HTMLCanvasElement);
  const radius = byId("blur-radius", HTMLInputElement);
  const same = element("blur-same");
  const problem = element("blur-problem");
  const [width, height] = fold.software ? [320, 180] : [1280, 720];
  let blur: Promise<Blur> | undefined;
  const made = (): Promise<Blur> => {
    blur ??= makeBlur(fold, stage, drawPicture(width, height));
    return blur;
  };
  const failing = async (work: () => unknown): Promise<void> => {
    try {
      await work();
    } catch (cause) {
      problem.textContent = messageOf(cause);
    }
  };
  const draw = (): void => {
    const side = 2 * Number(radius.value) + 1;
    element("blur-size").textContent = `${side} × ${side} pixels`;
    same.textContent = "";
    void failing(async () => (await blur)?.draw(Number(radius.value)));
  };
  radius.addEventListener("input", draw);
  button("blur-check").addEventListener("click", () =>
    answer("blur-same", "blur-problem", async () => {
      const checked = radius.value;
      const shown = await made();
      shown.draw(Number(checked));
      const wrong = await shown.wrong();
      if (radius.value !== checked) {
        return "";
      }
      return wrong === 0
        ? `${count(width * height)} pixels, each the same as on the CPU`
        : `${count(wrong)} pixels are not as on the CPU`;
    }),
  );
  const seen = new IntersectionObserver(([entry]) => {
    if (entry?.isIntersecting) {
      seen.disconnect();
      void failing(async () => {
        await made();
        draw();
      });
    }
  });
  seen.observe(stage);
  draw();
}

/** The crossfilter, which is loaded with the table's library once it comes into sight. */
function showTable(fold: Fold): void {
  const sizes = fold.software ? [20_000, 200_000] : [100_000, 1_000_000, 10_000_000];
  const room = Math.floor(fold.device.limits.maxStorageBufferBindingSize / 4);
  offer(
    select("crossfilter-rows"),
    sizes.filter((one) => one <= room),
    sizes[fold.software ? 0 : 1],
  );
  const seen = new IntersectionObserver(async ([entry]) => {
    if (entry?.isIntersecting) {
      seen.disconnect();
      try {
        (await import("./use/crossfilter.ts")).showCrossfilter(fold);
      } catch (cause) {
        element("crossfilter-problem").textContent = messageOf(cause);
      }
    }
  });
  seen.observe(element("crossfilter-title"));
}

let result: BenchResult | undefined;
let chart: { destroy(): void } | undefined;

/** The bench, and its chart, table and JSON. */
function showBench(fold: Fold, players: readonly Player<unknown>[]): void {
  const hold = (held: boolean): void => {
    for (const player of players) {
      player.hold(held);
    }
  };
  const powers = fold.software ? [12, 14, 16] : [20, 22, 24];
  select("largest").append(
    ...powers.map((power, at) =>
      html(
        "option",
        { value: power, selected: at === (fold.software ? 0 : 1) },
        `${count(2 ** power)} elements`,
      ),
    ),
  );
  const state = element("bench-state");
  button("bench").addEventListener("click", async () => {
    button("bench").disabled = true;
    hold(true);
    state.className = "verdict";
    try {
      result = await runBench(fold, lengthsTo(Number(select("largest").value)), async (title) => {
        state.textContent = `Measuring ${title}`;
        await drawn();
      });
      state.className = "verdict good";
      state.textContent = `Done: ${result.measurements.length} measurements, and every result the same as on the CPU.`;
      await showResult(result);
    } catch (cause) {
      state.className = "verdict bad";
      state.textContent = messageOf(cause);
    } finally {
      hold(false);
      button("bench").disabled = false;
    }
  });
  button("copy").addEventListener("click", async () => {
    const text = JSON.stringify(result, undefined, 2);
    try {
      await navigator.clipboard.writeText(text);
      state.textContent = "The result is on the clipboard, as JSON.";
    } catch {
      // Without the permission, the text itself is there to be copied.
      const area = html("textarea", { rows: 12, "aria-label": "The result as JSON" }, text);
      element("bench-note").replaceChildren(area);
      area.focus();
      area.select();
      state.textContent =
        "The browser keeps the clipboard to itself; the text beneath is selected, to be copied.";
    }
  });
}

async function showResult({ measurements, clock }: BenchResult): Promise<void> {
  element("bench-result").hidden = false;
  const { drawChart } = await import("./use/chart.ts");
  chart?.destroy();
  chart = drawChart(element("chart"), measurements);
  const names = ["copy", "scan", "reduce", "compact"] as const;
  const lengths = [...new Set(measurements.map(({ length }) => length))];
  const cellOf = (what: Measurement["what"], length: number): HTMLTableCellElement => {
    const one = measurements.find((row) => row.what === what && row.length === length);
    const copy = measurements.find((row) => row.what === "copy" && row.length === length);
    if (one === undefined || copy === undefined) {
      return html("td", {}, "–");
    }
    const ratio = one === copy ? "" : ` (${threeDigits(one.microseconds / copy.microseconds)} ×)`;
    return html("td", {}, formatTime(one.microseconds), html("span", { class: "note" }, ratio));
  };
  element("bench-table").replaceChildren(
    html(
      "table",
      {},
      html("caption", { class: "unseen" }, "Time of one run, and how many times that of the copy"),
      html(
        "thead",
        {},
        html(
          "tr",
          {},
          html("th", { scope: "col" }, "elements"),
          ...names.map((name) => html("th", { scope: "col" }, name)),
        ),
      ),
      html(
        "tbody",
        {},
        ...lengths.map((length) =>
          html(
            "tr",
            {},
            html("th", { scope: "row" }, count(length)),
            ...names.map((name) => cellOf(name, length)),
          ),
        ),
      ),
    ),
  );
  element("bench-note").textContent =
    `Medians by ${clock === "wall clock" ? "the clock on the wall, submission included" : clock}. In brackets, how many times that of the copy.`;
  button("copy").disabled = false;
}

element("bench-table").tabIndex = 0;
const fold = await openGpu(
  "The pictures stand still, and there is no bench. Try it and Watch it show without a GPU what the primitives mean.",
);
if (fold === undefined) {
  // The stills have nothing to be controlled, and there is nothing to be timed.
  for (const part of document.querySelectorAll<HTMLElement>("main .row, section:has(#bench)")) {
    part.hidden = true;
  }
} else {
  showBench(fold, [showParticles(fold), showSplats(fold)]);
  showBlur(fold);
  showTable(fold);
}
document.documentElement.dataset.ready = "";
