import { byId, chosen, html, messageOf } from "./dom.ts";
import { lookBackScene } from "./watch/look_back.ts";
import type { Scene } from "./watch/scene.ts";
import { isStill } from "./watch/scene.ts";
import { treeScene } from "./watch/tree.ts";
import type { RowName } from "./watch/values.ts";
import { brief, inOrder, MOST, parseElements, rows } from "./watch/values.ts";

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
element("stuck").append(
  ...Array.from({ length: MOST }, (_, tile) =>
    html(
      "label",
      {},
      html("input", { type: "checkbox", name: "stuck", value: tile, "aria-label": `Tile ${tile} is stuck` }),
      String(tile),
    ),
  ),
);

// A region that scrolls takes the focus, and the picture has keys of its own.
element("figure").tabIndex = 0;

let scene: Scene | undefined;
let step = 0;
let seed = 3;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Carries the chosen algorithm out on the elements. */
function build(): void {
  pause();
  const algorithm = chosen("algorithm");
  element("look-back").hidden = algorithm !== "look-back";
  const problem = element("problem");
  try {
    const operator = select("operator").value as RowName;
    const elements = parseElements(numbers.value, operator);
    const exclusive = byId("exclusive", HTMLInputElement).checked;
    const stuck = [...document.querySelectorAll<HTMLInputElement>('input[name="stuck"]:checked')].map(
      ({ value }) => Number(value),
    );
    for (const box of document.querySelectorAll<HTMLInputElement>('input[name="stuck"]')) {
      box.disabled = Number(box.value) >= elements.length;
    }
    scene =
      algorithm === "look-back"
        ? lookBackScene(elements, operator, {
            exclusive,
            fanOut: Number(select("fan-out").value),
            mostGroups: Number(select("most-groups").value),
            patience: Number(select("patience").value),
            slots: Number(select("slots").value),
            stuck,
            ...(select("order").value === "shuffled" && { seed }),
          })
        : treeScene(algorithm === "blelloch" ? "blelloch" : "hillis-steele", elements, operator, exclusive);
    problem.textContent = "";
    const expected = inOrder(elements, operator, exclusive);
    const wrong = scene.result.findIndex(({ value }, at) => !Object.is(value, expected[at]));
    const agrees = element("agrees");
    agrees.className = wrong < 0 ? "verdict good" : "verdict bad";
    agrees.textContent =
      wrong < 0
        ? `It ends with the same ${expected.length} prefixes as one element after another: ${expected.map((value) => brief(value, 12)).join(" ")}`
        : `At ${wrong} it ends with ${String(scene.result[wrong]?.value)}, and one element after another gives ${String(expected[wrong])}.`;
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

/** Shows a step. */
function go(to: number, moving = false): void {
  if (scene === undefined) {
    return;
  }
  step = Math.max(0, Math.min(scene.steps - 1, to));
  const said = scene.show(step, moving && !isStill());
  element("caption").textContent = said;
  bringIntoView(element("figure").querySelector(".acting"));
  slider.value = String(step);
  slider.setAttribute("aria-valuetext", `Step ${step + 1} of ${scene.steps}`);
  element("count").textContent = `${step + 1} of ${scene.steps}`;
  button("back").disabled = step === 0;
  button("forward").disabled = step === scene.steps - 1;
}

/** Scrolls the picture sideways, where it is wider than its window, to what acts. */
function bringIntoView(acting: Element | null): void {
  if (acting !== null) {
    const window = element("figure").getBoundingClientRect();
    const { left, right } = acting.getBoundingClientRect();
    if (left < window.left || right > window.right) {
      element("figure").scrollLeft += (left + right) / 2 - (window.left + window.right) / 2;
    }
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
  go(step + by, by > 0);
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
  go(Number(slider.value));
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
document.documentElement.dataset.ready = "";
