import { expect, test } from "bun:test";
import { startAppliance } from "../support/appliance.ts";

test("writes that are asked for at the same time on one connection are all done", async () => {
  const appliance = await startAppliance();
  const { accounts } = appliance.app.domains;
  const names = ["one", "two", "three"];
  const made = await Promise.allSettled(
    names.map((name) => accounts.createOrganization({ name, plan: "test" })),
  );
  expect(made.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
  expect(accounts.organizations().map(({ name }) => name)).toEqual(names);
  await appliance.close();
});
