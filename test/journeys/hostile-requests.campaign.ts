import { afterAll, beforeAll, expect, test } from "bun:test";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { openDomains } from "../../src/app/domains.ts";
import { importFile } from "../../src/catalog/imports/import-file.ts";
import { readConfig } from "../../src/config.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";

import { systemPorts } from "../../src/ports/ports.ts";
import type { Answer } from "../support/appliance.ts";
import { hostileCalls, type Tool } from "../support/hostile-calls.ts";
import {
  customerBeside,
  REQUESTS,
  residentMbOf,
  SEED,
  sendHostile,
  tally,
} from "../support/hostile-campaign.ts";
import { type HostileRequest, hostileRequests, type Known } from "../support/hostile-requests.ts";
import { type Receiver, startReceiver } from "../support/https-receiver.ts";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { MODERN_VERSION } from "../support/mcp-requests.ts";
import { checkBody, findOperation, type OpenApiDocument } from "../support/published-schemas.ts";
import type { RawAnswer } from "../support/raw-http.ts";
import { call, pushing } from "../support/webhook-journey.ts";

/** One request in this many goes to the MCP server. */
const MCP_SHARE = 3;
/**
 * Maximum processor time between a request and its answer, which includes the other connections' requests.
 */
const WORK_MAX_MS = 2_000;
/** Name of the key of a customer who sends nothing broken. */
const BESIDE = "beside";
const SAMPLE = new URL("../../data/sample/", import.meta.url).pathname;

/** Schemas of tools describe texts in less detail than the document does. */
const TOOL_TEXTS = {
  ...{ channels: ["1,3"], ids: ["3,1"], from: ["2024-11-01"], to: ["2024-11-30"] },
  ...{ "msgr_channels_resolve_retrieve q": ["@nsmag", "t.me/habr_com", -1001000724666] },
  "msgr_posts_search_list q": ["новости"],
  ...{ category: ["science"], territory: ["russia"], parent: ["russia"] },
};
const ROUTED = ["get", "post", "patch", "delete"];
/**
 * Placeholders in paths: for the newest existing webhook, alert and list, and for a webhook that was tested and its
 * delivery.
 */
const [NEWEST, NEWEST_ALERT, NEWEST_LIST] = ["newest", "alerting", "listed"];
const [TESTED, PING] = ["tested", "ping"];
/**
 * Best possible answer of an operation, if it is not a success: only few pings exist that could be sent
 * again.
 */
const USUAL: Record<string, string> = { msgr_webhooks_deliveries_resend: "404" };

let machine: Machine;
let receiver: Receiver;
let serving: Serving;
let document: OpenApiDocument;
let tools: Tool[];
/** Values of `Authorization` by kind; the first is used most. */
let keys: Map<string, string>;
/** Ids of the valid keys. */
let keyIds: Map<string, number>;
let known: Known;

beforeAll(async () => {
  machine = createMachine();
  receiver = await startReceiver();
  ({ keys, keyIds } = await makeData());
  const { environment } = pushing();
  serving = await machine.serve(["serve"], {
    environment: { ...environment, KANALOG_LOG_LEVEL: "info" },
  });
  document = (await (await serving.get("/docs/json")).json()) as OpenApiDocument;
  const owner = keys.get("owner")?.replace("Bearer ", "") ?? "";
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const listed = await call<{ result: { tools: Tool[] } }>(
    ...([serving, owner, "POST", "/v1/mcp/", list] as const),
  );
  tools = listed.body.result.tools;
  known = {
    // Free calls are recorded together with billed ones, below.
    webhook: [await lastingWebhook(owner)],
    channel: ["nsmag", 1, 3, "HABR_COM"],
    q: ["новости", "@nsmag", "t.me/habr_com", "science", -1001000724666],
    cursor: await someCursors(owner),
    url: [`https://127.0.0.1:${receiver.port}/hook`, `https://127.0.0.1:${receiver.port}/?a=b#c`],
  };
  for (const path of Object.keys(document.paths)) {
    const isResend = path.includes("/{delivery}/");
    if (path.includes("/alerts/")) known[`${path} id`] = [NEWEST_ALERT];
    if (path.includes("/lists/")) known[`${path} id`] = [NEWEST_LIST];
    if (path.includes("/webhooks/")) known[`${path} id`] = [isResend ? TESTED : NEWEST];
    if (isResend) known[`${path} delivery`] = [PING];
  }
});
afterAll(async () => {
  await machine.leave();
  await receiver.close();
});

test(
  "no request, however broken, gets a 5xx, violates its schema, costs much work, or is billed wrongly",
  async () => {
    console.info(`${REQUESTS} requests (KANALOG_TEST_REQUESTS), seed ${SEED} (KANALOG_TEST_SEED)`);
    const residentMb = residentMbOf(serving);
    const counted = recorded();
    const names = [...keys.keys()].filter((name) => name !== BESIDE);
    const toMethods = hostileRequests(document, known, names);
    const beside = customerBeside(serving, keys.get(BESIDE)?.replace("Bearer ", "") ?? "");
    const seen = await sendHostile({
      serving,
      request: fc.oneof(
        { weight: MCP_SHARE - 1, arbitrary: toMethods },
        { weight: 1, arbitrary: hostileCalls(tools, { ...known, ...TOOL_TEXTS }, names) },
      ),
      credentialOf({ key }) {
        const authorization = keys.get(key) ?? "";
        return authorization === "" ? "" : `Authorization: ${authorization}`;
      },
      filled: (request) => ({ ...request, target: filled(request.target) }),
      judge(request, answer, workMs) {
        expect(workMs).toBeLessThan(WORK_MAX_MS);
        const { name, cost } = judge(request, answer);
        const usage = counted[request.key];
        if (usage !== undefined && cost !== null) {
          usage.requests += 1;
          usage.units += cost;
        }
        return name;
      },
      unreached,
    });
    const served = await beside.end();
    const answered = served.statuses[200] ?? 0;
    expect(served.statuses).toEqual({ 200: answered });
    const own = counted[BESIDE];
    if (own !== undefined) {
      own.requests += answered;
      own.units += answered;
    }

    // Otherwise the requests would prove nothing about them.
    expect(unreached(seen)).toEqual([]);
    expect((await serving.get("/readyz")).status).toBe(200);
    expect(serving.printed()).not.toMatch(/"level":"error"/);
    await tally("API and MCP", { serving, seen, residentMb }, served);
    // Free requests may be recorded with the next commit; the shutdown makes the last one.
    expect(await serving.stop()).toBe(0);
    expect(recorded()).toEqual(counted);
  },
  300_000 + REQUESTS * 50,
);

type Usage = Record<string, { requests: number; units: number }>;

/** Usage of each valid key, as recorded in the file. */
function recorded(): Usage {
  const rows = machine.query<{ id: number; requests: number; units: number }>(
    "SELECT key_id AS id, sum(requests) AS requests, sum(units) AS units FROM usage_days GROUP BY 1",
  );
  return Object.fromEntries(
    [...keyIds].map(([name, id]) => {
      const { requests, units } = rows.find((row) => row.id === id) ?? { requests: 0, units: 0 };
      return [name, { requests, units }];
    }),
  );
}

async function makeData(): Promise<{ keys: Map<string, string>; keyIds: Map<string, number> }> {
  const config = readConfig({ KANALOG_DB: machine.database, KANALOG_LOG_LEVEL: "silent" });
  const { db, clock, accounts, keys: stored } = await openDomains(config, systemPorts(config));
  for (const [kind, file] of [
    ["channels", "channels.ndjson"],
    ["posts", "posts.ndjson"],
    ["stats", "stats.csv"],
  ] as const) {
    await importFile(db, clock, kind, SAMPLE + file);
  }
  const keys = new Map<string, string>();
  const keyIds = new Map<string, number>();
  const lifted = { requestsPerSecond: 1_000_000, requestsPerPeriod: 1_000_000_000 };
  await accounts.changePlan("profi", { ...lifted, webhooks: 20 }, COMMAND_LINE);
  await accounts.changePlan("test", lifted, COMMAND_LINE);
  await accounts.changePlan("growth", { ...lifted, requestsPerPeriod: 20 }, COMMAND_LINE);
  for (const [name, plan, role, access] of [
    ["owner", "profi", "owner", "read_write"],
    ["member", "profi", "member", "read_write"],
    ["reader", "profi", "administrator", "read_only"],
    ["on test", "test", "owner", "read_write"],
    ["of few requests", "growth", "owner", "read_write"],
    ["of few a second", "start", "owner", "read_write"],
    ["revoked", "profi", "owner", "read_write"],
    [BESIDE, "profi", "owner", "read_only"],
  ] as const) {
    const organization = await accounts.createOrganization({ name, plan }, COMMAND_LINE);
    const email = `${plan}@example.com`;
    const input = { organizationId: organization.id, email, name, role };
    const { id: memberId } = await accounts.addMember(input, COMMAND_LINE);
    const { key, token } = await stored.createKey(
      { memberId, name, access, expiresAt: null },
      COMMAND_LINE,
    );
    keys.set(name, `Bearer ${token}`);
    if (name === "revoked") await stored.revokeKey(key.id, COMMAND_LINE);
    else keyIds.set(name, key.id);
  }
  db.close();
  keys.set("none", "").set("of another scheme", "Basic dTpw").set("broken", "Bearer knl_rw_\xff{}");
  return { keys, keyIds };
}

/** Cursors of every list and ordering, so that they are also used with the wrong ones. */
async function someCursors(key: string): Promise<string[]> {
  const cursors: string[] = [];
  for (const path of [
    ...["", "&ordering=-quality", "&ordering=-citation", "&ordering=-last_post_at"].map(
      (ordering) => `/v1/msgr/channels/?limit=2${ordering}`,
    ),
    "/v1/msgr/channels/nsmag/posts/?limit=3",
  ]) {
    const { body } = await call<{ next: string }>(serving, key, "GET", path);
    cursors.push(new URL(body.next).searchParams.get("cursor") ?? "");
  }
  return [...cursors, `${cursors[0]}A`, cursors[0]?.slice(1) ?? "", "x"];
}

/** A webhook for alerts, with a number higher than those that requests guess and often delete. */
async function lastingWebhook(key: string): Promise<number> {
  const body = { url: `https://127.0.0.1:${receiver.port}/hook`, channels: [1] };
  for (;;) {
    const made = await call<{ id: number }>(serving, key, "POST", "/v1/msgr/webhooks/", body);
    if (made.body.id > 9) return made.body.id;
    await call(serving, key, "DELETE", `/v1/msgr/webhooks/${made.body.id}/`);
  }
}

/** The owner's existing webhooks, alerts and lists. */
const existing = { webhooks: [] as number[], alerts: [] as number[], lists: [] as number[] };
let tested = { webhook: 0, delivery: 0 };

/** A target with its placeholders replaced by what exists at this moment. */
function filled(target: string): string {
  return target
    .replace(NEWEST, String(existing.webhooks.at(-1) ?? 0))
    .replace(NEWEST_ALERT, String(existing.alerts.at(-1) ?? 0))
    .replace(NEWEST_LIST, String(existing.lists.at(-1) ?? 0))
    .replace(TESTED, String(tested.webhook))
    .replace(PING, String(tested.delivery));
}

function remember(
  operationId: string,
  at: string,
  { status, body }: Pick<Answer, "status" | "body">,
): void {
  const [, kind, id] = /.*(webhooks|alerts|lists)\/(?:(\d+)\/)?/.exec(at) ?? [];
  const made = existing[kind as keyof typeof existing];
  if (status === 201) made?.push(body.id);
  if (status === 204) made?.splice(made.indexOf(Number(id)), 1);
  if (operationId === "msgr_webhooks_test" && status === 200) {
    tested = { webhook: Number(id), delivery: body.delivery };
  }
}

const ajv = addFormats(new Ajv2020({ strict: false }));
const outputs = new Map<string, ValidateFunction>();

/**
 * Fails if an answer violates the contract.
 * @returns a name for its kind, and its cost; null if no valid key was used
 */
function judge(
  { verb, target, headers: sentHeaders, body: sent, key }: HostileRequest,
  { status, headers, body: text }: RawAnswer,
): { name: string; cost: number | null } {
  // `URL` treats a backslash as a slash, and resolves `..`.
  const { pathname } = new URL(target, "http://127.0.0.1");
  const isMcp = /^\/v1\/mcp\/?$/.test(pathname);
  const isReading = verb === "GET" || verb === "HEAD";
  const at = isReading || pathname.endsWith("/") ? pathname : `${pathname}/`;
  const found = isMcp ? null : findOperation(document, at, isReading ? "get" : verb.toLowerCase());
  const { operationId = "none", description = "" } = found?.operation ?? {};
  const isJson = headers["content-type"]?.startsWith("application/json") ?? false;
  const body = isJson && text !== "" ? JSON.parse(text) : text;

  expect(status).toBeGreaterThanOrEqual(200);
  expect(status).toBeLessThan(500);
  expect(headers["x-request-id"]).toMatch(/^[\w.-]{1,64}$/);
  checkBody(document, verb, at, { status, body });
  if (status === 405) expect(headers["allow"]).toBeString();
  if (status === 429) expect(headers["retry-after"]).toMatch(/^[1-9]\d*$/);
  if (status === 401) expect(headers["www-authenticate"]).toBe('Bearer realm="kanalog"');
  remember(operationId, at, { status, body });

  const cost = headers["x-request-cost"];
  const isRoute = isMcp || ROUTED.some((each) => findOperation(document, at, each) !== null);
  const isCounted = keyIds.has(key) && status !== 301 && isRoute;
  expect(cost !== undefined).toBe(isCounted);
  if (cost === undefined) return { name: `${operationId} ${status}`, cost: null };
  expect(headers["ratelimit"]).toMatch(/^"rate";r=\d+;t=\d+, "quota";r=\d+;t=\d+$/);
  if (isMcp) {
    const isModern = sentHeaders.includes(`MCP-Protocol-Version: ${MODERN_VERSION}`);
    const { name, units } = judgeMcp(sent, status, body, isModern ? "modern" : "legacy");
    expect(units).toContain(Number(cost));
    return { name, cost: Number(cost) };
  }
  const units = Number(/ (\d) request units?\.$/.exec(description)?.[1] ?? 0);
  expect(Number(cost)).toBe(isBilled(status) ? units : 0);
  return { name: `${operationId} ${status}`, cost: Number(cost) };
}

/** Whether an answer is billed: it passed the quota check, and is a 200, 400 or 404. */
function isBilled(status: number): boolean {
  return status < 300 || status === 400 || status === 404;
}

/** The same for the answer to a call of a tool. */
function judgeMcp(
  sent: string | null,
  status: number,
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape
  body: any,
  era: string,
): { name: string; units: number[] } {
  const { result, error } = Object(body);
  if (result?.content === undefined) {
    const kind = error?.code ?? (result === undefined ? "" : "result");
    return { name: `mcp ${status} ${kind}`, units: [0] };
  }
  expect(status).toBe(200);
  const toolName = JSON.parse(sent ?? "").params?.name;
  const tool = tools.find((each) => each.name === toolName);
  const name = tool?.name ?? "unknown";
  const [{ text }] = result.content;
  const units = Number(/ (\d) unit\.$/.exec(tool?.description ?? "")?.[1] ?? 0);
  if (result.isError) {
    const code = Number(/^(4\d\d) [a-z_]+: \S/.exec(text)?.[1]);
    expect(code, text).toBeWithin(400, 500);
    // A name that means no channel, category or territory is refused free of charge.
    return { name: `mcp ${name} ${code}`, units: isBilled(code) ? [units, 0] : [0] };
  }
  expect(JSON.parse(text)).toEqual(result.structuredContent);
  const validate = outputs.get(name) ?? ajv.compile(tool?.outputSchema ?? false);
  outputs.set(name, validate);
  expect(validate(result.structuredContent) ? "" : ajv.errorsText(validate.errors)).toBe("");
  return { name: `${era} ${name} 200`, units: [units] };
}

/** Operations and tools that have not succeeded yet, or have not failed although they can. */
function unreached(seen: ReadonlyMap<string, number>): string[] {
  const has = (name: string): boolean => seen.has(name);
  const operations = Object.values(document.paths).flatMap((ofPath) => Object.values(ofPath));
  return [
    ...operations.flatMap(({ operationId, responses, parameters = [] }) => {
      const [usual] = Object.keys(responses).filter((status) => status.startsWith("2"));
      const success = `${operationId} ${USUAL[operationId] ?? usual ?? ""}`;
      const failures = parameters.length > 0 ? [`${operationId} 400`, `${operationId} 404`] : [];
      return [
        ...(has(success) ? [] : [success]),
        ...(failures.length === 0 || failures.some(has) ? [] : [failures.join(" or ")]),
      ];
    }),
    ...["legacy", "modern"]
      .flatMap((era) => tools.map(({ name }) => `${era} ${name} 200`))
      .filter((name) => !has(name)),
  ];
}
