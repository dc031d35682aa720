import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, type Customer, startAppliance } from "../../support/appliance.ts";
import { auditOf, type Recorded } from "../../support/audit.ts";
import {
  type Call,
  callsWith,
  created,
  deliverPost,
  importChannels,
  keyOf,
  MINUTE_MS,
  pass,
  RECEIVER,
} from "../../support/webhook-calls.ts";

/** What is recorded about changes made by commands and with API keys. */

let appliance: Appliance;
let customer: Customer;
let call: Call;
const domains = () => appliance.app.domains;

beforeEach(async () => {
  appliance = await startAppliance();
  await importChannels(appliance, 2);
  customer = await appliance.customer({ access: "read_write" });
  call = callsWith(appliance, customer.key);
});
afterEach(() => appliance.close());

/** Entries recorded while `change` runs, whoever their author is. */
async function recordedBy(change: () => Promise<unknown>): Promise<Recorded[]> {
  const before = auditOf(appliance, "everybody").length;
  await change();
  return auditOf(appliance, "everybody").slice(before);
}

describe("a command", () => {
  test("about staff is recorded as the command line's, and not again if it changes nothing", async () => {
    const { people } = domains();
    const email = "ada@example.com";
    await people.ensurePerson({ email, name: "Ada" });
    await people.ensurePerson({ email: "other@example.com", name: "Other" });
    await people.markStaff({ email: "other@example.com", isStaff: true, by: COMMAND_LINE });
    const target = `person ${email}`;
    for (const isStaff of [true, false]) {
      const action = isStaff ? "staff.add" : "staff.remove";
      const change = () => people.markStaff({ email, isStaff, by: COMMAND_LINE });
      expect(await recordedBy(change)).toMatchObject([{ person: "", action, target }]);
      expect(await recordedBy(change), `${action} again`).toEqual([]);
    }
  });

  test("that creates something is recorded with its number and without secrets", async () => {
    const { accounts, keys, people } = domains();
    const password = "correct horse battery";
    let token = "";
    const recorded = await recordedBy(async () => {
      const { id: organizationId } = await accounts.createOrganization(
        {
          ...{ name: "New", plan: "start" },
        },
        COMMAND_LINE,
      );
      const wanted = { organizationId, email: "new@example.com", name: "", role: "owner" } as const;
      const { id: memberId } = await accounts.addMember(wanted, COMMAND_LINE);
      const key = { memberId, name: "nightly", access: "read_only", expiresAt: null } as const;
      token = (await keys.createKey(key, COMMAND_LINE)).token;
      await people.ensurePerson({ email: "new@example.com", name: "" });
      await people.setPassword({ email: "new@example.com", password, by: COMMAND_LINE });
    });
    expect(recorded).toMatchObject([
      { organizationId: 2, action: "organization.create", target: "organization 2" },
      { organizationId: 2, action: "member.add", details: { email: "new@example.com" } },
      { organizationId: 2, action: "key.create", details: { member: 2, name: "nightly" } },
      { organizationId: null, action: "person.password", target: "person new@example.com" },
    ]);
    expect(JSON.stringify(recorded)).not.toContain(token.slice(12));
    expect(JSON.stringify(recorded)).not.toContain(password);
  });
});

describe("a change of a webhook with an API key", () => {
  test("is recorded with the member and the key's number, without secrets", async () => {
    const administrator = callsWith(
      appliance,
      await keyOf(appliance, customer.organizationId, "administrator", "read_write"),
    );
    const secrets: string[] = [];
    const recorded = await recordedBy(async () => {
      const { id, secret } = await created(call, { url: `${RECEIVER}?token=hush` });
      await pass(appliance, MINUTE_MS, MINUTE_MS);
      await deliverPost(appliance, 1);
      await administrator("PATCH", `${id}/`, { channels: [1, 2] });
      await administrator("PATCH", `${id}/`, { is_active: false });
      await administrator("PATCH", `${id}/`, { is_active: true });
      const rotated = await call("POST", `${id}/rotate-secret/`, { overlap_hours: 1 });
      const log = await call("GET", `${id}/deliveries/`);
      await call("POST", `${id}/deliveries/${log.body.results[0].delivery}/resend/`);
      await call("DELETE", `${id}/`);
      secrets.push(secret, rotated.body.secret, "hush", customer.key);
    });
    expect(recorded.map(({ action }) => action)).toEqual([
      ...["webhook.create", "webhook.change", "webhook.disable", "webhook.enable"],
      ...["webhook.rotate-secret", "webhook.resend", "webhook.delete"],
    ]);
    expect(recorded[0]).toMatchObject({
      ...{ person: "ada@example.com", organizationId: customer.organizationId },
      details: { host: "hooks.example.com", channels: 1, key: customer.keyId },
    });
    expect(recorded[1]).toMatchObject({
      person: expect.stringMatching(/^administrator-/),
      details: { channels: 2, key: customer.keyId + 1 },
    });
    for (const secret of secrets) expect(JSON.stringify(recorded)).not.toContain(secret);
  });

  test("that has no effect or is refused is not recorded", async () => {
    const { id } = await created(call);
    const member = callsWith(
      appliance,
      await keyOf(appliance, customer.organizationId, "member", "read_write"),
    );
    const recorded = await recordedBy(async () => {
      for (const body of [{ is_active: true }, { url: RECEIVER }, { channels: [1] }]) {
        expect((await call("PATCH", `${id}/`, body)).status).toBe(200);
      }
      expect((await call("PATCH", `${id}/`, { channels: [99] })).status).toBe(400);
      expect((await call("DELETE", "99/")).status).toBe(404);
      expect((await member("DELETE", `${id}/`)).status).toBe(403);
      expect((await call("POST", `${id}/test/`)).status).toBe(200);
    });
    expect(recorded).toEqual([]);
  });
});

test("a change whose audit entry cannot be written is not made", async () => {
  const { accounts, db, keys } = domains();
  const { id } = await created(call);
  db.exec(`CREATE TRIGGER full BEFORE INSERT ON audit_log
    BEGIN SELECT RAISE(ABORT, 'the log is full'); END`);
  await expect(accounts.suspendMember(customer.memberId, COMMAND_LINE)).rejects.toThrow(
    "the log is full",
  );
  await expect(accounts.archiveOrganization(customer.organizationId, COMMAND_LINE)).rejects.toThrow(
    "the log is full",
  );
  await expect(keys.revokeKey(customer.keyId, COMMAND_LINE)).rejects.toThrow("the log is full");
  await expect(domains().webhooks.disable(id, "", COMMAND_LINE)).rejects.toThrow("the log is full");
  expect((await call("PATCH", `${id}/`, { channels: [2] })).status).toBe(500);
  expect((await call("DELETE", `${id}/`)).status).toBe(500);
  expect((await call("GET", `${id}/`)).body).toMatchObject({ channels: [1] });
});
