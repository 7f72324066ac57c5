/** A site of a text that several modules may have. */
export interface SharedSite {
  /** The declaration from whose start the place counts. */
  readonly declaration: string;
  readonly from: number;
  readonly function: string;
}
