import { afterEach, beforeEach, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import * as shape from "../../src/values/schema.ts";
import { admit } from "../../src/verbs/admission.ts";
import { apiMethod } from "../../src/verbs/method.ts";
import { type Appliance, startAppliance } from "../support/appliance.ts";
import { addPerson } from "../support/visitor.ts";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

/** A billed method for managers; the API has none yet. */
const METHOD = apiMethod({
  ...{ operationId: "test_managers", path: "/v1/test/", tag: "Test", title: "", description: "" },
  units: 1,
  audience: "managers",
  parameters: {},
  result: shape.nothing(),
  run: () => null,
});

test("a member who is no manager any more when a charge is tried again is refused, and nothing is charged", async () => {
  const { app, ports } = appliance;
  const { accounts, keys } = app.domains;
  const { organizationId, memberId, key } = await appliance.customer({ access: "read_write" });
  await addPerson(appliance, { organizationId, email: "eve@example.com" });
  let charges = 0;
  const services = {
    ...app.services,
    limits: {
      ...app.services.limits,
      /** As if another node had changed the account. */
      async charge() {
        charges += 1;
        return { allowed: charges > 1, used: 1, isOutdated: true, at: ports.clock.now() };
      },
    },
    async copyNewest() {
      await accounts.changeRole(memberId, "member", COMMAND_LINE);
      return true;
    },
  };
  const gate = { keys, keyUse: { note() {} }, services };
  const admission = admit(`Bearer ${key}`, ports.clock.now(), gate);
  if (!admission.ok) throw admission.error;
  const outcome = await admission.call(
    METHOD,
    {},
    { readBody: async () => ({}), nextPage: () => "", ownUrl: (path) => path },
  );
  expect(outcome).toMatchObject({ ok: false, units: 0, error: { code: "manager_required" } });
  expect(charges).toBe(1);
});
