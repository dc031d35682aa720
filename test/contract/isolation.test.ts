import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { MemberRole } from "../../src/customers/accounts/accounts.table.ts";
import { PLAN_CODES, type PlanCode } from "../../src/customers/accounts/plan.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import type { KeyAccess } from "../../src/customers/keys/key-token.ts";
import { type Answer, type Appliance, startAppliance } from "../support/appliance.ts";
import {
  type ContractMethod,
  contract,
  methodNamed,
  requestOf,
  toolCalls,
  VALUES,
} from "../support/contract.ts";
import { channel, imported } from "../support/expectations.ts";
import { mcpRequests } from "../support/mcp-requests.ts";
import {
  callsWith,
  created,
  keyOf,
  MINUTE_MS,
  pass,
  UNKNOWN_ID,
} from "../support/webhook-calls.ts";

/** Who may call what according to the contract; and nobody sees what belongs to another organization. */

const ROLES: readonly MemberRole[] = ["owner", "administrator", "member"];
const MARKS: readonly KeyAccess[] = ["read_only", "read_write"];

/** Part of every name that no other organization may see. */
const MARK = "Zwiebelfisch";

/** An organization with its owner's read-write key, and what belongs to it. */
interface Own {
  organizationId: number;
  key: string;
  webhook: number;
  delivery: number;
  alert: number;
  /** A saved list of the key's member. */
  list: number;
}

let appliance: Appliance;
let lastPost = 1;
beforeAll(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [
    channel(1, { handle: "one" }),
    channel(2, { handle: "two" }),
  ]);
  const publishedAt = new Date(appliance.ports.clock.now()).toISOString();
  await imported(appliance, "posts", [{ id: 1, channel: 1, text: "a", published_at: publishedAt }]);
  for (const code of ["growth", "profi"] as const) {
    await appliance.app.domains.accounts.changePlan(
      code,
      { webhooks: 1_000, alerts: 1_000 },
      COMMAND_LINE,
    );
  }
});
afterAll(async () => {
  expect(appliance.ports.log.errors).toEqual([]);
  await appliance.close();
});

/** Creates an organization on Profi with a webhook, a delivery, an alert and a list. */
async function organization(name: string): Promise<Own> {
  const { accounts, keys } = appliance.app.domains;
  const { id: organizationId } = await accounts.createOrganization(
    { name, plan: "profi" },
    COMMAND_LINE,
  );
  const email = `${name.toLowerCase()}@example.com`;
  const owner = { organizationId, email, name, role: "owner" } as const;
  const { id: memberId } = await accounts.addMember(owner, COMMAND_LINE);
  const made = { memberId, name, access: "read_write", expiresAt: null } as const;
  const { token: key } = await keys.createKey(made, COMMAND_LINE);
  const own = { organizationId, key, webhook: 0, delivery: 0, alert: 0, list: 0 };
  return { ...own, ...(await webhookOf(own, name)) };
}

/** Creates another webhook with a delivery and an alert, and a list. */
async function webhookOf(
  { key }: Own,
  name: string,
): Promise<Pick<Own, "webhook" | "delivery" | "alert" | "list">> {
  const call = callsWith(appliance, key);
  const { id: webhook } = await created(call, {
    url: `https://${name}.example.com/`.toLowerCase(),
  });
  lastPost += 1;
  const publishedAt = new Date(appliance.ports.clock.now()).toISOString();
  await imported(appliance, "posts", [
    { id: lastPost, channel: 1, text: "a", published_at: publishedAt },
  ]);
  await pass(appliance, MINUTE_MS, MINUTE_MS);
  const { body } = await call("GET", `${webhook}/deliveries/`);
  const made = await appliance.request("/v1/msgr/alerts/", {
    ...{ method: "POST", key, headers: { "content-type": "application/json" } },
    body: JSON.stringify({ name, q: "word", webhook }),
  });
  const saved = await appliance.request("/v1/msgr/lists/", {
    ...{ method: "POST", key, headers: { "content-type": "application/json" } },
    body: JSON.stringify({ name: `${name} ${lastPost}`, query: `q=list${lastPost}` }),
  });
  const { delivery } = body.results[0];
  return { webhook, delivery, alert: made.body.id, list: saved.body.id };
}

function request(
  { operation }: ContractMethod,
  key: string | null,
  { webhook, delivery, alert, list }: Own,
): Promise<Answer> {
  const id = { ...VALUES.id, webhooks: webhook, alerts: alert, lists: list };
  const values = { ...VALUES, webhook, delivery, id };
  const { path, init } = requestOf(methodNamed(operation), values);
  return appliance.request(path, { ...init, key });
}

const recorded = (operation: string): ContractMethod =>
  contract.methods.find((method) => method.operation === operation) as ContractMethod;

/** Status and code; the code is empty if the call succeeded. */
const outcome = ({ status, body }: Answer): string => `${status} ${status < 400 ? "" : body.code}`;

/** Whether a call names something that belongs to an organization. */
const isOwned = ({ path, required }: ContractMethod): boolean =>
  /(?:webhooks|alerts|lists)\/:id/.test(path) || required.includes("webhook");

/** The answer according to the contract, in its order: access of the key, role, plan. */
function expected(
  method: ContractMethod,
  {
    role,
    access,
    plan,
    hasWebhooks,
  }: {
    role: MemberRole;
    access: KeyAccess;
    plan: PlanCode;
    hasWebhooks: boolean;
  },
): string {
  const isForManagers = method.keys === "managers";
  if (method.keys !== "everyone" && access === "read_only") return "403 read_only_key";
  if (isForManagers && role === "member") return "403 manager_required";
  const { plans, plansWithWebhooks = plans } = method;
  if (!(hasWebhooks ? plansWithWebhooks : plans).includes(plan)) return "403 tariff_required";
  // The lists belong to another member, of the same organization too.
  if (method.path.includes("/lists/:id/")) return "404 not_found";
  return isOwned(method) && !hasWebhooks ? "404 not_found" : `${method.status} `;
}

describe("every method answers as the contract says", () => {
  for (const plan of PLAN_CODES) {
    for (const hasWebhooks of [true, false]) {
      const about = hasWebhooks ? "with webhooks from before" : "without webhooks";
      test(`on ${plan}, ${about}, to every role and access`, async () => {
        const { accounts } = appliance.app.domains;
        const found: string[] = [];
        const wanted: string[] = [];
        const own = await organization("Acme");
        const bare = hasWebhooks ? own : { ...own, ...(await appliance.customer()) };
        const givePlan = (to: PlanCode) =>
          accounts.givePlan(bare.organizationId, to, null, COMMAND_LINE);
        await givePlan(plan);
        for (const role of ROLES) {
          for (const access of MARKS) {
            const key = await keyOf(appliance, bare.organizationId, role, access);
            for (const method of contract.methods) {
              let fresh: Partial<Own> = {};
              if (method.verb === "DELETE") {
                await givePlan("profi");
                fresh = await webhookOf(own, "fresh");
                await givePlan(plan);
              }
              // A webhook is tested at most once a minute.
              appliance.ports.clock.advance(MINUTE_MS);
              const about = `${method.operation} ${role} ${access}`;
              found.push(`${about}: ${outcome(await request(method, key, { ...bare, ...fresh }))}`);
              wanted.push(`${about}: ${expected(method, { role, access, plan, hasWebhooks })}`);
              // A webhook that was just created must not be there for the next method.
              if (!hasWebhooks) dropWebhooks(bare.organizationId);
            }
          }
        }
        expect(found).toEqual(wanted);
      });
    }
  }

  test("and refuses a key that is no longer valid, or never was", async () => {
    const { accounts, keys } = appliance.app.domains;
    const { clock } = appliance.ports;
    const own = await organization("Acme");
    const bad = new Map<string | null, string>([[null, "not_authenticated"]]);
    const add = async (
      end: (of: { keyId: number; memberId: number; organizationId: number }) => Promise<unknown>,
      expiresAt?: number,
    ) => {
      const customer = await appliance.customer({
        access: "read_write",
        ...(expiresAt && { expiresAt }),
      });
      expect((await appliance.request("/v1/me/", { key: customer.key })).status).toBe(200);
      await end(customer);
      bad.set(customer.key, "authentication_failed");
    };
    await add(({ keyId }) => keys.revokeKey(keyId, COMMAND_LINE));
    await add(({ memberId }) => accounts.suspendMember(memberId, COMMAND_LINE));
    await add(({ organizationId }) => accounts.archiveOrganization(organizationId, COMMAND_LINE));
    await add(async () => clock.advance(MINUTE_MS), clock.now() + MINUTE_MS);
    bad.set(own.key.slice(0, -1), "authentication_failed").set("x", "authentication_failed");
    const elsewhere = await startAppliance();
    bad.set((await elsewhere.customer()).key, "authentication_failed");
    await elsewhere.close();
    for (const [key, code] of bad) {
      for (const method of contract.methods) {
        const answer = await request(method, key, own);
        expect([method.operation, outcome(answer)]).toEqual([method.operation, `401 ${code}`]);
        expect(answer.headers.get("x-request-cost")).toBeNull();
      }
      for (const [name, args] of toolCalls(VALUES)) {
        const answer = await mcpRequests(appliance, key ?? "").call(name, args);
        expect([name, outcome(answer)]).toEqual([name, `401 ${code}`]);
      }
    }
    expect((await request(recorded("msgr_webhooks_retrieve"), own.key, own)).status).toBe(200);
  });
});

test("every tool answers as the contract says, on every plan, to every role and access", async () => {
  const { accounts } = appliance.app.domains;
  const own = await organization("Acme");
  for (const plan of PLAN_CODES) {
    await accounts.givePlan(own.organizationId, plan, null, COMMAND_LINE);
    for (const role of ROLES) {
      for (const access of MARKS) {
        const key = await keyOf(appliance, own.organizationId, role, access);
        for (const [name, args] of toolCalls(VALUES)) {
          const { status, body } = await mcpRequests(appliance, key).call(name, args);
          const { isError, content } = body.result;
          const isIncluded = recorded(name).plans.includes(plan);
          const about = `${name} ${plan} ${role} ${access}`;
          expect([about, status, isError]).toEqual([about, 200, !isIncluded]);
          if (!isIncluded) expect(content[0].text, about).toStartWith("403 tariff_required: ");
        }
      }
    }
  }
});

describe("another organization", () => {
  const OWNED = contract.methods.filter(isOwned);

  test("finds another's webhook or delivery no more than one that does not exist", async () => {
    const [own, theirs] = [await organization("Acme"), await organization(MARK)];
    const before = rowsOf(theirs.organizationId);
    const sent = appliance.ports.network.posts.length;
    for (const method of OWNED) {
      const name = method.operation;
      const others = await request(method, own.key, theirs);
      expect([name, outcome(others)]).toEqual([name, "404 not_found"]);
      const nobodys = await request(method, own.key, {
        ...own,
        webhook: UNKNOWN_ID,
        delivery: UNKNOWN_ID,
        alert: UNKNOWN_ID,
        list: UNKNOWN_ID,
      });
      expect([name, nobodys.body]).toEqual([name, others.body]);
    }
    const resend = recorded("msgr_webhooks_deliveries_resend");
    const mixed = await request(resend, own.key, { ...own, delivery: theirs.delivery });
    expect(outcome(mixed)).toBe("404 not_found");
    expect(rowsOf(theirs.organizationId)).toEqual(before);
    expect(appliance.ports.network.posts.length).toBe(sent);
  });

  test("reads nothing of what the first one is, has, or does", async () => {
    const [own, theirs] = [await organization("Acme"), await organization(MARK)];
    const seen: string[] = [];
    const look = (name: string, { headers, body }: Answer) =>
      seen.push(`${name} ${JSON.stringify([...headers])} ${JSON.stringify(body)}`);
    for (const method of contract.methods) {
      look(method.operation, await request(method, own.key, theirs));
      if (!isOwned(method)) continue;
      appliance.ports.clock.advance(MINUTE_MS);
      const more = { ...own, ...(await webhookOf(own, "more")) };
      look(method.operation, await request(method, own.key, more));
    }
    for (const [name, args] of toolCalls(VALUES)) {
      look(name, await mcpRequests(appliance, own.key).call(name, args));
    }
    expect(seen.filter((text) => text.toLowerCase().includes(MARK.toLowerCase()))).toEqual([]);
    // Shows that the expectation above could fail.
    const mine = await request(recorded("me_retrieve"), theirs.key, theirs);
    expect(JSON.stringify(mine.body)).toContain(MARK);
  });

  test("spends only its own units", async () => {
    const [own, theirs] = [await organization("Acme"), await organization(MARK)];
    const me = async ({ key }: Own) => (await appliance.request("/v1/me/", { key })).body;
    const used = async (of: Own) => (await me(of)).usage.used;
    const rows = async ({ key }: Own): Promise<{ key: number; units: number }[]> =>
      (await appliance.request("/v1/me/usage/", { key })).body.results;
    // Free requests are recorded after their answers, on another node even later; they cost no units.
    const billed = async (of: Own) => (await rows(of)).filter(({ units }) => units > 0);
    const before = [await used(theirs), await billed(theirs)];
    for (const method of contract.methods) await request(method, own.key, theirs);
    expect(await used(own)).toBeGreaterThan(0);
    expect([await used(theirs), await billed(theirs)]).toEqual(before);
    const { id } = (await me(theirs)).key;
    expect((await rows(theirs)).filter(({ key }) => key !== id)).toEqual([]);
  });
});

/** All rows of an organization's webhooks. */
function rowsOf(organizationId: number): unknown {
  const { db } = appliance.app.domains;
  return [
    "SELECT * FROM webhooks WHERE organization_id = @organizationId",
    `SELECT * FROM webhook_deliveries WHERE webhook_id IN
       (SELECT id FROM webhooks WHERE organization_id = @organizationId)`,
    "SELECT * FROM alerts WHERE organization_id = @organizationId",
    `SELECT * FROM saved_lists WHERE member_id IN
       (SELECT id FROM members WHERE organization_id = @organizationId)`,
  ].map((sql) => db.prepare(sql).all({ organizationId }));
}

function dropWebhooks(organizationId: number): void {
  appliance.app.domains.db
    .prepare("DELETE FROM webhooks WHERE organization_id = ?")
    .run(organizationId);
}
