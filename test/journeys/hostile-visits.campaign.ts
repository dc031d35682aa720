import { afterAll, beforeAll, expect, test } from "bun:test";
import { openDomains } from "../../src/app/domains.ts";
import { importFile } from "../../src/catalog/imports/import-file.ts";
import { readConfig } from "../../src/config.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import { sitePages } from "../../src/doors/site/site-pages.ts";
import { systemPorts } from "../../src/ports/ports.ts";
import {
  customerBeside,
  REQUESTS,
  residentMbOf,
  SEED,
  sendHostile,
  tally,
} from "../support/hostile-campaign.ts";
import type { HostileRequest } from "../support/hostile-requests.ts";
import { hostileVisits, TOKEN } from "../support/hostile-visits.ts";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { addressAt, type RawAnswer } from "../support/raw-http.ts";
import { EVERYTHING_ON, type Route, routeTable } from "../support/route-table.ts";
import { PASSWORD, remoteVisitor, type Visitor } from "../support/visitor.ts";

/** Broken requests to all doors but the API, by strangers, by members and by staff. */

const SAMPLE = new URL("../../data/sample/", import.meta.url).pathname;
/** Actions that end the session, or hash for most of a second each. */
const LEFT_OUT = /^(sign-in|sign-out|change|choose|set-up|end-sessions|take-staff)$/;
const STAFF = "boss@example.com";
const MEMBER = "member@example.com";
/** So many organizations come before the customer's, because hostile forms name small numbers. */
const ORGANIZATIONS = 12;
/** From so many requests on, each route must have been reached. */
const CAMPAIGN = 20_000;

/** Each request comes from an address of its own, so that few are refused for how many there were. */
let sentCount = 0;
let machine: Machine;
let serving: Serving;
let key: string;
let routes: Route[];
const visitors = new Map<string, Visitor>();
const tokens = new Map<string, string>();

beforeAll(async () => {
  machine = createMachine();
  key = await makeData();
  const environment = { ...EVERYTHING_ON, KANALOG_TRUST_PROXY: "true", KANALOG_LOG_LEVEL: "info" };
  serving = await machine.serve(["serve"], { environment });
  routes = (await routeTable()).filter(({ path }) => !path.startsWith("/v1/msgr/"));
});
afterAll(() => machine.leave());

test(
  "no request to any route, however broken, gets a 5xx or disturbs a customer",
  async () => {
    console.info(`${REQUESTS} visits (KANALOG_TEST_REQUESTS), seed ${SEED} (KANALOG_TEST_SEED)`);
    const residentMb = residentMbOf(serving);
    await signIn();
    const fields = await fieldNames();
    expect(fields.length).toBeGreaterThan(20);
    const actions = Object.fromEntries(
      sitePages.map(({ path, actions: of = {} }) => {
        return [path, Object.keys(of).filter((action) => !LEFT_OUT.test(action))];
      }),
    );
    const values = ["1", "2", "3", "999999", "test", "channels", "read_only", "2027-01-31"];
    const names = ["staff", "member", "nobody", "broken"];
    const beside = customerBeside(serving, key);
    const seen = await sendHostile({
      serving,
      request: hostileVisits(routes, { actions, fields, values }, names),
      credentialOf({ key: name }) {
        const from = `X-Forwarded-For: ${addressAt(sentCount++)}`;
        return [from, cookieLine(name)].filter((line) => line !== "").join("\r\n");
      },
      filled(request) {
        const token = encodeURIComponent(tokens.get(request.key) ?? "");
        return { ...request, body: request.body?.replace(TOKEN, token) ?? null };
      },
      beforeRound: signIn,
      judge,
      unreached: () => [],
    });
    const served = await beside.end();
    expect(served.statuses).toEqual({ 200: served.statuses[200] ?? 0 });
    expect(serving.printed()).not.toMatch(/"level":"error"/);
    if (REQUESTS >= CAMPAIGN) {
      const reached = new Set([...seen.keys()].map((name) => name.split(" ")[0]));
      expect(routes.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([]);
    }
    await tally("All other doors", { serving, seen, residentMb }, served);
  },
  300_000 + REQUESTS * 50,
);

async function makeData(): Promise<string> {
  const config = readConfig({ KANALOG_DB: machine.database, KANALOG_LOG_LEVEL: "silent" });
  const { db, clock, accounts, keys } = await openDomains(config, systemPorts(config));
  await importFile(db, clock, "channels", `${SAMPLE}channels.ndjson`);
  await importFile(db, clock, "posts", `${SAMPLE}posts.ndjson`);
  let token = "";
  for (let at = 0; at <= ORGANIZATIONS; at++) {
    const made = await accounts.createOrganization({ name: `${at}`, plan: "growth" }, COMMAND_LINE);
    const email = at === 0 ? MEMBER : at === 1 ? STAFF : `owner-${at}@example.com`;
    const input = { organizationId: made.id, email, name: "", role: "owner" } as const;
    const { id: memberId } = await accounts.addMember(input, COMMAND_LINE);
    const given = { memberId, name: "", access: "read_only", expiresAt: null } as const;
    token = (await keys.createKey(given, COMMAND_LINE)).token;
  }
  const lifted = { requestsPerSecond: 1_000_000, requestsPerPeriod: 1_000_000_000 };
  await accounts.changePlan("growth", lifted, COMMAND_LINE);
  db.close();
  return token;
}

/** Signs in whoever is not signed in any more: a hostile form may have suspended them. */
async function signIn(): Promise<void> {
  for (const [name, email, page] of [
    ["staff", STAFF, "/staff/"],
    ["member", MEMBER, "/account/keys/"],
  ] as const) {
    const known = visitors.get(name);
    if (known !== undefined && (await known.get(page)).status === 200) continue;
    const config = readConfig({ KANALOG_DB: machine.database, KANALOG_LOG_LEVEL: "silent" });
    const { db, people } = await openDomains(config, systemPorts(config));
    await people.ensurePerson({ email, name: "" });
    await people.setPassword({ email, password: PASSWORD, by: COMMAND_LINE });
    if (name === "staff") await people.markStaff({ email, isStaff: true, by: COMMAND_LINE });
    db.close();
    const visitor = remoteVisitor(serving.address);
    expect((await visitor.signIn(email)).status).toBe(303);
    visitors.set(name, visitor);
    tokens.set(name, await visitor.csrf("/account/profile/"));
  }
}

/** Names of fields, of all forms that staff see. */
async function fieldNames(): Promise<string[]> {
  const names = new Set<string>();
  for (const { path } of sitePages) {
    const { html } = (await visitors.get("staff")?.get(path.replace(/:\w+/g, "1"))) ?? { html: "" };
    for (const [, name = ""] of html.matchAll(/<(?:input|select|textarea)[^>]* name="([^"]+)"/g)) {
      names.add(name);
    }
  }
  names.delete("csrf");
  names.delete("action");
  return [...names];
}

function cookieLine(name: string): string {
  if (name === "broken") return "Cookie: kanalog.session=\xff; a=b; =; ;";
  const cookies = [...(visitors.get(name)?.cookies ?? [])].map((pair) => pair.join("="));
  return cookies.length === 0 ? "" : `Cookie: ${cookies.join("; ")}`;
}

/** Fails if an answer is none that a caller should ever see. @returns the route and the status */
function judge(
  { target, key: name }: HostileRequest,
  { status, headers, body }: RawAnswer,
): string {
  const path = routeOf(target);
  const isReadiness = path === "/readyz" && status === 503;
  expect(status).toBeGreaterThanOrEqual(200);
  if (!isReadiness) expect(status, `${name} ${body.slice(0, 300)}`).toBeLessThan(500);
  expect(headers["x-request-id"]).toMatch(/^[\w.-]{1,64}$/);
  expect(headers["x-injected"]).toBeUndefined();
  const isJson = headers["content-type"]?.startsWith("application/json");
  const isPlain = headers["content-encoding"] === undefined;
  if (isJson && isPlain && body !== "") JSON.parse(body);
  if (status === 405) expect(headers["allow"]).toBeString();
  return `${path} ${status}`;
}

let patterns: { path: string; pattern: RegExp }[] = [];

/** How much a path matches: the rest of an address more than any number of its parts. */
function breadthOf(path: string): number {
  return path.endsWith("*") ? Number.POSITIVE_INFINITY : path.split(":").length;
}

/** The route that a target most likely reaches. */
function routeOf(target: string): string {
  if (patterns.length === 0) {
    patterns = [...new Set(routes.map(({ path }) => path))]
      .sort((one, other) => breadthOf(one) - breadthOf(other))
      .map((path) => {
        const escaped = path.replace(/[.]/g, "\\.").replace(/:\w+/g, "[^/]+").replace("*", ".*");
        return { path, pattern: new RegExp(`^${escaped}$`) };
      });
  }
  const [pathname = ""] = target.split("?");
  return patterns.find(({ pattern }) => pattern.test(pathname))?.path ?? "unknown";
}
