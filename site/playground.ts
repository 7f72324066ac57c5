import { byId, html, messageOf } from "./dom.ts";
import type { LineMark } from "./playground/editor.ts";
import { editorIn } from "./playground/editor.ts";
import { hashOf, linkedBy, setupOf, stepOf } from "./playground/link.ts";
import type { StepSize } from "./playground/moments.ts";
import { after, before, captionOf, findingsIn, isAccess, Memory, stepsOf } from "./playground/moments.ts";
import type { Fault, Recording, ShownFinding } from "./playground/recording.ts";
import { runInWorker } from "./playground/runner.ts";
import type { MachineChoices, ReadyKernel, Setup } from "./playground/setup.ts";
import { defaultChoices } from "./playground/setup.ts";
import type { View } from "./playground/view.ts";
import { viewOf } from "./playground/view.ts";

const select = (id: string): HTMLSelectElement => byId(id, HTMLSelectElement);
const input = (id: string): HTMLInputElement => byId(id, HTMLInputElement);
const element = (id: string): HTMLElement => byId(id, HTMLElement);
const button = (id: string): HTMLButtonElement => byId(id, HTMLButtonElement);
const slider = input("moment");
const editor = editorIn(element("editor"), byId("code", HTMLTextAreaElement));

/** So many threads stay in sight. */
const FEW_THREADS = 16;
/** How long the text stays as it is before it runs, in milliseconds. */
const PAUSE = 350;

// A region that scrolls takes the focus, and the picture has keys of its own.
element("picture").tabIndex = 0;

let kernels: readonly ReadyKernel[] = [];
let recording: Recording | undefined;
let view: View | undefined;
let memory: Memory | undefined;
let steps: readonly number[] = [0];
/** What is shown: the events from the first to the second moment. */
let [from, to] = [0, 0];
let timer: ReturnType<typeof setTimeout> | undefined;
let waiting: ReturnType<typeof setTimeout> | undefined;

// What to run

const chosenKernel = (): ReadyKernel | undefined =>
  kernels.find(({ name }) => name === select("kernel").value);

const valueFields = (): readonly HTMLInputElement[] => [
  ...element("values").querySelectorAll<HTMLInputElement>("input"),
];

function machineChosen(): MachineChoices {
  const entries = Object.entries(defaultChoices).map(([option, value]) => {
    const field = document.getElementById(option);
    if (field instanceof HTMLInputElement && field.type === "checkbox") {
      return [option, field.checked];
    }
    const text = field instanceof HTMLInputElement || field instanceof HTMLSelectElement ? field.value : "";
    return [option, typeof value === "number" ? Number(text) : text];
  });
  return Object.fromEntries(entries) as MachineChoices;
}

function showMachine(machine: MachineChoices): void {
  for (const [option, value] of Object.entries(machine)) {
    const field = document.getElementById(option);
    if (field instanceof HTMLInputElement && field.type === "checkbox") {
      field.checked = value === true;
    } else if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) {
      field.value = String(value);
    }
  }
}

const setupChosen = (): Setup => ({
  code: editor.area.value,
  // The only one needs no name.
  entryPoint: select("entry").length > 1 ? select("entry").value : "",
  groups: input("count-of-groups").value,
  values: Object.fromEntries(valueFields().map(({ name, value }) => [name, value])),
  machine: machineChosen(),
});

/** Shows a field for each buffer. Fields that were there keep what was typed. */
function showValues(
  names: readonly (readonly [name: string, type: string])[],
  values: Setup["values"],
): void {
  const known = new Map(valueFields().map((field) => [field.name, field]));
  element("values").replaceChildren(
    ...names.map(([name, type]) => {
      const field =
        known.get(name) ??
        html("input", {
          name,
          class: "code",
          value: values[name] ?? "",
          spellcheck: "false",
          autocomplete: "off",
        });
      return html("label", {}, html("code", {}, name), ` ${type}`, field);
    }),
  );
}

function showSetup({ code, entryPoint, groups, values, machine }: Setup): void {
  editor.set(code);
  element("values").replaceChildren();
  showValues(
    Object.keys(values).map((name) => [name, ""]),
    values,
  );
  select("entry").replaceChildren(html("option", {}, entryPoint));
  input("count-of-groups").value = groups;
  showMachine(machine);
}

function showEntryPoints(names: readonly string[]): void {
  const { value } = select("entry");
  select("entry").replaceChildren(...names.map((name) => html("option", {}, name)));
  select("entry").value = names.includes(value) ? value : (names[0] ?? "");
  element("entry-field").hidden = names.length < 2;
}

function showAbout(): void {
  element("about").textContent =
    chosenKernel()?.about ?? "Your own kernel. It stays in this page, and in its link.";
}

// Running

/** Runs what is chosen, and shows the moment. */
async function run(at = 0): Promise<void> {
  pause();
  clearTimeout(waiting);
  const setup = setupChosen();
  element("player").setAttribute("aria-busy", "true");
  const outcome = await runInWorker(setup);
  if (outcome === undefined) {
    return;
  }
  element("player").removeAttribute("aria-busy");
  if (outcome.kind === "fault") {
    showFault(outcome.fault);
  } else {
    showRecording(outcome.recording, setup);
    goTo(Math.min(at, outcome.recording.events.length), at > 0);
  }
  await showAddress(setup, 0);
  document.documentElement.dataset.ready = "";
}

/** Puts what is shown into the browser's address bar. */
async function showAddress(setup: Setup, at: number): Promise<URL> {
  const step = select("size").value as StepSize;
  const address = new URL(`#${await hashOf(setup, chosenKernel(), { at, step })}`, location.href);
  history.replaceState(null, "", address);
  return address;
}

function runLater(): void {
  clearTimeout(waiting);
  waiting = setTimeout(run, PAUSE);
}

function showFault({ message, line, entryPoints }: Fault): void {
  recording = undefined;
  if (entryPoints.length > 0) {
    showEntryPoints(entryPoints);
  }
  element("problem").textContent = (line > 0 ? `Line ${line}: ` : "") + message;
  editor.mark(new Map(line > 0 ? [[line, "fault"]] : []), line);
  element("player").hidden = true;
  element("all-findings").hidden = true;
}

function showRecording(ran: Recording, { values }: Setup): void {
  recording = ran;
  element("problem").textContent = "";
  element("player").hidden = false;
  element("all-findings").hidden = false;
  memory = new Memory(ran);
  view = viewOf(ran, {
    groups: element("groups"),
    threads: element("threads"),
    memory: element("memory"),
  });
  element("strip").classList.toggle("tall", ran.threads > FEW_THREADS);
  element("groups-row").hidden = ran.groups.every((count) => count === 1);
  showEntryPoints(ran.entryPoints);
  showValues(
    ran.variables.flatMap(({ name, type, memory: of }) => (of === "buffer" ? [[name, type] as const] : [])),
    values,
  );
  slider.max = String(ran.events.length);
  steps = stepsOf(ran.events, select("size").value as StepSize);
  showFindings(ran);
}

function showFindings({ findings, events }: Recording): void {
  element("clean").textContent =
    findings.length === 0
      ? "Nothing was found in this run. Another seed, schedule or size of subgroups may show what this one does not."
      : "";
  element("findings").replaceChildren(
    ...findings.map((finding) => {
      const link = html(
        "button",
        { type: "button" },
        html("strong", {}, finding.kind),
        ` ${finding.message}`,
      );
      link.addEventListener("click", () => showFinding(finding));
      return html("li", {}, link);
    }),
  );
  element("ticks").replaceChildren(
    ...findings.map(({ at }) =>
      html("span", {
        style: `left: ${(100 * Math.min(at + 1, events.length)) / Math.max(1, events.length)}%`,
      }),
    ),
  );
}

// Moving through time

/** Shows the events from one moment to another. `asked`: the visitor asked for it. */
function go(start: number, end: number, asked = false): void {
  if (recording === undefined || memory === undefined || view === undefined) {
    return;
  }
  [from, to] = [start, end];
  memory.go(to);
  view.show(memory, from, to);
  element("caption").textContent = captionOf(recording, [from, to], view.nameOf);
  const found = findingsIn(recording, from, to);
  element("found").textContent = found.map(({ kind, message }) => `${kind}: ${message}`).join("\n");
  markLines(recording, found);
  const { length } = recording.events;
  slider.value = String(to);
  slider.setAttribute("aria-valuetext", `Event ${to} of ${length}`);
  element("count").textContent = `${to} of ${length}`;
  button("back").disabled = to === 0;
  button("forward").disabled = to === length;
  if (asked) {
    reveal();
  }
}

function markLines({ events }: Recording, found: readonly ShownFinding[]): void {
  const marks = new Map<number, LineMark>();
  const taken = events.slice(from, to);
  for (const { line } of taken) {
    marks.set(line, "now");
  }
  for (const { line, other } of found) {
    marks.set(line, "fault");
    marks.set(other === undefined ? line : (events[other]?.line ?? line), "fault");
  }
  marks.delete(0);
  const { line = 0 } = found[0] ?? taken.filter(isAccess).at(-1) ?? taken.at(-1) ?? {};
  editor.mark(marks, line);
}

/** Brings what changes into sight: in the picture, and the player in the page. */
function reveal(): void {
  const picture = element("picture");
  const cell = [".found", ".write", ".atomic", ".read"]
    .map((mark) => picture.querySelector(`#memory ${mark}`))
    .find((found) => found !== null);
  if (cell) {
    const [box, { top: start, bottom: end }] = [
      cell.getBoundingClientRect(),
      picture.getBoundingClientRect(),
    ];
    const strip = element("strip");
    const covered = getComputedStyle(strip).position === "sticky" ? strip.offsetHeight : 0;
    if (box.top < start + covered || box.bottom > end) {
      picture.scrollTop += (box.top + box.bottom) / 2 - (start + covered + end) / 2;
    }
  }
  const { top, bottom } = element("player").getBoundingClientRect();
  if (bottom < 80 || top > innerHeight - 80) {
    element("player").scrollIntoView({ block: "start" });
  }
}

/** Goes to a finding, and marks both of its places. */
function showFinding({ at }: ShownFinding): void {
  pause();
  const length = recording?.events.length ?? 0;
  go(Math.min(at, length), Math.min(at + 1, length), true);
  if (element("player").getBoundingClientRect().top < 0) {
    element("player").scrollIntoView();
  }
}

function pause(): void {
  clearTimeout(timer);
  timer = undefined;
  button("play").textContent = "Play";
}

const isAtEnd = (): boolean => to === (recording?.events.length ?? 0);

function play(): void {
  button("play").textContent = "Pause";
  const next = (): void => {
    // At the end, it begins again.
    const start = isAtEnd() ? 0 : to;
    go(start, after(steps, start), true);
    if (isAtEnd()) {
      pause();
      return;
    }
    timer = setTimeout(next, Number(select("speed").value));
  };
  next();
}

const toggle = (): void => (timer === undefined ? play() : pause());

function forward(): void {
  pause();
  if (!isAtEnd()) {
    go(to, after(steps, to), true);
  }
}

function back(): void {
  pause();
  const end = before(steps, to);
  go(before(steps, end), end, true);
}

/** Shows the step that ends at a moment, or in which it lies. */
function goTo(moment: number, asked = true): void {
  pause();
  go(before(steps, moment), moment, asked);
}

// Links

async function showLinked(): Promise<void> {
  const [first] = kernels;
  if (first === undefined) {
    return;
  }
  try {
    const { setup, name, at, step } = await linkedBy(location.hash, kernels, first);
    select("kernel").value = name ?? "";
    select("size").value = step;
    showSetup(setup);
    showAbout();
    await run(at);
  } catch (cause) {
    select("kernel").value = first.name;
    showSetup(setupOf(first));
    showAbout();
    await run();
    element("problem").textContent = messageOf(cause);
  }
}

async function share(): Promise<void> {
  const { href: address } = await showAddress(setupChosen(), to);
  try {
    await navigator.clipboard.writeText(address);
    element("shared").textContent =
      `Copied: ${address.length} characters, with the kernel, the seed and this moment.`;
  } catch {
    element("shared").textContent =
      "The browser keeps the clipboard to itself. The link is in its address bar.";
  }
}

// Listening

function offer(): void {
  const sections = [...new Set(kernels.map(({ section }) => section))];
  select("kernel").append(
    ...sections.map((section) =>
      html(
        "optgroup",
        { label: section },
        ...kernels
          .filter((kernel) => kernel.section === section)
          .map(({ name, title }) => html("option", { value: name }, title)),
      ),
    ),
    html("option", { value: "" }, "Your own"),
  );
}

function listen(): void {
  byId("setup", HTMLFormElement).addEventListener("submit", (event) => event.preventDefault());
  select("kernel").addEventListener("change", () => {
    const kernel = chosenKernel();
    if (kernel) {
      select("size").value = stepOf(kernel);
      showSetup(setupOf(kernel));
    }
    showAbout();
    run();
  });
  editor.area.addEventListener("input", () => {
    if (editor.area.value !== chosenKernel()?.code) {
      select("kernel").value = "";
      showAbout();
    }
    runLater();
  });
  element("values").addEventListener("input", runLater);
  input("count-of-groups").addEventListener("input", runLater);
  select("entry").addEventListener("change", () => run());
  for (const option of Object.keys(defaultChoices)) {
    element(option).addEventListener("change", () => run());
  }
  button("reseed").addEventListener("click", () => {
    input("seed").value = String((Number(input("seed").value) || 0) + 1);
    run();
  });
  button("share").addEventListener("click", share);
  listenToPlayer();
  addEventListener("hashchange", showLinked);
}

function listenToPlayer(): void {
  button("back").addEventListener("click", back);
  button("forward").addEventListener("click", forward);
  button("play").addEventListener("click", toggle);
  slider.addEventListener("input", () => goTo(Number(slider.value)));
  select("size").addEventListener("change", () => {
    if (recording) {
      steps = stepsOf(recording.events, select("size").value as StepSize);
      goTo(to);
    }
  });
  element("player").addEventListener("keydown", (event) => {
    // The slider and the buttons have keys of their own.
    const hasKeys =
      event.target instanceof HTMLElement && event.target.closest("input, select, button") !== null;
    const action = {
      ArrowLeft: back,
      ArrowRight: forward,
      Home: () => goTo(0),
      End: () => goTo(recording?.events.length ?? 0),
      " ": toggle,
    }[event.key];
    if (!hasKeys && action !== undefined) {
      event.preventDefault();
      action();
    }
  });
}

async function start(): Promise<void> {
  try {
    const answer = await fetch(new URL("kernels.json", import.meta.url));
    kernels = (await answer.json()) as readonly ReadyKernel[];
  } catch (cause) {
    element("problem").textContent = `The list of kernels did not load: ${messageOf(cause)}`;
    return;
  }
  offer();
  listen();
  await showLinked();
}

start();
