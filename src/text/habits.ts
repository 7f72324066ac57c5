// What people write who know another language better than WGSL.

const habits: readonly (readonly [seen: RegExp, cure: string])[] = [
  [/[=!]==/, "WGSL compares by == and !="],
  [/=>/, "a text has no parameters before it: it is the expression alone"],
  [/\b(?:and|or|not)\b/, "WGSL writes && for and, || for or, ! for not"],
  [/\?/, "WGSL has select(otherwise, then, condition)"],
  [/\*\*/, "WGSL has no **: a square is x * x"],
  [/\b(?:Math|np)\s*\./, "WGSL's functions have no prefix, as in abs(x)"],
  [/\bisNaN\b/, "WGSL has no isNaN; a NaN of f32 has (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u"],
  [/>>>/, "WGSL has no >>>: >> of a u32 shifts zeros in"],
  [/\b(?:Infinity|NaN)\b/, "WGSL has no Infinity and no NaN; the largest f32 is 3.4028234e38"],
];

/** What a compiler says of a name that nobody has declared: the reader of texts, Dawn, naga, Safari. */
const undeclared = /not declared|unresolved|no definition in scope|unknown identifier|unidentified/i;

/** What to do about such a name: a text of an operator sees no params. */
const ownValues = (seesParams: boolean): string =>
  seesParams
    ? "give your own values as params, or write them into the text"
    : "write your own values into the text, or make them fields of the elements";

/** What a compiler says of a line of a caller's that it refuses, and what WGSL has for what the line holds. */
export function withCure(problem: string, line: string, seesParams = true): string {
  const code = line.replace(/\/\/.*|\/\*.*?\*\//g, "");
  const cure =
    habits.find(([seen]) => seen.test(code))?.[1] ??
    (undeclared.test(problem) ? ownValues(seesParams) : undefined);
  return cure === undefined ? problem : `${problem}; ${cure}`;
}
