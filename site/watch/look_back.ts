import { svg } from "../dom.ts";
import type { Scene } from "./scene.ts";
import {
  arrive,
  CELL,
  cell,
  columnAt,
  LEFT,
  link,
  listed,
  PITCH,
  prefixesAgree,
  rowName,
  WIDTH,
} from "./scene.ts";
import type { LookBackOptions, LookBackStep, SpineEntry, TileState } from "./steps.ts";
import { lookBackSteps } from "./steps.ts";
import type { RowName, Shown } from "./values.ts";
import { brief, combiningOf, inOrder, shownElements } from "./values.ts";

const HEIGHT = 36;
/** What an entry's name takes above its box. */
const LABEL = 15;
const TILES = 18;
const GROUPS = 94;
const CARRIES = 130;
const TOTALS = CARRIES + HEIGHT + 26;
const GROUPS_END = TOTALS + HEIGHT + 8;
const OUTPUTS = GROUPS_END + 30;

const stateNames = {
  "not started": "",
  running: "runs",
  waiting: "waits",
  stuck: "stuck",
  done: "done",
} as const satisfies Record<TileState, string>;

const letterOf = { total: "T", carry: "C" } as const satisfies Record<SpineEntry["kind"], string>;
const nameOf = ({ kind, index, apart }: SpineEntry): string => `${letterOf[kind]}${index}${apart ? "′" : ""}`;
const names = (entries: readonly SpineEntry[]): string => listed(entries.map(nameOf));

/** A single-pass scan over tiles of one element each. */
export function lookBackScene(
  elements: readonly (number | string)[],
  operator: RowName,
  options: LookBackOptions & {
    readonly fanOut: number;
    readonly patience: number;
    readonly exclusive: boolean;
  },
): Scene {
  const { fanOut, patience } = options;
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
  const places = elements.length;
  const groups = Math.ceil(places / fanOut);
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${OUTPUTS + HEIGHT + 14}`, "aria-hidden": "true" });

  const ownGroup = ({ tile }: LookBackStep<Shown>): number => Math.floor(tile / fanOut);
  /** The columns of a group's tiles. */
  const columnsOf = (group: number): { x: number; width: number } => ({
    x: LEFT + group * fanOut * PITCH,
    width: Math.min(fanOut, places - group * fanOut) * PITCH - (PITCH - CELL),
  });
  /** An entry's box: a group's carry lies above the group's totals. */
  const boxOf = ({ kind, index }: SpineEntry): { x: number; y: number; width: number } =>
    kind === "total"
      ? { x: LEFT + index * PITCH, y: TOTALS, width: CELL }
      : { ...columnsOf(index), y: CARRIES };

  /** Whether a tile looks for a group's carry in vain, and does not wait for it. */
  const isAbsent = ({ action, missing }: LookBackStep<Shown>, group: number): boolean =>
    (action === "go on" || action === "give up") && missing.some(({ index }) => index === group);

  const entryCells = (kind: SpineEntry["kind"], step: LookBackStep<Shown>): SVGElement[] =>
    step.spine[kind].flatMap((own, index) => {
      const { x, y, width } = boxOf({ kind, index });
      const middle = { x: x + width / 2, "text-anchor": "middle" };
      if (kind === "carry" && index === 0) {
        return [svg("text", { class: "small", ...middle, y: y + HEIGHT / 2 + 4 }, "nothing before")];
      }
      const others = own === undefined ? step.apart[kind][index] : undefined;
      const fresh = step.handedOn.some((one) => one.kind === kind && one.index === index);
      const absent = kind === "carry" && isAbsent(step, index);
      const state = others !== undefined ? "apart" : own !== undefined ? (fresh ? "made" : "") : "empty";
      const label = nameOf({ kind, index, ...(others !== undefined && { apart: true }) });
      return [
        svg("text", { class: "small", ...middle, y: y - 5 }, label),
        cell(x, y, own ?? others, absent ? `${state} absent` : state, { width, height: HEIGHT, places }),
        ...(absent && state === "empty"
          ? [svg("text", { class: "small absent", ...middle, y: y + HEIGHT / 2 + 4 }, "not yet")]
          : []),
      ];
    });

  /** Where what a tile reads in a step goes: into an entry that it computes itself, or its prefix. */
  const links = (step: LookBackStep<Shown>): SVGElement[] => {
    const [made] = step.handedOn;
    const target =
      step.action === "fall back" && made !== undefined
        ? boxOf(made)
        : { x: LEFT + step.tile * PITCH, y: OUTPUTS, width: CELL };
    const toX = target.x + target.width / 2;
    const of = (entries: readonly SpineEntry[], kind: string): SVGElement[] =>
      entries.map((entry) => {
        const { x, y, width } = boxOf(entry);
        if (y < target.y) {
          return link(x + width / 2, y + HEIGHT, toX, target.y, kind);
        }
        // A carry is computed from the one beside it, and the totals beneath that.
        return entry.kind === "carry"
          ? svg("path", { class: `link ${kind}`, d: `M${x + width} ${y + HEIGHT / 2}H${target.x}` })
          : link(x + width / 2, y - LABEL, toX, target.y + HEIGHT, kind);
      });
    const now = step.action === "fall back" ? "recomputed" : "now";
    return [
      ...of(step.held, step.action === "fall back" ? now : "held"),
      ...of(step.read, now),
      ...(step.action === "wait" ? of(step.missing, "missing") : []),
      ...step.inputs.map((tile) => link(columnAt(tile), TILES + HEIGHT + 20, toX, target.y - LABEL, now)),
    ];
  };

  /** The groups, the one that the tile looks at and those that it has looked at, and its way to the next. */
  const groupBands = (step: LookBackStep<Shown>): SVGElement[] => {
    const of = (group: number): { x: number; width: number } => {
      const { x, width } = columnsOf(group);
      return { x: x - 2, width: width + 4 };
    };
    const bands = Array.from({ length: groups }, (_, group) => {
      const { x, width } = of(group);
      const { group: at = groups } = step;
      const isHeld = group > at && group <= ownGroup(step) && step.action !== "give up";
      const kind = group === at ? "band looked" : isHeld ? "band held" : "band";
      return [
        svg("rect", { class: kind, x, width, y: GROUPS, height: GROUPS_END - GROUPS, rx: 7 }),
        svg(
          "text",
          { class: `small ${kind}`, x: x + Math.min(8, (width - 44) / 2), y: GROUPS + 15 },
          `group ${group}`,
        ),
      ];
    });
    const way =
      step.action === "go on"
        ? [step.group ?? 0, (step.group ?? 0) - 1]
        : step.action === "give up"
          ? [ownGroup(step), step.group ?? 0]
          : [];
    const [from = 0, to = 0] = way.map((group) => of(group).x + of(group).width / 2);
    return [
      ...bands.flat(),
      ...(from === to
        ? []
        : [
            svg("path", {
              class: "link onward",
              d: `M${from} ${GROUPS - 3}C${from - 12} ${GROUPS - 20} ${to + 12} ${GROUPS - 20} ${to} ${GROUPS - 3}m1 -8l-1 8l8 -2`,
            }),
          ]),
    ];
  };

  /** A tile's carry as it is combined: a group's carry; then of each group all totals but the last, and the last. */
  const combination = (step: LookBackStep<Shown>): string => {
    const { tile, group = 0 } = step;
    const parts = group > 0 ? [`C${group}`] : [];
    const take = (first: number, end: number): void => {
      if (first < end) {
        const through = first + 2 === end ? "and" : "to";
        parts.push(first + 1 === end ? `T${first}` : `T${first} ${through} T${end - 1}`);
      }
    };
    for (let first = group * fanOut; first < tile; first += fanOut) {
      const last = first + fanOut - 1;
      take(first, Math.min(last, tile));
      take(last, Math.min(last + 1, tile));
    }
    return parts.join(", then ");
  };

  const said = (step: LookBackStep<Shown>): string => {
    const { action, group = 0, handedOn, inputs, held, missing, read } = step;
    const tile = `Tile ${step.tile}`;
    const [made] = handedOn;
    const value =
      made && brief((made.apart ? step.apart : step.spine)[made.kind][made.index]?.value ?? "", 16);
    const name = made && nameOf(made);
    const looks = `${tile} looks at ${group === ownGroup(step) ? "its own group, " : "group "}${group}`;
    const here = held.filter(({ kind, index }) =>
      kind === "carry" ? index === group : Math.floor(index / fanOut) === group,
    );
    const reads =
      read.length > 0
        ? `It reads ${names(read)}`
        : here.length > 0
          ? `It has ${names(here)}`
          : "No tile of it comes before this one";
    switch (action) {
      case "start":
        return `${tile} starts and reads its element from the input.`;
      case "stick":
        return `${tile} is stuck: it takes no more turns until no other tile can go on, and hands on nothing.`;
      case "hand on":
        return made?.kind === "total"
          ? `${tile} hands on its total: ${name} = ${value} is ready.`
          : `${tile} is the last of its group, and hands on what comes before the next: ${name} = ${value} is ready.`;
      case "wait":
        return `${looks}${missing.some(({ kind }) => kind === "carry") ? ", the farthest that it looks at" : ""}. ${read.length > 0 ? `${reads}, and waits` : "It waits"} for ${names(missing)}.`;
      case "go on": {
        const isApart = step.apart.carry[group] !== undefined;
        return `${looks}. ${reads}. C${group} is not there${isApart ? `, and C${group}′ it takes only where it has waited in vain` : ""}: rather than wait for it, the tile goes on to group ${group - 1}.`;
      }
      case "read": {
        const carry = brief(step.carries[step.tile]?.value ?? "", 16);
        return `${looks}. ${reads}${group > 0 ? "" : ", and nothing comes before this group"}. Now it has its carry: ${combination(step)} = ${carry}.`;
      }
      case "give up": {
        const where =
          read.length > 0
            ? `at group ${group}, the nearest whose carry is there: ${names(read)}`
            : `at group ${group}, before which nothing comes${missing.length > 0 ? ": no carry is there" : ""}`;
        return `${tile} has looked in vain ${patience === 1 ? "once" : `${patience} times`}. It begins again ${where}.`;
      }
      case "fall back":
        return `Fallback: tile ${step.tile} computes ${name?.replace("′", "")} itself, from ${inputs.length > 0 ? `tile ${inputs[0]}’s element in the input` : names([...held, ...read])}, and hands it on in a place apart: ${name} = ${value}.`;
      case "finish": {
        const carry = step.carries[step.tile];
        return `${tile} ${carry === undefined ? "has nothing before it" : `combines its carry ${brief(carry.value, 16)} with its element`}, writes ${brief(step.outputs[step.tile]?.value ?? "", 16)}, and is done.`;
      }
      default:
        return action satisfies never;
    }
  };

  return {
    title: "Look-back",
    about: `One pass over tiles that start in any order; here a tile is one element, on a GPU it is thousands. Each hands on its total T, and the last of each group of ${fanOut} hands on C, what comes before the next group. A tile looks at its own group: at the T before it, and at C. A C comes late, since it takes a whole group and what comes before it; a T is there soon after its tile starts. So where the T are there and C is not, the tile goes on to the group before, whose C may be there, and combines from there on. A tile that waits too long computes itself what is missing.`,
    steps: steps.length,
    result,
    expected: inOrder(elements, operator, options.exclusive),
    agreement: prefixesAgree(elements.length),
    picture,
    hasKey: true,
    show(at, moving) {
      const step = steps[at] as LookBackStep<Shown>;
      const tiles = shown.flatMap((value, tile) => {
        const state = step.states[tile] ?? "not started";
        const acting = tile === step.tile ? " acting" : "";
        return [
          svg("text", { class: "small", x: columnAt(tile), y: 12, "text-anchor": "middle" }, String(tile)),
          cell(LEFT + tile * PITCH, TILES, value, `${state === "not started" ? "kept" : state}${acting}`, {
            height: HEIGHT,
            places,
          }),
          svg(
            "text",
            { class: "small", x: columnAt(tile), y: TILES + HEIGHT + 14, "text-anchor": "middle" },
            stateNames[state],
          ),
        ];
      });
      const outputs = step.outputs.map((value, tile) =>
        cell(
          LEFT + tile * PITCH,
          OUTPUTS,
          value,
          value === undefined ? "empty" : tile === step.tile ? "made" : "",
          { height: HEIGHT, places },
        ),
      );
      picture.replaceChildren(
        ...groupBands(step),
        rowName("tiles", TILES + 22),
        rowName("carries C", CARRIES + 22),
        rowName("totals T", TOTALS + 22),
        rowName("prefixes", OUTPUTS + 22),
        ...links(step),
        ...tiles,
        ...entryCells("carry", step),
        ...entryCells("total", step),
        ...outputs,
      );
      const written = outputs[step.tile];
      if (moving && step.action === "finish" && written !== undefined) {
        const x = LEFT + step.tile * PITCH;
        arrive(written, x, OUTPUTS - 40, x, OUTPUTS);
      }
      return said(step);
    },
  };
}
