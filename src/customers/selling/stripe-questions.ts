import type StripeApi from "stripe";
import { AppError } from "../../errors.ts";
import { madeOnce } from "../../values/kept-briefly.ts";
import { message } from "../../values/messages/messages.ts";

/** The longest that Stripe may take to answer a request, of which the library repeats one that failed. */
const ANSWER_MAX_MS = 10_000;

export type StripeQuestions = ReturnType<typeof stripeQuestions>;

/** Questions to Stripe's API, whose library is loaded by the first one, because it is large. */
export function stripeQuestions(key: string, address: string) {
  const { hostname, port, protocol } = new URL(address);
  const loaded = madeOnce(async () => {
    const { default: Api } = await import("stripe");
    return new Api(key, {
      host: hostname,
      port: port === "" ? 443 : port,
      protocol: protocol === "http:" ? "http" : "https",
      httpClient: Api.createFetchHttpClient(),
      timeout: ANSWER_MAX_MS,
      maxNetworkRetries: 1,
      telemetry: false,
    });
  });

  /** @throws AppError `unavailable` if Stripe does not answer, or refuses; the log has the reason */
  async function ask<T>(question: (api: StripeApi) => Promise<T>): Promise<T> {
    try {
      return await question(await loaded());
    } catch (error) {
      if (isMissing(error)) throw error;
      throw new AppError("unavailable", message("stripeSilent"), { cause: error, retryAfterS: 60 });
    }
  }

  return {
    isLive: key.includes("_live_"),
    loaded,
    ask,
    /** @returns null for what Stripe does not have */
    async askFor<T>(question: (api: StripeApi) => Promise<T>): Promise<T | null> {
      try {
        return await ask(question);
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
  };
}

/** Id of an object that may be expanded; null if there is none. */
export function idOf(of: unknown): string | null {
  const id = typeof of === "object" && of !== null ? (of as { id?: unknown }).id : of;
  return typeof id === "string" ? id : null;
}

function isMissing(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "resource_missing";
}
