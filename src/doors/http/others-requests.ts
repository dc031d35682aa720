import { parseExact } from "../../catalog/imports/reading/json-rows.ts";
import type { Stripe } from "../../customers/selling/stripe.ts";
import { AppError, notFound } from "../../errors.ts";
import { noted } from "../../upkeep/metrics/note-request.ts";
import { parseNumber } from "../../values/fields.ts";
import { message } from "../../values/messages/messages.ts";
import { takesJson } from "../../values/takes.ts";
import type { Incoming, Route } from "../front/front.ts";
import { commonHeaders, errorAnswer, json } from "./answers.ts";
import type { KeyedContext } from "./rest.ts";

export interface PushContext extends Pick<KeyedContext, "ports" | "config" | "noteRequests"> {
  /**
   * Accepts what a messenger pushes to a source, given its secret.
   * @returns null if there is no such source, it takes no pushes, or the secret is wrong
   */
  openPush(id: number, secret: string): Promise<((update: unknown) => Promise<void>) | null>;
}

const PUSHES_PATH = "/sources/:id/";
/** Room for a MAX message of 4,000 characters with its attachments. */
const PUSH_BYTES_MAX = 1024 * 1024;
/** Header in which MAX sends the secret with each push. */
const SECRET_HEADER = "x-max-bot-api-secret";

/**
 * `/sources/3/`: pushes from a messenger (sources, section 4). The secret is checked before the body is
 * read, and without it no answer reveals whether the source exists.
 */
export function pushRoutes(context: PushContext): Route[] {
  const { ports, noteRequests } = context;
  const answer = noted(
    noteRequests("public", PUSHES_PATH),
    ports.clock.monotonic,
    async (incoming: Incoming) => {
      const { request } = incoming;
      const headers = commonHeaders(request, context);
      try {
        await takePush(incoming, context);
        return json(200, '{"success":true}', headers);
      } catch (error) {
        return errorAnswer(error, headers, ports);
      }
    },
  );
  // The secret is checked first.
  const takes = takesJson(PUSH_BYTES_MAX);
  return [{ verb: "POST", path: PUSHES_PATH, takes, refusesBody: true, answer }];
}

/** @throws AppError `not_found`, those of `Body.bytes`, `parse_error`, and those of the source */
async function takePush(
  { request, params, body }: Incoming,
  { openPush }: PushContext,
): Promise<void> {
  const source = parseNumber(params["id"] ?? "");
  const secret = request.headers.get(SECRET_HEADER) ?? "";
  const take = source === null ? null : await openPush(source, secret);
  if (take === null) throw notFound("address");
  await take(parsed(await body.bytes()));
}

/** @throws AppError `parse_error` */
function parsed(bytes: Uint8Array): unknown {
  try {
    return parseExact(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new AppError("parse_error", message("bodyNotJson"));
  }
}

export interface StripeContext extends Pick<KeyedContext, "ports" | "config" | "noteRequests"> {
  /** Null unless plans are sold through Stripe. */
  stripe: Pick<Stripe, "receive"> | null;
}

const STRIPE_PATH = "/billing/stripe/";
const EVENT_BYTES_MAX = 256 * 1024;

/** `/billing/stripe/`: Stripe's events. An event that cannot be carried out now is refused, and comes again. */
export function stripeRoutes({ stripe, ...context }: StripeContext): Route[] {
  if (stripe === null) return [];
  const { ports, noteRequests } = context;
  const answer = noted(
    noteRequests("public", STRIPE_PATH),
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
  return [{ verb: "POST", path: STRIPE_PATH, takes: takesJson(EVENT_BYTES_MAX), answer }];
}
