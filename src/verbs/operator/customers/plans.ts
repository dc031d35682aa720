import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import {
  BUYINGS,
  type OfferChange,
  type OfferTexts,
  ORDER_MAX,
  offerOf,
  PLAN_LIMITS,
  type PlanChange,
  type PlanCode,
  type PlanOffer,
  PRICE_MAX,
  PRICE_PERIODS,
  requiredPlanCode,
} from "../../../customers/accounts/plan.ts";
import { notFound } from "../../../errors.ts";
import { readInteger, readText } from "../../../values/fields.ts";
import { LANGUAGES, message } from "../../../values/messages/messages.ts";
import * as shape from "../../../values/schema.ts";
import {
  checkedText,
  choice,
  flag,
  inPath,
  integer,
  type Parameter,
  parameter,
  required,
} from "../../parameters.ts";
import { list, namedInPart, numberBefore, requireSome, resource, verb } from "../resource.ts";
import { organizations, planCode, planNamed } from "./organizations.ts";

/** A limit, whose fault names its whole range. */
function limit(name: keyof typeof PLAN_LIMITS, description: string) {
  const range = PLAN_LIMITS[name];
  const given = integer(description, { ...range });
  const fault = message("outOfRange", range);
  const read: typeof given.read = (text) =>
    "fault" in given.read(text) ? { fault } : given.read(text);
  return { ...given, read, of: name };
}

const limits = {
  rate: limit("requestsPerSecond", "Requests per second."),
  quota: limit("requestsPerPeriod", "Request units per 30 days."),
  webhooks: limit("webhooks", "Webhooks."),
  webhook_channels: limit("webhookChannels", "Channels that a webhook may watch."),
  alerts: limit("alerts", "Keyword alerts."),
  database_ms: limit("databaseMsPerSecond", "Milliseconds of database time per second."),
  lock_ms: limit("lockMsPerSecond", "Milliseconds of write-lock time per second."),
};

/** A plan's limits by the names of the arguments. */
export function limitsOf(plan: Plan): Record<string, number> {
  return Object.fromEntries(Object.entries(limits).map(([name, { of }]) => [name, plan[of]]));
}

function limitsIn(args: Partial<Record<keyof typeof limits, number | undefined>>): PlanChange {
  const given = Object.entries(limits).map(([name, { of }]) => [
    of,
    args[name as keyof typeof limits],
  ]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

const planRows = shape.rows("Plan", {
  plan: shape.property("code", shape.text("The plan's code")),
  requests_per_second: shape.integer(),
  requests_per_period: shape.integer("Units in 30 days"),
  posts: shape.flag("Whether posts are included"),
  history_days: shape.nullable(shape.count("Days of statistics; null: all")),
  webhooks: shape.count("Webhooks"),
  webhook_channels: shape.count("Channels that a webhook may watch"),
  alerts: shape.count("Keyword alerts"),
  database_ms_per_second: shape.count("Milliseconds of database time per second"),
  lock_ms_per_second: shape.count("Milliseconds of write-lock time per second"),
  export: shape.property("exports", shape.flag("Whether bulk export is included")),
});

export const plans = resource({
  name: "plan",
  area: "customers",
  title: "plans and their limits",
  schema: planRows.schema,
  id: inPath(planCode("Its code")),
  hint: "its code",
  async find(text, { accounts }) {
    const all = await accounts.plans();
    if (all.some(({ code }) => code === text)) return text;
    throw notFound("plan", text);
  },
  verbs: [
    list({
      rows: ["plan"],
      title: "list all plans, lowest first",
      run: async (_args, { services, part }) =>
        namedInPart((await services.accounts.plans()).map(planRows.row), "plan", part),
    }),
    verb({
      name: "create",
      on: "none",
      title: "add a plan that includes what another one does; customers see it once it is offered",
      args: {
        code: required(
          checkedText("Its code, which stays.", { example: "enterprise" }, requiredPlanCode),
        ),
        like: required(planNamed("The plan whose contents and limits it gets")),
        ...limits,
      },
      positional: ["code"],
      async run({ code, like, ...args }, { services, by }) {
        const given = { code, like, limits: limitsIn(args) };
        return planRows.row(await services.accounts.addPlan(given, by));
      },
    }),
    verb<typeof limits, PlanCode>({
      name: "set",
      title: "change a plan's limits, beginning with its organizations' next request",
      args: limits,
      async run(args, use) {
        const given = limitsIn(args);
        requireSome(given, limits);
        return planRows.row(await use.services.accounts.changePlan(use.id, given, use.by));
      },
    }),
    verb<Record<never, never>, PlanCode>({
      name: "delete",
      title: "remove a plan that was added and that no organization has, asks or pays for",
      run: async (_args, { services, id, by }) =>
        planRows.row(await services.accounts.removePlan(id, by)),
    }),
  ],
});

/** An empty text means none. */
function textOrNone(description: string): Parameter<string | null> {
  return parameter(shape.text(`${description} Empty: none.`), (given) => {
    const read = readText(given);
    return "fault" in read ? read : { value: read.value.trim() === "" ? null : read.value.trim() };
  });
}

const readPrice = readInteger({ minimum: 0, maximum: PRICE_MAX });
const price = parameter<number | null>(
  shape.integer("Price in whole minor units, such as kopecks. Empty: none."),
  (given) => (given === "" ? { value: null } : readPrice(given)),
);

const PARTS: Record<keyof OfferTexts, string> = {
  name: "Name",
  text: "What it is for, in a sentence",
  price: "Price in words, in place of an amount",
};
const texts = LANGUAGES.flatMap((language) =>
  Object.entries(PARTS).map(([part, description]) => ({
    ...{ name: `${part}_${language}`, part: part as keyof OfferTexts, language },
    description: `${description}, on pages in the language \`${language}\`.`,
  })),
);

const args = {
  offered: flag("Whether customers see it."),
  order: integer("Its place, lowest first.", { minimum: 0, maximum: ORDER_MAX }),
  price,
  currency: textOrNone("Currency of the price, such as `RUB` (ISO 4217)."),
  per: choice(PRICE_PERIODS, "What the price is for."),
  buy: choice(
    BUYINGS,
    "How it is bought: by a request to you, at a payment page, or through Stripe.",
  ),
  link: textOrNone(
    "The payment page; `{organization}` in it is replaced by the organization's number, which is otherwise added as `client_reference_id`.",
  ),
  stripe_price: textOrNone("The price's id at Stripe, such as `price_1P…`, for `stripe`."),
  ...Object.fromEntries(texts.map(({ name, description }) => [name, textOrNone(description)])),
};

const offerRows = shape.rows("PlanOffer", {
  plan: shape.text("The plan's code"),
  offered: shape.property("isOffered", shape.flag("Whether customers see it")),
  order: shape.count("Its place, lowest first"),
  price: shape.nullable(shape.count("Price in minor units")),
  currency: shape.nullable(shape.text("ISO 4217")),
  per: shape.choice(PRICE_PERIODS, "What the price is for"),
  buy: shape.choice(BUYINGS, "How it is bought"),
  link: shape.nullable(shape.text("The payment page")),
  stripe_price: shape.property(
    "stripePrice",
    shape.nullable(shape.text("The price's id at Stripe")),
  ),
  ...Object.fromEntries(
    texts.map(({ name, part, language, description }) => [
      name,
      shape.field(
        shape.nullable(shape.text(description)),
        (offer: PlanOffer) => offer.texts[language][part],
      ),
    ]),
  ),
});
export const offerRow = (plan: Plan) => offerRows.row({ ...offerOf(plan), plan: plan.code });

export const planOffers = resource({
  name: "plan offer",
  area: "customers",
  title: "how plans are offered: words, prices, and how they are bought",
  schema: offerRows.schema,
  id: plans.id,
  hint: plans.hint,
  find: plans.find,
  verbs: [
    list({
      rows: ["plan"],
      title: "list how all plans are offered",
      run: async (_args, { services, part }) =>
        namedInPart((await services.accounts.plans()).map(offerRow), "plan", part),
    }),
    verb<typeof args, PlanCode>({
      name: "set",
      title: "change how a plan is offered",
      args,
      async run({ offered, stripe_price: stripePrice, ...rest }, use) {
        const { order, price, currency, per, buy, link, ...others } = rest;
        const given = { isOffered: offered, order, price, currency, per, buy, link, stripePrice };
        const change: OfferChange = Object.fromEntries(
          Object.entries(given).filter(([, value]) => value !== undefined),
        );
        const words = others as Record<string, string | null | undefined>;
        for (const { name, part, language } of texts) {
          const text = words[name];
          if (text === undefined) continue;
          change.texts = {
            ...change.texts,
            [language]: { ...change.texts?.[language], [part]: text },
          };
        }
        requireSome(change, args);
        return offerRow(await use.services.accounts.changeOffer(use.id, change, use.by));
      },
    }),
  ],
});

const requestRows = shape.rows("PlanRequest", {
  organization: shape.property("organizationId", shape.integer("Number of the organization")),
  plan: shape.text("The plan asked for"),
  note: shape.text("What the customer wrote"),
  person: shape.text("E-mail address of who asks"),
  created_at: shape.instant("When it was made"),
});

/** Customers' open requests for another plan, each under its organization's number. */
export const planRequests = resource({
  name: "plan request",
  area: "customers",
  title: "customers' open requests for another plan",
  schema: requestRows.schema,
  id: organizations.id,
  hint: "its organization's number or name",
  find: organizations.find,
  verbs: [
    list({
      rows: ["organization"],
      title: "list open requests; `kanalog org plan` grants one",
      async run(_args, { services, part }) {
        const after = numberBefore(part) ?? 0;
        const found = await services.accounts.planRequests({ after, limit: part.limit });
        return found.map(requestRows.row);
      },
    }),
    verb({
      name: "close",
      title: "close an organization's request without giving it the plan",
      run: async (_args, { services, id, by }) =>
        requestRows.row(await services.accounts.closePlanRequest(id, by)),
    }),
  ],
});
