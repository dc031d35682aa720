import fc from "fast-check";
import {
  deepJson,
  hostileJson,
  hostileNumber,
  hostileText,
  soundValue,
  type ValueSchema,
} from "./hostile-values.ts";
import type { OpenApiDocument, OpenApiOperation } from "./published-schemas.ts";

/** A request as it will be sent, except its key. */
export interface HostileRequest {
  verb: string;
  /** Path and query, in ASCII or raw UTF-8. */
  target: string;
  /** Header lines, with a character for each byte. */
  headers: string[];
  body: string | null;
  /** Media type of the body; JSON by default. */
  type?: string;
  isChunked: boolean;
  /** Name of the key that it carries. */
  key: string;
}

/**
 * Values that exist in the data, by name of a parameter or field, or by path and name where they differ
 * there.
 */
export type Known = Record<string, readonly unknown[]>;

const VERBS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"];

/** Requests to every operation of the document, valid ones and ones with any part broken. */
export function hostileRequests(
  { paths }: OpenApiDocument,
  known: Known,
  keys: readonly string[],
): fc.Arbitrary<HostileRequest> {
  const operations = Object.entries(paths).flatMap(([path, ofPath]) =>
    Object.entries(ofPath).map(([verb, operation]) => ({
      path,
      verb: verb.toUpperCase(),
      operation,
    })),
  );
  return fc.constantFrom(...operations).chain(({ path, verb, operation }) =>
    fc.record({
      verb: mostly(fc.constant(verb), fc.constantFrom(...VERBS), 20),
      target: targetOf(path, operation, known),
      headers: headerLines,
      body: bodyOf(operation, verb, known),
      isChunked: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
      key: mostly(fc.constant(keys[0] ?? ""), fc.constantFrom(...keys), 3),
    }),
  );
}

/** Bytes of a request. @param credential header line with its key or cookies; empty for none */
export function bytesOf(
  { verb, target, headers, body, type = "application/json", isChunked }: HostileRequest,
  credential: string,
): Buffer {
  const content = Buffer.from(body ?? "");
  const head = [
    "Host: 127.0.0.1",
    ...(credential === "" ? [] : [credential]),
    ...(body === null ? [] : [`Content-Type: ${type}`]),
    ...(isChunked ? ["Transfer-Encoding: chunked"] : []),
    ...(isChunked || body === null ? [] : [`Content-Length: ${content.length}`]),
    ...headers,
  ];
  const size = content.length.toString(16);
  const parts = [
    Buffer.from(`${verb} ${target} HTTP/1.1\r\n`),
    Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"),
    ...(isChunked && content.length > 0 ? [`${size}\r\n`, content, "\r\n"] : []),
    ...(isChunked ? ["0\r\n\r\n"] : [content]),
  ];
  return Buffer.concat(parts.map((part) => Buffer.from(part as string)));
}

/** Usually the first value, but the other one in one of `times` cases. */
export function mostly<T>(
  usual: fc.Arbitrary<T>,
  other: fc.Arbitrary<T>,
  times: number,
): fc.Arbitrary<T> {
  return fc.oneof({ weight: times - 1, arbitrary: usual }, { weight: 1, arbitrary: other });
}

/** Maximum length; longer heads are answered by the runtime, which another test covers. */
const TARGET_MAX = 12_000;

function targetOf(
  path: string,
  { parameters = [] }: OpenApiOperation,
  known: Known,
): fc.Arbitrary<string> {
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const parts = inPath.map(({ name, schema }) =>
    mostly(
      soundValue(schema, known[`${path} ${name}`] ?? known[name]).map((value) =>
        encodeURIComponent(String(value)),
      ),
      escapedText.filter((text) => text !== ""),
      4,
    ),
  );
  const pairs = inQuery.map(({ name, required, schema }) => {
    const sound = soundValue(schema, known[`${path} ${name}`] ?? known[name]);
    const value = mostly(
      sound.map((of) => encodeURIComponent(String(of))),
      fc.oneof(escapedText, hostileNumber.map(String), fc.constant("")),
      6,
    );
    const pair = value.map((of) => [`${encodeURIComponent(name)}=${of}`]);
    const repeated = fc
      .tuple(value, value)
      .map(([one, other]) => [`${name}=${one}`, `${name}=${other}`]);
    const absent = fc.constant([] as string[]);
    return fc.oneof(
      { weight: required ? 20 : 5, arbitrary: pair },
      { weight: required ? 1 : 14, arbitrary: absent },
      { weight: 1, arbitrary: repeated },
    );
  });
  const unknown = mostly(
    fc.constant([] as string[]),
    fc.array(
      fc.tuple(escapedText, escapedText).map((pair) => pair.join("=")),
      { maxLength: 3 },
    ),
    8,
  );
  return fc
    .tuple(
      fc.tuple(...parts),
      fc.tuple(...pairs),
      unknown,
      mostly(
        fc.constant(path),
        fc.constantFrom(path.slice(0, -1), `${path}/`, path.toUpperCase()),
        30,
      ),
    )
    .map(([values, given, more, template]) => {
      let at = 0;
      const filled = template.replace(/\{\w+\}/g, () => values[at++] ?? "");
      const query = [...given.flat(), ...more].join("&");
      return (query === "" ? filled : `${filled}?${query}`).slice(0, TARGET_MAX);
    });
}

/** A text within an address: fully escaped, doubly escaped, raw where HTTP allows it, or badly escaped. */
export const escapedText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: hostileText.map(escapeAll) },
  { weight: 1, arbitrary: hostileText.map((text) => encodeURIComponent(escapeAll(text))) },
  { weight: 2, arbitrary: hostileText.map(rawForm) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[
        "%",
        "%4",
        "%GG",
        "%FF",
        "a%C0%80b",
        "%ED%A0%80",
        "%00",
        "%25%30%30",
        "+",
        "%2B",
        "%u0041",
      ],
      ...[
        "%C3%28",
        "%F4%90%80%80",
        "%E2%82",
        "%0d%0aX:1",
        "%2F",
        "%3F",
        "%23",
        ";",
        "=",
        "&",
        "%26",
      ],
    ),
  },
);

/** Escapes every UTF-8 byte; half a surrogate pair becomes three bytes, as some programs write it. */
function escapeAll(text: string): string {
  return [...text]
    .map((point) => {
      const code = point.codePointAt(0) ?? 0;
      if (code < 0xd800 || code > 0xdfff) return encodeURIComponent(point);
      const bytes = [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
      return bytes.map((byte) => `%${byte.toString(16)}`).join("");
    })
    .join("");
}

/** Text that is not escaped, without characters that would end the line or the path. */
function rawForm(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is meant
  return text.replace(/[\u0000-\u0020\u007f#?/]/g, "").toWellFormed();
}

const headerText = fc
  .string({ unit: "binary", maxLength: 60 })
  .map((text) => text.replace(/[^\u0020-\u007e\u0080-\u00ff]/g, ""));

export const headerLines: fc.Arbitrary<string[]> = mostly(
  fc.constant([]),
  fc.array(
    fc
      .tuple(
        fc.constantFrom(
          ...["X-Request-Id", "Accept", "Accept-Encoding", "Accept-Language", "Cookie", "Origin"],
          ...["X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded", "Range"],
          ...["If-None-Match", "If-Modified-Since", "Content-Encoding", "Referer", "User-Agent"],
          ...[
            "X-HTTP-Method-Override",
            "Content-Type",
            "Access-Control-Request-Method",
            "MCP-Protocol-Version",
          ],
          ...["Mcp-Method", "Mcp-Name", "__proto__", "Upgrade-Insecure-Requests", "Priority"],
        ),
        fc.oneof(headerText, fc.constantFrom("", "null", "*", "bytes=0-", "gzip", "2026-07-28")),
      )
      .map(([name, value]) => `${name}: ${value}`),
    { maxLength: 4 },
  ),
  5,
);

function bodyOf(
  { requestBody }: OpenApiOperation,
  verb: string,
  known: Known,
): fc.Arbitrary<string | null> {
  const schema = requestBody?.content["application/json"].schema;
  if (schema === undefined) {
    const times = verb === "GET" ? 30 : 8;
    return mostly(fc.constant(null), fc.oneof(fc.constant("{}"), brokenBody), times);
  }
  return mostly(jsonText(objectOf(schema, known)), brokenBody, 8);
}

/** An object with the schema's fields, which are usually valid, and sometimes additional ones. */
export function objectOf(schema: ValueSchema, known: Known): fc.Arbitrary<object> {
  const { properties = {}, required = [] } = schema;
  const fields = Object.entries(properties).map(([name, field]) => {
    const value = mostly(soundValue(field, known[name]), hostileJson, 6);
    return fc.oneof(
      { weight: required.includes(name) ? 20 : 1, arbitrary: value.map((of) => [[name, of]]) },
      { weight: 2, arbitrary: fc.constant([] as unknown[][]) },
    );
  });
  const more = mostly(
    fc.constant([] as unknown[][]),
    fc.array(fc.tuple(hostileText, hostileJson), { maxLength: 2 }),
    12,
  );
  return fc
    .tuple(more, ...fields)
    .map((pairs) => Object.fromEntries(pairs.flat() as [string, unknown][]));
}

/** JSON text; half a surrogate pair is written as `\ud800`. */
function jsonText(value: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return value.map((of) => JSON.stringify(of));
}

const MEBIBYTE = 1024 * 1024;

export const brokenBody: fc.Arbitrary<string> = fc.oneof(
  jsonText(hostileJson),
  deepJson,
  hostileText,
  fc.constantFrom("", "{", "{}{}", "[1,]", "{'a':1}", "\ufeff{}", '{"a":1,"a":2}', "NaN", "/**/{}"),
  fc.constantFrom(MEBIBYTE - 2, MEBIBYTE - 1, 2 * MEBIBYTE).map((size) => `"${"a".repeat(size)}"`),
);
