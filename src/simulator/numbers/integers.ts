// What the operators and functions of integers need beyond JavaScript's own: https://www.w3.org/TR/WGSL/#arithmetic-expr
// Those that are operators in a text are here, too, for reductions over subgroups.

export const i32_add = (a: number, b: number): number => (a + b) | 0;
export const i32_mul = (a: number, b: number): number => Math.imul(a, b);
export const i32_min = (a: number, b: number): number => (a < b ? a : b);
export const i32_max = (a: number, b: number): number => (a > b ? a : b);
export const i32_clamp = (a: number, low: number, high: number): number => i32_min(i32_max(a, low), high);
export const i32_sign = (a: number): number => (a > 0 ? 1 : a >> 31);

/** a / 0 is a. The least number divided by -1 wraps around to itself. */
export const i32_div = (a: number, b: number): number => (b === 0 ? a : (a / b) | 0);
/** a % 0 is 0. */
export const i32_rem = (a: number, b: number): number => (b === 0 ? 0 : (a % b) | 0);

export const u32_add = i32_add;
export const u32_mul = i32_mul;
export const u32_min = (a: number, b: number): number => (a >>> 0 < b >>> 0 ? a : b);
export const u32_max = (a: number, b: number): number => (a >>> 0 > b >>> 0 ? a : b);
export const u32_clamp = (a: number, low: number, high: number): number => u32_min(u32_max(a, low), high);

/** a / 0 is a. */
export const u32_div = (a: number, b: number): number => (b === 0 ? a : ((a >>> 0) / (b >>> 0)) | 0);
/** a % 0 is 0. */
export const u32_rem = (a: number, b: number): number => (b === 0 ? 0 : ((a >>> 0) % (b >>> 0)) | 0);

export const bits_and = (a: number, b: number): number => a & b;
export const bits_or = (a: number, b: number): number => a | b;
export const bits_xor = (a: number, b: number): number => a ^ b;

export const count_leading_zeros = (a: number): number => Math.clz32(a);
export const count_trailing_zeros = (a: number): number => (a === 0 ? 32 : 31 - Math.clz32(a & -a));

/** Sums bits in fields of 2, 4 and 8 bits, then the four bytes. */
export function count_one_bits(a: number): number {
  const pairs = a - ((a >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Swaps neighbouring bits, pairs, fours, bytes and halves. */
export function reverse_bits(a: number): number {
  const ones = ((a >>> 1) & 0x55555555) | ((a & 0x55555555) << 1);
  const pairs = ((ones >>> 2) & 0x33333333) | ((ones & 0x33333333) << 2);
  const fours = ((pairs >>> 4) & 0x0f0f0f0f) | ((pairs & 0x0f0f0f0f) << 4);
  const bytes = ((fours >>> 8) & 0x00ff00ff) | ((fours & 0x00ff00ff) << 8);
  return (bytes >>> 16) | (bytes << 16);
}

/** How many bits a field has that starts at `offset`: no more than the word has there. */
const fieldLength = (offset: number, count: number): number =>
  Math.min(count >>> 0, 32 - Math.min(offset >>> 0, 32));

export function i32_extract_bits(a: number, offset: number, count: number): number {
  const length = fieldLength(offset, count);
  return length === 0 ? 0 : (a << (32 - length - offset)) >> (32 - length);
}

export function u32_extract_bits(a: number, offset: number, count: number): number {
  const length = fieldLength(offset, count);
  return length === 0 ? 0 : ((a << (32 - length - offset)) >>> (32 - length)) | 0;
}

export function insert_bits(a: number, inserted: number, offset: number, count: number): number {
  const length = fieldLength(offset, count);
  if (length === 0) {
    return a;
  }
  const mask = (-1 >>> (32 - length)) << offset;
  return (a & ~mask) | ((inserted << offset) & mask);
}
