import { expect, test } from "vitest";
import { openFold } from "../../src/node.ts";
import { adapter } from "../support/fold.ts";

// The code of a primitive is loaded when it is first called, so each case is of a part that no other test of this file has called.
const calls = {
  histogram: (fold, data) => fold.histogram(data, { bins: 2, range: [0, 10] }),
  nth: async (fold, data) => (await fold.nth(data, 1)).value,
  sort: (fold, data) => fold.sort(data, { values: data }).then(({ values }) => values),
  unique: (fold, data) => fold.unique(data),
} as const satisfies Record<
  string,
  (fold: Awaited<ReturnType<typeof openFold>>, data: Numbers) => Promise<Numbers>
>;
type Numbers = Awaited<ReturnType<typeof upload>>;
const upload = (fold: Awaited<ReturnType<typeof openFold>>) => fold.upload(Uint32Array.of(4, 7, 2, 9));
const expected = { histogram: [2, 2], nth: [4], sort: [2, 4, 7, 9], unique: [4, 7, 2, 9] };

test.each(Object.keys(calls) as (keyof typeof calls)[])(
  "%s goes on with an array that is destroyed right after the call, the first time and later",
  async (name) => {
    const fold = await openFold({ adapter });
    for (const _ of ["first", "later"]) {
      const data = await upload(fold);
      const pending = calls[name](fold, data);
      data.destroy();
      const result = await pending;
      expect([...(await result.read())]).toEqual(expected[name]);
      result.destroy();
      await expect(calls[name](fold, data)).rejects.toThrow("data was destroyed");
    }
    fold.destroy();
  },
);
