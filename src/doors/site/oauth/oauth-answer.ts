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
