import { expect, test } from "bun:test";
import { keptBriefly } from "../../src/values/kept-briefly.ts";

function slowly(takesMs: number) {
  const world = { nowMs: 0, made: 0, fails: false };
  const get = keptBriefly(
    async () => {
      world.made += 1;
      world.nowMs += takesMs;
      if (world.fails) throw new Error("down");
      return world.made;
    },
    () => world.nowMs,
    250,
  );
  return { world, get };
}

test("a value is made once for all who ask meanwhile, and kept for twenty times as long as that took", async () => {
  const { world, get } = slowly(4);
  expect(await Promise.all([get(), get(), get()])).toEqual([1, 1, 1]);
  world.nowMs = 4 + 79;
  expect(await get()).toBe(1);
  world.nowMs = 4 + 80;
  expect(await get()).toBe(2);
});

test("a value is kept no longer than the limit", async () => {
  const { world, get } = slowly(1_000);
  expect(await get()).toBe(1);
  world.nowMs = 1_249;
  expect(await get()).toBe(1);
  world.nowMs = 1_250;
  expect(await get()).toBe(2);
});

test("a failure is not kept", async () => {
  const { world, get } = slowly(4);
  world.fails = true;
  await expect(get()).rejects.toThrow("down");
  world.fails = false;
  expect(await get()).toBe(2);
});
