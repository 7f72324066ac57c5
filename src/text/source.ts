/** One declaration at module scope, with the comment lines right above it. */
export interface Declaration {
  readonly name: string;
  readonly keyword: string;
  readonly text: string;
  readonly references: ReadonlySet<string>;
}

/** The declarations and directives of a text. */
export interface Parsed {
  /** Such as `enable subgroups;`. */
  readonly directives: readonly string[];
  readonly declarations: readonly Declaration[];
  /** The names that it declares in place of another source's. */
  readonly replaces: readonly string[];
}

/** A file of real WGSL, or text of the caller's. Error messages name the source and the line in it. */
export interface SourceText {
  /** Its name in messages. */
  readonly name: string;
  readonly text: string;
  /** The names of its declarations in a caller's kernel, if these do not depend on the operator and the sizes. */
  readonly as?: (name: string) => string;
  /** Whether the caller wrote it. */
  readonly callers?: boolean;
  /** The text as the caller wrote it, if `text` differs from that. Both have the same lines. */
  readonly written?: string;
  /**
   * The caller's text, renamed so that no name in it is one of ours, `taken`. So its declarations do not clash with ours,
   * and it cannot refer to ours.
   */
  avoiding?(taken: ReadonlySet<string>): SourceText;
  /** The names that the renamed text may refer to. */
  readonly references?: ReadonlySet<string>;
}

/**
 * What a module is linked from: a file or a text; or several texts that together are one declaration, with our text around
 * the caller's.
 */
export type Source = SourceText | readonly SourceText[];

export const generated = (text: string): SourceText => ({ name: "generated contract", text });
