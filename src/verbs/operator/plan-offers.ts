import type { Plan } from "../../customers/accounts/accounts.table.ts";
import { PLAN_CODES, type PlanCode } from "../../customers/accounts/plan.ts";
import {
  BUYINGS,
  type OfferChange,
  type OfferTexts,
  ORDER_MAX,
  offerOf,
  type PlanOffer,
  PRICE_MAX,
  PRICE_PERIODS,
} from "../../customers/accounts/plan-offer.ts";
import { readInteger, readText } from "../../values/fields.ts";
import { LANGUAGES } from "../../values/messages/language.ts";
import { field, rows } from "../../values/rows.ts";
import {
  choiceSchema,
  countSchema,
  flagSchema,
  integerSchema,
  nullable,
  textSchema,
} from "../../values/schema.ts";
import { choice, flag, integer, type Parameter, parameter } from "../parameters.ts";
import { plans } from "./plans.ts";
import { list, namedInPart, requireSome, resource, verb } from "./resource.ts";

/** An empty text means none. */
function textOrNone(description: string): Parameter<string | null> {
  return parameter(textSchema({ description: `${description} Empty: none.` }), (given) => {
    const read = readText(given);
    return "fault" in read ? read : { value: read.value.trim() === "" ? null : read.value.trim() };
  });
}

const readPrice = readInteger({ minimum: 0, maximum: PRICE_MAX });
const price = parameter<number | null>(
  integerSchema({ description: "Price in whole minor units, such as kopecks. Empty: none." }),
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
  offered: flag({ description: "Whether customers see it." }),
  order: integer({ description: "Its place, lowest first.", minimum: 0, maximum: ORDER_MAX }),
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

const offerRows = rows("PlanOffer", {
  plan: choiceSchema(PLAN_CODES, { description: "The plan" }),
  offered: field(
    flagSchema({ description: "Whether customers see it" }),
    ({ isOffered }: PlanOffer) => isOffered,
  ),
  order: countSchema("Its place, lowest first"),
  price: nullable(countSchema("Price in minor units")),
  currency: nullable(textSchema({ description: "ISO 4217" })),
  per: choiceSchema(PRICE_PERIODS, { description: "What the price is for" }),
  buy: choiceSchema(BUYINGS, { description: "How it is bought" }),
  link: nullable(textSchema({ description: "The payment page" })),
  stripe_price: field(
    nullable(textSchema({ description: "The price's id at Stripe" })),
    ({ stripePrice }: PlanOffer) => stripePrice,
  ),
  ...Object.fromEntries(
    texts.map(({ name, part, language, description }) => [
      name,
      field(
        nullable(textSchema({ description })),
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
