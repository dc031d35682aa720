import type { Check, Fault, Kit } from "../check.ts";
import {
  check,
  differs,
  each,
  fieldError,
  Missing,
  objectsIn,
  refusal,
  statusOf,
  unless,
} from "../check.ts";
import type { Answer, Asked } from "../client.ts";
import { SHAPES, shapeFault } from "../shapes.ts";
import { fill } from "../sight.ts";
import { customerOn, managersKey, operate } from "./customers.ts";

const HOOKS = "/v1/msgr/webhooks/";
const ELSEWHERE = "https://example.com/kanalog-conformance";

export interface Hook {
  key: string;
  id: number;
  path: string;
  created: Answer;
}

const channelNumber = async (kit: Kit): Promise<number> => Number(await fill(kit, "{channel}"));

/** Creates a webhook, which is deleted at the end. */
export async function newHook(kit: Kit, key: string, channel?: number): Promise<Hook> {
  const channels = [channel ?? (await channelNumber(kit))];
  const body = { url: kit.receiver?.url ?? ELSEWHERE, channels };
  const created = await kit.askAgain({ method: "POST", path: HOOKS, key, body });
  if (created.status === 400 && created.body["url"] !== undefined && kit.receiver === null) {
    throw new Missing("the appliance cannot reach example.com: give --receiver");
  }
  const wrong = statusOf(created, 201);
  if (wrong !== null) throw new Error(wrong);
  const id = Number(created.body["id"]);
  kit.afterwards.push({ method: "DELETE", path: `${HOOKS}${id}/`, key });
  return { key, id, path: `${HOOKS}${id}/`, created };
}

/** The webhook that the checks share. @throws Missing */
const hook = (kit: Kit): Promise<Hook> =>
  kit.once("webhook", async () => newHook(kit, await managersKey(kit)));

const pingOf = ({ key, path }: Hook): Asked => ({ method: "POST", path: `${path}test/`, key });

/** Pings a webhook; the limit of its host, which an earlier run may have used up, is waited for. */
export async function firstPing(kit: Kit, hook: Hook): Promise<Answer> {
  const answer = await kit.askAgain(pingOf(hook));
  if (answer.status !== 429) return answer;
  await kit.sleep(Number(answer.headers.get("retry-after") ?? 60) * 1000);
  return kit.askAgain(pingOf(hook));
}

const change = async (kit: Kit, body: object): Promise<Answer> => {
  const { key, path } = await hook(kit);
  return kit.askAgain({ method: "PATCH", path, key, body });
};
const state = ({ body }: Answer, isActive: boolean, reason: string): Fault =>
  differs("is_active", body["is_active"], isActive) ??
  differs("disabled_reason", body["disabled_reason"], reason);

/** What a create refuses: the field, and its value in place of a good one; undefined leaves it out. */
const BAD_URLS = [
  ...["http://example.com/", "https://127.0.0.1/", "https://localhost/", "https://10.0.0.1/x"],
  ...[
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://192.168.1.1:8443/",
    "ftp://example.com/",
  ],
  ...[
    "https://a.localhost/",
    "https://printer.local/",
    "https://db.internal/",
    "https://intranet/",
  ],
  ...["https://user:pass@example.com/", "https://example.com:22/", "https://169.254.169.254/", "x"],
  ...[
    "https://0x7f000001/",
    "https://2130706433/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2002:7f00:1::]/",
  ],
  `https://example.com/${"x".repeat(2_048)}`,
];
const BAD: readonly (readonly [
  field: string,
  value: unknown,
  message: string,
  clause: Check["clause"],
])[] = [
  ...BAD_URLS.map((url) => ["url", url, "", "decisions 6 url"] as const),
  ["url", undefined, "This field is required.", "spec 4 webhooks"],
  ["url", null, "This field may not be null.", "decisions 1 messages"],
  ["url", "", "This field may not be blank.", "decisions 1 messages"],
  ["channels", undefined, "This field is required.", "spec 4 webhooks"],
  ["channels", "1", 'Expected a list of items but got type "str".', "decisions 1 messages"],
  ["channels", [], "", "decisions 6 limits"],
  ["channels", [999_999_999_999], "", "decisions 6 limits"],
  ["channels", ["x"], "", "spec 4 webhooks"],
];
/** Addresses of the machine itself, to which an appliance that is tried beside the kit may deliver. */
const LOOPBACK = /127\.0|0x7f|2130706433|7f00|localhost/;
const refusedBodies = BAD.map(([field, value, message, clause]) => {
  const shown = String(JSON.stringify(value)).slice(0, 60);
  return check(clause, `a webhook with ${field} ${shown} is a 400 on it`, async (kit) => {
    const key = await managersKey(kit);
    const good = { url: kit.receiver?.url ?? ELSEWHERE, channels: [await channelNumber(kit)] };
    const body = { ...good, [field]: value };
    const answer = await kit.ask({ method: "POST", path: HOOKS, key, body });
    if (answer.status === 201) {
      await kit.askAgain({ method: "DELETE", path: `${HOOKS}${answer.body["id"]}/`, key });
      const isAllowed = LOOPBACK.test(shown) && kit.receiver?.url.includes("//127.") === true;
      if (isAllowed) throw new Missing("the appliance may deliver to its own machine");
    }
    return fieldError(answer, field, message);
  });
});

const JSON_TYPE = { "content-type": "application/json" };
const DEEP = `${"[".repeat(40)}${"]".repeat(40)}`;
const MANY = JSON.stringify(Object.fromEntries(Array.from({ length: 1_100 }, (_, at) => [at, 1])));
/** Bodies that are refused for what they are. */
const BODIES: readonly (readonly [
  string,
  Partial<Asked>,
  (answer: Answer) => Fault,
  Check["clause"],
])[] = [
  [
    "broken JSON",
    { body: "{", headers: JSON_TYPE },
    (answer) => refusal(answer, 400, "parse_error"),
    "decisions 1 error bodies",
  ],
  [
    "another content type",
    { body: "{}", headers: { "content-type": "text/plain" } },
    (answer) => refusal(answer, 415, "unsupported_media_type"),
    "decisions 1 error bodies",
  ],
  [
    "2 MB",
    { body: `"${"x".repeat(2_000_000)}"`, headers: JSON_TYPE },
    (answer) => refusal(answer, 413, "payload_too_large"),
    "decisions 1 error bodies",
  ],
  [
    "a depth of 40",
    { body: `{"url":${DEEP}}`, headers: JSON_TYPE },
    ({ status }) => unless(status === 400 || status === 413, `${status}`),
    "limits-of-one rules",
  ],
  [
    "1,100 members",
    { body: MANY, headers: JSON_TYPE },
    ({ status }) => unless(status === 400 || status === 413, `${status}`),
    "limits-of-one rules",
  ],
  [
    "4 KiB of faults",
    { body: { channels: Array.from({ length: 900 }, () => "x".repeat(90)) } },
    ({ status, text }) =>
      unless(status === 400 && text.length <= 4_400, `${status}, ${text.length} characters`),
    "limits-of-one rules",
  ],
];
const bodies = BODIES.map(([what, more, faultOf, clause]) =>
  check(clause, `a webhook's body of ${what} is refused`, async (kit) => {
    const key = await managersKey(kit);
    return faultOf(await kit.ask({ method: "POST", path: HOOKS, key, ...more }));
  }),
);

const life: readonly Check[] = [
  check(
    "decisions 6 answers",
    "a webhook is created active, with 201 and its secret",
    async (kit) => {
      const { created } = await hook(kit);
      return (
        state(created, true, "") ??
        unless(
          /^whsec_[\w-]{43}$/.test(String(created.body["secret"])),
          `secret ${created.body["secret"]}`,
        )
      );
    },
  ),
  ...SHAPES.filter(([resource]) => resource === "webhook").map(([, clause, fields]) =>
    check(clause, `a new webhook has ${fields}`, async (kit) => {
      const { created } = await hook(kit);
      return shapeFault(created.body, fields);
    }),
  ),
  check("spec 2 webhook", "the secret is in no other answer", async (kit) => {
    const { key, path } = await hook(kit);
    const secretIn = ({ text }: Answer) => unless(!text.includes("whsec_"), "it is");
    const list = await kit.askAgain({ path: HOOKS, key });
    const ids = objectsIn(list.body["results"]).map(({ id }) => id);
    return (
      unless(ids.includes((await hook(kit)).id), "the list lacks the webhook") ??
      secretIn(list) ??
      secretIn(await kit.askAgain({ path, key })) ??
      secretIn(await change(kit, { is_active: true }))
    );
  }),
  check("spec 3 states", "is_active false disables it, with the reason customer", async (kit) =>
    state(await change(kit, { is_active: false }), false, "customer"),
  ),
  check("spec 3 states", "is_active true enables it again", async (kit) => {
    await change(kit, { is_active: false });
    return state(await change(kit, { is_active: true }), true, "");
  }),
  check("decisions 6 patch", "true on an active one changes nothing", async (kit) => {
    const before = await change(kit, { is_active: true });
    return differs("the webhook", (await change(kit, { is_active: true })).body, before.body);
  }),
  check("spec 3 states", "one that staff disabled stays so: 409 conflict", async (kit) => {
    const { id } = await hook(kit);
    await change(kit, { is_active: true });
    await operate(kit, "POST", `webhooks/${id}/disable/`, {});
    const answer = await change(kit, { is_active: true });
    const after = await kit.askAgain({ path: `${HOOKS}${id}/`, key: (await hook(kit)).key });
    await operate(kit, "POST", `webhooks/${id}/enable/`);
    return refusal(answer, 409, "conflict") ?? state(after, false, "staff");
  }),
  check("decisions 6 patch", "a PATCH of nothing is a 400", async (kit) =>
    fieldError(await change(kit, {}), "non_field_errors"),
  ),
  check("decisions 6 patch", "a PATCH with a bad address changes nothing", async (kit) => {
    const wrong = fieldError(
      await change(kit, { url: "https://10.0.0.1/", is_active: false }),
      "url",
    );
    return wrong ?? state(await change(kit, { is_active: true }), true, "");
  }),
  check("decisions 6 answers", "rotating answers 200 with another secret", async (kit) => {
    const { key, path, created } = await hook(kit);
    const answer = await kit.askAgain({ method: "POST", path: `${path}rotate-secret/`, key });
    const secret = String(answer.body["secret"]);
    return (
      statusOf(answer, 200) ??
      unless(secret.startsWith("whsec_") && secret !== created.body["secret"], "it is no other")
    );
  }),
  check(
    "decisions 6 answers",
    "a test answers how it went, and a second within a minute is throttled",
    async (kit) => {
      const own = await hook(kit);
      const first = await firstPing(kit, own);
      const second = await kit.askAgain(pingOf(own));
      const names = ["delivered", "status", "error", "duration_ms", "delivery"];
      return (
        statusOf(first, 200) ??
        each(names, (name) => unless(Object.hasOwn(first.body, name), `no ${name}`)) ??
        refusal(second, 429, "throttled") ??
        unless(Number(second.headers.get("retry-after")) >= 1, "no Retry-After")
      );
    },
  ),
  check("decisions 6 who may", "another organization's webhook is a 404", async (kit) => {
    const { id } = await hook(kit);
    const { key } = await customerOn(kit, "profi", "stranger");
    return refusal(await kit.ask({ path: `${HOOKS}${id}/`, key }), 404, "not_found");
  }),
  check(
    "decisions 6 answers",
    "deleting answers 204 and nothing, and then it is a 404",
    async (kit) => {
      const key = await managersKey(kit);
      const { path } = await newHook(kit, key);
      const answer = await kit.askAgain({ method: "DELETE", path, key });
      return (
        statusOf(answer, 204) ??
        differs("body", answer.text, "") ??
        refusal(await kit.askAgain({ path, key }), 404, "not_found")
      );
    },
  ),
  check(
    "decisions 6 limits",
    "one webhook more than the plan allows is tariff_required",
    async (kit) => {
      const { key } = await customerOn(kit, "growth");
      const { created } = await newHook(kit, key);
      const body = { url: created.body["url"], channels: created.body["channels"] };
      const answer = await kit.askAgain({ method: "POST", path: HOOKS, key, body });
      return refusal(answer, 403, "tariff_required");
    },
  ),
  check("questions 4", "an alert is made, previewed for one unit, and deleted", async (kit) => {
    const { key, id } = await hook(kit);
    const ask = (method: string, rest: string, body?: object) =>
      kit.askAgain({ method, path: `/v1/msgr/alerts/${rest}`, key, ...(body && { body }) });
    const alert = await ask("POST", "", { name: "Conformance", q: "слово", webhook: id });
    const { id: number } = alert.body;
    const preview = await ask("POST", `${number}/preview/`);
    const gone = await ask("DELETE", `${number}/`);
    return (
      statusOf(alert, 201) ??
      statusOf(preview, 200) ??
      differs("X-Request-Cost", preview.headers.get("x-request-cost"), "1") ??
      unless(Number.isSafeInteger(preview.body["matches"]), "no matches") ??
      statusOf(gone, 204)
    );
  }),
];

export const webhookChecks: readonly Check[] = [...refusedBodies, ...bodies, ...life];
