import type { ScalarArray } from "../src/algebra/arrays.ts";
import { parseElements } from "../src/cli/npy.ts";
import { contextOf } from "../src/gpu/device.ts";
import type { Fold, Operator, TypeName } from "../src/index.ts";
import { ArgumentError, elementTypes, operators } from "../src/index.ts";
import type { OwnTypeName, Predicate, PrimitiveName } from "./choices.ts";
import {
  algorithmNames,
  examples,
  operatorNames,
  ownOperator,
  ownPredicate,
  ownTypes,
  predicates,
  takes,
  typeNames,
} from "./choices.ts";
import { countingArray, parseNumbers, randomArray, readerOf, show, sources } from "./data.ts";
import { byId, chosen, drawn, html, messageOf } from "./dom.ts";
import { openGpu } from "./gpu.ts";
import { showWgsl } from "./highlight.ts";
import type { Listing, Wanted } from "./plans.ts";
import { listingsOf, noDevice } from "./plans.ts";
import { runOnGpu } from "./run.ts";
import { formatTime } from "./timing.ts";
import type { Task } from "./verify.ts";
import { onCpu, verify } from "./verify.ts";

const select = (id: string): HTMLSelectElement => byId(id, HTMLSelectElement);
const input = (id: string): HTMLInputElement => byId(id, HTMLInputElement);
const area = (id: string): HTMLTextAreaElement => byId(id, HTMLTextAreaElement);
const element = (id: string): HTMLElement => byId(id, HTMLElement);

const OWN = "own";
const options = (into: HTMLSelectElement, rows: readonly (readonly [value: string, text: string])[]): void =>
  into.replaceChildren(...rows.map(([value, text]) => html("option", { value }, text)));

options(
  select("type"),
  typeNames.map((name) => [name, name]),
);
options(select("operator"), [...operatorNames.map((name) => [name, name] as const), [OWN, "your own …"]]);
options(select("predicate"), [
  ...Object.entries(predicates).map(([name, { title }]) => [name, title] as const),
  [OWN, "by a predicate of your own …"],
]);
options(select("algorithm"), [["", "automatic"], ...algorithmNames.map((name) => [name, name] as const)]);
options(select("passes"), [
  ["", "automatic"],
  ["single", "one: look-back"],
  ["reduce-then-scan", "two"],
]);
options(select("source"), Object.entries(sources));
options(
  select("example"),
  Object.entries(examples).map(([name, { title }]) => [name, title]),
);

// Regions that scroll take the focus, so that keys scroll them.
element("elements").tabIndex = 0;
element("wgsl").tabIndex = 0;

let fold: Fold | undefined;
/** The array of the file that was opened last. */
let file: { readonly type: TypeName; readonly data: ScalarArray } | undefined;

/** The most elements that the page takes: the CPU checks them all, one after another. */
const MOST = 2 ** 24;

function requireLength(): number {
  const text = input("length").value.trim();
  const length = Number(text);
  if (text === "" || !Number.isInteger(length) || length < 0 || length > MOST) {
    throw new ArgumentError(`The length is “${text}”; it takes a whole number from 0 to ${MOST}`);
  }
  return length;
}

const primitive = (): PrimitiveName => chosen("primitive") as PrimitiveName;
const isOwn = (): boolean => primitive() !== "compact" && select("operator").value === OWN;

function chosenOperator(): Operator<string> {
  if (primitive() === "compact") {
    return operators.add as Operator as Operator<string>;
  }
  if (!isOwn()) {
    return operators[select("operator").value as keyof typeof operators] as Operator as Operator<string>;
  }
  return ownOperator({
    name: input("own-name").value,
    type: select("type").value as OwnTypeName,
    identity: input("own-identity").value,
    combine: area("own-combine").value,
    script: area("own-script").value,
  }) as Operator as Operator<string>;
}

function chosenPredicate(type: TypeName): Predicate | undefined {
  if (primitive() !== "compact") {
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
    default:
      return countingArray(type, requireLength(), select("source").value === "ones");
  }
}

/** All that is chosen but the numbers. */
function wanted(): Wanted {
  const type = select("type").value as TypeName;
  return {
    primitive: primitive(),
    type: elementTypes[type],
    op: chosenOperator(),
    algorithm: algorithmNames.find((name) => name === select("algorithm").value),
    passes: (["single", "reduce-then-scan"] as const).find((name) => name === select("passes").value),
    exclusive: input("exclusive").checked,
    where: chosenPredicate(type)?.where ?? "",
    length: chosenLength(),
  };
}

/** Shows the fields that the choice has, and disables what has no meaning on the type. */
function arrange(): void {
  const compacts = primitive() === "compact";
  element("operator-field").hidden = compacts;
  element("predicate-field").hidden = !compacts;
  element("passes-field").hidden = primitive() === "reduce";
  element("exclusive-field").hidden = primitive() !== "scan";
  element("own-operator").hidden = !isOwn();
  element("laws").hidden = element("laws").hidden || !isOwn();
  element("own-predicate").hidden = !compacts || select("predicate").value !== OWN;
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
      option.value !== OWN && predicates[option.value as keyof typeof predicates].of(type) === undefined;
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

/** Shows the WGSL of what is chosen now. */
async function list(): Promise<void> {
  const problem = element("plan-problem");
  // What is chosen meanwhile is shown in its place.
  const asked = ++lastAsked;
  try {
    const made = await listingsOf(wanted(), fold === undefined ? noDevice : contextOf(fold.device).facts);
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
    void showWgsl(element("wgsl"), listing.code);
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

async function run(): Promise<void> {
  const verdict = element("verdict");
  verdict.className = "verdict";
  verdict.textContent = "Running …";
  element("result").hidden = true;
  await drawn();
  const want = wanted();
  const type = want.type.name as TypeName;
  const data = chosenData(type, want.op.name);
  const task: Task = {
    primitive: want.primitive,
    type,
    op: want.op,
    own: isOwn(),
    exclusive: want.exclusive,
    predicate: chosenPredicate(type),
    data,
  };
  if (fold === undefined) {
    const begin = performance.now();
    const output = onCpu(task);
    showTimes([["The CPU reference", (performance.now() - begin) * 1000]], "By the clock on the wall.");
    showElements(task, output);
    verdict.textContent = "Computed by the CPU reference: there is no GPU to check.";
  } else {
    const { output, grouping, timing, copy } = await runOnGpu(fold, { ...want, length: data.length }, data);
    const { ok, text } = verify(task, output, grouping);
    verdict.className = ok === undefined ? "verdict" : ok ? "verdict good" : "verdict bad";
    verdict.textContent = text;
    showElements(task, output);
    if (timing !== undefined && copy !== undefined) {
      const gigabytes = (2 * data.byteLength) / copy.microseconds / 1000;
      showTimes(
        [
          [`${want.primitive} of ${data.length.toLocaleString("en")} ${type}`, timing.microseconds],
          ["a copy of the same bytes", copy.microseconds],
        ],
        `By ${timing.by === "wall clock" ? "the clock on the wall, submission included" : timing.by}: the median of ${timing.runs} runs. The copy moves ${Number(gigabytes.toPrecision(3)).toLocaleString("en")} GB/s; ${want.primitive} takes ${(timing.microseconds / copy.microseconds).toPrecision(3)} times as long.`,
      );
    } else {
      showTimes([], "Nothing to time.");
    }
  }
  element("before").hidden = true;
  element("result").hidden = false;
}

const SHOWN = 32;

/** The first elements and the last: what went in, and what came out. */
function showElements({ primitive: what, type, data, predicate }: Task, output: ScalarArray): void {
  const [before, after] = [readerOf(data, type), readerOf(output, type)];
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
  const outName = what === "reduce" ? "total" : what === "compact" ? "kept" : "prefixes";
  const table = html(
    "table",
    { class: "elements" },
    row("index", Math.max(data.length, output.length), (index) =>
      html("td", { class: "note" }, String(index)),
    ),
    row("elements", data.length, (index) =>
      html(
        "td",
        { class: what === "compact" && predicate?.keep(before(index), index) === false ? "dropped" : "" },
        show(before(index)),
      ),
    ),
    row(outName, output.length, (index) => html("td", { class: "out" }, show(after(index)))),
  );
  element("elements").replaceChildren(table);
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
  const { checkMonoid } = await import("../src/check/index.ts");
  const op = ownOperator({
    name: input("own-name").value,
    type: select("type").value as OwnTypeName,
    identity: input("own-identity").value,
    combine: area("own-combine").value,
    script: area("own-script").value,
  });
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

async function openFile(): Promise<void> {
  const [one] = input("file").files ?? [];
  file = undefined;
  if (one !== undefined) {
    const { type, data } = parseElements(new Uint8Array(await one.arrayBuffer()), one.name);
    file = { type: type.name, data };
    select("type").value = type.name;
  }
}

fold = await openGpu("The CPU reference still runs, and the WGSL is that for WebGPU’s default limits.");
input("length").value = String(fold !== undefined && !fold.software ? 2 ** 20 : 2 ** 12);
useExample();
select("type").value = "u32";
arrange();
void list();

const runButton = byId("run", HTMLButtonElement);
byId("choice", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  void exclusively(runButton, element("verdict"), run);
});
byId("choice", HTMLFormElement).addEventListener("change", (event) => {
  const update = (): void => {
    arrange();
    void list();
  };
  if (event.target === select("example") || (event.target === select("operator") && isOwn())) {
    useExample();
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
