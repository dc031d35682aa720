import type { Stripe } from "../../customers/selling/stripe.ts";
import { noted } from "../../upkeep/metrics/note-request.ts";
import { takesJson } from "../../values/takes.ts";
import type { Incoming, Route } from "../front/front.ts";
import { commonHeaders, errorAnswer, json } from "./answers.ts";
import type { KeyedContext } from "./keyed-request.ts";

export interface StripeContext extends Pick<KeyedContext, "ports" | "config" | "noteRequests"> {
  /** Null unless plans are sold through Stripe. */
  stripe: Pick<Stripe, "receive"> | null;
}

const PATH = "/billing/stripe/";
const BODY_BYTES_MAX = 256 * 1024;

/** `/billing/stripe/`: Stripe's events. An event that cannot be carried out now is refused, and comes again. */
export function stripeRoutes({ stripe, ...context }: StripeContext): Route[] {
  if (stripe === null) return [];
  const { ports, noteRequests } = context;
  const answer = noted(
    noteRequests("public", PATH),
    ports.clock.monotonic,
    async ({ request, body }: Incoming) => {
      const headers = commonHeaders(request, context);
      try {
        await stripe.receive(await body.bytes(), request.headers.get("stripe-signature") ?? "");
        return json(200, '{"received":true}', headers);
      } catch (error) {
        return errorAnswer(error, headers, ports);
      }
    },
  );
  return [{ verb: "POST", path: PATH, takes: takesJson(BODY_BYTES_MAX), answer }];
}
