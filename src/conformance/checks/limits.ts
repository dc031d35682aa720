import type { Check, Json, Kit } from "../check.ts";
import { check, differs, isObject, Missing, objectsIn, refusal, unless } from "../check.ts";
import type { Asked } from "../client.ts";
import { anyPath, nameOf, TOOLS } from "../endpoints.ts";
import { account, fill, pathTo, planOf } from "../sight.ts";
import { keyOn } from "./customers.ts";

const CARD = "/v1/msgr/channels/{channel}/";

async function usage(kit: Kit): Promise<{ used: number; remaining: number; quota: number }> {
  const { body } = await kit.askAgain("/v1/me/");
  const [spent, limits] = [body["usage"], body["limits"]];
  return {
    used: Number(isObject(spent) ? spent["used"] : Number.NaN),
    remaining: Number(body["remaining_period"]),
    quota: Number(isObject(limits) ? limits["requests_per_period"] : Number.NaN),
  };
}

/** How much the usage grows by requests, and what their answers say that they cost. */
async function grows(kit: Kit, requests: readonly (Asked | string)[]) {
  const before = await usage(kit);
  const answers = await Promise.all(requests.map((asked) => kit.askAgain(asked)));
  const after = await usage(kit);
  const said = answers.reduce(
    (sum, { headers }) => sum + Number(headers.get("x-request-cost") ?? 0),
    0,
  );
  return { by: after.used - before.used, said, answers };
}

const costsExactly = async (kit: Kit, requests: readonly (Asked | string)[], units: number) => {
  const { by, said } = await grows(kit, requests);
  const hint = "is the organization used by others meanwhile? ";
  return (
    differs("what the answers say", said, units) ??
    unless(by === units, `${hint}the usage grows by ${by}, not by ${units}`)
  );
};

const billing = TOOLS.flatMap((endpoint): Check[] => {
  const { units } = endpoint;
  const name = nameOf(endpoint);
  const fails = Object.hasOwn(endpoint.parameters, "fields");
  const checks: Check[] = [
    check("spec 4 endpoints", `${name} costs ${units} where it succeeds`, async (kit) =>
      costsExactly(kit, [await pathTo(kit, endpoint)], units),
    ),
    check("decisions 1 costs", `${name} without a key costs nothing`, async (kit) => {
      const path = await pathTo(kit, endpoint);
      return costsExactly(kit, [{ path, key: null }], 0);
    }),
    check("decisions 1 costs", `${name} with a wrong verb costs nothing`, async (kit) => {
      const path = await pathTo(kit, endpoint);
      return costsExactly(kit, [{ path, method: "PUT" }], 0);
    }),
  ];
  if (fails) {
    checks.push(
      check("decisions 1 costs", `${name} costs ${units} where it is a 400`, async (kit) => {
        const path = await pathTo(kit, endpoint, "fields=no_such_field");
        return costsExactly(kit, [path], units);
      }),
    );
  }
  return checks;
});

const usageLaws: readonly Check[] = [
  check("decisions 1 costs", "a 404 of a billed method costs its units", async (kit) =>
    costsExactly(kit, ["/v1/msgr/channels/999999999999/"], 1),
  ),
  check("decisions 1 costs", "an unknown route costs nothing", async (kit) =>
    costsExactly(kit, ["/v1/nothing/"], 0),
  ),
  check("decisions 4 usage", "ten cards at once cost ten units", async (kit) => {
    const path = await fill(kit, CARD);
    return costsExactly(
      kit,
      Array.from({ length: 10 }, () => path),
      10,
    );
  }),
  check("spec 2 account", "remaining_period is the quota less what was used", async (kit) => {
    const { used, remaining, quota } = await usage(kit);
    return differs("remaining_period", remaining, Math.max(0, quota - used));
  }),
  check("decisions 1 limit headers", "RateLimit says what is left of the quota", async (kit) => {
    const { headers } = await kit.askAgain(await fill(kit, CARD));
    const left = /"quota";r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1];
    return differs("what is left", Number(left), (await usage(kit)).remaining);
  }),
  check("decisions 1 limit headers", "RateLimit says when the period ends", async (kit) => {
    const { headers } = await kit.askAgain("/v1/me/");
    const seconds = Number(/"quota";r=\d+;t=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
    const { usage: spent } = await account(kit);
    const ends = Date.parse(String((spent as Json)["period_ends_at"]));
    const off = Math.abs(ends - kit.now() - seconds * 1000);
    return unless(off < 300_000, `it is ${off / 1000} seconds off the period's end`);
  }),
  check("decisions 4 plans", "a period has 30 days", async (kit) => {
    const spent = (await account(kit))["usage"] as Json;
    const days =
      (Date.parse(String(spent["period_ends_at"])) -
        Date.parse(String(spent["period_started_at"]))) /
      86_400_000;
    return differs("its length", days, 30);
  }),
  check("decisions 4 usage", "the usage by day adds up to what the period used", async (kit) => {
    const began = String(((await account(kit))["usage"] as Json)["period_started_at"]).slice(0, 10);
    const { used } = await usage(kit);
    let sum = 0;
    // Nodes of a cluster learn of the days' sums a little later. The first day may have more, of before.
    for (let turn = 0; turn < 40; turn++) {
      const { body } = await kit.askAgain(`/v1/me/usage/?from=${began}&limit=1000`);
      if (body["next"] !== null) throw new Missing("more than a page of usage");
      sum = objectsIn(body["results"]).reduce((all, { units }) => all + Number(units), 0);
      if (sum >= used) return null;
      await kit.sleep(500);
    }
    return `it adds up to ${sum}, not to ${used}`;
  }),
];

const plans: readonly Check[] = [
  check("spec 1.5", "the plan is one of four, or has a code of the operator's", async (kit) =>
    unless(/^[a-z][a-z0-9-]*$/.test(String((await account(kit))["api_tariff"])), "it is not"),
  ),
  check("decisions 4 plans", "posts are included from Start", async (kit) =>
    differs(
      "posts",
      ((await account(kit))["limits"] as Json)["posts"],
      (await planOf(kit)) !== "test",
    ),
  ),
  check("decisions 4 plans", "history is 30 days on Test, and whole from Start", async (kit) =>
    differs(
      "history_days",
      ((await account(kit))["limits"] as Json)["history_days"],
      (await planOf(kit)) === "test" ? 30 : null,
    ),
  ),
];

const RATE_MAX = 200;
const rate: readonly Check[] = [
  check(
    "spec 5.6",
    "more requests than the rate are rate_limited, free, with Retry-After",
    async (kit) => {
      const limits = (await account(kit))["limits"] as Json;
      const perSecond = Number(limits["requests_per_second"]);
      if (perSecond > RATE_MAX) throw new Missing(`the plan allows ${perSecond} requests a second`);
      const before = await usage(kit);
      const burst = Array.from({ length: perSecond * 3 + 5 }, () =>
        kit.askAgain({ path: "/v1/msgr/channels/?limit=1", isOnce: true }),
      );
      const answers = await Promise.all(burst);
      const refused = answers.filter(({ status }) => status === 429);
      const [first] = refused;
      if (first === undefined) return `none of ${answers.length} at once is refused`;
      const billed = answers.filter(({ status }) => status === 200).length;
      return (
        refusal(first, 429, "rate_limited") ??
        unless(
          /^[1-9]\d*$/.test(first.headers.get("retry-after") ?? ""),
          `Retry-After is ${first.headers.get("retry-after")}`,
        ) ??
        differs("what the usage grows by", (await usage(kit)).used - before.used, billed)
      );
    },
  ),
];

/** What Test does not include, whatever else is wrong with the request. */
const excluded = TOOLS.filter(({ from }) => from !== "test").map((endpoint) =>
  check("spec 7 errors", `${nameOf(endpoint)} on Test is tariff_required`, async (kit) => {
    const asked = { path: `${anyPath(endpoint)}?limit=x`, key: await keyOn(kit, "test") };
    const answer = await kit.ask(asked);
    const cost = answer.headers.get("x-request-cost") ?? "0";
    return refusal(answer, 403, "tariff_required") ?? differs("X-Request-Cost", cost, "0");
  }),
);

const quota: Check = check(
  "spec 7 errors",
  "when the period's requests have run out, a billed one is quota_exceeded",
  async (kit) => {
    const { remaining } = await usage(kit);
    if (remaining > 0) throw new Missing(`${remaining} requests are left`);
    const answer = await kit.askAgain({ path: "/v1/msgr/channels/", isOnce: true });
    return refusal(answer, 429, "quota_exceeded");
  },
);

export const limitChecks: readonly Check[] = [
  ...billing,
  ...usageLaws,
  ...plans,
  ...rate,
  ...excluded,
  quota,
];
