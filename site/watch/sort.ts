import { svg } from "../dom.ts";
import type { Scene } from "./scene.ts";
import { arrive, CELL, cell, columnAt, LEFT, link, listed, PITCH, rowName, WIDTH } from "./scene.ts";
import type { Shown } from "./values.ts";

/** Elements of a tile. */
const TILE = 4;
/** Values of a digit of two bits. */
const RADIX = 4;
const HEIGHT = 32;
const ELEMENTS = 26;
const COUNTS = 118;
const COUNT_PITCH = 40;
const OUTPUTS = COUNTS + RADIX * COUNT_PITCH + 34;

/** One step of a sort by one digit. */
export interface SortStep {
  readonly phase: "load" | "count" | "scan" | "move";
  /** The tile that counts or moves, or the digit whose row is scanned. */
  readonly at: number;
}

/** A stable sort by one digit, in tiles: what each step has made. */
export interface SortTrace {
  readonly steps: readonly SortStep[];
  /** How many elements of each tile have each digit: `counts[digit][tile]`. */
  readonly counts: readonly (readonly number[])[];
  /** Where those elements start in the result: the exclusive sum of all counts, digit by digit. */
  readonly starts: readonly (readonly number[])[];
  /** Where each element goes. */
  readonly places: readonly number[];
}

/** Counts the digits of each tile, scans the counts, and says where each element goes. */
export function sortTrace(digits: readonly number[]): SortTrace {
  const tiles = Math.ceil(digits.length / TILE);
  const perTile = <T>(of: (tile: number) => T): T[] => Array.from({ length: tiles }, (_, tile) => of(tile));
  const counts = Array.from({ length: RADIX }, (_, digit) =>
    perTile((tile) => digits.slice(tile * TILE, (tile + 1) * TILE).filter((one) => one === digit).length),
  );
  let before = 0;
  const starts = counts.map((row) =>
    row.map((count) => {
      before += count;
      return before - count;
    }),
  );
  const places = digits.map((digit, at) => {
    const tile = Math.floor(at / TILE);
    const equal = digits.slice(tile * TILE, at).filter((one) => one === digit).length;
    return (starts[digit]?.[tile] ?? 0) + equal;
  });
  const steps: SortStep[] = [
    { phase: "load", at: 0 },
    ...perTile((at) => ({ phase: "count", at }) as const),
    ...starts.map((_, at) => ({ phase: "scan", at }) as const),
    ...perTile((at) => ({ phase: "move", at }) as const),
  ];
  return { steps, counts, starts, places };
}

const bits = (digit: number): string => digit.toString(2).padStart(2, "0");

/** One pass of a radix sort: by two bits of whole numbers, from the bit `2 * digit` on. */
export function sortScene(elements: readonly number[], digit: number): Scene {
  const digits = elements.map((value) => (value >> (2 * digit)) & (RADIX - 1));
  const { steps, counts, starts, places } = sortTrace(digits);
  const shown = elements.map((value, at): Shown => ({ value, from: at, to: at + 1 }));
  const result: Shown[] = [];
  places.forEach((place, at) => {
    result[place] = shown[at] as Shown;
  });
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${OUTPUTS + HEIGHT + 14}`, "aria-hidden": "true" });
  const count = elements.length;
  const tileOf = (at: number): number => Math.floor(at / TILE);
  const number = (value: number): Shown => ({ value, from: 0, to: 0 });
  const boxWidth = (TILE * PITCH - (PITCH - CELL)) / 2 - 4;

  const said = ({ phase, at }: SortStep): string => {
    switch (phase) {
      case "load":
        return `This pass sorts by bits ${2 * digit} and ${2 * digit + 1} of each number, which are a digit from 0 to 3. The digit is beneath its element. ${TILE} elements are a tile; on a GPU, thousands are.`;
      case "count": {
        const of = counts.map((row, value) => `${row[at]} × ${value}`);
        return `Tile ${at} counts how often it has each digit: ${listed(of)}. All tiles count at the same time.`;
      }
      case "scan": {
        const [first = 0] = starts[at] ?? [];
        const before =
          at === 0
            ? "Nothing comes before digit 0"
            : `${first} ${first === 1 ? "element has" : "elements have"} a smaller digit`;
        return `An exclusive scan of the counts, digit by digit, says where each tile puts its elements. ${before}, so digit ${at} starts at place ${first}: the tiles put theirs from ${listed((starts[at] ?? []).map(String))} on.`;
      }
      case "move": {
        const own = elements.flatMap((value, index) =>
          tileOf(index) === at ? [`${value} (digit ${digits[index]}) to ${places[index]}`] : [],
        );
        return `Tile ${at} moves its elements: ${listed(own)}. Elements with the same digit keep their order: the sort is stable.`;
      }
      default:
        return phase satisfies never;
    }
  };

  const order = [...elements.keys()].sort((a, b) => (digits[a] ?? 0) - (digits[b] ?? 0) || a - b);
  return {
    title: "Sort by a digit",
    about:
      "A radix sort moves all elements once for each digit, from the lowest digit on. Each pass counts the digits of every tile, scans the counts, and moves the elements to where the scan says. Since a pass keeps the order of equal digits, all passes together sort.",
    steps: steps.length,
    result,
    expected: order.map((at) => elements[at] ?? 0),
    agreement: "It ends with the same order as a stable sort by this digit",
    picture,
    hasKey: false,
    show(step, moving) {
      const now = steps[step] as SortStep;
      const reached = (phase: SortStep["phase"], at: number): boolean =>
        steps.findIndex((one) => one.phase === phase && one.at === at) <= step;
      const isNow = (phase: SortStep["phase"], at: number): boolean => now.phase === phase && now.at === at;
      const inputs = shown.flatMap((value, at) => {
        const x = LEFT + at * PITCH;
        const acts = isNow("count", tileOf(at)) || isNow("move", tileOf(at));
        const gone = reached("move", tileOf(at)) && !acts;
        return [
          svg("text", { class: "small", x: columnAt(at), y: 14, "text-anchor": "middle" }, String(at)),
          cell(x, ELEMENTS, value, acts ? "moved" : gone ? "past kept" : "", { places: count }),
          svg(
            "text",
            { class: "small", x: columnAt(at), y: ELEMENTS + HEIGHT + 15, "text-anchor": "middle" },
            `${bits(digits[at] ?? 0)} = ${digits[at]}`,
          ),
        ];
      });
      const boxes = counts.flatMap((row, value) =>
        row.flatMap((many, tile) => {
          const x = LEFT + tile * TILE * PITCH;
          const y = COUNTS + value * COUNT_PITCH;
          const counting = isNow("count", tile);
          const scanning = isNow("scan", value);
          const size = { width: boxWidth, height: HEIGHT, bare: true };
          return [
            cell(
              x,
              y,
              reached("count", tile) ? number(many) : undefined,
              stateOf(reached("count", tile), counting, value === 0),
              size,
            ),
            cell(
              x + boxWidth + 8,
              y,
              reached("scan", value) ? number(starts[value]?.[tile] ?? 0) : undefined,
              stateOf(reached("scan", value), scanning, tile === 0),
              size,
            ),
          ];
        }),
      );
      const tiles = (counts[0] ?? []).map((_, tile) => {
        const x = LEFT + tile * TILE * PITCH;
        return [
          svg("text", { class: "small", x, y: COUNTS - 8 }, `tile ${tile}: counts`),
          svg("text", { class: "small", x: x + boxWidth + 8, y: COUNTS - 8 }, "starts"),
        ];
      });
      const outputs = result.map((value, place) => {
        const at = places.indexOf(place);
        const there = reached("move", tileOf(at));
        const fresh = isNow("move", tileOf(at));
        return cell(
          LEFT + place * PITCH,
          OUTPUTS,
          there ? value : undefined,
          stateOf(there, fresh, at % TILE === 0),
          { places: count },
        );
      });
      const links = elements.flatMap((_, at) =>
        isNow("move", tileOf(at))
          ? [link(columnAt(at), ELEMENTS + HEIGHT + 20, columnAt(places[at] ?? 0), OUTPUTS, "now")]
          : [],
      );
      picture.replaceChildren(
        rowName("elements", ELEMENTS + 21),
        ...counts.map((_, value) => rowName(`digit ${value}`, COUNTS + value * COUNT_PITCH + 21)),
        rowName("result", OUTPUTS + 21),
        ...links,
        ...inputs,
        ...tiles.flat(),
        // The boxes lie on the lines, and their numbers stay readable.
        ...boxes,
        ...outputs,
      );
      if (moving && now.phase === "move") {
        elements.forEach((_, at) => {
          const node = outputs[places[at] ?? 0];
          if (node !== undefined && tileOf(at) === now.at) {
            arrive(node, LEFT + at * PITCH, ELEMENTS, LEFT + (places[at] ?? 0) * PITCH, OUTPUTS);
          }
        });
      }
      return said(now);
    },
  };
}

/** How a box looks: empty before its step, and made in it. The first of those is what the view follows. */
const stateOf = (there: boolean, now: boolean, first: boolean): string =>
  now ? (first ? "made active" : "made") : there ? "" : "empty";
