import { expect, test } from "bun:test";
import { createPageTurns } from "../../../../src/doors/site/public/page-turns.ts";

test("two pages are made at once, those that wait follow, and one too many is refused", async () => {
  const inTurn = createPageTurns();
  const begun: (() => void)[] = [];
  const make = () => inTurn(() => new Promise<void>((made) => begun.push(made)));
  const all = Array.from({ length: 66 }, make);
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toHaveLength(2);
  await expect(make()).rejects.toMatchObject({ code: "throttled" });
  for (let at = 0; at < all.length; at++) {
    begun[at]?.();
    await all[at];
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(begun).toHaveLength(all.length);
  // A page that failed gives its place back.
  await expect(inTurn(() => Promise.reject(new Error("none")))).rejects.toThrow("none");
  expect(await inTurn(async () => "made")).toBe("made");
});
