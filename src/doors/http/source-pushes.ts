import { parseExact } from "../../catalog/imports/reading/json-rows.ts";
import { AppError, notFound } from "../../errors.ts";
import { noted } from "../../upkeep/metrics/note-request.ts";
import { parseNumber } from "../../values/fields.ts";
import { message } from "../../values/messages/messages.ts";
import { takesJson } from "../../values/takes.ts";
import type { Incoming, Route } from "../front/front.ts";
import { commonHeaders, errorAnswer, json } from "./answers.ts";
import type { KeyedContext } from "./keyed-request.ts";

export interface PushContext extends Pick<KeyedContext, "ports" | "config" | "noteRequests"> {
  /**
   * Accepts what a messenger pushes to a source, given its secret.
   * @returns null if there is no such source, it takes no pushes, or the secret is wrong
   */
  openPush(id: number, secret: string): Promise<((update: unknown) => Promise<void>) | null>;
}

const PATH = "/sources/:id/";
/** Room for a MAX message of 4,000 characters with its attachments. */
const BODY_BYTES_MAX = 1024 * 1024;
/** Header in which MAX sends the secret with each push. */
const SECRET_HEADER = "x-max-bot-api-secret";

/**
 * `/sources/3/`: pushes from a messenger (sources, section 4). The secret is checked before the body is
 * read, and without it no answer reveals whether the source exists.
 */
export function pushRoutes(context: PushContext): Route[] {
  const { ports, noteRequests } = context;
  const answer = noted(
    noteRequests("public", PATH),
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
  const takes = takesJson(BODY_BYTES_MAX);
  return [{ verb: "POST", path: PATH, takes, refusesBody: true, answer }];
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
