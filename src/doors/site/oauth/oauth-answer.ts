import { AppError } from "../../../errors.ts";
import { readBoundedBody } from "../../../values/bounded-body.ts";
import { message } from "../../../values/messages/messages.ts";

/**
 * A request's body, or null if it is too large.
 * @throws AppError `parse_error` if the client disconnected in the middle of it
 */
export async function readOAuthBody(
  request: Request,
  bytesMax: number,
): Promise<Uint8Array | null> {
  return readBoundedBody(request, bytesMax).catch(() => {
    throw new AppError("parse_error", message("bodyCut"));
  });
}

/** An answer without its headers. */
export interface OAuthAnswer {
  status: number;
  body: object;
  retryAfterS?: number;
}

/** An OAuth error, with a sentence for the client's author. */
export function fault(status: number, error: string, description: string): OAuthAnswer {
  return { status, body: { error, error_description: description } };
}
