import { copyButtons } from "./copy.ts";
import { byId } from "./dom.ts";

// What every page of the site has: the search in guides and API, and buttons that copy.

/** Pagefind's files, which scripts/site.mjs writes beside the pages. */
const bundle = new URL("../pagefind/", import.meta.url);

/** The element that Pagefind defines. */
interface Modal extends HTMLElement {
  open(): void;
}

async function loadSearch(): Promise<Modal> {
  const style = document.createElement("link");
  style.rel = "stylesheet";
  style.href = new URL("pagefind-component-ui.css", bundle).href;
  const styled = new Promise((resolve) => style.addEventListener("load", resolve));
  document.head.append(style);
  const script: string = new URL("pagefind-component-ui.js", bundle).href;
  await Promise.all([styled, import(script)]);
  const settings = document.createElement("pagefind-config");
  settings.setAttribute("bundle-path", bundle.pathname);
  settings.setAttribute("base-url", new URL("..", bundle).pathname);
  const modal = document.createElement("pagefind-modal") as Modal;
  document.body.append(settings, modal);
  return modal;
}

let loaded: Promise<Modal> | undefined;

async function openSearch(): Promise<void> {
  loaded ??= loadSearch();
  (await loaded).open();
}

/** Whether a key is meant for the text that is being written. */
const isWriting = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));

const isSearch = (event: KeyboardEvent): boolean =>
  (event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !isWriting(event));

const button = byId("search", HTMLButtonElement);
button.hidden = false;
button.addEventListener("click", () => void openSearch());
// TypeDoc's pages have a search of the API alone behind the same keys.
window.addEventListener(
  "keydown",
  (event) => {
    if (isSearch(event)) {
      event.preventDefault();
      event.stopImmediatePropagation();
      void openSearch();
    }
  },
  { capture: true },
);
copyButtons();
