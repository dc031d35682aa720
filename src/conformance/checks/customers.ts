import type { Check, Json, Kit } from "../check.ts";
import { check, differs, isObject, Missing, refusal, statusOf, unless } from "../check.ts";
import type { Answer, Asked } from "../client.ts";
import { anyPath, MANAGED, nameOf, OWN, PLANS, type Plan } from "../endpoints.ts";
import { account, limits, planOf } from "../sight.ts";

/** Refusals by a key's mark, its member's role, the plan, and its end. */

const WRITES = [...OWN, ...MANAGED].filter(
  ({ method, operation }) => method !== "GET" && !/_test$|_preview$/.test(operation),
);

/** One key of a member in a run, by its mark. */
const keyOf = (kit: Kit, member: unknown, write: boolean): Promise<Json> =>
  kit.once(`key ${member} ${write}`, () =>
    made(kit, "keys/", { member, name: "Conformance", write }),
  );
async function membersKey(kit: Kit): Promise<string> {
  const { organization } = await customerOn(kit, "profi");
  const person = { organization, email: "conformance-member@example.com", role: "member" };
  const { id } = await kit.once("member", () => made(kit, "members/", person));
  return String((await keyOf(kit, id, true))["key"]);
}
const writersKey = async (kit: Kit): Promise<string> => {
  requireWrite(kit);
  return (await customerOn(kit, "start")).key;
};

/** Refusals by mark, role and plan, whatever the address names. */
const denied = WRITES.flatMap((endpoint) => {
  const body = endpoint.method === "DELETE" ? {} : { body: {} };
  const asked = { method: endpoint.method, path: anyPath(endpoint), ...body };
  const name = nameOf(endpoint);
  const readOnly = check(
    "spec 5.3",
    `${name} with a read-only key is read_only_key`,
    async (kit) => {
      const { member } = await customerOn(kit, "profi");
      const key = String((await keyOf(kit, member, false))["key"]);
      return refusal(await kit.ask({ ...asked, key }), 403, "read_only_key");
    },
  );
  if (OWN.includes(endpoint)) return [readOnly];
  return [
    readOnly,
    check("spec 5.4", `${name} with a member's key is manager_required`, async (kit) => {
      const key = await membersKey(kit);
      return refusal(await kit.ask({ ...asked, key }), 403, "manager_required");
    }),
    check("decisions 6 who may", `${name} on Start is tariff_required`, async (kit) =>
      refusal(await kit.ask({ ...asked, key: await writersKey(kit) }), 403, "tariff_required"),
    ),
  ];
});

/** Ways to end a key, from the next request on, each with the way back. */
const ENDS: readonly (readonly [
  what: string,
  end: (one: { organization: number; member: number; keyId: number }) => string,
  back: string | null,
])[] = [
  ["a revoked key", ({ keyId }) => `keys/${keyId}/revoke/`, null],
  ["a key of a suspended member", ({ member }) => `members/${member}/suspend/`, "restore"],
  [
    "a key of an archived organization",
    ({ organization }) => `organizations/${organization}/archive/`,
    "restore",
  ],
];
const ended = ENDS.map(([what, end, back]) =>
  check("spec 5.5", `${what} is authentication_failed at once`, async (kit) => {
    const customer = await customerOn(kit, "start", what);
    const ask = () => kit.askAgain({ path: "/v1/me/", key: customer.key });
    const before = statusOf(await ask(), 200);
    await operate(kit, "POST", end(customer));
    const after = refusal(await ask(), 401, "authentication_failed");
    if (back === null) return before ?? after;
    await operate(kit, "POST", end(customer).replace(/\w+\/$/, `${back}/`));
    return before ?? after ?? statusOf(await ask(), 200);
  }),
);

const KEY = /^knl_r[ow]_[0-9A-Za-z]{38}$/;
const marks: readonly Check[] = [
  check("spec 5.2", "a key is shown once, and no list shows it", async (kit) => {
    const { organization, key } = await customerOn(kit, "start");
    const list = await operate(kit, "GET", `keys/?organization=${organization}`);
    return (
      unless(KEY.test(key), "it is no key") ?? unless(!list.text.includes(key), "the list shows it")
    );
  }),
  check("decisions 5", "a key has its mark, and a checksum", async (kit) =>
    unless(KEY.test(kit.key) || kit.key.startsWith("knl_"), "it has another form"),
  ),
  check("decisions 5", "a key with one other character is refused", async (kit) => {
    const last = kit.key.at(-1) === "a" ? "b" : "a";
    const answer = await kit.ask({ path: "/v1/me/", key: kit.key.slice(0, -1) + last });
    return refusal(answer, 401, "authentication_failed");
  }),
  check("decisions 5", "the account names the key by its beginning", async (kit) => {
    const { key } = (await kit.ask("/v1/me/")).body;
    return unless(kit.key.startsWith(String((key as Json)["prefix"])), "it does not");
  }),
  check("spec 5.1", "MCP takes the same key", async (kit) =>
    statusOf(
      await kit.ask({
        method: "POST",
        path: "/v1/mcp/",
        body: { jsonrpc: "2.0", id: 1, method: "ping" },
      }),
      200,
    ),
  ),
  check("spec 5.1", "a key in the query is none", async (kit) =>
    refusal(await kit.ask({ path: `/v1/me/?key=${kit.key}`, key: null }), 401, "not_authenticated"),
  ),
];

export const keyChecks: readonly Check[] = [...denied, ...ended, ...marks];

/** Keys of other plans, roles and marks than the run's own, which an operator's key makes. */

export const OPERATOR = "/operator/v1/";

/** @throws Missing unless the run may change something */
export function requireWrite({ mayWrite }: Kit): void {
  if (!mayWrite) throw new Missing("needs --write");
}

/** Asks the operator's API. @throws Missing if the run has no key of it */
export async function operate(
  kit: Kit,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  if (kit.operatorKey === null) throw new Missing("needs --operator-key");
  if (method !== "GET") requireWrite(kit);
  return kit.askAgain(operated(kit, method, path, body));
}

const operated = (
  { operatorKey: key }: Kit,
  method: string,
  path: string,
  body?: object,
): Asked => ({
  ...{ method, path: OPERATOR + path, key },
  ...(body !== undefined && { body }),
});

/** The object that the operator's API makes. @throws Error if it does not */
export async function made(kit: Kit, path: string, body: object): Promise<Json> {
  const answer = await operate(kit, "POST", path, body);
  const wrong = statusOf(answer, 201);
  if (wrong !== null) throw new Error(wrong);
  return answer.body;
}

export interface Customer {
  organization: number;
  member: number;
  keyId: number;
  key: string;
}

/** A customer on a plan, whose organization is archived at the end; one in a run by each name. */
export const customerOn = (kit: Kit, plan: Plan, name: string = plan): Promise<Customer> =>
  kit.once(`customer ${name}`, () => newCustomer(kit, plan, name));

async function newCustomer(kit: Kit, plan: Plan, name: string): Promise<Customer> {
  const one = await made(kit, "organizations/", {
    ...{
      name: `Conformance ${name} ${kit.now()}`,
      plan,
      owner: "conformance@example.com",
      write: true,
    },
  });
  const [organization, keyId] = [Number(one["id"]), Number(one["key_id"])];
  kit.afterwards.push(operated(kit, "POST", `organizations/${organization}/archive/`));
  const member = isObject(one["member"]) ? one["member"]["id"] : one["member"];
  return { organization, member: Number(member), keyId, key: String(one["key"]) };
}

/** A key on this very plan: the run's own, or a new one's. @throws Missing */
export async function keyOn(kit: Kit, plan: Plan): Promise<string> {
  return (await planOf(kit)) === plan ? kit.key : (await customerOn(kit, plan)).key;
}

/** A key that may change webhooks. @throws Missing */
export async function managersKey(kit: Kit): Promise<string> {
  requireWrite(kit);
  const { key, member } = await account(kit);
  const isManager =
    (key as Json)["access"] === "read_write" && (member as Json)["role"] !== "member";
  if (isManager && Number((await limits(kit))["webhooks"]) > 0) return kit.key;
  return (await customerOn(kit, PLANS[3])).key;
}

/** Whether a key's account has this plan. */
export const hasPlan = async (kit: Kit, key: string, plan: Plan) =>
  differs("api_tariff", (await kit.ask({ path: "/v1/me/", key })).body["api_tariff"], plan);
