import { type Check, check, type Json, type Kit, refusal, statusOf, unless } from "../check.ts";
import { anyPath, MANAGED, nameOf } from "../endpoints.ts";
import { customerOn, made, operate, requireWrite } from "./customers.ts";

/** Refusals by a key's mark, its member's role, the plan, and its end. */

const WRITES = MANAGED.filter(
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
  return [
    check("spec 5.3", `${name} with a read-only key is read_only_key`, async (kit) => {
      const { member } = await customerOn(kit, "profi");
      const key = String((await keyOf(kit, member, false))["key"]);
      return refusal(await kit.ask({ ...asked, key }), 403, "read_only_key");
    }),
    check("spec 5.4", `${name} with a member's key is manager_required`, async (kit) => {
      const key = await membersKey(kit);
      return refusal(await kit.ask({ ...asked, key }), 403, "manager_required");
    }),
    check("decisions 6 who may", `${name} on Start is tariff_required`, async (kit) =>
      refusal(await kit.ask({ ...asked, key: await writersKey(kit) }), 403, "tariff_required"),
    ),
  ];
});

/** What ends a key, from the next request on, and what brings it back. */
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
