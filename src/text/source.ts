/** One declaration at module scope, with the comment lines right above it. */
export interface Declaration {
  readonly name: string;
  readonly keyword: string;
  readonly text: string;
  readonly references: ReadonlySet<string>;
}

/** What a text declares. */
export interface Parsed {
  /** Such as `enable subgroups;`. */
  readonly directives: readonly string[];
  readonly declarations: readonly Declaration[];
  /** The names that it declares in place of another source's. */
  readonly replaces: readonly string[];
}

/** A file of real WGSL, or text of the caller's: where a line came from is kept for error messages. */
export interface SourceText {
  /** What a message calls it. */
  readonly name: string;
  readonly text: string;
  /** What its declarations are called beside a kernel, where that does not depend on the operator and the sizes. */
  readonly as?: (name: string) => string;
  /** Whether the caller wrote it. */
  readonly callers?: boolean;
  /** As they wrote it, where `text` is not; line for line the same. */
  readonly written?: string;
  /** Their text under names that are not ours, `taken`: what it declares does not clash, and what is ours it does not see. */
  apart?(taken: ReadonlySet<string>): SourceText;
  /** What it may refer to, then. */
  readonly references?: ReadonlySet<string>;
}

/** What a module is linked from: a file or a text; or texts that together are one declaration, ours around the caller's. */
export type Source = SourceText | readonly SourceText[];

export const generated = (text: string): SourceText => ({ name: "generated contract", text });
