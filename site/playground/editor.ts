import { html } from "../dom.ts";
import { colouredLines } from "../highlight.ts";

/** What a line of the text is marked for. */
export type LineMark = "now" | "fault";

/** How long the text stays as it is before it is coloured, in milliseconds. */
const PAUSE = 150;

/** A text that is edited, over a copy of itself with colours, numbers and marks. */
export interface Editor {
  readonly area: HTMLTextAreaElement;
  set(text: string): void;
  /** Marks lines, from 1 on, and brings one into sight. */
  mark(marks: ReadonlyMap<number, LineMark>, inSight: number): void;
}

/** An editor in an element that scrolls. The text is as large as it needs, so that it and its copy stay together. */
export function editorIn(frame: HTMLElement, area: HTMLTextAreaElement): Editor {
  const lines = html("div", { class: "lines", "aria-hidden": "true" });
  frame.prepend(lines);
  let texts: readonly string[] = [];
  let marked: readonly Element[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const colour = async (): Promise<void> => {
    const code = area.value;
    const coloured = await colouredLines(code, "wgsl");
    // Meanwhile, more may have been typed.
    if (area.value === code) {
      coloured.forEach((line, at) => {
        lines.children[at]?.replaceChildren(...line);
      });
    }
  };

  const copy = (): void => {
    const next = area.value.split("\n");
    area.rows = next.length;
    frame.style.setProperty("--columns", String(Math.max(...next.map(({ length }) => length)) + 1));
    while (lines.childElementCount > next.length) {
      lines.lastElementChild?.remove();
    }
    while (lines.childElementCount < next.length) {
      lines.append(html("div"));
    }
    next.forEach((text, at) => {
      const line = lines.children[at];
      if (line && (line.childNodes.length === 0 || texts[at] !== text)) {
        line.textContent = text;
      }
    });
    texts = next;
    clearTimeout(timer);
    timer = setTimeout(colour, PAUSE);
  };
  area.addEventListener("input", copy);

  const reveal = (line: Element): void => {
    const [box, window] = [line.getBoundingClientRect(), frame.getBoundingClientRect()];
    const room = 2 * box.height;
    if (box.top < window.top + room || box.bottom > window.bottom - room) {
      frame.scrollTop += (box.top + box.bottom) / 2 - (window.top + window.bottom) / 2;
    }
  };

  return {
    area,
    set(text) {
      area.value = text;
      copy();
      frame.scrollTop = 0;
      frame.scrollLeft = 0;
    },
    mark(marks, inSight) {
      for (const line of marked) {
        line.className = "";
      }
      const found = [...marks].flatMap(([number, mark]) => {
        const line = lines.children[number - 1];
        return line ? [[line, mark] as const] : [];
      });
      for (const [line, mark] of found) {
        line.className = mark;
      }
      marked = found.map(([line]) => line);
      const line = lines.children[inSight - 1];
      if (line) {
        reveal(line);
      }
    },
  };
}
