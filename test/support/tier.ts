import process from "node:process";

/**
 * Whether the run takes a part of each table, as `npm test` does. Everything else takes them whole: `npm run test:full`, and
 * `npx vitest run FILE`.
 */
export const isQuick = (): boolean => process.env.WAVEFOLD_TIER === "quick";
