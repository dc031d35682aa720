import type { Planted } from "./faulty-proxy.ts";

const CATALOG = "/v1/msgr/channels/";
const POSTS = /^\/v1\/msgr\/channels\/\d+\/posts\/$/;

/** Twenty faults and some more, each of which the kit must find behind an otherwise sound appliance. */
export const PLANTED: readonly Planted[] = [
  {
    name: "a card without its title",
    found: /channel\.title/,
    answer({ body }, { url }) {
      if (/^\/v1\/msgr\/channels\/\d+\/$/.test(url.pathname)) delete body?.title;
    },
  },
  {
    name: "subscribers as text",
    found: /channel\.subscribers/,
    answer({ body }, { url }) {
      if (url.pathname !== CATALOG) return;
      for (const card of body?.results ?? []) card.subscribers = String(card.subscribers);
    },
  },
  {
    name: "another code for a missing key",
    found: /without a key is not_authenticated/,
    answer({ status, body }) {
      if (status === 401 && body?.code === "not_authenticated") body.code = "unauthorized";
    },
  },
  {
    name: "a 401 without WWW-Authenticate",
    found: /with a wrong key/,
    answer({ status, headers }) {
      if (status === 401) headers.delete("www-authenticate");
    },
  },
  {
    name: "a 405 without Allow",
    found: /method_not_allowed/,
    answer({ status, headers }) {
      if (status === 405) headers.delete("allow");
    },
  },
  {
    name: "a quota header that is off by one",
    found: /RateLimit says what is left of the quota/,
    answer({ headers }) {
      const text = headers.get("ratelimit");
      if (text === null) return;
      headers.set(
        "ratelimit",
        text.replace(/"quota";r=(\d+)/, (_, left) => `"quota";r=${left - 1}`),
      );
    },
  },
  {
    name: "a wrong cost",
    found: /costs 1 where it succeeds|names its cost/,
    answer({ headers }, { url }) {
      if (url.pathname === "/v1/msgr/stats/daily/") headers.set("x-request-cost", "2");
    },
  },
  {
    name: "a charge without an answer",
    found: /costs nothing|costs 0/,
    request(sent) {
      // What should be refused for free is asked with success.
      if (sent.method !== "PUT" || sent.url.pathname !== "/v1/msgr/stats/daily/") return;
      sent.method = "GET";
    },
    answer(got, { url }) {
      if (url.pathname !== "/v1/msgr/stats/daily/" || got.status !== 200) return;
    },
  },
  {
    name: "an order that is broken by two neighbours",
    found: /is in its order/,
    answer({ body }, { url }) {
      if (url.pathname !== CATALOG || !url.searchParams.has("ordering")) return;
      const { results } = body ?? {};
      if (results?.length > 2) [results[1], results[2]] = [results[2], results[1]];
    },
  },
  {
    name: "a cursor that repeats the last item",
    found: /read by pages/,
    answer(got, { url }) {
      if (!url.searchParams.has("cursor") || !Array.isArray(got.body?.results)) return;
      got.body.results = got.body.results.slice(0, 1).concat(got.body.results.slice(0, -1));
    },
  },
  {
    name: "a next that loses the filter",
    found: /keeps every filter/,
    answer({ body }) {
      if (typeof body?.next === "string") body.next = body.next.replace(/ordering=[^&]+&/, "");
    },
  },
  {
    name: "a next without its host",
    found: /next is absolute/,
    answer({ body }) {
      if (typeof body?.next === "string") body.next = body.next.replace(/^http:\/\/[^/]+/, "");
    },
  },
  {
    name: "a filter that is not applied",
    found: /verified=true/,
    request({ url }) {
      if (url.pathname === CATALOG) url.searchParams.delete("verified");
    },
  },
  {
    name: "an unknown choice that is taken",
    found: /kind=channels is a 400/,
    request({ url }) {
      if (url.pathname === CATALOG && url.searchParams.get("kind") !== "chat")
        url.searchParams.delete("kind");
    },
  },
  {
    name: "a limit of 101",
    found: /limit=101 is a 400/,
    request({ url }) {
      if (url.searchParams.get("limit") === "101") url.searchParams.set("limit", "100");
    },
  },
  {
    name: "errors of fields under a code",
    found: /is a 400 on/,
    answer(got) {
      if (got.status === 400 && got.body?.jsonrpc === undefined)
        got.body = { code: "invalid", detail: "Bad." };
    },
  },
  {
    name: "another sentence for a number that is none",
    found: /limit=x is a 400 on limit/,
    answer(got) {
      if (got.body?.limit) got.body.limit = ["Not a number."];
    },
  },
  {
    name: "times in UTC",
    found: /published_at/,
    answer({ body }, { url }) {
      if (!POSTS.test(url.pathname)) return;
      for (const post of body?.results ?? []) {
        post.published_at = new Date(post.published_at).toISOString();
      }
    },
  },
  {
    name: "posts from the oldest on",
    found: /posts\/\? is in its order/,
    answer({ body }, { url }) {
      if (POSTS.test(url.pathname)) body?.results?.reverse();
    },
  },
  {
    name: "ids in the order of the catalog",
    found: /in the order asked/,
    answer({ body }, { url }) {
      if (url.pathname === CATALOG && url.searchParams.has("ids")) {
        body?.results?.sort((one: { id: number }, other: { id: number }) => one.id - other.id);
      }
    },
  },
  {
    name: "a territory before its parent",
    found: /it comes after its parent/,
    answer({ body }, { url }) {
      if (url.pathname === "/v1/msgr/territories/") body?.results?.reverse();
    },
  },
  {
    name: "a redirect that loses the query",
    found: /redirects to it, query kept/,
    answer({ status, headers }) {
      const to = headers.get("location");
      if (status === 301 && to !== null) headers.set("location", to.replace(/\?.*/, ""));
    },
  },
  {
    name: "no request id",
    found: /has an X-Request-Id/,
    answer: ({ headers }) => headers.delete("x-request-id"),
  },
  {
    name: "an unknown channel that is an empty answer",
    found: /is not_found/,
    answer(got, { url }) {
      if (got.status !== 404 || !url.pathname.startsWith(CATALOG)) return;
      Object.assign(got, { status: 200, body: {} });
    },
  },
  {
    name: "a tool's error as an error of the protocol",
    found: /is a result with/,
    answer({ body }) {
      if (body?.result?.isError !== true) return;
      body.error = { code: -32_602, message: "Invalid" };
      delete body.result;
    },
  },
  {
    name: "an unknown tool with the code of an unknown method",
    found: /unknown tool is -32602/,
    answer({ body }) {
      if (body?.error?.code === -32_602) body.error.code = -32_601;
    },
  },
  {
    name: "a text that is not the object",
    found: /answers one text and the same as an object/,
    answer({ body }) {
      const content = body?.result?.content;
      if (content?.[0]?.type === "text") content[0].text = `${content[0].text} `;
    },
  },
  {
    name: "tools in another order",
    found: /tools are in their order/,
    answer: ({ body }) => void body?.result?.tools?.reverse(),
  },
  {
    name: "an id that becomes text",
    found: /comes back with its type/,
    answer({ body }) {
      if (body?.jsonrpc && typeof body.id === "number") body.id = String(body.id);
    },
  },
  {
    name: "an initialize that knows one version",
    found: /initialize agrees to|offers 2025-11-25/,
    answer({ body }) {
      if (body?.result?.protocolVersion) body.result.protocolVersion = "2024-11-05";
    },
  },
  {
    name: "an initialize without params that is taken",
    found: /initialize without params/,
    answer(got, { body }) {
      if (body?.includes('"method":"initialize"}'))
        got.body = { jsonrpc: "2.0", id: 7, result: {} };
    },
  },
  {
    name: "an event stream for who accepts one",
    found: /the answer is JSON, though Accept says text\/event-stream/,
    answer({ headers: own }, { headers }) {
      if (headers.get("accept") === "text/event-stream")
        own.set("content-type", "text/event-stream");
    },
  },
  {
    name: "a session id",
    found: /session id/,
    answer({ headers }, { url }) {
      if (url.pathname === "/v1/mcp/") headers.set("mcp-session-id", "abc");
    },
  },
  {
    name: "a list without its time to live",
    found: /ttlMs and cacheScope/,
    answer({ body }) {
      if (body?.result?.ttlMs !== undefined) body.result.ttlMs = -1;
    },
  },
  {
    name: "other tools for one era",
    found: /the tools are those of former revisions/,
    answer({ body }, { headers }) {
      if (headers.has("mcp-method")) body?.result?.tools?.pop();
    },
  },
  {
    name: "a verb that is looked at after the plan",
    found: /the verb comes before plan/,
    answer(got, { url, method }) {
      if (method === "POST" && url.pathname.endsWith("/posts/")) {
        Object.assign(got, { status: 403, body: { code: "tariff_required", detail: "No." } });
      }
    },
  },
];
