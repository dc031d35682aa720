import { expect, test } from "bun:test";
import { startAppliance } from "../../support/appliance.ts";

test("of many busy keys a part is written at a time, the longest waiting first", async () => {
  const appliance = await startAppliance();
  const { db } = appliance.app.domains;
  const customers = await Promise.all(Array.from({ length: 25 }, () => appliance.customer()));
  const useAll = async (path: string) => {
    for (const { key } of customers) {
      for (let at = 0; at < 100; at++) await appliance.get(path, key);
    }
  };
  const stored = () =>
    db.prepare("SELECT key_id AS key, path FROM request_log ORDER BY id").all() as {
      key: number;
      path: string;
    }[];
  await useAll("/v1/me/");
  await appliance.app.flushRequests();
  expect(stored()).toHaveLength(2_000);
  const written = new Set(stored().map(({ key }) => key));
  expect(written.size).toBe(20);
  await useAll("/v1/msgr/categories/");
  await appliance.app.flushRequests();
  // Five waited already, with their last requests.
  const later = new Set(stored().map(({ key }) => key));
  expect(later.size).toBe(25);
  const ofLate = stored().filter(({ key }) => !written.has(key));
  expect(ofLate).toHaveLength(500);
  expect(new Set(ofLate.map(({ path }) => path))).toEqual(new Set(["/v1/msgr/categories/"]));
  await appliance.app.flushRequests();
  expect(stored()).toHaveLength(2_500);
  expect(new Set(stored().map(({ path }) => path))).toEqual(new Set(["/v1/msgr/categories/"]));
  await appliance.close();
});
