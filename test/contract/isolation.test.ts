import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { MemberRole } from "../../src/customers/accounts/accounts.table.ts";
import { PLAN_CODES, type PlanCode } from "../../src/customers/accounts/plan.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import type { KeyAccess } from "../../src/customers/keys/key-token.ts";
import { apiMethods, toolMethods } from "../../src/methods/table.ts";
import { type Answer, type Appliance, startAppliance } from "../support/appliance.ts";
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

interface Rule {
  verb?: "POST" | "PATCH" | "DELETE";
  /** `:webhook`, `:delivery` and `:alert` stand for those of the organization, in the body too. */
  path: string;
  body?: object;
  status?: number;
  /** Which keys may call it: any of the organization, or read-write keys of owners and administrators. */
  key: "any" | "managers";
  /**
   * Which plans include it: any, those with posts, export or webhooks, or any as long as there are
   * webhooks.
   */
  plan: "any" | "posts" | "export" | "webhooks" | "webhooks, or some from before";
}

/** Every API method by its operation id. A new method must be added here, on purpose. */
const METHODS: Record<string, Rule> = {
  me_retrieve: { path: "/v1/me/", key: "any", plan: "any" },
  me_usage_list: { path: "/v1/me/usage/", key: "any", plan: "any" },
  msgr_categories_list: { path: "/v1/msgr/categories/", key: "any", plan: "any" },
  msgr_territories_list: { path: "/v1/msgr/territories/", key: "any", plan: "any" },
  msgr_channels_list: { path: "/v1/msgr/channels/", key: "any", plan: "any" },
  msgr_channels_retrieve: { path: "/v1/msgr/channels/1/", key: "any", plan: "any" },
  msgr_channels_resolve_retrieve: {
    ...{ path: "/v1/msgr/channels/resolve/?q=@channel_1", key: "any", plan: "any" },
  },
  msgr_stats_daily_list: { path: "/v1/msgr/stats/daily/?channels=1", key: "any", plan: "any" },
  msgr_channels_compare_list: {
    ...{ path: "/v1/msgr/channels/compare/?channels=1", key: "any", plan: "any" },
  },
  msgr_channels_stats_retrieve: { path: "/v1/msgr/channels/stats/", key: "any", plan: "any" },
  msgr_channels_posts_retrieve: { path: "/v1/msgr/channels/1/posts/", key: "any", plan: "posts" },
  msgr_posts_retrieve: { path: "/v1/msgr/posts/1/", key: "any", plan: "posts" },
  msgr_posts_search_list: {
    ...{ path: "/v1/msgr/posts/search/?q=word", key: "any", plan: "posts" },
  },
  msgr_channels_mentions_list: {
    ...{ path: "/v1/msgr/channels/1/mentions/", key: "any", plan: "posts" },
  },
  msgr_channels_similar_list: {
    ...{ path: "/v1/msgr/channels/1/similar/", key: "any", plan: "posts" },
  },
  msgr_export_channels_retrieve: { path: "/v1/msgr/export/channels/", key: "any", plan: "export" },
  msgr_export_stats_retrieve: { path: "/v1/msgr/export/stats/", key: "any", plan: "export" },
  msgr_export_posts_retrieve: { path: "/v1/msgr/export/posts/", key: "any", plan: "export" },
  msgr_webhooks_list: {
    ...{ path: "/v1/msgr/webhooks/", key: "any", plan: "webhooks, or some from before" },
  },
  msgr_webhooks_create: {
    ...{ verb: "POST", path: "/v1/msgr/webhooks/", status: 201, key: "managers", plan: "webhooks" },
    body: { url: "https://hooks.example.com/new", channels: [1] },
  },
  msgr_webhooks_retrieve: {
    ...{ path: "/v1/msgr/webhooks/:webhook/", key: "any", plan: "webhooks, or some from before" },
  },
  msgr_webhooks_partial_update: {
    ...{ verb: "PATCH", path: "/v1/msgr/webhooks/:webhook/", key: "managers", plan: "webhooks" },
    body: { channels: [1, 2] },
  },
  msgr_webhooks_destroy: {
    ...{ verb: "DELETE", path: "/v1/msgr/webhooks/:webhook/", status: 204, key: "managers" },
    plan: "webhooks, or some from before",
  },
  msgr_webhooks_rotate_secret: {
    ...{ verb: "POST", path: "/v1/msgr/webhooks/:webhook/rotate-secret/", key: "managers" },
    plan: "webhooks",
  },
  msgr_webhooks_test: {
    ...{ verb: "POST", path: "/v1/msgr/webhooks/:webhook/test/", key: "any", plan: "webhooks" },
  },
  msgr_webhooks_deliveries_list: {
    ...{ path: "/v1/msgr/webhooks/:webhook/deliveries/", key: "any", plan: "webhooks" },
  },
  msgr_webhooks_deliveries_resend: {
    ...{ verb: "POST", path: "/v1/msgr/webhooks/:webhook/deliveries/:delivery/resend/" },
    ...{ key: "managers", plan: "webhooks" },
  },
  msgr_alerts_list: {
    ...{ path: "/v1/msgr/alerts/", key: "any", plan: "webhooks, or some from before" },
  },
  msgr_alerts_create: {
    ...{ verb: "POST", path: "/v1/msgr/alerts/", status: 201, key: "managers", plan: "webhooks" },
    body: { name: "New", q: "word", webhook: ":webhook" },
  },
  msgr_alerts_retrieve: {
    ...{ path: "/v1/msgr/alerts/:alert/", key: "any", plan: "webhooks, or some from before" },
  },
  msgr_alerts_partial_update: {
    ...{ verb: "PATCH", path: "/v1/msgr/alerts/:alert/", key: "managers", plan: "webhooks" },
    body: { name: "Changed" },
  },
  msgr_alerts_destroy: {
    ...{ verb: "DELETE", path: "/v1/msgr/alerts/:alert/", status: 204, key: "managers" },
    plan: "webhooks, or some from before",
  },
  msgr_alerts_preview: {
    ...{ verb: "POST", path: "/v1/msgr/alerts/:alert/preview/", key: "any", plan: "webhooks" },
  },
};

/** Every MCP tool; a new one must be added here, on purpose. */
const TOOLS: Record<string, { arguments: object; plan: "any" | "posts" }> = {
  me_retrieve: { arguments: {}, plan: "any" },
  msgr_channels_resolve_retrieve: { arguments: { q: "@channel_1" }, plan: "any" },
  msgr_channels_list: { arguments: {}, plan: "any" },
  msgr_channels_retrieve: { arguments: { channel: "1" }, plan: "any" },
  msgr_stats_daily_list: { arguments: { channels: "1" }, plan: "any" },
  msgr_channels_posts_retrieve: { arguments: { channel: "1" }, plan: "posts" },
  msgr_posts_retrieve: { arguments: { id: 1 }, plan: "posts" },
  msgr_channels_mentions_list: { arguments: { channel: "1" }, plan: "posts" },
  msgr_channels_similar_list: { arguments: { channel: "1" }, plan: "posts" },
  msgr_categories_list: { arguments: {}, plan: "any" },
  msgr_territories_list: { arguments: {}, plan: "any" },
  msgr_posts_search_list: { arguments: { q: "word" }, plan: "posts" },
  msgr_channels_compare_list: { arguments: { channels: "1" }, plan: "any" },
  msgr_channels_stats_retrieve: { arguments: {}, plan: "any" },
};

const PLANS: Record<PlanCode, { posts: boolean; webhooks: boolean }> = {
  test: { posts: false, webhooks: false },
  start: { posts: true, webhooks: false },
  growth: { posts: true, webhooks: true },
  profi: { posts: true, webhooks: true },
};
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
}

let appliance: Appliance;
let lastPost = 1;
beforeAll(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [
    channel(1, { handle: "channel_1" }),
    channel(2, { handle: "channel_2" }),
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

/** Creates an organization on Profi with a webhook, a delivery and an alert. */
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
  const own = { organizationId, key, webhook: 0, delivery: 0, alert: 0 };
  return { ...own, ...(await webhookOf(own, name)) };
}

/** Creates another webhook with a delivery and an alert. */
async function webhookOf(
  { key }: Own,
  name: string,
): Promise<Pick<Own, "webhook" | "delivery" | "alert">> {
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
  return { webhook, delivery: body.results[0].delivery, alert: made.body.id };
}

function request({ verb, path, body }: Rule, key: string | null, own: Own): Promise<Answer> {
  const at = path
    .replace(":webhook", String(own.webhook))
    .replace(":delivery", String(own.delivery))
    .replace(":alert", String(own.alert));
  return appliance.request(at, {
    ...{ method: verb ?? "GET", key },
    ...(body && {
      body: JSON.stringify(body).replace('":webhook"', String(own.webhook)),
      headers: { "content-type": "application/json" },
    }),
  });
}

/** Status and code; the code is empty if the call succeeded. */
const outcome = ({ status, body }: Answer): string => `${status} ${status < 400 ? "" : body.code}`;

test("the tables name every method and tool", () => {
  const operations = apiMethods.map(({ operationId }) => operationId);
  expect(Object.keys(METHODS).sort()).toEqual([...operations].sort());
  const tools = toolMethods.map(({ operationId }) => operationId);
  expect(Object.keys(TOOLS).sort()).toEqual([...tools].sort());
  expect(Object.keys(PLANS)).toEqual([...PLAN_CODES]);
});

/** Whether the path or body names something that belongs to an organization. */
const isOwned = ({ path, body }: Rule): boolean =>
  /:(?:webhook|alert)/.test(path + JSON.stringify(body ?? {}));

/** The answer according to the contract, in its order: access of the key, role, plan. */
function expected(
  rule: Rule,
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
  if (rule.key === "managers" && access === "read_only") return "403 read_only_key";
  if (rule.key === "managers" && role === "member") return "403 manager_required";
  const { posts, webhooks } = PLANS[plan];
  const isIncluded = {
    any: true,
    posts,
    export: plan === "profi",
    webhooks,
    "webhooks, or some from before": webhooks || hasWebhooks,
  }[rule.plan];
  if (!isIncluded) return "403 tariff_required";
  const needsWebhook = isOwned(rule);
  return needsWebhook && !hasWebhooks ? "404 not_found" : `${rule.status ?? 200} `;
}

describe("every method answers as the table says", () => {
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
            for (const [name, rule] of Object.entries(METHODS)) {
              let fresh: Partial<Own> = {};
              if (rule.verb === "DELETE") {
                await givePlan("profi");
                fresh = await webhookOf(own, "fresh");
                await givePlan(plan);
              }
              // A webhook is tested at most once a minute.
              appliance.ports.clock.advance(MINUTE_MS);
              const about = `${name} ${role} ${access}`;
              found.push(`${about}: ${outcome(await request(rule, key, { ...bare, ...fresh }))}`);
              wanted.push(`${about}: ${expected(rule, { role, access, plan, hasWebhooks })}`);
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
      for (const [name, rule] of Object.entries(METHODS)) {
        const answer = await request(rule, key, own);
        expect([name, outcome(answer)]).toEqual([name, `401 ${code}`]);
        expect(answer.headers.get("x-request-cost")).toBeNull();
      }
      for (const [name, { arguments: args }] of Object.entries(TOOLS)) {
        const answer = await mcpRequests(appliance, key ?? "").call(name, { ...args });
        expect([name, outcome(answer)]).toEqual([name, `401 ${code}`]);
      }
    }
    expect((await request(METHODS["msgr_webhooks_retrieve"] as Rule, own.key, own)).status).toBe(
      200,
    );
  });
});

test("every tool answers as the table says, on every plan, to every role and access", async () => {
  const { accounts } = appliance.app.domains;
  const own = await organization("Acme");
  for (const plan of PLAN_CODES) {
    await accounts.givePlan(own.organizationId, plan, null, COMMAND_LINE);
    for (const role of ROLES) {
      for (const access of MARKS) {
        const key = await keyOf(appliance, own.organizationId, role, access);
        for (const [name, tool] of Object.entries(TOOLS)) {
          const { status, body } = await mcpRequests(appliance, key).call(name, {
            ...tool.arguments,
          });
          const { isError, content } = body.result;
          const isIncluded = tool.plan === "any" || PLANS[plan].posts;
          const about = `${name} ${plan} ${role} ${access}`;
          expect([about, status, isError]).toEqual([about, 200, !isIncluded]);
          if (!isIncluded) expect(content[0].text, about).toStartWith("403 tariff_required: ");
        }
      }
    }
  }
});

describe("another organization", () => {
  const OWNED = Object.entries(METHODS).filter(([, rule]) => isOwned(rule));

  test("finds another's webhook or delivery no more than one that does not exist", async () => {
    const [own, theirs] = [await organization("Acme"), await organization(MARK)];
    const before = rowsOf(theirs.organizationId);
    const sent = appliance.ports.network.posts.length;
    for (const [name, rule] of OWNED) {
      const others = await request(rule, own.key, theirs);
      expect([name, outcome(others)]).toEqual([name, "404 not_found"]);
      const nobodys = await request(rule, own.key, {
        ...own,
        webhook: UNKNOWN_ID,
        delivery: UNKNOWN_ID,
        alert: UNKNOWN_ID,
      });
      expect([name, nobodys.body]).toEqual([name, others.body]);
    }
    const resend = METHODS["msgr_webhooks_deliveries_resend"] as Rule;
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
    for (const [name, rule] of Object.entries(METHODS)) {
      await look(name, await request(rule, own.key, theirs));
      if (!rule.path.includes(":webhook")) continue;
      appliance.ports.clock.advance(MINUTE_MS);
      await look(name, await request(rule, own.key, { ...own, ...(await webhookOf(own, "more")) }));
    }
    for (const [name, { arguments: args }] of Object.entries(TOOLS)) {
      await look(name, await mcpRequests(appliance, own.key).call(name, { ...args }));
    }
    expect(seen.filter((text) => text.toLowerCase().includes(MARK.toLowerCase()))).toEqual([]);
    // Shows that the expectation above could fail.
    const mine = await request(METHODS["me_retrieve"] as Rule, theirs.key, theirs);
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
    for (const rule of Object.values(METHODS)) await request(rule, own.key, theirs);
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
  ].map((sql) => db.prepare(sql).all({ organizationId }));
}

function dropWebhooks(organizationId: number): void {
  appliance.app.domains.db
    .prepare("DELETE FROM webhooks WHERE organization_id = ?")
    .run(organizationId);
}
