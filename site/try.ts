import type { ScalarArray } from "../src/algebra/arrays.ts";
import { dtypes } from "../src/cli/dtypes.ts";
import { parseElements } from "../src/cli/npy.ts";
import { contextOf } from "../src/gpu/device/device.ts";
import type { Fold, Operator, TypeName } from "../src/index.ts";
import { ArgumentError, elementTypes, operators } from "../src/index.ts";
import { onSite } from "../src/primitives/described.ts";
import { callOnCpu, callOnGpu, isStartIn, segmentsFor, sortedData, verifyOutputs } from "./at_hand.ts";
import type {
  Choice,
  ChosenSegments,
  ComputedKey,
  OwnOperatorText,
  OwnTypeName,
  PlannedName,
  Predicate,
  PrimitiveName,
} from "./choices.ts";
import {
  algorithmNames,
  examples,
  isOfRuns,
  isPlanned,
  operatorNames,
  ownClass,
  ownKey,
  ownOperator,
  ownPredicate,
  ownTypes,
  predicates,
  primitives,
  takes,
  typeNames,
} from "./choices.ts";
import type { Numbers } from "./code.ts";
import { codeOf } from "./code.ts";
import { countingArray, parseNumbers, randomArray, readerOf, runsArray, show, sources } from "./data.ts";
import type { Output } from "./described.ts";
import { noDevice, takesSorted } from "./described.ts";
import { byId, chosen, drawn, html, messageOf } from "./dom.ts";
import type { Fields } from "./fields.ts";
import { fieldsOf } from "./fields.ts";
import { openGpu } from "./gpu.ts";
import { showCode } from "./highlight.ts";
import type { Listing, Wanted } from "./plans.ts";
import { listingsOf, listingsOfCall } from "./plans.ts";
import { runOnGpu } from "./run.ts";
import { formatTime, threeDigits } from "./timing.ts";
import type { Task, Verdict } from "./verify.ts";
import { onCpu, verify } from "./verify.ts";

const select = (id: string): HTMLSelectElement => byId(id, HTMLSelectElement);
const input = (id: string): HTMLInputElement => byId(id, HTMLInputElement);
const area = (id: string): HTMLTextAreaElement => byId(id, HTMLTextAreaElement);
const element = (id: string): HTMLElement => byId(id, HTMLElement);

const OWN = "own";
const CLASSES = "classes";
const options = (into: HTMLSelectElement, rows: readonly (readonly [value: string, text: string])[]): void =>
  into.replaceChildren(...rows.map(([value, text]) => html("option", { value }, text)));

const fieldsOfEach = new Map<string, Fields>(
  onSite.map((described) => [described.primitive.name, fieldsOf(described)]),
);
const summaries = new Map(onSite.map(({ primitive: { name }, help }) => [name, help.summary]));
element("primitives").append(
  ...[...new Set([...Object.keys(primitives), ...fieldsOfEach.keys()])].map((name) =>
    html(
      "label",
      { title: summaries.get(name) },
      html("input", { type: "radio", name: "primitive", value: name, checked: name === "scan" }),
      name,
    ),
  ),
);
options(
  select("type"),
  typeNames.map((name) => [name, name]),
);
options(select("operator"), [...operatorNames.map((name) => [name, name] as const), [OWN, "your own …"]]);
options(select("predicate"), [
  ...Object.entries(predicates).map(([name, { title }]) => [name, title] as const),
  [OWN, "by a predicate of your own …"],
  [CLASSES, "all of them, in classes of your own …"],
]);
options(select("algorithm"), [["", "automatic"], ...algorithmNames.map((name) => [name, name] as const)]);
options(select("passes"), [
  ["", "automatic"],
  ["single", "one: look-back"],
  ["reduce-then-scan", "two"],
]);
options(
  select("key-type"),
  ownTypes.map((name) => [name, name]),
);
options(select("source"), Object.entries(sources));
options(
  select("example"),
  Object.entries(examples).map(([name, { title }]) => [name, title]),
);

// Regions that scroll take the focus, so that keys scroll them.
element("elements").tabIndex = 0;
element("wgsl").tabIndex = 0;
element("code").tabIndex = 0;

let fold: Fold | undefined;
/** The array of the file that was opened last. */
let file:
  | {
      readonly type: TypeName;
      readonly data: ScalarArray;
      readonly name: string;
      /** Where its elements start, behind the header. */
      readonly firstByte: number;
    }
  | undefined;

/** The most elements that the page takes: the CPU checks them all, one after another, and some of it takes its time. */
const mostElements = (): number =>
  fieldsOfEach.has(primitive()) || /sort/i.test(primitive())
    ? 2 ** 21
    : primitive() === "compact" || (combines() && select("segments").value === "")
      ? 2 ** 24
      : 2 ** 22;

/** A whole number that is typed. */
function wholeNumber(id: string, what: string, least: number, most: number): number {
  const text = input(id).value.trim();
  const value = Number(text);
  if (text === "" || !Number.isInteger(value) || value < least || value > most) {
    throw new ArgumentError(`${what} “${text}”; it takes a whole number from ${least} to ${most}`);
  }
  return value;
}

const requireLength = (): number => wholeNumber("length", "The length is", 0, mostElements());

const primitive = (): PrimitiveName => chosen("primitive") as PrimitiveName;
const combines = (): boolean => primitive() === "scan" || primitive() === "reduce";
const keeps = (): boolean => primitive() === "compact" || primitive() === "partition";
const hasClasses = (): boolean => primitive() === "partition" && select("predicate").value === CLASSES;
const isOwn = (): boolean => combines() && select("operator").value === OWN;

/** The operator that the visitor writes. */
const ownText = (): OwnOperatorText => ({
  name: input("own-name").value,
  type: select("type").value as OwnTypeName,
  identity: input("own-identity").value,
  combine: area("own-combine").value,
  script: area("own-script").value,
});

function chosenOperator(): Operator<string> {
  if (!combines()) {
    return operators.add as Operator as Operator<string>;
  }
  return isOwn()
    ? (ownOperator(ownText()) as Operator as Operator<string>)
    : (operators[select("operator").value as keyof typeof operators] as Operator as Operator<string>);
}

/** Whole numbers that are typed for segments; nothing if the field is empty. */
const typedNumbers = (id: string): number[] | undefined =>
  input(id).value.trim() === "" ? undefined : Array.from(parseNumbers(input(id).value, "u32") as Uint32Array);

const chosenKey = (): ComputedKey =>
  ownKey(input("key").value, select("key-type").value as OwnTypeName, input("key-script").value);
const hasRunKey = (): boolean => isOfRuns(primitive()) && input("by-key").checked;

function chosenSegments(): ChosenSegments | undefined {
  const kind = combines() ? select("segments").value : "";
  switch (kind) {
    case "rows":
      return { kind, rows: wholeNumber("rows", "The elements of a row are", 1, 2 ** 24) };
    case "columns":
      return { kind, columns: wholeNumber("columns", "The columns are", 1, 2 ** 24) };
    case "offsets":
    case "heads":
    case "keys":
      return { kind, typed: typedNumbers(kind) };
    case "headBits":
      return { kind, typed: typedNumbers("heads") };
    case "key":
      return { kind, ...chosenKey() };
    default:
      return undefined;
  }
}

/** All that is chosen but the numbers. */
function choice(): Choice {
  const type = select("type").value as TypeName;
  return {
    described: fieldsOfEach.get(primitive())?.chosen(type, chosenLength()),
    primitive: primitive(),
    type,
    op: chosenOperator(),
    own: isOwn() ? ownText() : undefined,
    exclusive: primitive() === "scan" && input("exclusive").checked,
    predicate: chosenPredicate(type),
    algorithm: algorithmNames.find((name) => name === select("algorithm").value),
    passes: (["single", "reduce-then-scan"] as const).find((name) => name === select("passes").value),
    segments: chosenSegments(),
    key: hasRunKey() ? chosenKey() : undefined,
    indices: primitive() === "unique" && input("indices").checked,
    number: hasClasses() ? ownClass(input("number").value, input("number-script").value) : undefined,
    classes: hasClasses() ? wholeNumber("classes", "The classes are", 1, 16) : undefined,
    descending: input("descending").checked,
  };
}

/** Where the numbers come from, as the code says it. */
function chosenNumbers(type: TypeName): Numbers {
  const source = select("source").value;
  switch (source) {
    case "typed":
      return { source, data: parseNumbers(area("typed").value, type) };
    case "npy":
      return {
        source,
        name: file?.name ?? "in.npy",
        firstByte: file?.firstByte ?? 128,
        length: chosenLength(),
      };
    default:
      return { source: source as "random" | "counting" | "ones" | "runs", length: requireLength() };
  }
}

function chosenPredicate(type: TypeName): Predicate | undefined {
  if (!keeps() || hasClasses()) {
    return undefined;
  }
  const name = select("predicate").value;
  return name === OWN
    ? ownPredicate(input("where").value, input("where-script").value)
    : predicates[name as keyof typeof predicates].of(type);
}

/** How many elements there will be; of typed ones and of a file, as many as there are. */
function chosenLength(): number {
  switch (select("source").value) {
    case "typed":
      return parseNumbers(area("typed").value, select("type").value as TypeName).length;
    case "npy":
      return file?.data.length ?? 0;
    default:
      return requireLength();
  }
}

function chosenData(type: TypeName, op: string): ScalarArray {
  switch (select("source").value) {
    case "typed":
      return parseNumbers(area("typed").value, type);
    case "npy":
      if (file === undefined) {
        throw new ArgumentError("No file is open; choose a .npy file");
      }
      if (file.type !== type) {
        throw new ArgumentError(`The file holds ${file.type}; choose that type, or another file`);
      }
      return file.data;
    case "random":
      return randomArray(type, op, requireLength(), (Math.random() * 2 ** 32) | 0);
    case "runs":
      return runsArray(type, requireLength());
    default:
      return countingArray(type, requireLength(), select("source").value === "ones");
  }
}

/** What the plan is made for. */
const wantedOf = (chosen: Choice): Wanted => ({
  ...chosen,
  primitive: chosen.primitive as PlannedName,
  type: elementTypes[chosen.type],
  where: chosen.predicate?.where ?? "",
  length: chosenLength(),
});

/** Shows the fields that the choice has, and disables what has no meaning on the type. */
function arrange(): void {
  const segments = combines() ? select("segments").value : "";
  const isPlan = isPlanned({
    primitive: primitive(),
    segments: segments === "" ? undefined : { kind: "rows", rows: 1 },
  });
  const visible = {
    "operator-field": combines(),
    "predicate-field": keeps(),
    "plan-fields": isPlan,
    "passes-field": primitive() !== "reduce",
    "exclusive-field": primitive() === "scan",
    "descending-field": primitive() === "sort" || primitive() === "argSort",
    "classes-field": hasClasses(),
    "number-field": hasClasses(),
    "indices-field": primitive() === "unique",
    "segments-fields": combines(),
    "rows-field": segments === "rows",
    "columns-field": segments === "columns",
    "heads-field": segments === "heads" || segments === "headBits",
    "offsets-field": segments === "offsets",
    "keys-field": segments === "keys",
    "key-field": segments === "key" || hasRunKey(),
    "by-key-field": isOfRuns(primitive()),
    "own-operator": isOwn(),
    "own-predicate": keeps() && select("predicate").value === OWN,
  };
  for (const [id, isVisible] of Object.entries(visible)) {
    element(id).hidden = !isVisible;
  }
  const fields = fieldsOfEach.get(primitive());
  const place = element("described-fields");
  place.hidden = fields === undefined;
  // What is already there keeps the focus.
  if (fields !== undefined && place.firstChild !== fields.element) {
    place.replaceChildren(fields.element);
  }
  fields?.arrange();
  element("laws").hidden = element("laws").hidden || !isOwn();
  const source = select("source").value;
  element("length-field").hidden = source === "typed" || source === "npy";
  element("typed-field").hidden = source !== "typed";
  element("file-field").hidden = source !== "npy";

  const features = fold?.device.features;
  for (const option of select("type").options) {
    const { feature } = elementTypes[option.value as TypeName];
    const lacks = feature !== undefined && features !== undefined && !features.has(feature);
    option.disabled = lacks || (isOwn() && !(ownTypes as readonly string[]).includes(option.value));
    option.textContent = lacks ? `${option.value} (this GPU has no ${feature})` : option.value;
  }
  const type = select("type").value as TypeName;
  for (const option of select("operator").options) {
    option.disabled =
      option.value === OWN
        ? !(ownTypes as readonly string[]).includes(type)
        : !takes(operators[option.value as keyof typeof operators] as Operator, type);
  }
  if (select("operator").selectedOptions[0]?.disabled) {
    select("operator").value = "add";
    element("own-operator").hidden = true;
  }
  for (const option of select("predicate").options) {
    option.disabled =
      option.value === CLASSES
        ? primitive() !== "partition"
        : option.value !== OWN && predicates[option.value as keyof typeof predicates].of(type) === undefined;
  }
  if (select("predicate").selectedOptions[0]?.disabled) {
    select("predicate").value = "positive";
  }
  for (const option of select("algorithm").options) {
    option.disabled = option.value === "subgroup" && features !== undefined && !features.has("subgroups");
  }
}

let listings: readonly Listing[] = [];

let lastAsked = 0;

/** Shows the TypeScript and the WGSL of what is chosen now. */
async function list(): Promise<void> {
  const problem = element("plan-problem");
  // What is chosen meanwhile is shown in its place.
  const asked = ++lastAsked;
  try {
    const chosen = choice();
    void showCode(element("code"), codeOf(chosen, chosenNumbers(chosen.type)), "typescript");
    const facts = fold === undefined ? noDevice : contextOf(fold.device).facts;
    const made = await (isPlanned(chosen)
      ? listingsOf(wantedOf(chosen), facts)
      : listingsOfCall(chosen, chosenLength(), facts));
    if (asked !== lastAsked) {
      return;
    }
    listings = made;
    const at = Math.max(0, select("listing").selectedIndex);
    options(
      select("listing"),
      listings.map(({ title }, index) => [String(index), title]),
    );
    select("listing").selectedIndex = Math.min(at, listings.length - 1);
    problem.textContent = "";
    showListing();
  } catch (cause) {
    if (asked === lastAsked) {
      problem.textContent = messageOf(cause);
    }
  }
}

function showListing(): void {
  const listing = listings[select("listing").selectedIndex];
  if (listing !== undefined) {
    void showCode(element("wgsl"), listing.code, "wgsl");
  }
}

function useExample(): void {
  const example = examples[select("example").value as keyof typeof examples];
  input("own-name").value = example.name;
  input("own-identity").value = example.identity;
  area("own-combine").value = example.combine;
  area("own-script").value = example.script;
  select("type").value = example.type;
}

const state = { busy: false };

/** Does one thing at a time, with the button disabled meanwhile, and shows what went wrong. */
async function exclusively(
  button: HTMLButtonElement,
  verdict: HTMLElement,
  action: () => Promise<void>,
): Promise<void> {
  if (state.busy) {
    return;
  }
  state.busy = true;
  button.disabled = true;
  try {
    await action();
  } catch (cause) {
    verdict.className = "verdict bad";
    verdict.textContent = messageOf(cause);
  } finally {
    state.busy = false;
    button.disabled = false;
  }
}

/** What came out, and how long it took. */
interface Result {
  readonly verdict: Verdict;
  readonly outputs: readonly Output[];
  readonly times: readonly (readonly [name: string, microseconds: number])[];
  readonly note: string;
}

const CPU = "the CPU, by wavefold/reference";
const COPYING =
  "The CPU takes one element after another, in JavaScript. Its numbers are in its memory already.";

/** Browsers round their clock: what is timed lasts many times that. */
const LEAST_SAMPLE = 3000;

/** The median time of a call; of one if that is long. */
async function timed(call: () => unknown): Promise<number> {
  const sample = async (repeats: number): Promise<number> => {
    const begin = performance.now();
    for (let at = 0; at < repeats; at++) {
      await call();
    }
    return (performance.now() - begin) * 1000;
  };
  let repeats = 1;
  let took = await sample(repeats);
  while (took < LEAST_SAMPLE && repeats < 2 ** 14) {
    repeats *= 4;
    took = await sample(repeats);
  }
  const times = [took];
  for (let all = took; times.length < 5 && all < 200_000; all += took) {
    took = await sample(repeats);
    times.push(took);
  }
  return (times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0) / repeats;
}

/** On the CPU alone. */
async function runOnCpu(chosen: Choice, data: ScalarArray): Promise<Result> {
  const compute = (): readonly Output[] =>
    isPlanned(chosen)
      ? [{ name: primitives[chosen.primitive], type: chosen.type, data: onCpu(taskOf(chosen, data)) }]
      : callOnCpu(chosen, data);
  const outputs = compute();
  return {
    verdict: { ok: undefined, text: "Computed by the CPU reference: there is no GPU to check." },
    outputs,
    times: [[CPU, await timed(compute)]],
    note: "By the clock on the wall.",
  };
}

const taskOf = (chosen: Choice, data: ScalarArray): Task => ({
  ...chosen,
  primitive: chosen.primitive as PlannedName,
  own: chosen.own !== undefined,
  data,
});

/** From so many bytes on, a copy takes longer than it takes to start it, so its time says how fast memory is. */
const LEAST_BYTES = 2 ** 20;

/** How the time of what was computed is to a copy's; of a short array, neither says anything. */
function speedOf(what: string, data: ScalarArray, microseconds: number, copy: number): string {
  if (data.byteLength < LEAST_BYTES) {
    const least = (LEAST_BYTES / data.BYTES_PER_ELEMENT).toLocaleString("en");
    return `So few elements say nothing of the speed: to start a kernel takes longer. Take ${least} or more.`;
  }
  const gigabytes = Number(((2 * data.byteLength) / copy / 1000).toPrecision(3)).toLocaleString("en");
  return `The copy moves ${gigabytes} GB/s; ${what} takes ${threeDigits(microseconds / copy)} times as long.`;
}

/** By the plan whose WGSL is shown. */
async function runPlan(on: Fold, chosen: Choice, data: ScalarArray): Promise<Result> {
  const { primitive: what, type } = chosen;
  const task = taskOf(chosen, data);
  const ran = await runOnGpu(on, { ...wantedOf(chosen), length: data.length }, data);
  const { output, grouping, timing, copy } = ran;
  const verdict = verify(task, output, grouping);
  const outputs = [{ name: primitives[what], type, data: output }];
  if (timing === undefined || copy === undefined) {
    return { verdict, outputs, times: [], note: "Nothing to time." };
  }
  return {
    verdict,
    outputs,
    times: [
      [`the GPU: ${what} of ${data.length.toLocaleString("en")} ${type}`, timing.microseconds],
      ["the GPU: a copy of the same bytes", copy.microseconds],
      [CPU, await timed(() => onCpu(task))],
    ],
    note: `By ${timing.by === "wall clock" ? "the clock on the wall, submission included" : timing.by}: the median of ${timing.runs} runs, without the way to the GPU and back. ${speedOf(what, data, timing.microseconds, copy.microseconds)} ${COPYING}`,
  };
}

/** By a call at hand. */
async function runCall(on: Fold, chosen: Choice, data: ScalarArray): Promise<Result> {
  // The first call compiles.
  const outputs = await callOnGpu(on, chosen, data);
  return {
    verdict: verifyOutputs(chosen, data, outputs, callOnCpu(chosen, data)),
    outputs,
    times: [
      [
        `the GPU: ${chosen.primitive} of ${data.length.toLocaleString("en")} ${chosen.type}`,
        await timed(() => callOnGpu(on, chosen, data)),
      ],
      [CPU, await timed(() => callOnCpu(chosen, data))],
    ],
    note: `By the clock on the wall: medians of up to 5 calls. The GPU’s time has the upload and the reading back in it. ${COPYING}`,
  };
}

async function run(): Promise<void> {
  const verdict = element("verdict");
  verdict.className = "verdict";
  verdict.textContent = "Running …";
  const before = changes;
  element("result").hidden = true;
  element("before").hidden = true;
  bringIntoView();
  await drawn();
  const chosen = choice();
  const given = chosenData(chosen.type, chosen.op.name);
  const data =
    chosen.described && takesSorted(chosen.described.described) ? sortedData(chosen.type, given) : given;
  if (data.length > mostElements()) {
    throw new ArgumentError(
      `There are ${data.length} elements; ${chosen.primitive} takes up to ${mostElements()} here`,
    );
  }
  const result = await (fold === undefined
    ? runOnCpu(chosen, data)
    : isPlanned(chosen)
      ? runPlan(fold, chosen, data)
      : runCall(fold, chosen, data));
  if (changes !== before) {
    throw new ArgumentError("The choice has changed while it ran; press Run again");
  }
  const { ok, text } = result.verdict;
  verdict.className = ok === undefined ? "verdict" : ok ? "verdict good" : "verdict bad";
  verdict.textContent = text;
  showElements(chosen, data, result.outputs);
  showTimes(result.times, result.note);
  element("result").hidden = false;
}

/** Scrolls to the result, where it is out of sight: on a phone, it is below the form. */
function bringIntoView(): void {
  const title = element("result-title");
  const { top, bottom } = title.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight * 0.6) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    title.scrollIntoView({ block: "start", behavior: still ? "auto" : "smooth" });
  }
}

/** How often the choice has changed. */
let changes = 0;

/** Takes away what was said of an earlier choice. */
function forget(): void {
  changes++;
  if (state.busy || element("verdict").textContent === "") {
    return;
  }
  element("verdict").textContent = "";
  element("result").hidden = true;
  element("before").textContent = "The choice has changed since the last run. Press Run.";
  element("before").hidden = false;
}

const SHOWN = 32;

/** The first elements and the last: what went in, and what came out. */
function showElements(chosen: Choice, data: ScalarArray, outputs: readonly Output[]): void {
  const { primitive: what, type, predicate } = chosen;
  const placesOf = (length: number): (number | undefined)[] =>
    length <= SHOWN + 2
      ? Array.from({ length }, (_, at) => at)
      : [...Array.from({ length: SHOWN }, (_, at) => at), undefined, length - 1];
  const row = (
    name: string,
    length: number,
    cell: (index: number) => HTMLTableCellElement,
  ): HTMLTableRowElement =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, name),
      ...placesOf(length).map((index) => (index === undefined ? html("td", {}, "…") : cell(index))),
    );
  const before = readerOf(data, type);
  const starts = startsOf(chosen, data);
  const beside = Object.entries(chosen.described?.arrays ?? {}).map(([name, array]) => ({ name, ...array }));
  const longest = Math.max(data.length, ...[...beside, ...outputs].map((output) => output.data.length));
  const table = html(
    "table",
    { class: "elements" },
    row("i", longest, (index) => html("td", { class: "note" }, String(index))),
    row("elements", data.length, (index) =>
      html(
        "td",
        {
          class: [
            what === "compact" && predicate?.keep(before(index), index) === false ? "dropped" : "",
            starts(index) ? "starts" : "",
          ].join(" "),
        },
        show(before(index)),
      ),
    ),
    ...beside.map((array) => {
      const read = readerOf(array.data, array.type);
      return row(array.name, array.data.length, (index) => html("td", {}, show(read(index))));
    }),
    ...outputs.map((output) => {
      const after = readerOf(output.data, output.type);
      const isScan = what === "scan";
      return row(output.name, output.data.length, (index) =>
        html("td", { class: isScan && starts(index) ? "out starts" : "out" }, show(after(index))),
      );
    }),
  );
  element("elements").replaceChildren(table);
}

/** Whether a segment starts at a place, behind the first. */
function startsOf({ segments, type }: Choice, data: ScalarArray): (index: number) => boolean {
  if (segments === undefined) {
    return () => false;
  }
  const isStart = isStartIn(segmentsFor(segments, data, type));
  return (index) => index > 0 && isStart(index);
}

function showTimes(times: readonly (readonly [name: string, microseconds: number])[], note: string): void {
  const longest = Math.max(...times.map(([, time]) => time));
  element("times").replaceChildren(
    ...times.map(([name, time], at) =>
      html(
        "div",
        {},
        html("span", {}, name),
        html("span", {
          class: at === 0 ? "bar" : "bar other",
          style: `width: ${(100 * time) / longest}%`,
          "aria-hidden": "true",
        }),
        html("span", { class: "number" }, formatTime(time)),
      ),
    ),
  );
  element("times-note").textContent = note;
}

async function checkLaws(): Promise<void> {
  element("laws").hidden = false;
  const verdict = element("laws-verdict");
  verdict.className = "verdict";
  verdict.textContent = "Trying …";
  element("counterexample").replaceChildren();
  await drawn();
  const { checkMonoid } = await import("../src/laws/index.ts");
  const op = ownOperator(ownText());
  const report = await checkMonoid(op, fold === undefined ? {} : { fold });
  if (report.ok) {
    verdict.className = "verdict good";
    verdict.textContent = `No law was seen broken on the ${report.on.join(" and the ")}, in ${report.cases} samples for each. That is no proof.`;
    return;
  }
  verdict.className = "verdict bad";
  verdict.textContent = report.message;
  const names = {
    associativity: ["combine(combine(a, b), c)", "combine(a, combine(b, c))"],
    "left identity": ["combine(identity, a)", "a"],
    "right identity": ["combine(a, identity)", "a"],
    agreement: ["combine(a, b) on the CPU", "combine(a, b) on the GPU"],
  }[report.law];
  const columns: [string, number][] = [
    ...(Object.entries(report.counterexample) as [string, number][]),
    [names[0] ?? "", report.left],
    [names[1] ?? "", report.right],
  ];
  element("counterexample").replaceChildren(
    html(
      "table",
      {},
      html("caption", { class: "note" }, "The simplest values that show it"),
      html("tr", {}, ...columns.map(([name]) => html("th", { scope: "col" }, name))),
      html("tr", {}, ...columns.map(([, value]) => html("td", {}, show(value)))),
    ),
  );
}

/** Whether a file ends with elements as they lie in memory, so that code needs only their place in it. */
function endsWith(bytes: Uint8Array, data: ScalarArray): boolean {
  const elements = new Uint8Array(data.buffer);
  const start = bytes.length - elements.length;
  return elements.every((byte, index) => byte === bytes[start + index]);
}

async function openFile(): Promise<void> {
  const [one] = input("file").files ?? [];
  file = undefined;
  if (one !== undefined) {
    const bytes = new Uint8Array(await one.arrayBuffer());
    const { type, data } = parseElements(bytes, one.name);
    if (!endsWith(bytes, data)) {
      throw new ArgumentError(
        `${one.name}: this page takes elements as they lie in memory, little-endian and in C order: convert them with numpy.ascontiguousarray(a, "${dtypes[type.name]}")`,
      );
    }
    file = { type: type.name, data, name: one.name, firstByte: one.size - data.byteLength };
    select("type").value = type.name;
  }
}

fold = await openGpu("The CPU reference still runs, and the WGSL is that for WebGPU’s default limits.");
input("length").value = String(fold !== undefined && !fold.software ? 2 ** 20 : 2 ** 12);
useExample();
select("type").value = "u32";
arrange();
void list();

/** Random numbers hardly ever have two equal ones side by side, so that runs of them show nothing. */
function chooseRuns(): void {
  const isOfRuns = primitive() === "unique" || primitive() === "runLengths";
  if (isOfRuns && select("source").value === "random") {
    select("source").value = "runs";
  }
}

const runButton = byId("run", HTMLButtonElement);
byId("choice", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  void exclusively(runButton, element("verdict"), run);
});
byId("choice", HTMLFormElement).addEventListener("input", forget);
byId("choice", HTMLFormElement).addEventListener("change", (event) => {
  forget();
  const update = (): void => {
    arrange();
    void list();
  };
  if (event.target === select("example") || (event.target === select("operator") && isOwn())) {
    useExample();
  }
  if (event.target instanceof HTMLInputElement && event.target.name === "primitive") {
    chooseRuns();
  }
  if (event.target === input("file")) {
    void exclusively(runButton, element("verdict"), async () => {
      await openFile();
      update();
    });
    return;
  }
  update();
});
select("listing").addEventListener("change", showListing);
const lawsButton = byId("check-laws", HTMLButtonElement);
lawsButton.addEventListener("click", () => {
  void exclusively(lawsButton, element("laws-verdict"), checkLaws);
});
document.documentElement.dataset.ready = "";
