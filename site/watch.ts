import { byId, chosen, html, messageOf } from "./dom.ts";
import { lookBackScene } from "./watch/look_back.ts";
import type { Scene } from "./watch/scene.ts";
import { isStill } from "./watch/scene.ts";
import { sortScene } from "./watch/sort.ts";
import { treeScene } from "./watch/tree.ts";
import type { RowName } from "./watch/values.ts";
import { brief, MOST, parseElements, rows } from "./watch/values.ts";

const select = (id: string): HTMLSelectElement => byId(id, HTMLSelectElement);
const element = (id: string): HTMLElement => byId(id, HTMLElement);
const button = (id: string): HTMLButtonElement => byId(id, HTMLButtonElement);
const slider = byId("step", HTMLInputElement);
const numbers = byId("elements", HTMLInputElement);

const DEFAULT_NUMBERS = numbers.value;
const DEFAULT_LETTERS = "s c a n s k e e p o r d e r o k";

select("operator").append(
  ...Object.entries(rows).map(([name, { title }]) => html("option", { value: name }, title)),
);
/** A box to tick for each place. */
const placeBoxes = (
  name: string,
  label: (place: number) => string,
  ticked: readonly number[] = [],
): HTMLElement[] =>
  Array.from({ length: MOST }, (_, place) =>
    html(
      "label",
      {},
      html("input", {
        type: "checkbox",
        name,
        value: place,
        checked: ticked.includes(place),
        "aria-label": label(place),
      }),
      String(place),
    ),
  );
element("stuck").append(...placeBoxes("stuck", (tile) => `Tile ${tile} is stuck`));
element("heads").append(...placeBoxes("heads", (place) => `A segment starts at ${place}`, [0, 3, 4, 9, 13]));

/** The boxes of a name. */
const boxesOf = (name: string): HTMLInputElement[] => [
  ...document.querySelectorAll<HTMLInputElement>(`input[name="${name}"]`),
];
const ticked = (name: string): number[] =>
  boxesOf(name).flatMap(({ checked, value }) => (checked ? [Number(value)] : []));

// A region that scrolls takes the focus, and the picture has keys of its own.
element("figure").tabIndex = 0;

let scene: Scene | undefined;
let step = 0;
let seed = 3;
let timer: ReturnType<typeof setTimeout> | undefined;

/** The scene that is chosen. */
function chosenScene(): Scene {
  const operator = select("operator").value as RowName;
  const algorithm = chosen("algorithm");
  const elements = parseElements(numbers.value, algorithm === "sort" ? "add" : operator);
  for (const box of boxesOf("stuck")) {
    box.disabled = Number(box.value) >= elements.length;
  }
  for (const box of boxesOf("heads")) {
    // The first element starts a segment in any case.
    box.disabled = box.value === "0" || Number(box.value) >= elements.length;
  }
  const exclusive = byId("exclusive", HTMLInputElement).checked;
  switch (algorithm) {
    case "sort":
      return sortScene(elements.map(Number), Number(select("digit").value));
    case "segments":
      return treeScene("hillis-steele", elements, operator, false, ticked("heads"));
    case "look-back":
      return lookBackScene(elements, operator, {
        exclusive,
        fanOut: Number(select("fan-out").value),
        mostGroups: Number(select("most-groups").value),
        patience: Number(select("patience").value),
        slots: Number(select("slots").value),
        stuck: ticked("stuck"),
        ...(select("order").value === "shuffled" && { seed }),
      });
    default:
      return treeScene(
        algorithm === "blelloch" ? "blelloch" : "hillis-steele",
        elements,
        operator,
        exclusive,
      );
  }
}

/** Carries the chosen algorithm out on the elements. */
function build(): void {
  pause();
  const algorithm = chosen("algorithm");
  element("look-back").hidden = algorithm !== "look-back";
  element("heads-field").hidden = algorithm !== "segments";
  element("digit-field").hidden = algorithm !== "sort";
  element("operator-field").hidden = algorithm === "sort";
  element("exclusive-field").hidden = algorithm === "sort" || algorithm === "segments";
  const problem = element("problem");
  try {
    scene = chosenScene();
    problem.textContent = "";
    const { expected, result, agreement } = scene;
    const wrong = result.findIndex(({ value }, at) => !Object.is(value, expected[at]));
    const agrees = element("agrees");
    agrees.className = wrong < 0 ? "verdict good" : "verdict bad";
    agrees.textContent =
      wrong < 0
        ? `${agreement}: ${expected.map((value) => brief(value, 12)).join(" ")}`
        : `At ${wrong} it ends with ${String(result[wrong]?.value)}, and one element after another gives ${String(expected[wrong])}.`;
    element("player-title").textContent = scene.title;
    element("about").textContent = scene.about;
    element("key").hidden = !scene.hasKey;
    element("figure").replaceChildren(scene.picture);
    slider.max = String(scene.steps - 1);
    go(0);
  } catch (cause) {
    problem.textContent = messageOf(cause);
    element("agrees").textContent = "";
  }
}

/** Shows a step. `moving`: the visitor asked for it, and it goes forward. */
function go(to: number, moving = false, asked = moving): void {
  if (scene === undefined) {
    return;
  }
  step = Math.max(0, Math.min(scene.steps - 1, to));
  const said = scene.show(step, moving && !isStill());
  element("caption").textContent = said;
  follow(asked);
  slider.value = String(step);
  slider.setAttribute("aria-valuetext", `Step ${step + 1} of ${scene.steps}`);
  element("count").textContent = `${step + 1} of ${scene.steps}`;
  button("back").disabled = step === 0;
  button("forward").disabled = step === scene.steps - 1;
}

/** How far to scroll, so that what lies from `from` to `to` is in a window; 0 if it is. */
const scrollFor = (from: number, to: number, start: number, end: number): number =>
  from < start || to > end ? (from + to) / 2 - (start + end) / 2 : 0;

/** Where an element ends up, if it moves. */
function settled(node: Element): DOMRect {
  const animations = node.getAnimations();
  for (const animation of animations) {
    animation.currentTime = animation.effect?.getComputedTiming().endTime ?? 0;
  }
  const box = node.getBoundingClientRect();
  for (const animation of animations) {
    animation.currentTime = 0;
  }
  return box;
}

/**
 * Scrolls the picture, where it is larger than its window, to what changes; and the page to the player, if the visitor
 * asked for the step and does not see it.
 */
function follow(asked: boolean): void {
  const figure = element("figure");
  const changing = figure.querySelector(".acting, .active");
  if (changing === null) {
    return;
  }
  const [cell, window] = [settled(changing), figure.getBoundingClientRect()];
  figure.scrollLeft += scrollFor(cell.left, cell.right, window.left, window.right);
  figure.scrollTop += scrollFor(cell.top, cell.bottom, window.top, window.bottom);
  const { top, bottom } = settled(changing);
  if (asked && (top < 0 || bottom > innerHeight)) {
    element("player").scrollIntoView({ block: "start" });
  }
}

function pause(): void {
  clearTimeout(timer);
  timer = undefined;
  button("play").textContent = "Play";
}

function play(): void {
  if (scene === undefined) {
    return;
  }
  button("play").textContent = "Pause";
  // At the end, it begins again.
  go(step === scene.steps - 1 ? 0 : step + 1, true);
  const next = (): void => {
    if (scene === undefined || step === scene.steps - 1) {
      pause();
      return;
    }
    go(step + 1, true);
    timer = setTimeout(next, Number(select("speed").value));
  };
  timer = setTimeout(next, Number(select("speed").value));
}

const toggle = (): void => (timer === undefined ? play() : pause());
const stepBy = (by: number): void => {
  pause();
  go(step + by, by > 0, true);
};

byId("setup", HTMLFormElement).addEventListener("submit", (event) => event.preventDefault());
byId("setup", HTMLFormElement).addEventListener("change", (event) => {
  if (event.target === select("operator")) {
    const join = select("operator").value === "join";
    if (join && numbers.value === DEFAULT_NUMBERS) {
      numbers.value = DEFAULT_LETTERS;
    } else if (!join && numbers.value === DEFAULT_LETTERS) {
      numbers.value = DEFAULT_NUMBERS;
    }
  }
  build();
});
numbers.addEventListener("input", build);
button("shuffle").addEventListener("click", () => {
  seed++;
  select("order").value = "shuffled";
  build();
});
button("back").addEventListener("click", () => stepBy(-1));
button("forward").addEventListener("click", () => stepBy(1));
button("play").addEventListener("click", toggle);
slider.addEventListener("input", () => {
  pause();
  go(Number(slider.value), false, true);
});
element("player").addEventListener("keydown", (event) => {
  // The slider and the buttons have keys of their own.
  const own = event.target instanceof HTMLElement && event.target.closest("input, select, button") !== null;
  const action = {
    ArrowLeft: () => stepBy(-1),
    ArrowRight: () => stepBy(1),
    Home: () => stepBy(-Infinity),
    End: () => stepBy(Infinity),
    " ": toggle,
  }[event.key];
  if (!own && action !== undefined) {
    event.preventDefault();
    action();
  }
});
build();
// A phone that is turned has another window.
new ResizeObserver(() => follow(false)).observe(element("figure"));
document.documentElement.dataset.ready = "";
