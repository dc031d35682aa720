/** A request as victims and loads send it. */
export interface SentRequest {
  verb: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** @throws the client's own error, or the signal's `TimeoutError` or `AbortError` */
export async function send(
  address: string,
  { verb, path, headers, body }: SentRequest,
  signal: AbortSignal,
): Promise<{ status: number; text: string }> {
  const response = await fetch(address + path, {
    ...{ method: verb, headers, signal, redirect: "manual" },
    ...(body !== undefined && { body }),
  });
  return { status: response.status, text: await response.text() };
}

export function withKey(key: string, more: Record<string, string> = {}): Record<string, string> {
  return { authorization: `Bearer ${key}`, ...more };
}

export function get(path: string, key: string): SentRequest {
  return { verb: "GET", path, headers: withKey(key) };
}

const JSON_TYPE = { "content-type": "application/json" };

export function sendJson(verb: string, path: string, key: string, body: string): SentRequest {
  return { verb, path, headers: withKey(key, JSON_TYPE), body };
}

const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };

export function sendForm(
  path: string,
  body: string,
  headers: Record<string, string> = {},
): SentRequest {
  return { verb: "POST", path, headers: { ...FORM_TYPE, ...headers }, body };
}
