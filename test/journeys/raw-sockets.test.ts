import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { connectRaw, type RawAnswer, type RawConnection } from "../support/raw-http.ts";
import { until } from "../support/until.ts";

/** Sends what no HTTP client would send to the real process, while others use it. */

/** Number of silent connections; 10,000 by `bun run campaign hostile`. */
const IDLE = Number(process.env["KANALOG_TEST_IDLE"] ?? 1_000);
/** Whether to wait for the time limits, which takes most of a minute. */
const IS_SLOW = process.env["KANALOG_TEST_SLOW"] === "1";
/** Maximum processor time that another client may have to wait for. */
const BESIDE_MAX_MS = 1_000;
const HIDDEN_ID = "hidden-in-a-body";

let machine: Machine;
let serving: Serving;
let key: string;
let writeKey: string;
let beside: { end(): Promise<void> };

beforeAll(async () => {
  machine = createMachine();
  const customer = await machine.customer();
  ({ key } = customer);
  const made = ["key", "create", "--member", String(customer.member), "--write"];
  writeKey = (await machine.json<{ key: string }>(made)).key;
  serving = await machine.serve(["serve"], { environment: { KANALOG_LOG_LEVEL: "error" } });
});
afterAll(() => machine.leave());
beforeEach(() => {
  beside = clientBeside();
});
afterEach(() => beside.end());

/** A client that uses the appliance normally, and must not be affected. */
function clientBeside() {
  let goesOn = true;
  const asking = (async () => {
    let sentCount = 0;
    while (goesOn || sentCount === 0) {
      const before = serving.processorMs();
      const response = await serving.get("/v1/me/", key);
      expect(await response.json()).toHaveProperty("api_tariff");
      expect(response.status).toBe(200);
      expect(serving.processorMs() - before).toBeLessThan(BESIDE_MAX_MS);
      sentCount += 1;
      await Bun.sleep(2);
    }
  })();
  return {
    end: () => {
      goesOn = false;
      return asking;
    },
  };
}

const lines = (...all: string[]): string => `${all.join("\r\n")}\r\n\r\n`;
const get = (...headers: string[]): string =>
  lines("GET /healthz HTTP/1.1", "Host: kanalog", ...headers);
const HIDDEN = get(`X-Request-Id: ${HIDDEN_ID}`);
const many = (count: number): string[] => Array.from({ length: count }, (_, at) => `X-${at}: a`);

const bodiless = (path: string, length: string): string =>
  lines(
    ...[`POST ${path} HTTP/1.1`, "Host: kanalog", `Authorization: Bearer ${writeKey}`],
    ...["Content-Type: application/json", length],
  );

test("a client that hangs up in the middle of its body is not logged as an error", async () => {
  const noted = async (): Promise<string[]> =>
    (await (await serving.get("/metrics")).text()).match(/^kanalog_requests_total.*$/gm) ?? [];
  for (const path of ["/v1/msgr/webhooks/", "/v1/mcp/"]) {
    for (const length of ["Content-Length: 100", "Transfer-Encoding: chunked"]) {
      const connection = await connectRaw(serving.address);
      connection.send(`${bodiless(path, length)}5\r\n{"a":\r\n`);
      await serving.get("/healthz");
      connection.close();
    }
  }
  const ofHangUps = /msgr_webhooks_create|door="mcp"/;
  await until(async () => {
    const counts = (await noted()).filter((line) => ofHangUps.test(line));
    return counts.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0) === 4;
  });
  expect((await noted()).filter((line) => /status="5/.test(line))).toEqual([]);
  expect(serving.printed()).not.toContain('"level":"error"');
});

/** Answers that have not come by then never will. */
const ANSWER_MAX_MS = 3_000;
const LAST_ID = "the-last-one";

/**
 * Sends bytes and, once they were answered, one more request. @returns all answers before that request's,
 * or until the server closed the connection
 */
async function answersTo(bytes: string): Promise<RawAnswer[]> {
  const connection = await connectRaw(serving.address);
  const next = (ofHead = false) =>
    Promise.race([connection.answer(ofHead), Bun.sleep(ANSWER_MAX_MS).then(() => null)]);
  connection.send(Buffer.from(bytes, "latin1"));
  const answers: RawAnswer[] = [];
  for (let answer = await next(bytes.startsWith("HEAD")); answer !== null; answer = await next()) {
    if (answer.headers["x-request-id"] === LAST_ID) break;
    answers.push(answer);
    if (answers.length === 1) connection.send(get(`X-Request-Id: ${LAST_ID}`));
  }
  connection.close();
  return answers;
}

/** Whether an answer has no body and no request id: the runtime gave it before any code of ours ran. */
const isBare = ({ headers, body }: RawAnswer): boolean =>
  body === "" && headers["x-request-id"] === undefined && headers["connection"] === "close";

/**
 * Broken requests with their status, or 0 if the connection is just closed. The guide Operating has the
 * same table.
 */
const BROKEN: [number, string, string][] = [
  [400, "no Host", lines("GET /healthz HTTP/1.1")],
  [400, "an empty line before the request", `\r\n${get()}`],
  [400, "bytes of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"],
  [400, "the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  [400, "a target of *", lines("OPTIONS * HTTP/1.1", "Host: kanalog")],
  [400, "a space before the colon", get("X : a")],
  [400, "a name that is none", get("X(: a")],
  [400, "an empty name", get(": a")],
  [400, "no colon", get("X")],
  [400, "a line that goes on", get("X: a", " b")],
  [400, "a NUL", get("X: a\0b")],
  [400, "a bare CR", get("X: a\rY: b")],
  [400, "a bare LF", get("X: a\nY: b")],
  [400, "bare LFs at the end", "GET /healthz HTTP/1.1\r\nHost: kanalog\n\n"],
  [
    400,
    "Content-Length and Transfer-Encoding",
    get("Content-Length: 5", "Transfer-Encoding: chunked"),
  ],
  [400, "two lengths that differ", get("Content-Length: 5", "Content-Length: 6")],
  [400, "a list of lengths", get("Content-Length: 5, 5")],
  [400, "a length with a sign", get("Content-Length: +5")],
  [400, "a negative length", get("Content-Length: -5")],
  [400, "a length in hex", get("Content-Length: 0x5")],
  [400, "no length", get("Content-Length:")],
  [400, "a length beyond all numbers", get("Content-Length: 99999999999999999999")],
  [400, "a length past 64 bits", get("Content-Length: 18446744073709551616")],
  [400, "a coding that is not known", get("Transfer-Encoding: xchunked")],
  [400, "identity", get("Transfer-Encoding: identity")],
  [400, "chunked, but not last", get("Transfer-Encoding: chunked, identity")],
  [400, "chunked, then another", get("Transfer-Encoding: chunked", "Transfer-Encoding: identity")],
  [400, "a coding in quotes", get('Transfer-Encoding: "chunked"')],
  [400, "a coding behind a vertical tab", get("Transfer-Encoding: \vchunked")],
  [400, "a coding on the next line", get("Transfer-Encoding:", " chunked")],
  [400, "chunks in HTTP/1.0", lines("POST / HTTP/1.0", "Host: a", "Transfer-Encoding: chunked")],
  [
    413,
    "a body of more than 2 GiB and 1 MiB",
    lines("POST /v1/mcp/ HTTP/1.1", "Host: kanalog", "Content-Length: 2148532225"),
  ],
  [431, "an address of 20 kB", lines(`GET /${"a".repeat(20_000)} HTTP/1.1`, "Host: kanalog")],
  [431, "a header of 20 kB", get(`X: ${"a".repeat(20_000)}`)],
  [431, "a header without end", get(`X: ${"a".repeat(2_000_000)}`)],
  [431, "250 headers", get(...many(250))],
  [505, "no version", "GET /healthz\r\n\r\n"],
  [505, "HTTP/3.0", lines("GET /healthz HTTP/3.0", "Host: kanalog")],
  [505, "a space in the address", lines("GET /a b HTTP/1.1", "Host: kanalog")],
  [505, "a NUL in the address", lines("GET /a\0b HTTP/1.1", "Host: kanalog")],
  [505, "LF at the end of all lines", "GET /healthz HTTP/1.1\nHost: kanalog\n\n"],
  [0, "a method that is not known", lines("BREW /healthz HTTP/1.1", "Host: kanalog")],
  [0, "a method in lower case", lines("get /healthz HTTP/1.1", "Host: kanalog")],
  [0, "a method of 5 kB", lines(`${"A".repeat(5_000)} /healthz HTTP/1.1`, "Host: kanalog")],
];

describe("a request that is not HTTP", () => {
  test("gets one bare answer, or none, and its connection is closed", async () => {
    const found = await Promise.all(
      BROKEN.map(async ([, what, bytes]) => {
        const answers = await answersTo(bytes);
        expect(
          answers.filter((answer) => !isBare(answer)),
          what,
        ).toEqual([]);
        return [answers.map(({ status }) => status).join(), what];
      }),
    );
    expect(found).toEqual(
      BROKEN.map(([status, what]) => [status === 0 ? "" : String(status), what]),
    );
  });

  test("is in the guide's table under the same status", () => {
    const guide = readFileSync(new URL("../../src/upkeep/operating.md", import.meta.url), "utf8");
    const listed = [...guide.matchAll(/^\| bare `(\d+)` \|/gm)].map((row) => Number(row[1]));
    const statuses = new Set(BROKEN.map(([status]) => status).filter((status) => status !== 0));
    expect(listed).toEqual([...statuses].sort((a, b) => a - b));
  });
});

describe("a target in another form", () => {
  test("is answered by its path, ignoring any host in it", async () => {
    const authorization = `Authorization: Bearer ${key}`;
    const ask = async (target: string, verb = "GET") => {
      const [answer] = await answersTo(
        lines(`${verb} ${target} HTTP/1.1`, "Host: kanalog", authorization),
      );
      return answer;
    };
    expect((await ask("http://evil.example/v1/me/"))?.status).toBe(200);
    expect((await ask("https://user:x@evil.example:99/v1/msgr/categories/"))?.status).toBe(200);
    expect((await ask("evil.example:443", "CONNECT"))?.status).toBe(404);
    expect((await ask("/v1/me/", "TRACE"))?.status).toBe(405);
    for (const target of ["http://evil.example/v1/me", "//evil.example/v1/me"]) {
      const location = (await ask(target))?.headers["location"] ?? "/";
      expect(location).toMatch(/^\/(?!\/)/);
    }
  });
});

test("an invalid Host is not a server error, on any path", async () => {
  const paths = ["/", "/account/", "/account/keys", "/staff/nothing/", "/docs/json", "/v1/me"];
  for (const host of ["[", "kanalog:99999", "kanalog:port", "kana%log"]) {
    for (const path of paths) {
      const [answer] = await answersTo(lines(`GET ${path} HTTP/1.1`, `Host: ${host}`));
      expect(answer?.status, `${host} ${path}`).toBeLessThan(500);
    }
  }
});

describe("a request hidden in a body", () => {
  const size = HIDDEN.length;
  const chunk = `${size.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`;
  const heads = [
    "GET /v1/me/",
    "HEAD /v1/me/",
    "POST /v1/mcp/",
    "POST /v1/msgr/webhooks/",
    "PATCH /v1/msgr/webhooks/1/",
    "DELETE /v1/msgr/webhooks/1/",
    "OPTIONS /v1/me/",
    "TRACE /v1/me/",
    "CONNECT kanalog:80",
    "PUT /v1/me/",
    "GET /v1/me",
    "POST /nothing",
    "POST /healthz",
    "POST /account/sign-in/",
    "GET /docs/",
  ];
  const framings: [string[], string][] = [
    [[`Content-Length: ${size}`], HIDDEN],
    [[`Content-Length: ${size}`, `Content-Length: ${size}`], HIDDEN],
    [["Content-Length: 0", `Content-Length: ${size}`], HIDDEN],
    [[`Content-Length: ${size}`, "Content-Length: 0"], HIDDEN],
    [[`Content-Length: 0, ${size}`], HIDDEN],
    [[`Content-Length : ${size}`], HIDDEN],
    [[`Content-Length: ${size}`, "Transfer-Encoding: chunked"], chunk],
    [[`Content-Length: ${size + 5}`, "Transfer-Encoding: chunked"], `0\r\n\r\n${HIDDEN}`],
    [["Transfer-Encoding: chunked", "Content-Length: 4"], chunk],
    [["Transfer-Encoding: chunked"], chunk],
    [["Transfer-Encoding:\tchunked"], chunk],
    [["Transfer-Encoding: CHUNKED"], chunk],
    [["Transfer-Encoding : chunked", `Content-Length: ${size}`], HIDDEN],
    [["Transfer-Encoding: chunked, identity"], `0\r\n\r\n${HIDDEN}`],
    [["Transfer-Encoding: identity, chunked"], chunk],
    [["Transfer-Encoding: xchunked", `Content-Length: ${size}`], HIDDEN],
    [["Transfer-Encoding: chunked", "Transfer-Encoding: x"], chunk],
    [["X: y\nTransfer-Encoding: chunked", `Content-Length: ${size}`], HIDDEN],
    [["Transfer-Encoding:", " chunked"], chunk],
    [["Transfer-Encoding: chunked"], `${size.toString(16)};a="\r\n${HIDDEN}"\r\n0\r\n\r\n`],
    [["Transfer-Encoding: chunked"], `2;\n{}\r\n${chunk}`],
    [["Transfer-Encoding: chunked"], `0x${chunk}`],
    [["Transfer-Encoding: chunked"], `-1\r\n${HIDDEN}\r\n0\r\n\r\n`],
    [["Transfer-Encoding: chunked"], `FFFFFFFFFFFFFFFF0\r\n${HIDDEN}\r\n0\r\n\r\n`],
    [["Transfer-Encoding: chunked"], `2\n{}\n0\n\n${HIDDEN}`],
    [["Transfer-Encoding: chunked"], `1\r\n{}\r\n${HIDDEN}`],
    [["Expect: 100-continue", `Content-Length: ${size}`], HIDDEN],
    [["Connection: Upgrade", "Upgrade: websocket", `Content-Length: ${size}`], HIDDEN],
    [["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", `Content-Length: ${size}`], HIDDEN],
  ];

  test("is never answered, whoever sends it, whatever the path, and however the body is framed", async () => {
    let sentCount = 0;
    for (const head of heads) {
      await Promise.all(
        framings.flatMap(([framing, body]) =>
          [[], [`Authorization: Bearer ${key}`, "Content-Type: application/json"]].map(
            async (more) => {
              const bytes = lines(`${head} HTTP/1.1`, "Host: kanalog", ...more, ...framing) + body;
              const answers = await answersTo(bytes);
              const ids = answers.map(({ headers }) => headers["x-request-id"]);
              expect(ids, bytes).not.toContain(HIDDEN_ID);
              // A fault within the body may be reported after the answer, and closes the connection.
              expect(answers.slice(1).every(isBare), bytes).toBe(true);
              sentCount += 1;
            },
          ),
        ),
      );
    }
    expect(sentCount).toBe(2 * heads.length * framings.length);
  });

  test("is answered if it is outside a body, so that the test above can fail", async () => {
    const answers = await answersTo(`${get("X-Request-Id: first")}${HIDDEN}`);
    expect(answers.map(({ headers }) => headers["x-request-id"])).toEqual(["first", HIDDEN_ID]);
  });
});

describe("one connection", () => {
  test("answers pipelined requests in order, or is closed", async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    const good = ["Host: kanalog", `Authorization: Bearer ${key}`];
    const kinds: [number, (id: string) => string][] = [
      [200, (id) => get(id)],
      [404, (id) => lines("GET /nothing HTTP/1.1", "Host: kanalog", id)],
      [401, (id) => lines("GET /v1/me/ HTTP/1.1", "Host: kanalog", id)],
      [200, (id) => lines("GET /v1/me/ HTTP/1.1", ...good, id)],
      [
        200,
        (id) =>
          lines("POST /v1/mcp/ HTTP/1.1", ...good, id, `Content-Length: ${body.length}`) + body,
      ],
    ];
    for (const used of [kinds.slice(0, 2), kinds]) {
      const sent = Array.from({ length: 60 }, (_, at) => {
        const [status, request] = used[at % used.length] ?? [0, () => ""];
        return { status, id: `r${at}`, bytes: request(`X-Request-Id: r${at}`) };
      });
      const answers = await answersTo(sent.map(({ bytes }) => bytes).join(""));
      const got = answers.map(({ status, headers }) => [status, headers["x-request-id"]]);
      const wanted = sent.map(({ status, id }) => [status, id]);
      // The runtime closes a connection on which a request arrives while another one is being answered.
      expect(got).toEqual(wanted.slice(0, got.length));
      if (used.length === 2) expect(got).toEqual(wanted);
    }
  });

  test("is closed after a large body that nobody read", async () => {
    const connection = await connectRaw(serving.address);
    const size = 3 * 1024 * 1024;
    const head = ["POST /v1/mcp/ HTTP/1.1", "Host: kanalog", `Content-Length: ${size}`];
    connection.send(lines(...head) + "a".repeat(size));
    expect((await connection.answer())?.status).toBe(401);
    await connection.ended;
    connection.close();
  });

  test("that is half closed gets its own answer or none; one that ends within a request gets none", async () => {
    const halfClosed = async (bytes: string): Promise<(number | undefined)[]> => {
      const connection = await connectRaw(serving.address);
      connection.socket.end(bytes);
      const answers = [await connection.answer(), await connection.answer()];
      connection.close();
      return answers.map((answer) => answer?.status);
    };
    expect(await halfClosed(get())).toEqual([200, undefined]);
    const head = lines("GET /v1/me/ HTTP/1.1", "Host: kanalog", `Authorization: Bearer ${key}`);
    expect([200, undefined]).toContain((await halfClosed(head))[0]);
    const post = lines(
      ...["POST /v1/mcp/ HTTP/1.1", "Host: kanalog", `Authorization: Bearer ${key}`],
      "Content-Length: 100",
    );
    for (const part of [head.slice(0, 1), head.slice(0, 20), head.slice(0, -1), `${post}{`]) {
      expect(await halfClosed(part)).toEqual([undefined, undefined]);
    }
  });
});

/** Opens connections, every second one with half a request; fewer if the system does not allow as many. */
async function openIdle(wanted: number): Promise<RawConnection[]> {
  const limits = readFileSync("/proc/self/limits", "utf8");
  const files = Number(/Max open files\s+(\d+)/.exec(limits)?.[1] ?? 1024);
  const count = Math.min(wanted, files - 500);
  if (count < wanted)
    console.info(`${count} idle connections, not ${wanted}: ulimit -n is ${files}`);
  const open: RawConnection[] = [];
  while (open.length < count) {
    const batch = Math.min(200, count - open.length);
    const made = await Promise.all(
      Array.from({ length: batch }, () => connectRaw(serving.address)),
    );
    for (const [at, connection] of made.entries()) {
      if (at % 2 === 0) connection.send("GET /v1/me/ HTTP/1.1\r\nHost: kanalog\r\nX: ");
      open.push(connection);
    }
  }
  return open;
}

describe("silent connections", () => {
  test(`do not delay others, even ${IDLE} of them`, async () => {
    const open = await openIdle(IDLE);
    const before = serving.processorMs();
    for (let sentCount = 0; sentCount < 100; sentCount++) {
      expect((await serving.get("/v1/me/", key)).status).toBe(200);
    }
    const workMs = serving.processorMs() - before;
    expect(workMs).toBeLessThan(BESIDE_MAX_MS);
    console.info(`${open.length} idle connections: 100 answers beside are ${workMs} ms of work`);
    for (const connection of open) connection.close();
  });

  test.if(IS_SLOW)(
    "are closed within a minute, and so are those that send a byte now and then",
    async () => {
      const post = lines(
        ...["POST /v1/mcp/ HTTP/1.1", "Host: kanalog", `Authorization: Bearer ${key}`],
        "Content-Length: 1000",
      );
      const starts = ["", "GET /v1/me/ HTTP/1.1\r\nX: ", post, `${post}{`, get()];
      const open = await Promise.all(starts.map(() => connectRaw(serving.address)));
      for (const [at, connection] of open.entries()) connection.send(starts[at] ?? "");
      const drip = setInterval(() => {
        for (const { socket } of [open[1], open[3]] as RawConnection[]) {
          if (socket.writable) socket.write("a");
        }
      });
      await Promise.all(open.map(({ ended }) => ended));
      clearInterval(drip);
    },
  );
});
