import { LineChart } from "echarts/charts";
import { GridComponent, LegendComponent, TitleComponent } from "echarts/components";
import * as echarts from "echarts/core";
import { LabelLayout } from "echarts/features";
import { SVGRenderer } from "echarts/renderers";
import { plotName, type quantityNames } from "./plot_names.ts";
import type { Report } from "./report.ts";
import { groupsOf } from "./report.ts";
import type { Row } from "./run.ts";
import { columnOf } from "./run.ts";

/** One picture: its file's name and its text. */
export interface Plot {
  readonly name: string;
  readonly svg: string;
}

interface Series {
  readonly name: string;
  /** The length's exponent of two, and the quantity. */
  readonly points: readonly (readonly [number, number])[];
  /** `copy`, ours, or a peer's. */
  readonly kind: "copy" | "ours" | "peer";
}

interface Quantity {
  readonly name: (typeof quantityNames)[number];
  readonly title: string;
  readonly unit: string;
  readonly of: (row: Row) => number;
  readonly logarithmic: boolean;
}

const quantities = [
  {
    name: "throughput",
    title: "bytes read and written over time",
    unit: "GB/s",
    of: (row) => row.gigabytesPerSecond,
    logarithmic: false,
  },
  {
    name: "ratio",
    title: "time over the time of a copy of as many elements",
    unit: "copies",
    of: (row) => row.toCopy,
    logarithmic: true,
  },
] as const satisfies readonly Quantity[];

/** Colours that are told apart without seeing red or green (Okabe and Ito), dark enough for text. */
const COLOURS = ["#0072b2", "#c04f00", "#007a5a", "#a34d85", "#8a6d00", "#6a3fb5", "#0a8a99", "#8c2f2f"];
const COPY_COLOUR = "#333333";

/** Every colour of a picture, and what it is where people want a dark page. Names of lines keep a contrast of at least 4.5 on both grounds. */
const DARK: Readonly<Record<string, string>> = {
  "#ffffff": "#0d1117",
  "#111": "#f0f3f6",
  "#222": "#dfe4ea",
  "#333333": "#c4ccd4",
  "#444": "#b1bac4",
  "#555": "#8b949e",
  "#e4e4e4": "#2b323b",
  "#0072b2": "#58a6ff",
  "#c04f00": "#ff9e54",
  "#007a5a": "#3fcf9b",
  "#a34d85": "#e48fc5",
  "#8a6d00": "#d9b938",
  "#6a3fb5": "#b594f2",
  "#0a8a99": "#46c6d6",
  "#8c2f2f": "#f08a8a",
};

/** A picture that follows the reader's choice of light or dark: its colours are attributes, which a style sheet comes before. */
function inBothSchemes(svg: string): string {
  const rules = Object.entries(DARK).flatMap(([light, dark]) =>
    (["fill", "stroke"] as const)
      .filter((name) => svg.includes(`${name}="${light}"`))
      .map((name) => `[${name}="${light}"]{${name}:${dark}}`),
  );
  return svg.replace(
    /^<svg[^>]*>/,
    (start) => `${start}\n<style>@media (prefers-color-scheme:dark){${rules.join("")}}</style>`,
  );
}

/** What differs between a picture for a page and one for a phone, where names do not fit beside the lines. */
const FORMS = {
  wide: {
    size: { width: 900, height: 520 },
    grid: { left: 72, right: 190, top: 96, bottom: 56 },
    isNarrow: false,
  },
  narrow: {
    size: { width: 340, height: 510 },
    grid: { left: 56, right: 14, top: 84, bottom: 230 },
    isNarrow: true,
  },
} as const;
const FONT = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";

/** Ours are drawn stronger than what they are compared with. */
const STROKES = {
  copy: { width: 2, type: [7, 4] },
  ours: { width: 3, type: "solid" },
  peer: { width: 1.6, type: [3, 3] },
} as const satisfies Record<Series["kind"], object>;

/** Powers of two, as they are written: `2²⁰`. */
const superscript = (power: number): string =>
  `2${[...String(power)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("")}`;

/** A line for each thing that was timed of a type: what it is, and by whom. */
function seriesOf(rows: readonly Row[], type: string, of: Quantity["of"]): Series[] {
  const own = rows.filter((row) => row.type === type);
  const copies = own.filter(
    ({ implementation, primitive }) => implementation === "copy" && primitive === "copy",
  );
  const operators = new Set(own.flatMap(({ op }) => op ?? []));
  const line = (name: string, of_: readonly Row[], kind: Series["kind"]): Series => ({
    name,
    points: [...new Map(of_.map((row) => [Math.log2(row.length), of(row)] as const))].sort(
      ([a], [b]) => a - b,
    ),
    kind,
  });
  return [
    line("copy", copies, "copy"),
    ...groupsOf(own).flatMap(({ primitive, rows: all, columns }) =>
      columns.map((column) => {
        const op = operators.size > 1 ? all[0]?.op : undefined;
        const by = column === "wavefold" ? "" : column.replace(/^wavefold /, "");
        const name = [primitive, op].filter(Boolean).join(" ");
        return line(
          by === "" ? name : `${name}, ${by}`,
          all.filter((row) => columnOf(row) === column),
          column.startsWith("wavefold") ? "ours" : "peer",
        );
      }),
    ),
  ];
}

function draw(
  title: string,
  subtitle: string,
  quantity: Quantity,
  series: readonly Series[],
  { size, grid, isNarrow }: (typeof FORMS)[keyof typeof FORMS],
): string {
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, ...size });
  const powers = series.flatMap(({ points }) => points.map(([power]) => power));
  const [least, most] = [Math.floor(Math.min(...powers)), Math.ceil(Math.max(...powers))];
  const axis = {
    axisLabel: { color: "#222", fontSize: 14 },
    axisLine: { show: true, lineStyle: { color: "#555" } },
    nameTextStyle: { color: "#222", fontSize: 14 },
  };
  try {
    chart.setOption({
      animation: false,
      backgroundColor: "#ffffff",
      textStyle: { fontFamily: FONT },
      title: {
        text: title,
        subtext: subtitle,
        left: isNarrow ? 4 : 16,
        top: 10,
        textStyle: { color: "#111", fontSize: isNarrow ? 14 : 18, fontWeight: 600 },
        subtextStyle: { color: "#444", fontSize: 13 },
      },
      ...(isNarrow && {
        legend: {
          orient: "vertical",
          left: 8,
          bottom: 0,
          itemWidth: 26,
          itemGap: 6,
          textStyle: { color: "#222", fontSize: 13, fontFamily: FONT },
        },
      }),
      grid,
      xAxis: {
        ...axis,
        type: "value",
        min: least,
        max: Math.max(most, least + 1),
        interval: most - least > 10 || isNarrow ? 2 : 1,
        name: "elements",
        nameLocation: "middle",
        nameGap: 34,
        splitLine: { show: false },
        axisLabel: { ...axis.axisLabel, formatter: (value: number) => superscript(value) },
      },
      yAxis: {
        ...axis,
        type: quantity.logarithmic ? "log" : "value",
        ...(quantity.logarithmic && { logBase: 2 }),
        name: quantity.unit,
        nameLocation: "end",
        nameTextStyle: { ...axis.nameTextStyle, align: "right" },
        splitLine: { lineStyle: { color: "#e4e4e4" } },
      },
      series: series.map(({ name, points, kind }, index) => {
        const color = kind === "copy" ? COPY_COLOUR : COLOURS[(index - 1) % COLOURS.length];
        const { width, type } = STROKES[kind];
        return {
          type: "line",
          name,
          data: points.map((point) => [...point]),
          symbol: "circle",
          symbolSize: kind === "ours" ? 7 : 5,
          color,
          lineStyle: { width, type: typeof type === "string" ? type : [...type], color },
          endLabel: {
            show: !isNarrow,
            formatter: "{a}",
            color,
            fontSize: 14,
            distance: 8,
            fontFamily: FONT,
          },
          labelLayout: { moveOverlap: "shiftY" },
        };
      }),
    });
    return inBothSchemes(chart.renderToSVGString());
  } finally {
    chart.dispose();
  }
}

/** For each type, its throughput over length, and its ratio to the copy: for a page, or for a phone. */
export function plotsOf({ rows, device, commit }: Report, form: keyof typeof FORMS = "wide"): Plot[] {
  echarts.use([LineChart, GridComponent, LegendComponent, TitleComponent, LabelLayout, SVGRenderer]);
  const card = `${device.name}${device.software ? " (software)" : ""}`;
  const origin = [device.driver, ...(commit === undefined ? [] : [`commit ${commit}`])];
  const types = [...new Set(rows.map(({ type }) => type))];
  return types.flatMap((type) =>
    quantities.map((quantity): Plot => {
      const [title, subtitle] =
        form === "wide"
          ? [`${card}, ${type}: ${quantity.title}`, [...origin, "medians, every element verified"].join("; ")]
          : [`${type}: ${quantity.title}`, card];
      const series = seriesOf(rows, type, quantity.of);
      return {
        name: plotName(device.name, quantity.name, type),
        svg: draw(title, subtitle, quantity, series, FORMS[form]),
      };
    }),
  );
}
