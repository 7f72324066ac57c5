/** The words a, b and c. */
export type Triple = readonly [number, number, number];

const view = new DataView(new ArrayBuffer(4));

/** The number of an f32. */
export function numberOf(word: number): number {
  view.setInt32(0, word);
  return view.getFloat32(0);
}
export const isSubnormal = (word: number): boolean => (word & 0x7f800000) === 0 && (word & 0x7fffff) !== 0;
export const isFiniteWord = (word: number): boolean => (word & 0x7f800000) !== 0x7f800000;
export const isZero = (word: number): boolean => (word & 0x7fffffff) === 0;
