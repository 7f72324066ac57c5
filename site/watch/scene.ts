import type { Value } from "../../src/algebra/types.ts";
import { svg } from "../dom.ts";
import type { Shown } from "./values.ts";
import { brief, MOST } from "./values.ts";

/** Something to step through. */
export interface Scene {
  readonly title: string;
  readonly about: string;
  readonly steps: number;
  /** What the algorithm ends with. */
  readonly result: readonly Shown[];
  /** What one element after another gives. */
  readonly expected: readonly (Value | string)[];
  /** What it means that both are the same. */
  readonly agreement: string;
  readonly picture: SVGSVGElement;
  /** Whether its picture has links of several kinds. */
  readonly hasKey: boolean;
  /** Draws a step, with movement where `moving`; returns what happens in it, in words. */
  show(step: number, moving: boolean): string;
}

export const LEFT = 104;
export const PITCH = 48;
export const CELL = 42;
export const WIDTH = LEFT + MOST * PITCH + 8;

/** The middle of a column. */
export const columnAt = (place: number): number => LEFT + place * PITCH + CELL / 2;

/** A box with a value, and beneath it the elements that the value stands for, as a run on a track. */
export function cell(
  x: number,
  y: number,
  shown: Shown | undefined,
  state: string,
  options: {
    readonly width?: number;
    readonly height?: number;
    readonly places?: number;
    /** Whether its value stands for no elements. */
    readonly bare?: boolean;
  } = {},
): SVGGElement {
  const { width = CELL, height = 32, places = MOST, bare = false } = options;
  const unit = (width - 8) / places;
  return svg(
    "g",
    { class: state, transform: `translate(${x} ${y})` },
    svg("rect", { class: "cell", width, height, rx: 5 }),
    ...(shown === undefined
      ? []
      : [
          svg(
            "text",
            { x: width / 2, y: height / 2 + (bare ? 5 : 2), "text-anchor": "middle" },
            svg("title", {}, String(shown.value)),
            brief(shown.value, width > CELL ? 12 : 5),
          ),
          ...(bare
            ? []
            : [
                svg("rect", { class: "track", x: 4, y: height - 7, width: width - 8, height: 3 }),
                svg("rect", {
                  class: "cover",
                  x: 4 + shown.from * unit,
                  y: height - 7,
                  width: (shown.to - shown.from) * unit,
                  height: 3,
                }),
              ]),
        ]),
  );
}

/** What it means that prefixes are right. */
export const prefixesAgree = (count: number): string =>
  `It ends with the same ${count} prefixes as one element after another`;

/** A line that leaves downwards and arrives from above. */
export const link = (
  fromX: number,
  fromY: number,
  toX: number,
  toY: number,
  kind: string,
): SVGPathElement => {
  const bend = (toY - fromY) / 2;
  return svg("path", {
    class: `link ${kind}`,
    d: `M${fromX} ${fromY}C${fromX} ${fromY + bend} ${toX} ${toY - bend} ${toX} ${toY}`,
  });
};

export const rowName = (text: string, y: number, kind = "rowname"): SVGTextElement =>
  svg("text", { class: kind, x: 4, y }, text);

/** Whether the visitor wants less movement. */
export const isStill = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Lets a value appear where it comes from, and move to where it is. */
export function arrive(node: SVGGElement, fromX: number, fromY: number, x: number, y: number): void {
  node.animate(
    [
      { transform: `translate(${fromX}px, ${fromY}px)`, opacity: 0.2 },
      { transform: `translate(${x}px, ${y}px)`, opacity: 1 },
    ],
    { duration: 420, easing: "cubic-bezier(0.3, 0, 0.2, 1)" },
  );
}

/** Numbers in words: 3; 3 and 4; 3, 4 and 5. */
export const listed = (items: readonly string[]): string =>
  items.length < 2 ? (items[0] ?? "none") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
