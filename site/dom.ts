type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

function fill(node: Element, attributes: Attributes, children: readonly (Node | string)[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  node.append(...children);
}

/** An element of HTML. */
export function html<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const node = document.createElement(tag);
  fill(node, attributes, children);
  return node;
}

/** An element of SVG. */
export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): SVGElementTagNameMap[Tag] {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(node, attributes, children);
  return node;
}

/** The page's element with this id, which the page's HTML file has. */
export function byId<Type extends Element>(id: string, type: abstract new () => Type): Type {
  const found = document.getElementById(id);
  if (!(found instanceof type)) {
    throw new Error(`the page has no ${type.name} with the id ${id}`);
  }
  return found;
}

/** The value of the radio button that is chosen among those of a name. */
export const chosen = (name: string): string =>
  document.querySelector<HTMLInputElement>(`input[name="${name}"]:checked`)?.value ?? "";

/** An error as the page shows it: without the caller's name in front. */
export function messageOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const short = message.replace(/^[\w ]+(<[^>]*>)?: (?=\S)/, "");
  return short.charAt(0).toUpperCase() + short.slice(1);
}

/** Lets the browser draw before what follows keeps it busy. */
export const drawn = (): Promise<void> =>
  new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
