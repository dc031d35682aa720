import { expect, test } from "bun:test";
import { createFollower } from "../../src/cluster/copy-newest.ts";
import { storageUnavailable } from "../../src/errors.ts";
import { fakeLog } from "../support/fake-ports.ts";

test("each reason why copying fails is logged once, and so is its recovery", async () => {
  const log = fakeLog();
  const fails: (string | null)[] = [
    ...["connect ECONNREFUSED 127.0.0.1:5432", "connect ECONNREFUSED 127.0.0.1:5433"],
    ...["the copy has version 7, PostgreSQL 5: run `kanalog cluster rebuild`", null, null],
    "connect ECONNREFUSED 127.0.0.1:5432",
  ];
  const follower = createFollower(async () => {
    const reason = fails.shift() ?? null;
    if (reason !== null) throw storageUnavailable(new Error(reason));
  }, log);
  while (fails.length > 0) await follower.tick();
  const reasons = log.warnings.map(({ fields }) => String((fields as { err: Error }).err.cause));
  expect(reasons).toEqual([
    "Error: connect ECONNREFUSED 127.0.0.1:5432",
    "Error: the copy has version 7, PostgreSQL 5: run `kanalog cluster rebuild`",
    "Error: connect ECONNREFUSED 127.0.0.1:5432",
  ]);
  expect(log.notices.map(({ message }) => message)).toEqual([
    "the cluster's rows are copied again",
  ]);
});

test("calls during a copy share the next one, which begins after them", async () => {
  const begun: PromiseWithResolvers<void>[] = [];
  const follower = createFollower(() => {
    const copy = Promise.withResolvers<void>();
    begun.push(copy);
    return copy.promise;
  }, fakeLog());
  const first = follower.copyNewest();
  await Promise.resolve();
  expect(begun).toHaveLength(1);
  const others = [follower.copyNewest(), follower.copyNewest(), follower.tick()];
  begun[0]?.resolve();
  await first;
  await Promise.resolve();
  expect(begun).toHaveLength(2);
  begun[1]?.resolve();
  await Promise.all(others);
  expect(begun).toHaveLength(2);
});
