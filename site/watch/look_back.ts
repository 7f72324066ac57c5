import type { LookBackOptions, LookBackStep, SpineEntry, TileState } from "../../src/reference/steps.ts";
import { lookBackSteps } from "../../src/reference/steps.ts";
import { svg } from "../dom.ts";
import type { Scene } from "./scene.ts";
import { arrive, CELL, cell, columnAt, LEFT, link, listed, PITCH, rowName, WIDTH } from "./scene.ts";
import type { RowName, Shown } from "./values.ts";
import { brief, combiningOf, shownElements } from "./values.ts";

const HEIGHT = 36;
const TILES = 30;
const TOTALS = 118;
const GROUPS = 196;
const STEP = 78;

const stateNames = {
  "not started": "",
  running: "runs",
  waiting: "waits",
  stuck: "stuck",
  done: "done",
} as const satisfies Record<TileState, string>;

const letterOf = { total: "T", group: "A", section: "C" } as const satisfies Record<
  SpineEntry["kind"],
  string
>;
const nameOf = ({ kind, index, apart }: SpineEntry): string => `${letterOf[kind]}${index}${apart ? "′" : ""}`;
const names = (entries: readonly SpineEntry[]): string => listed(entries.map(nameOf));

/** A single-pass scan over tiles of one element each. */
export function lookBackScene(
  elements: readonly (number | string)[],
  operator: RowName,
  options: LookBackOptions & { readonly fanOut: number; readonly exclusive: boolean },
): Scene {
  const { fanOut } = options;
  const shown = shownElements(elements);
  const trace = lookBackSteps(shown, combiningOf(operator), options);
  const steps: LookBackStep<Shown>[] = [];
  let result: readonly Shown[] = [];
  for (let next = trace.next(); ; next = trace.next()) {
    if (next.done) {
      result = next.value;
      break;
    }
    steps.push(next.value);
  }
  const first = steps[0] as LookBackStep<Shown>;
  const places = elements.length;
  const hasSections = first.spine.section.length > 1;
  const sectionsAt = GROUPS + STEP;
  const outputsAt = hasSections ? sectionsAt + STEP : sectionsAt;
  const height = outputsAt + HEIGHT + 14;
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, "aria-hidden": "true" });

  const span = (kind: SpineEntry["kind"]): number =>
    ({ total: 1, group: fanOut, section: fanOut * fanOut })[kind];
  const rowAt = { total: TOTALS, group: GROUPS, section: sectionsAt } as const;
  /** An entry's box: a group's lies beneath its tiles, what comes before a section beneath that. */
  const boxOf = ({ kind, index }: SpineEntry): { x: number; y: number; width: number } => {
    const tiles = Math.min(span(kind), places - index * span(kind));
    return { x: LEFT + index * span(kind) * PITCH, y: rowAt[kind], width: tiles * PITCH - (PITCH - CELL) };
  };

  const entryCells = (kind: SpineEntry["kind"], step: LookBackStep<Shown>): SVGElement[] =>
    step.spine[kind].flatMap((own, index) => {
      if (kind === "section" && index === 0) {
        return [];
      }
      const { x, y, width } = boxOf({ kind, index });
      const others = own === undefined ? step.apart[kind][index] : undefined;
      const fresh = step.handedOn.some((one) => one.kind === kind && one.index === index);
      const state = others !== undefined ? "apart" : own === undefined ? "empty" : fresh ? "made" : "";
      const label = nameOf({ kind, index, ...(others !== undefined && { apart: true }) });
      return [
        svg("text", { class: "small", x: x + width / 2, y: y - 5, "text-anchor": "middle" }, label),
        cell(x, y, own ?? others, state, { width, height: HEIGHT, places }),
      ];
    });

  /** Where what a tile reads in a step goes: into an entry that it makes, or its prefix. */
  const targetOf = (step: LookBackStep<Shown>): { x: number; y: number; width: number } => {
    const [made] = step.handedOn;
    if (step.action === "fall back" && made !== undefined) {
      return boxOf(made);
    }
    switch (step.purpose) {
      case "group":
        return boxOf({ kind: "group", index: Math.floor(step.tile / fanOut) });
      case "section":
        return boxOf({ kind: "section", index: Math.floor(step.tile / (fanOut * fanOut)) + 1 });
      default:
        return { x: LEFT + step.tile * PITCH, y: outputsAt, width: CELL };
    }
  };

  const links = (step: LookBackStep<Shown>): SVGElement[] => {
    const target = targetOf(step);
    const toX = target.x + target.width / 2;
    const of = (entries: readonly SpineEntry[], kind: string): SVGElement[] =>
      entries.map((entry) => {
        const { x, y, width } = boxOf(entry);
        return link(x + width / 2, y + HEIGHT, toX, target.y, kind);
      });
    return [
      ...of(step.read, step.action === "fall back" ? "recomputed" : "now"),
      ...of(step.missing, "missing"),
      ...step.inputs.map((tile) => link(columnAt(tile), TILES + HEIGHT - 12, toX, target.y, "recomputed")),
    ];
  };

  const purposes = {
    group: "the total of its group",
    section: "what comes before the next section",
    carry: "its carry",
  } as const;
  const said = (step: LookBackStep<Shown>): string => {
    const tile = `Tile ${step.tile}`;
    const [made] = step.handedOn;
    const value =
      made && brief((made.apart ? step.apart : step.spine)[made.kind][made.index]?.value ?? "", 16);
    const name = made && nameOf(made);
    const what = purposes[step.purpose ?? "carry"];
    switch (step.action) {
      case "start":
        return `${tile} starts and reads its element from the input.`;
      case "stick":
        return `${tile} is stuck: it takes no more turns until no other tile can go on, and hands on nothing.`;
      case "hand on": {
        const meaning = {
          total: "its total",
          group: "the total of its group, of which it is the last tile",
          section: "what comes before the next section",
        }[made?.kind ?? "total"];
        return `${tile} hands on ${meaning}: ${name} = ${value} is ready.`;
      }
      case "read":
        return `${tile} reads ${names(step.read)} for ${what}.`;
      case "wait":
        return `${tile} wants ${what}. ${step.read.length > 0 ? `It reads ${names(step.read)}, and waits` : "It waits"} for ${names(step.missing)}.`;
      case "fall back":
        return `Fallback: ${tile} has waited long enough. It computes ${name?.replace("′", "")} itself, from ${step.inputs.length > 0 ? `tile ${step.inputs[0]}’s element in the input` : names(step.read)}, and hands it on in a place apart: ${name} = ${value}.`;
      case "finish": {
        const carry = step.carries[step.tile];
        return `${tile} ${carry === undefined ? "has nothing before it" : `combines its carry ${brief(carry.value, 16)} with its element`}, writes ${brief(step.outputs[step.tile]?.value ?? "", 16)}, and is done.`;
      }
      default:
        return step.action satisfies never;
    }
  };

  return {
    title: "Look-back",
    about: `One pass over tiles that start in any order; here a tile is one element, on a GPU it is thousands. Each hands on its total T; the last of each ${fanOut} tiles hands on their total A${hasSections ? `; the last of each ${fanOut * fanOut} hands on C, what comes before the next section` : ""}. A tile’s carry is ${hasSections ? "the C of its section, then " : ""}the A of the groups before its own, then the T of the tiles before it in its group. A tile that waits too long computes itself what is missing.`,
    steps: steps.length,
    result,
    picture,
    hasKey: true,
    show(at, moving) {
      const step = steps[at] as LookBackStep<Shown>;
      const tiles = shown.flatMap((value, tile) => {
        const state = step.states[tile] ?? "not started";
        const acting = tile === step.tile ? " acting" : "";
        return [
          svg("text", { class: "small", x: columnAt(tile), y: 12, "text-anchor": "middle" }, String(tile)),
          cell(
            LEFT + tile * PITCH,
            TILES - 12,
            value,
            `${state === "not started" ? "kept" : state}${acting}`,
            {
              height: HEIGHT,
              places,
            },
          ),
          svg(
            "text",
            { class: "small", x: columnAt(tile), y: TILES + HEIGHT + 2, "text-anchor": "middle" },
            stateNames[state],
          ),
        ];
      });
      const outputs = step.outputs.map((value, tile) =>
        cell(
          LEFT + tile * PITCH,
          outputsAt,
          value,
          value === undefined ? "empty" : tile === step.tile ? "made" : "",
          { height: HEIGHT, places },
        ),
      );
      picture.replaceChildren(
        rowName("tiles", TILES + 10),
        rowName("totals T", TOTALS + 22),
        rowName("groups A", GROUPS + 22),
        ...(hasSections ? [rowName("sections C", sectionsAt + 22)] : []),
        rowName("prefixes", outputsAt + 22),
        ...links(step),
        ...tiles,
        ...entryCells("total", step),
        ...entryCells("group", step),
        ...(hasSections ? entryCells("section", step) : []),
        ...outputs,
      );
      const written = outputs[step.tile];
      if (moving && step.action === "finish" && written !== undefined) {
        const x = LEFT + step.tile * PITCH;
        arrive(written, x, outputsAt - 40, x, outputsAt);
      }
      return said(step);
    },
  };
}
