import fc from "fast-check";
import {
  brokenBody,
  escapedText,
  type HostileRequest,
  headerLines,
  mostly,
} from "./hostile-requests.ts";
import { hostileJson, hostileText } from "./hostile-values.ts";
import type { Route } from "./route-table.ts";

/** Placeholder in a body for the visitor's form token. */
export const TOKEN = "token-of-this-visitor";

/** What the site's pages and forms are made of. */
export interface SiteParts {
  /** Actions of forms, by the page's path. */
  actions: Readonly<Record<string, readonly string[]>>;
  /** Names of fields, of all forms. */
  fields: readonly string[];
  /** Values that exist in the data. */
  values: readonly string[];
}

const VERBS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"];
const QUERY = ["q", "cursor", "done", "days", "channels", "from", "to", "next", "token", "org"];
const MEBIBYTE = 1024 * 1024;
const FORM = "application/x-www-form-urlencoded";
const PARTS = "multipart/form-data; boundary=b";

/**
 * Requests to every registered route and to unknown addresses, valid ones and ones with any part broken.
 * @param keys names of the visitors; the first is used most
 */
export function hostileVisits(
  routes: readonly Route[],
  parts: SiteParts,
  keys: readonly string[],
): fc.Arbitrary<HostileRequest> {
  const some = fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...routes) },
    { weight: 1, arbitrary: escapedText.map((path) => ({ method: "ALL", path: `/${path}` })) },
  );
  return some.chain((route) => visitsOf(route, parts, keys));
}

function visitsOf(
  { method, path }: Route,
  parts: SiteParts,
  keys: readonly string[],
): fc.Arbitrary<HostileRequest> {
  const usual = method === "ALL" ? fc.constantFrom("GET", "POST") : fc.constant(method);
  return mostly(usual, fc.constantFrom(...VERBS), 12).chain((verb) =>
    fc
      .record({
        target: targetOf(path, parts),
        headers: headerLines,
        content: hasBody(verb) ? bodyOf(parts, parts.actions[path] ?? []) : noBody,
        isChunked: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
        key: mostly(fc.constant(keys[0] ?? ""), fc.constantFrom(...keys), 2),
      })
      .map(({ content, ...request }) => ({ verb, ...request, ...content })),
  );
}

const hasBody = (verb: string): boolean => verb === "POST" || verb === "PUT" || verb === "PATCH";

interface Content {
  body: string | null;
  type?: string;
}

const noBody: fc.Arbitrary<Content> = mostly<Content>(
  fc.constant({ body: null }),
  brokenBody.map((body) => ({ body })),
  30,
);

function targetOf(path: string, { values }: SiteParts): fc.Arbitrary<string> {
  const value = mostly(
    fc.constantFrom(...values),
    escapedText.filter((text) => text !== ""),
    4,
  );
  const pair = fc.tuple(mostly(fc.constantFrom(...QUERY), escapedText, 8), escapedText);
  const query = fc.array(
    pair.map((one) => one.join("=")),
    { maxLength: 3 },
  );
  const places = path.split(/:\w+|\*/).length - 1;
  return fc
    .tuple(fc.array(value, { minLength: places, maxLength: places }), query)
    .map(([given, pairs]) => {
      let at = 0;
      const filled = path.replace(/:\w+|\*/g, () => given[at++] ?? "");
      return pairs.length === 0 ? filled : `${filled}?${pairs.join("&")}`;
    });
}

/** A form of the page, a form with a file, JSON as OAuth clients and messengers send it, and broken bodies. */
function bodyOf({ fields, values }: SiteParts, actions: readonly string[]): fc.Arbitrary<Content> {
  const action = actions.length === 0 ? hostileText : fc.constantFrom(...actions);
  const form = fc.record({
    csrf: mostly(fc.constant(TOKEN), hostileText, 10),
    action: mostly(action, hostileText, 20),
    more: fc.dictionary(
      mostly(fc.constantFrom(...fields), hostileText, 8),
      mostly(fc.constantFrom("", "on", ...values), hostileText, 2),
      { maxKeys: 8, noNullPrototype: true },
    ),
  });
  const pairs = form.map(({ more, ...own }) => Object.entries({ ...own, ...more }));
  return fc.oneof(
    { weight: 8, arbitrary: pairs.map((of) => ({ type: FORM, body: encoded(of) })) },
    { weight: 3, arbitrary: pairs.map((of) => ({ type: PARTS, body: inParts(of) })) },
    { weight: 2, arbitrary: oauthJson.map((of) => ({ body: JSON.stringify(of) })) },
    { weight: 1, arbitrary: fc.record({ body: brokenBody, type: mediaType }) },
    { weight: 1, arbitrary: fc.record({ body: hostileText, type: mediaType }) },
    { weight: 1, arbitrary: fc.record({ body: longForm, type: fc.constant(FORM) }) },
  );
}

const mediaType = fc.constantFrom(
  ...[FORM, PARTS, "application/json", "text/plain", "", "multipart/form-data", "a/b; boundary="],
);

const longForm = fc
  .constantFrom(16 * 1024, MEBIBYTE / 4, MEBIBYTE)
  .map((bytes) => "a&".repeat(bytes / 2));

const OAUTH = ["client_name", "redirect_uris", "grant_type", "client_id", "code", "code_verifier"];
const UPDATE = ["update_id", "message", "channel_post", "update_type", "timestamp", "chat_id"];
const oauthJson = fc.dictionary(fc.constantFrom(...OAUTH, ...UPDATE), hostileJson, {
  maxKeys: 4,
  noNullPrototype: true,
});

function encoded(pairs: readonly (readonly [string, string])[]): string {
  return pairs
    .map((pair) => pair.map((text) => encodeURIComponent(text.toWellFormed())).join("="))
    .join("&");
}

/** The last field is a file. */
function inParts(pairs: readonly (readonly [string, string])[]): string {
  const sent = pairs.map(([name, value], at) => {
    const isFile = at === pairs.length - 1;
    const file = isFile ? '; filename="a.csv"' : "";
    const field = isFile ? "file" : name.replace(/["\r\n]/g, "");
    return `--b\r\nContent-Disposition: form-data; name="${field}"${file}\r\n\r\n${value}\r\n`;
  });
  return `${sent.join("")}--b--\r\n`;
}
