/**
 * Sends a request over a new connection. Over a reused one, `fetch` repeats a request that was not
 * answered, which may then be counted twice.
 */
export function fetchOnce(url: string, key?: string): Promise<Response> {
  const headers: Record<string, string> =
    key === undefined ? {} : { authorization: `Bearer ${key}` };
  return fetch(url, { headers, keepalive: false });
}
