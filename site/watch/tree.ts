import { svg } from "../dom.ts";
import type { Scene } from "./scene.ts";
import { arrive, CELL, cell, columnAt, LEFT, link, PITCH, prefixesAgree, rowName, WIDTH } from "./scene.ts";
import type { Move, TreeStep } from "./steps.ts";
import { blellochSteps, hillisSteeleSteps } from "./steps.ts";
import type { RowName, Shown } from "./values.ts";
import { brief, combiningOf, inOrder, segmentedCombiningOf, shownElements } from "./values.ts";

const ROW = 62;
const TOP = 26;
const HEIGHT = 32;

const phases = {
  load: "elements",
  "up-sweep": "up-sweep",
  clear: "clear the root",
  "down-sweep": "down-sweep",
  combine: "combine",
  shift: "shift",
  result: "add its own",
} as const satisfies Record<TreeStep<Shown>["phase"], string>;

/** Blelloch or Hillis–Steele: each step a row beneath the one before. With `heads`, segments start there. */
export function treeScene(
  algorithm: "blelloch" | "hillis-steele",
  elements: readonly (number | string)[],
  operator: RowName,
  exclusive: boolean,
  heads?: readonly number[],
): Scene {
  const combining = heads === undefined ? combiningOf(operator) : segmentedCombiningOf(operator);
  const shown = shownElements(elements).map(
    (value, at): Shown => (heads === undefined ? value : { ...value, head: heads.includes(at) }),
  );
  const trace = (algorithm === "blelloch" ? blellochSteps : hillisSteeleSteps)(shown, combining, {
    exclusive,
  });
  const steps: TreeStep<Shown>[] = [];
  let result: readonly Shown[] = [];
  for (let next = trace.next(); ; next = trace.next()) {
    if (next.done) {
      result = next.value;
      break;
    }
    steps.push(next.value);
  }
  const yOf = (step: number): number => TOP + step * ROW;
  const height = yOf(steps.length - 1) + HEIGHT + 12;
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, "aria-hidden": "true" });
  const places = steps[0]?.cells.length ?? 0;
  const indices = Array.from({ length: places }, (_, at) =>
    svg("text", { class: "small", x: columnAt(at), y: 14, "text-anchor": "middle" }, String(at)),
  );

  /** Whether a segment's start keeps what comes before from a place. */
  const isCut = (at: number, place: number): boolean => steps[at - 1]?.cells[place]?.head === true;
  const starts = (heads ?? [])
    .filter((place) => place > 0 && place < elements.length)
    .map((place) => {
      const x = LEFT + place * PITCH - (PITCH - CELL) / 2;
      return svg("path", { class: "start", d: `M${x} ${TOP - 6}V${height - 6}` });
    });
  const sourceOf = (move: Move): number => move.from[0] ?? move.to;
  const links = (at: number, kind: string): SVGPathElement[] =>
    (steps[at]?.moves ?? []).flatMap(({ to, from }) =>
      from.flatMap((place) =>
        isCut(at, to) ? [] : [link(columnAt(place), yOf(at - 1) + HEIGHT, columnAt(to), yOf(at), kind)],
      ),
    );
  /** The combinations of a step that a segment's start does not stop. */
  const combinedIn = (at: number): Move[] =>
    (steps[at]?.moves ?? []).filter(({ from, to }) => from.length === 2 && !isCut(at, to));
  /** The place that the words give as an example, and that the view follows. */
  const activeAt = (at: number): number => (combinedIn(at)[0] ?? steps[at]?.moves[0])?.to ?? 0;
  const rowOf = (at: number, now: boolean): SVGGElement[] => {
    const { moves, cells, phase, withElements } = steps[at] as TreeStep<Shown>;
    return cells.map((value, place) => {
      const move = moves.find(({ to }) => to === place);
      const combines = move !== undefined && (move.from.length === 2 || withElements) && !isCut(at, place);
      const state = !now
        ? "past"
        : phase === "load"
          ? ""
          : combines
            ? "made"
            : move !== undefined && !isCut(at, place)
              ? "moved"
              : "kept";
      const padding = place >= elements.length ? " kept" : "";
      const active = now && place === activeAt(at) ? " active" : "";
      return cell(LEFT + place * PITCH, yOf(at), value, `${state}${padding}${active}`, { places });
    });
  };

  const said = (at: number): string => {
    const { phase, distance, moves, cells } = steps[at] as TreeStep<Shown>;
    const combined = combinedIn(at);
    const cut = moves.filter(({ to }) => isCut(at, to)).length;
    const first = combined[0];
    const before = steps[at - 1]?.cells;
    const sample =
      first && before
        ? ` For example, place ${first.to} becomes combine(${brief(before[first.from[0] as number]?.value ?? "", 12)}, ${brief(before[first.from[1] as number]?.value ?? "", 12)}) = ${brief(cells[first.to]?.value ?? "", 12)}.`
        : "";
    const many = `${combined.length} combination${combined.length === 1 ? "" : "s"} at once${cut === 0 ? "" : `; ${cut} ${cut === 1 ? "value takes" : "values take"} nothing more, since a segment starts in ${cut === 1 ? "its" : "their"} run`}`;
    switch (phase) {
      case "load":
        return `Each of ${elements.length} threads holds one element.${places > elements.length ? ` The places up to ${places} are filled with the identity.` : ""} The bar in a box shows which elements its value stands for.`;
      case "up-sweep":
        return `Up-sweep, distance ${distance}: the last place of each subtree takes the subtree’s total. ${many}.${sample}`;
      case "clear":
        return "The root, which holds the total of all, becomes the identity: nothing comes before the first element.";
      case "down-sweep":
        return `Down-sweep, distance ${distance}: the left child takes its parent’s prefix, the right child that and, after it, the left child’s total. ${many}.${sample}`;
      case "combine":
        return `Distance ${distance}: each value is combined with the one ${distance} place${distance === 1 ? "" : "s"} before it. ${many}.${sample}`;
      case "shift":
        return "Every prefix moves one place on, and the identity comes first: now each leaves out the element at its own place.";
      case "result":
        return "Every thread combines its prefix with its own element, which makes the prefixes inclusive.";
      default:
        return phase satisfies never;
    }
  };

  return {
    title: heads !== undefined ? "Segmented scan" : algorithm === "blelloch" ? "Blelloch" : "Hillis–Steele",
    about:
      heads !== undefined
        ? "Each segment is scanned on its own, all in one scan, however long they are. A value carries a flag: whether a segment starts in the run that it stands for. Where it does, what comes before adds nothing. This operator is associative, so every algorithm can scan segments; here it is Hillis–Steele."
        : algorithm === "blelloch"
          ? "Totals are combined up a binary tree, and prefixes handed down it: about 2n combinations in 2 log₂ n steps. Few combinations, more steps."
          : "Every value reaches 1, 2, 4 … places back: log₂ n steps of up to n combinations. Few steps, more combinations.",
    steps: steps.length,
    result,
    expected: inOrder(elements, operator, exclusive, heads),
    agreement: prefixesAgree(elements.length),
    picture,
    hasKey: false,
    show(step, moving) {
      const nodes: SVGElement[] = [...indices, ...starts];
      // What is to come, as dots: the picture keeps its size, and its shape is seen ahead.
      for (let at = step + 1; at < steps.length; at++) {
        const { phase, distance, moves } = steps[at] as TreeStep<Shown>;
        nodes.push(
          rowName(`${phases[phase]}${distance > 0 ? ` ${distance}` : ""}`, yOf(at) + 21, "rowname ahead"),
          ...Array.from({ length: places }, (_, place) =>
            svg("circle", {
              class: "ahead",
              cx: columnAt(place),
              cy: yOf(at) + HEIGHT / 2,
              r: moves.some(({ to, from }) => to === place && from.length === 2) ? 4 : 1.5,
            }),
          ),
        );
      }
      for (let at = 0; at <= step; at++) {
        nodes.push(...links(at, at === step ? "now" : ""));
      }
      let fresh: SVGGElement[] = [];
      for (let at = 0; at <= step; at++) {
        const { phase, distance } = steps[at] as TreeStep<Shown>;
        fresh = rowOf(at, at === step);
        nodes.push(rowName(`${phases[phase]}${distance > 0 ? ` ${distance}` : ""}`, yOf(at) + 21), ...fresh);
      }
      picture.replaceChildren(...nodes);
      if (moving && step > 0) {
        for (const move of steps[step]?.moves ?? []) {
          const node = fresh[move.to];
          if (node !== undefined) {
            arrive(
              node,
              columnAt(sourceOf(move)) - CELL / 2,
              yOf(step - 1),
              columnAt(move.to) - CELL / 2,
              yOf(step),
            );
          }
        }
      }
      return said(step);
    },
  };
}
