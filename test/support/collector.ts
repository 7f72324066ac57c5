// Stands in for vitest in the program that rows.test.ts makes of the files of tests: it runs no test, and notes which there are.
import { inspect } from "node:util";

type Body = (...row: never[]) => unknown;

const path: string[] = [];
let noted = new Set<string>();
/** How many tables were taken in each place. */
let tables = new Map<string, number>();

const note = (what: string): void => {
  noted.add([...path, what].join(" > "));
};

/** Whether what is noted is a test. */
export const isTest = (one: string): boolean => /(^| > )test /.test(one);

/** Notes the rows that are taken of a table, where the file that is being imported takes them. */
export function noteRows(table: readonly unknown[], taken: readonly unknown[]): void {
  const place = path.join(" > ");
  const number = (tables.get(place) ?? 0) + 1;
  tables.set(place, number);
  for (const row of taken) {
    note(`row ${table.indexOf(row)} of table ${number}, of ${table.length} rows`);
  }
}

/** The tests, and the rows of tables, that are noted while a file is imported. */
export async function notedBy(imported: () => Promise<unknown>): Promise<ReadonlySet<string>> {
  noted = new Set();
  tables = new Map();
  await imported();
  return noted;
}

const show = (row: unknown): string =>
  inspect(row, { depth: 2, breakLength: Number.POSITIVE_INFINITY, maxStringLength: 100 });

/** A function like `test` or `describe`, with what hangs on it. */
function declarer(declare: (title: string, body: Body, row: readonly unknown[]) => void): unknown {
  const bodyOf = (rest: readonly unknown[]): Body => rest.find((one) => typeof one === "function") as Body;
  const one = (title: unknown, ...rest: readonly unknown[]): void => declare(String(title), bodyOf(rest), []);
  const each =
    (spread: boolean) =>
    (table: readonly unknown[]) =>
    (title: unknown, ...rest: readonly unknown[]): void => {
      for (const row of table) {
        declare(`${String(title)} of ${show(row)}`, bodyOf(rest), spread && Array.isArray(row) ? row : [row]);
      }
    };
  return Object.assign(one, { each: each(true), for: each(false), skipIf: () => one, skip: one });
}

export const describe = declarer((title, body, row) => {
  path.push(title);
  body(...(row as never[]));
  path.pop();
});
export const test = declarer((title) => note(`test ${title}`));
export const it = test;

/** Anything may be asked of it, and nothing comes of it. */
const nothing: unknown = new Proxy(() => nothing, { get: () => nothing });
export const expect = nothing;
export const expectTypeOf = nothing;
export const vi = nothing;
export const beforeAll = nothing;
export const afterAll = nothing;
export const beforeEach = nothing;
export const afterEach = nothing;
export const TestRunner = { getCurrentTest: () => undefined, getCurrentSuite: () => undefined };
