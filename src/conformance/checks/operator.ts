import type { Check, Json, Kit } from "../check.ts";
import {
  check,
  differs,
  each,
  fieldError,
  objectsIn,
  refusal,
  statusOf,
  unless,
} from "../check.ts";
import { PLANS } from "../endpoints.ts";
import { customerOn, hasPlan, keyOn, OPERATOR, operate } from "./customers.ts";

const LISTS = {
  "verbs 2 customers": [
    "organizations",
    "plans",
    "plan-offers",
    "plan-requests",
    "webhooks",
    "audit",
  ],
  "verbs 2 data": ["channels", "imports"],
  "verbs 2 system": ["sources", "jobs", "backups", "operator-keys"],
  "verbs 2 events": ["operator-webhooks"],
} as const;

const lists = Object.entries(LISTS).flatMap(([clause, names]) =>
  names.flatMap((name) => [
    check(clause as Check["clause"], `${OPERATOR}${name}/ is a page`, async (kit) => {
      const answer = await operate(kit, "GET", `${name}/?limit=2`);
      const { results, next } = answer.body;
      return (
        statusOf(answer, 200) ??
        unless(Array.isArray(results) && results.length <= 2, "no results") ??
        unless(next === null || String(next).startsWith(kit.base), `next is ${next}`)
      );
    }),
    check("verbs 2 keys", `${OPERATOR}${name}/ without a key is a 401`, async (kit) =>
      refusal(await kit.ask({ path: `${OPERATOR}${name}/`, key: null }), 401, "not_authenticated"),
    ),
    check("verbs 2 keys", `${OPERATOR}${name}/?limit=x is a 400 on limit`, async (kit) =>
      fieldError(await operate(kit, "GET", `${name}/?limit=x`), "limit"),
    ),
  ]),
);

const keys: readonly Check[] = [
  check("verbs 2 keys", "an operator's key is never valid at /v1/", async (kit) => {
    await operate(kit, "GET", "plans/");
    return refusal(
      await kit.ask({ path: "/v1/me/", key: kit.operatorKey }),
      401,
      "authentication_failed",
    );
  }),
  check("verbs 2 keys", "a customer's key is never valid at /operator/v1/", async (kit) =>
    refusal(await kit.ask(`${OPERATOR}plans/`), 401, "authentication_failed"),
  ),
  check("verbs 2 keys", "errors name their fields", async (kit) => {
    const answer = await operate(kit, "POST", "organizations/", {});
    return fieldError(answer, "name", "This field is required.") ?? fieldError(answer, "plan");
  }),
  check(
    "verbs 2 keys",
    "an Idempotency-Key makes one object of two requests, and refuses another body",
    async (kit) => {
      const { organization } = await customerOn(kit, "start");
      const headers = { "idempotency-key": `conformance-${kit.now()}` };
      const add = (email: string) =>
        kit.askAgain({
          ...{ method: "POST", path: `${OPERATOR}members/`, key: kit.operatorKey, headers },
          body: { organization, email, role: "member" },
        });
      const [first, again, other] = [
        await add("a@example.com"),
        await add("a@example.com"),
        await add("b@example.com"),
      ];
      return (
        statusOf(first, 201) ??
        differs("the second answer", again.body, first.body) ??
        statusOf(other, 409)
      );
    },
  ),
  check("verbs 2 system", "readiness says what is checked", async (kit) => {
    const answer = await operate(kit, "GET", "readiness/");
    return statusOf(answer, 200) ?? unless(Object.hasOwn(answer.body, "checks"), answer.text);
  }),
  check("verbs 2 events", "an event's address is refused as a webhook's is", async (kit) =>
    fieldError(
      await operate(kit, "POST", "operator-webhooks/", { url: "https://10.0.0.1/" }),
      "url",
    ),
  ),
];

const plans = PLANS.flatMap((plan) => [
  check("spec 1.5", `an organization on ${plan} has that plan`, async (kit) =>
    hasPlan(kit, await keyOn(kit, plan), plan),
  ),
  check("decisions 4 plans", `the limits of ${plan} are the plan's row`, async (kit) => {
    const answer = await operate(kit, "GET", "plans/");
    const row = objectsIn(answer.body["results"]).find((one) => one["plan"] === plan) ?? {};
    const { limits } = (await kit.ask({ path: "/v1/me/", key: await keyOn(kit, plan) })).body;
    const names = [
      "requests_per_second",
      "requests_per_period",
      "posts",
      "history_days",
      "webhooks",
      "webhook_channels",
    ];
    return each(names, (name) => differs(name, (limits as Json)[name], row[name]));
  }),
]);

const HANDLE = "kanalog_conformance";
/** A channel that the kit made, as the operator sees it. */
export async function ownChannel(kit: Kit): Promise<number> {
  const rows = [{ handle: HANDLE, title: "Conformance", subscribers: 5 }];
  await operate(kit, "POST", "channels/restore/", { channel: `@${HANDLE}` });
  await operate(kit, "POST", "channels/", { rows });
  const found = await kit.askAgain(`/v1/msgr/channels/${HANDLE}/`);
  const wrong = statusOf(found, 200);
  if (wrong !== null) throw new Error(wrong);
  const id = Number(found.body["id"]);
  if (!kit.afterwards.some(({ path }) => path.endsWith(`channels/${id}/`))) {
    const path = `${OPERATOR}channels/${id}/`;
    kit.afterwards.push({ method: "DELETE", path, key: kit.operatorKey });
  }
  return id;
}
const resultsOf = (body: Json): unknown[] => objectsIn(body["rows"]).map(({ result }) => result);

const data: readonly Check[] = [
  check("spec 1.1", "a channel that is pushed is found by its handle at once", async (kit) =>
    unless((await ownChannel(kit)) > 0, "it has no number"),
  ),
  check(
    "verbs 2 data",
    "each row of a push is answered, and a bad one names its field",
    async (kit) => {
      await ownChannel(kit);
      const rows = [
        { handle: HANDLE, subscribers: "many" },
        { handle: HANDLE, title: "Conformance" },
      ];
      const answer = await operate(kit, "POST", "channels/", { rows });
      const [bad] = objectsIn(answer.body["rows"]);
      return (
        statusOf(answer, 200) ??
        differs("result", bad?.["result"], "rejected") ??
        differs("field", objectsIn(bad?.["faults"])[0]?.["field"], "subscribers")
      );
    },
  ),
  check("verbs 2 data", "a pushed day and a pushed post are answered", async (kit) => {
    const id = await ownChannel(kit);
    const day = new Date(kit.now() - 43_200_000).toISOString().slice(0, 10);
    const post = {
      channel: id,
      msgr_post_id: "1",
      text: "Conformance",
      published_at: `${day}T00:00:00Z`,
    };
    const days = await operate(kit, "POST", "stats/", {
      rows: [{ channel: id, day, subscribers: 7 }],
    });
    const posts = await operate(kit, "POST", "posts/", { rows: [post] });
    const rows = (await kit.askAgain(`/v1/msgr/stats/daily/?channels=${id}`)).body["results"];
    return (
      each([...resultsOf(days.body), ...resultsOf(posts.body)], (result) =>
        unless(result === "accepted" || result === "unchanged", String(result)),
      ) ?? differs("subscribers", objectsIn(rows).at(-1)?.["subscribers"], 7)
    );
  }),
  check(
    "living-data amendments",
    "a hidden channel is a 404, and is back when it is shown again",
    async (kit) => {
      const id = await ownChannel(kit);
      const card = () => kit.askAgain(`/v1/msgr/channels/${id}/`);
      await operate(kit, "POST", `channels/${id}/hide/`);
      const hidden = await card();
      await operate(kit, "POST", `channels/${id}/unhide/`);
      return refusal(hidden, 404, "not_found") ?? statusOf(await card(), 200);
    },
  ),
  check(
    "living-data 1",
    "a channel that changed its handle is found by the former one",
    async (kit) => {
      const id = await ownChannel(kit);
      await operate(kit, "POST", "channels/", { rows: [{ id, handle: `${HANDLE}_2` }] });
      const former = await kit.askAgain(`/v1/msgr/channels/${HANDLE}/`);
      await operate(kit, "POST", "channels/", { rows: [{ id, handle: HANDLE }] });
      return (
        statusOf(former, 200) ??
        differs("id", former.body["id"], id) ??
        differs("handle", former.body["handle"], `${HANDLE}_2`)
      );
    },
  ),
  ...[
    "handle;title;subscribers\nk_a;A;1 292\n",
    "handle,title,subscribers\nk_a,A,1.2K\n",
    '[{"handle":"@k_a","title":"A","subscribers":"1476.0"}]',
  ].map((file) =>
    check("living-data 6", `an import reads ${JSON.stringify(file)}`, async (kit) => {
      await operate(kit, "GET", "imports/");
      if (!kit.mayWrite) return null;
      const answer = await kit.askAgain({
        ...{ method: "POST", path: `${OPERATOR}imports/?kind=channels&dry_run=true&wait=30` },
        ...{ key: kit.operatorKey, body: file, headers: { "content-type": "text/csv" } },
      });
      return differs("what it read", [answer.body["read"], answer.body["rejected"]], [1, 0]);
    }),
  ),
];

export const operatorChecks: readonly Check[] = [...lists, ...keys, ...plans, ...data];
