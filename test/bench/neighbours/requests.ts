/** A request as victims and loads send it. */
export interface SentRequest {
  verb: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  body?: string | Repeated;
  /** Whether what a 201 created is deleted again, so that the next request can create it too. */
  isUndone?: boolean;
}

/** A body too long to be handed to another process as it is. */
export interface Repeated {
  start: string;
  part: string;
  end: string;
  /** Length of the whole, at most; all characters are ASCII. */
  bytes: number;
}

/** @throws the client's own error, or the signal's `TimeoutError` or `AbortError` */
export async function send(
  address: string,
  { verb, path, headers, body }: SentRequest,
  signal: AbortSignal,
): Promise<{ status: number; text: string }> {
  const response = await fetch(address + path, {
    ...{ method: verb, headers, signal, redirect: "manual" },
    ...(body !== undefined && { body: typeof body === "string" ? body : textOf(body) }),
  });
  return { status: response.status, text: await response.text() };
}

const texts = new Map<Repeated, string>();

function textOf(body: Repeated): string {
  const { start, part, end, bytes } = body;
  const times = Math.floor((bytes - start.length - end.length) / part.length);
  const text = texts.get(body) ?? start + part.repeat(times) + end;
  texts.set(body, text);
  return text;
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
  body: string | Repeated,
  headers: Record<string, string> = {},
): SentRequest {
  return { verb: "POST", path, headers: { ...FORM_TYPE, ...headers }, body };
}
