import { LineChart } from "echarts/charts";
import { AriaComponent, GridComponent, LegendComponent, TooltipComponent } from "echarts/components";
import * as echarts from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import type { Measurement } from "./bench.ts";

echarts.use([LineChart, GridComponent, LegendComponent, TooltipComponent, AriaComponent, SVGRenderer]);

/** The page's colour of that name, as it is in the scheme that is on. */
function colour(name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const series = [
  { what: "copy", colour: "control", symbol: "diamond" },
  { what: "scan", colour: "accent", symbol: "circle" },
  { what: "reduce", colour: "warm", symbol: "rect" },
  { what: "compact", colour: "good", symbol: "triangle" },
] as const satisfies readonly { what: Measurement["what"]; colour: string; symbol: string }[];

const power = (length: number): string => `2^${Math.round(Math.log2(length))}`;

/** Elements a second, in billions. */
export const rateOf = ({ length, microseconds }: Measurement): number => length / microseconds / 1000;

/** Draws the measurements in an element, and again when its size or the colour scheme changes. */
export function drawChart(into: HTMLElement, measurements: readonly Measurement[]): { destroy(): void } {
  const chart = echarts.init(into, null, { renderer: "svg" });
  const draw = (): void => {
    const [ink, muted, line, raised] = ["ink", "muted", "line", "raised"].map(colour);
    const axis = {
      axisLabel: { color: muted },
      axisLine: { lineStyle: { color: line } },
      splitLine: { lineStyle: { color: line } },
    };
    chart.setOption({
      animation: !matchMedia("(prefers-reduced-motion: reduce)").matches,
      textStyle: { fontFamily: getComputedStyle(document.body).fontFamily },
      legend: { bottom: 0, textStyle: { color: ink }, itemGap: 14, itemWidth: 20 },
      tooltip: {
        trigger: "axis",
        backgroundColor: raised,
        borderColor: line,
        textStyle: { color: ink },
        valueFormatter: (value: unknown) => `${Number(value).toPrecision(3)} billion a second`,
      },
      grid: { left: 4, right: 12, top: 14, bottom: into.clientWidth < 420 ? 62 : 40, containLabel: true },
      xAxis: {
        type: "category",
        data: [...new Set(measurements.map(({ length }) => power(length)))],
        ...axis,
      },
      yAxis: { type: "log", ...axis },
      series: series.map(({ what, colour: name, symbol }) => ({
        name: what,
        type: "line",
        symbol,
        symbolSize: 9,
        color: colour(name),
        lineStyle: { width: 2, type: what === "copy" ? "dashed" : "solid" },
        data: measurements
          .filter((one) => one.what === what)
          .map((one) => Number(rateOf(one).toPrecision(4))),
      })),
    });
  };
  const sizes = new ResizeObserver(() => {
    chart.resize();
    draw();
  });
  sizes.observe(into);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", draw);
  return {
    destroy() {
      sizes.disconnect();
      dark.removeEventListener("change", draw);
      chart.dispose();
    },
  };
}
