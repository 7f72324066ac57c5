/** The least power of two that is not less than a number above 0. */
export const powerOfTwoFor = (least: number): number => 2 ** Math.ceil(Math.log2(least));
