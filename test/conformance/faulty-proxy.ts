/** One planted fault: what it changes on the way from the appliance, or to it. */
export interface Planted {
  name: string;
  /** A word of the title of a check that must find it. */
  found: RegExp;
  request?(request: Sent): void;
  answer?(answer: Got, request: Sent): void;
}

interface Sent {
  method: string;
  url: URL;
  headers: Headers;
  body: string | null;
}

// biome-ignore lint/suspicious/noExplicitAny: a fault looks into answers of every shape
type Body = any;

interface Got {
  status: number;
  headers: Headers;
  /** The JSON of the answer; undefined if it is none. */
  body: Body;
}

export interface FaultyProxy {
  address: string;
  planted: Planted | null;
  stop(): Promise<void>;
}

/** Stands in front of an appliance and passes everything on, changed by one fault. */
export function startFaultyProxy(appliance: string): FaultyProxy {
  const proxy: FaultyProxy = { address: "", planted: null, stop: () => server.stop(true) };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    maxRequestBodySize: 64 * 1024 * 1024,
    async fetch(incoming) {
      const { planted } = proxy;
      // The address as it was sent: some checks send what is no valid address.
      const path = incoming.url.slice(incoming.url.indexOf("/", "http://".length));
      const sent: Sent = {
        method: incoming.method,
        url: new URL(appliance + path),
        headers: new Headers(incoming.headers),
        body: incoming.body === null ? null : await incoming.text(),
      };
      sent.headers.delete("host");
      sent.headers.set("accept-encoding", "identity");
      planted?.request?.(sent);
      const response = await fetch(sent.url, {
        ...{ method: sent.method, headers: sent.headers, redirect: "manual" },
        ...(sent.body !== null && { body: sent.body }),
      });
      const text = (await response.text()).replaceAll(appliance, proxy.address);
      const got: Got = {
        ...{ status: response.status, headers: new Headers(response.headers) },
        body: parsed(text),
      };
      got.headers.delete("content-length");
      planted?.answer?.(got, sent);
      const isEmpty = sent.method === "HEAD" || [202, 204, 301].includes(got.status);
      const body = got.body === undefined ? text : JSON.stringify(got.body);
      return new Response(isEmpty ? null : body, got);
    },
  });
  proxy.address = `http://127.0.0.1:${server.port}`;
  return proxy;
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
