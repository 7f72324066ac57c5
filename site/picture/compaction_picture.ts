import type { Step } from "./hillis_steele.ts";
import { exclusiveSteps } from "./hillis_steele.ts";

const PITCH = 42;
const CELL = 37;
const LEFT = 18;
const WIDTH = 704;
const HEIGHT = 384;
/** How much larger it is on a page with room. */
const SCALE = 1.125;
/** Where rows start. */
const NUMBERS = 58;
const FLAGS = 117;
const SUMS = 184;
const RESULT = 288;
const CAPTION = 362;

/** When things happen, in seconds from the start on. */
const MARK = 2.4;
const SCAN = 4.8;
const STEP = 1.9;
/** How many of the last seconds come first. */
const FIRST = 3.5;
/** From a step's start on: when its sums are there. From the numbers' start on: when they leave their sums, and arrive. */
const COMBINED = 0.6;
const LEAVE = 1.4;
const ARRIVE = 2.4;
/** How long something takes to come or to go. */
const FADE = 0.3;

const STYLE = `
svg { --ink: #1c2227; --muted: #69727b; --paper: #fbfaf7; --raised: #ffffff; --line: #d5d0c6; --accent: #0a5f70; --wash: #d9eef0; --warm: #b4530f; --warm-wash: #fbe6d3; }
@media (prefers-color-scheme: dark) {
svg { --ink: #e8e6e1; --muted: #98a1a9; --paper: #14171a; --raised: #1b1f23; --line: #3a424a; --accent: #74c9d6; --wash: #17313a; --warm: #efa56d; --warm-wash: #3a2a1c; }
}
text { font: 19px ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: var(--ink); text-anchor: middle; }
.start { text-anchor: start; }
.words { font-size: 18px; font-family: system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif; text-anchor: start; }
.small { font-size: 16px; }
.paper { fill: var(--paper); stroke: var(--line); }
.cell { fill: var(--raised); stroke: var(--line); }
.kept rect { fill: var(--wash); stroke: var(--accent); stroke-width: 2; }
.kept text, text.kept, tspan.kept { fill: var(--accent); font-weight: 700; }
.fresh { fill: var(--warm-wash); stroke: var(--warm); stroke-width: 1.5; }
.place { fill: none; stroke: var(--muted); stroke-dasharray: 4 4; }
.muted { fill: var(--muted); }
path { fill: none; stroke-width: 2; stroke-linecap: round; stroke-dasharray: 1; }
.arc { stroke: var(--warm); }
.way { stroke: var(--accent); }
.later { opacity: 0; }`;

/** The numbers of a picture, and which of them are kept. */
export interface Compaction {
  readonly numbers: readonly number[];
  readonly isKept: (x: number) => boolean;
  /** The condition in WGSL, and in words that follow "the numbers". */
  readonly where: string;
  readonly words: string;
}

const middle = (place: number): number => LEFT + place * PITCH + CELL / 2;
const text = (x: number, y: number, content: string | number, kind = ""): string =>
  `<text x="${x}" y="${y}"${kind && ` class="${kind}"`}>${content}</text>`;
const box = (place: number, top: number, kind: string): string =>
  `<rect class="${kind}" x="${LEFT + place * PITCH}" y="${top}" width="${CELL}" height="${CELL}" rx="6"/>`;
const inBox = (place: number, top: number, content: number, kind = ""): string =>
  text(middle(place), top + 25, content, kind);
const caption = (words: string): string => text(LEFT, CAPTION, words, "words");
const escaped = (words: string): string =>
  words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Animations of one length, each written once. They begin with the last seconds, which say it all at one look. */
function animations(seconds: number) {
  const rules = new Map<string, string>();
  const at = (time: number): string => `${Number(((100 * time) / seconds).toFixed(2))}%`;
  /** The class that goes through these keyframes: times, and what holds then. */
  const through = (frames: readonly (readonly [times: readonly number[], holds: string])[]): string => {
    const keyframes = frames.map(([times, holds]) => `${times.map(at).join(", ")} { ${holds} }`).join(" ");
    const name = rules.get(keyframes) ?? `a${rules.size}`;
    rules.set(keyframes, name);
    return name;
  };
  const [shown, hidden] = ["opacity: 1", "opacity: 0"];
  const last = seconds - FADE;
  return {
    seconds,
    last,
    through,
    /** Shows something from a time on, up to another or to the end. The picture without motion is that of the end. */
    show(content: string, from: number, to = seconds): string {
      const isLast = to === seconds;
      const frames: (readonly [number[], string])[] =
        from === 0
          ? [
              [[0, to], shown],
              [[to + FADE, last], hidden],
              [[seconds], shown],
            ]
          : [
              [[0, from], hidden],
              [[from + FADE, isLast ? last : to], shown],
              [isLast ? [seconds] : [to + FADE, seconds], hidden],
            ];
      return `<g class="${through(frames)}${isLast ? "" : " later"}">${content}</g>`;
    },
    /** Draws a line from a time on, up to another or to the end. */
    draw(kind: string, line: string, from: number, to = seconds): string {
      const isLast = to === seconds;
      const name = through([
        [[0, from], `${hidden}; stroke-dashoffset: 1`],
        [[from + 0.05], `${shown}; stroke-dashoffset: 1`],
        [[from + 0.7, isLast ? last : to], `${shown}; stroke-dashoffset: 0`],
        [isLast ? [seconds] : [to + FADE, seconds], `${hidden}; stroke-dashoffset: 0`],
      ]);
      return `<path class="${kind} ${name}${isLast ? "" : " later"}" pathLength="1" d="${line}"/>`;
    },
    style: (): string =>
      `\n@media (prefers-reduced-motion: no-preference) {\n${[...rules]
        .map(
          ([keyframes, name]) =>
            `.${name} { animation: ${name} ${seconds}s ${FIRST - seconds}s ease-in-out infinite; }\n@keyframes ${name} { ${keyframes} }`,
        )
        .join("\n")}\n}\n`,
  };
}

type Film = ReturnType<typeof animations>;

/** The numbers, and from a time on which of them are kept. */
function numbersRow({ show }: Film, numbers: readonly number[], flags: readonly number[]): string[] {
  return numbers.flatMap((x, place) => {
    const kind = flags[place] ? "kept" : "muted";
    const marked = `${flags[place] ? box(place, NUMBERS, "") : ""}${inBox(place, NUMBERS, x, kind)}`;
    return [
      box(place, NUMBERS, "cell"),
      show(inBox(place, NUMBERS, x), 0, MARK),
      show(`<g class="${kind}">${marked}</g>`, MARK),
      show(text(middle(place), FLAGS, flags[place] ?? 0, `small ${kind}`), MARK + 0.6),
    ];
  });
}

/** What a step of the scan moves, and the words for it. */
function stepOf({ show, draw }: Film, { distance, moves }: Step, at: number, of: number): string[] {
  const start = SCAN + at * STEP;
  const end = start + STEP - FADE;
  const words =
    distance > 0
      ? `Prefix sum, step ${at + 1} of ${of}: each adds what is ${distance} place${distance === 1 ? "" : "s"} before it.`
      : "Shift by one: each sum now counts the kept numbers before it.";
  return [
    show(caption(words), start, start + STEP),
    ...moves.flatMap(({ to, from: [source] }) => {
      const fresh = show(box(to, SUMS, "fresh"), start + COMBINED, end);
      if (source === undefined) {
        return [fresh];
      }
      const [left, right, foot] = [middle(source), middle(to), SUMS - 3];
      const top = foot - 1.34 * Math.min(50, 12 + 6 * (to - source));
      return [
        draw("arc", `M${left} ${foot}C${left} ${top} ${right} ${top} ${right} ${foot}`, start, end),
        fresh,
      ];
    }),
  ];
}

/** One place's sums, up to `end`. A sum that stays the same for some steps is written once. */
function sumsAt({ show }: Film, place: number, sums: readonly number[], end: number): string[] {
  const since = (step: number): number =>
    step === 0 ? SCAN - 2 * FADE : SCAN + (step - 1) * STEP + COMBINED;
  return sums.flatMap((sum, step) => {
    if (step > 0 && sums[step - 1] === sum) {
      return [];
    }
    const next = sums.findIndex((other, later) => later > step && other !== sum);
    return [show(inBox(place, SUMS, sum), since(step), next < 0 ? end : since(next))];
  });
}

/** A kept number on its way: down to its sum, and to the place that the sum says. */
function travel(
  { through, show, draw, seconds, last }: Film,
  x: number,
  place: number,
  sum: number,
  start: number,
): string[] {
  const [from, to] = [middle(place), middle(sum)];
  const [top, bottom] = [SUMS + CELL + 2, RESULT - 2];
  const half = (top + bottom) / 2;
  const at = (down: string): string => `opacity: 1; transform: translate(var(--x), var(--${down}))`;
  const travels = through([
    [[0, start], "opacity: 0; transform: translate(var(--x), var(--number))"],
    [[start + FADE], at("number")],
    [[start + 1.1, start + LEAVE], at("sum")],
    [[start + ARRIVE, last], "opacity: 1; transform: translate(0, 0)"],
    [[seconds], "opacity: 0; transform: translate(0, 0)"],
  ]);
  const away = `--x: ${from - to}px; --number: ${NUMBERS - RESULT}px; --sum: ${SUMS - RESULT}px`;
  return [
    show(`<g class="kept">${box(place, SUMS, "")}${inBox(place, SUMS, sum)}</g>`, start),
    show(box(sum, RESULT, "place"), start),
    draw("way", `M${from} ${top}C${from} ${half} ${to} ${half} ${to} ${bottom}`, start + LEAVE),
    `<g class="kept ${travels}" style="${away}">${box(sum, RESULT, "")}${inBox(sum, RESULT, x)}</g>`,
  ];
}

/**
 * A moving picture, as the text of an SVG file: a compaction finds by a scan where each kept number goes. Who asked for less motion sees how it ends.
 */
export function compactionPicture({ numbers, isKept, where, words }: Compaction): string {
  const flags = numbers.map((x) => (isKept(x) ? 1 : 0));
  const steps = exclusiveSteps(flags);
  const kept = numbers.filter(isKept);
  const move = SCAN + steps.length * STEP;
  const film = animations(move + 7);
  const { show } = film;
  const parts = [
    `<text class="start" x="${LEFT}" y="36">await fold.compact(numbers, { <tspan class="kept">where: "${escaped(where)}"</tspan> })</text>`,
    show(caption(`Keep the numbers ${words}, in order. Where does each go?`), 0, MARK),
    show(caption("All at once, each number says whether it stays: 1 or 0."), MARK, SCAN),
    ...numbersRow(film, numbers, flags),
    show(numbers.map((_, place) => box(place, SUMS, "cell")).join(""), SCAN - 2 * FADE),
    ...steps.flatMap((step, at) => stepOf(film, step, at, steps.length - 1)),
    ...numbers.flatMap((_, place) =>
      sumsAt(
        film,
        place,
        [flags, ...steps.map(({ cells }) => cells)].map((row) => row[place] ?? 0),
        move,
      ),
    ),
    show(caption("That is its place. All of them go there at once."), move, move + 3.2),
    show(caption("Its sum is its place: how many kept numbers come before it."), move + 3.2),
    show(text(LEFT, SUMS - 16, "how many are kept before it", "words small muted"), move + LEAVE),
    show(
      text(
        LEFT + kept.length * PITCH + 12,
        RESULT + 24,
        `${kept.length} of ${numbers.length} numbers, in order`,
        "words muted",
      ),
      move + ARRIVE,
    ),
  ];
  const sums = steps.at(-1)?.cells ?? [];
  for (const [place, x] of numbers.entries()) {
    const sum = sums[place] ?? 0;
    parts.push(
      ...(flags[place] ? travel(film, x, place, sum, move) : [show(inBox(place, SUMS, sum, "muted"), move)]),
    );
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH * SCALE}" height="${HEIGHT * SCALE}" role="img" aria-labelledby="title">
<title id="title">Of the numbers ${numbers.join(" ")}, those ${words} are kept: ${kept.join(" ")}. A prefix sum counts for each number how many are kept before it, and each kept number goes to that place.</title>
<style>${STYLE}${film.style()}</style>
<rect class="paper" x="0.5" y="0.5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="12"/>
${parts.join("\n")}
</svg>
`;
}
