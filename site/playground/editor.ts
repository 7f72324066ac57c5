import { html } from "../dom.ts";

/** What a line of the text is marked for. */
export type LineMark = "now" | "fault";

/** A text that is edited, with numbers and marks behind its lines. */
export interface Editor {
  readonly area: HTMLTextAreaElement;
  set(text: string): void;
  /** Marks lines, from 1 on, and brings the first one into sight. */
  mark(marks: ReadonlyMap<number, LineMark>): void;
}

/** An editor in an element that scrolls. The text is as large as it needs, so that lines and marks stay together. */
export function editorIn(frame: HTMLElement, area: HTMLTextAreaElement): Editor {
  const lines = html("div", { class: "lines", "aria-hidden": "true" });
  frame.prepend(lines);
  let marked: readonly Element[] = [];

  const resize = (): void => {
    const texts = area.value.split("\n");
    area.rows = texts.length;
    frame.style.setProperty("--columns", String(Math.max(...texts.map(({ length }) => length)) + 1));
    while (lines.childElementCount > texts.length) {
      lines.lastElementChild?.remove();
    }
    while (lines.childElementCount < texts.length) {
      lines.append(html("div", {}, String(lines.childElementCount + 1)));
    }
  };
  area.addEventListener("input", resize);

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
      resize();
      frame.scrollTop = 0;
      frame.scrollLeft = 0;
    },
    mark(marks) {
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
      const [first] = found;
      if (first) {
        reveal(first[0]);
      }
    },
  };
}
