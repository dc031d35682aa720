import { expect, test } from "bun:test";
import { createTurns, runFor } from "../../src/values/tenant.ts";

test("a tenant's tasks run one at a time, those that wait follow, one too many is refused, and another tenant's begins", async () => {
  const turns = createTurns(2, () => new Error("too many"));
  const begun: (() => void)[] = [];
  const make = (tenant: string) =>
    runFor(tenant, null, () => turns.take(() => new Promise<void>((end) => begun.push(end))));
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const own = [make("one"), make("one"), make("one")];
  await settled();
  expect(begun).toHaveLength(1);
  await expect(make("one")).rejects.toThrow("too many");
  const other = make("two");
  await settled();
  expect(begun).toHaveLength(2);
  begun[1]?.();
  await other;
  for (const [at, end] of [0, 2, 3].entries()) {
    begun[end]?.();
    await own[at];
    await settled();
  }
  expect(begun).toHaveLength(4);
  // A task that failed gives its turn back.
  const failed = runFor("one", null, () => turns.take(() => Promise.reject(new Error("none"))));
  await expect(failed).rejects.toThrow("none");
  expect(await runFor("one", null, () => turns.take(async () => "made"))).toBe("made");
});
