import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createConnection } from "node:net";
import { createMachine, type Machine, type Serving } from "../../support/machine.ts";

/** The endpoint behind a real listener: what can only be tested with bytes on a connection. */

let machine: Machine;
let serving: Serving;
let key: string;

beforeAll(async () => {
  machine = createMachine();
  key = (await machine.customer()).key;
  const rows = Array.from({ length: 100 }, (_, index) =>
    JSON.stringify({ id: 1 + index, title: `Channel ${1 + index}`, subscribers: 1_000 }),
  );
  const file = machine.write("channels.ndjson", rows.join("\n"));
  expect((await machine.run(["import", "channels", file])).exitCode).toBe(0);
  serving = await machine.serve();
});

afterAll(() => machine.leave());

interface Exchange {
  body?: string | Uint8Array<ArrayBuffer> | ReadableStream;
  headers?: Record<string, string>;
  method?: string;
  path?: string;
}

function exchange({ path = "/v1/mcp/", method = "POST", headers = {}, body }: Exchange) {
  return fetch(serving.address + path, {
    method,
    redirect: "manual",
    headers: { authorization: `Bearer ${key}`, ...headers },
    ...(body === undefined ? {} : { body }),
  });
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
const jsonOf = (response: Response): Promise<any> => response.json();

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/** Sends bytes on a new connection. @returns what comes back, up to what matches `enough` */
function rawExchange(bytes: string, enough: RegExp): Promise<string> {
  const { hostname, port } = new URL(serving.address);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = createConnection({ host: hostname, port: Number(port) }, () => {
      socket.write(bytes);
    });
    socket.on("data", (chunk) => {
      text += chunk.toString();
      if (!enough.test(text)) return;
      socket.destroy();
      resolve(text);
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
  });
}

test("a POST is answered without a redirect, with and without the trailing slash", async () => {
  for (const path of ["/v1/mcp/", "/v1/mcp"]) {
    const response = await exchange({ path, body: PING });
    expect([response.status, await response.text()], path).toEqual([
      200,
      '{"jsonrpc":"2.0","id":1,"result":{}}',
    ]);
    expect(response.headers.get("content-type")).toStartWith("application/json");
    expect(response.headers.has("mcp-session-id")).toBe(false);
  }
});

test("a GET for an event stream is a 405 at once, as are other verbs", async () => {
  for (const method of ["GET", "DELETE", "PUT", "HEAD", "OPTIONS"]) {
    for (const path of ["/v1/mcp/", "/v1/mcp"]) {
      const response = await exchange({ method, path, headers: { accept: "text/event-stream" } });
      expect([response.status, response.headers.get("allow")], `${method} ${path}`).toEqual([
        405,
        "POST",
      ]);
      const text = await response.text();
      if (method !== "HEAD") expect(JSON.parse(text).code).toBe("method_not_allowed");
    }
  }
});

test("a notification's 202 has no body", async () => {
  const body = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
  const response = await exchange({ body });
  expect([response.status, (await response.bytes()).byteLength]).toEqual([202, 0]);
});

test("a POST with no body at all is -32700", async () => {
  for (const bodyless of [
    "Content-Length: 0\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "\r\n",
  ]) {
    const head = `POST /v1/mcp/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n`;
    const text = await rawExchange(head + bodyless, /"code":-?\d+/);
    expect(text, bodyless).toStartWith("HTTP/1.1 400 ");
    expect(text).toContain('"code":-32700');
  }
});

test("a request without a key is a 401 before the body arrives", async () => {
  const head =
    "POST /v1/mcp/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{";
  const text = await rawExchange(head, /\r\n\r\n/);
  expect(text).toStartWith("HTTP/1.1 401 ");
  expect(text).toMatch(/www-authenticate: Bearer realm="kanalog"\r\n/i);
  expect(text).not.toContain("resource_metadata");
});

describe("the size of a body", () => {
  function ping(bytes: number): string {
    const [head, tail] = ['{"jsonrpc":"2.0","id":1,"method":"ping","more":"', '"}'];
    return head + "x".repeat(bytes - head.length - tail.length) + tail;
  }
  /** A stream, which is sent in chunks without a length. */
  const inChunks = (text: string) => new Blob([text]).stream();

  test("may be one mebibyte, with or without Content-Length", async () => {
    for (const body of [ping(1_048_576), inChunks(ping(1_048_576))]) {
      const response = await exchange({ body });
      expect([response.status, await response.json()]).toEqual([
        200,
        { jsonrpc: "2.0", id: 1, result: {} },
      ]);
    }
  });

  test("of a byte more is a 413 in JSON, with or without Content-Length", async () => {
    for (const body of [ping(1_048_577), inChunks(ping(1_048_577))]) {
      const response = await exchange({ body });
      expect([response.status, (await jsonOf(response)).code]).toEqual([413, "payload_too_large"]);
    }
  });
});

test("bytes that are not UTF-8 and 200,000 opening brackets are -32700, and the server keeps running", async () => {
  for (const body of [new Uint8Array([0x22, 0xff, 0xfe, 0x22]), "[".repeat(200_000)]) {
    const response = await exchange({ body });
    expect([response.status, (await jsonOf(response)).error.code]).toEqual([400, -32700]);
  }
  expect((await exchange({ body: PING })).status).toBe(200);
});

test("a thousand concurrent calls on connections are each answered under their own id", async () => {
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, async (_, index) => {
      const params = {
        name: "msgr_channels_retrieve",
        arguments: { channel: String(1 + (index % 100)) },
      };
      const id = index % 2 === 0 ? index : `call-${index}`;
      const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
      return jsonOf(await exchange({ body }));
    }),
  );
  for (const [index, { id, result }] of answers.entries()) {
    expect(id).toBe(index % 2 === 0 ? index : `call-${index}`);
    expect(result.structuredContent.id).toBe(1 + (index % 100));
  }
  const me = await jsonOf(await serving.get("/v1/me/", key));
  expect(me.usage.used).toBe(1_000);
});
