import { expect, test } from "bun:test";
import { onceEach } from "../../src/values/kept-briefly.ts";

test("each key is looked up once, also if the result is null or false", () => {
  const lookedUp: number[] = [];
  const results = [null, false, 0, "text"];
  const find = onceEach((key: number) => {
    lookedUp.push(key);
    return results[key] ?? null;
  });
  for (const key of [0, 1, 2, 3, 0, 1, 2, 3]) expect(find(key)).toBe(results[key] ?? null);
  expect(lookedUp).toEqual([0, 1, 2, 3]);
});
