import { type SentRequest, sendJson } from "../requests.ts";
import type { Row, Stage } from "../row.ts";
import { requestsRow } from "./requests-row.ts";

const KIB = 1024;
/** Just within the API's limit. */
const MEBIBYTE = 1024 * KIB - 100;
const PER_SECOND = 10;
const CONNECTIONS = 16;

const CALL =
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"msgr_channels_list","arguments":{';

/** Bodies of about the given size, each expensive in a different way. */
const BODIES: Record<string, { path: string; body(bytes: number): string }> = {
  fields: {
    path: "/v1/msgr/webhooks/",
    body: (bytes) => `{${members(bytes - 2)}}`,
  },
  nesting: {
    path: "/v1/msgr/webhooks/",
    body: (bytes) => {
      const depth = Math.floor((bytes - 20) / 2);
      return `{"channels":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    },
  },
  arguments: {
    path: "/v1/mcp/",
    body: (bytes) => `${CALL}${members(bytes - CALL.length - 3)}}}}`,
  },
  q: {
    path: "/v1/mcp/",
    // Two bytes per letter.
    body: (bytes) => `${CALL}"q":"${"ж".repeat((bytes - CALL.length - 10) / 2)}"}}}`,
  },
};

function members(bytes: number): string {
  const parts: string[] = [];
  for (let at = 0, length = 0; ; at++) {
    const part = `"f${at}":0`;
    length += part.length + 1;
    if (length > bytes) return parts.join(",");
    parts.push(part);
  }
}

function request({ data }: Stage, name: string, bytes: number): SentRequest {
  const body = BODIES[name];
  if (body === undefined) throw new Error(`there is no body ${name}`);
  return sendJson("POST", body.path, data.neighbour.key, body.body(bytes));
}

function row(name: string, does: string, names: readonly string[], bytes: number): Row {
  return requestsRow({
    ...{ name, does, connections: CONNECTIONS, perSecond: PER_SECOND },
    requests: (stage) => names.map((one) => request(stage, one, bytes)),
  });
}

const ALL = Object.keys(BODIES);

export const bodyRows: Row[] = [
  row("body-fields", "sends 10 a second of 1 MiB: 80,000 unknown fields", ["fields"], MEBIBYTE),
  row("body-nesting", "sends 10 a second of 1 MiB: nesting of 500,000", ["nesting"], MEBIBYTE),
  row(
    "body-arguments",
    "sends 10 a second of 1 MiB: 80,000 MCP arguments",
    ["arguments"],
    MEBIBYTE,
  ),
  row("body-q", "sends 10 a second of 1 MiB: a q of 520,000 characters over MCP", ["q"], MEBIBYTE),
  row("body-256k", "sends 10 a second of 256 KiB, those four in turn", ALL, 256 * KIB),
  row("body-16k", "sends 10 a second of 16 KiB, those four in turn", ALL, 16 * KIB),
];
