import { afterAll, beforeAll, expect, test } from "bun:test";
import { createMachine, type Machine, type Serving } from "../support/machine.ts";
import { addressAt, connectRaw } from "../support/raw-http.ts";
import { EVERYTHING_ON, type Route, routeTable } from "../support/route-table.ts";
import { until } from "../support/until.ts";
import { PASSWORD, remoteVisitor } from "../support/visitor.ts";

/** Sends a body to every address of the real process, with every verb: none may cost anybody else time. */

/** Verbs that reach each kind of route; of those without a route of their own, two stand for all. */
const REACHED_BY: Record<string, readonly string[]> = {
  GET: ["GET", "HEAD"],
  ...{ POST: ["POST"], PATCH: ["PATCH"], DELETE: ["DELETE"] },
  ALL: ["PUT", "OPTIONS"],
};
const VERBS = Object.values(REACHED_BY).flat();
/** No route has these. */
const UNKNOWN = [
  "/nothing",
  "/v1/nothing/",
  "/V1/me/",
  "/account/nothing/",
  "/staff/nothing/",
  "/%FF",
];
const HOSTS = ["kanalog", "a", "[", "kanalog:99999"];
/** Most processor time that one request may take, and that all of them may take on average. */
const [WORK_MAX_MS, MEAN_MAX_MS] = [1_000, 10];
const LANES = 8;

const MIB = 1024 ** 2;
const JSON_TYPE = "Content-Type: application/json";
/** Bodies by kind: lines of their head, and as much of them as is sent. */
const BODIES: Record<string, { head: string[]; sent: string; isLarge?: true }> = {
  "1 MB": {
    head: [JSON_TYPE, `Content-Length: ${MIB + 1}`],
    sent: "0".repeat(MIB + 1),
    isLarge: true,
  },
  "40 MB": {
    head: [JSON_TYPE, `Content-Length: ${40 * MIB}`, "Expect: 100-continue"],
    sent: `[${"0,".repeat(50_000)}`,
    isLarge: true,
  },
  "broken JSON": { head: [JSON_TYPE, "Content-Length: 4"], sent: "{bad" },
  "a broken form": {
    head: ["Content-Type: multipart/form-data; boundary=x", "Content-Length: 25"],
    sent: "--x\r\nContent-Disposition:",
  },
  "an endless one": {
    head: [JSON_TYPE, "Transfer-Encoding: chunked"],
    sent: `${(64 * 1024).toString(16)}\r\n${"[".repeat(64 * 1024)}\r\n`.repeat(20),
    isLarge: true,
  },
};

let machine: Machine;
let serving: Serving;
let routes: Route[];
/** Lines that identify a caller. */
let callers: Record<string, string[]>;

beforeAll(async () => {
  routes = await routeTable();
  machine = createMachine();
  const { member } = await machine.customer();
  const words = ["key", "create", "--member", String(member), "--write"];
  const { key } = await machine.json<{ key: string }>(words);
  const environment = {
    ...EVERYTHING_ON,
    KANALOG_LOG_LEVEL: "error",
    KANALOG_TRUST_PROXY: "true",
  };
  serving = await machine.serve(["serve"], { environment });
  callers = {
    nobody: [],
    key: [`Authorization: Bearer ${key}`],
    session: [`Cookie: ${await staffCookie()}`],
  };
});
afterAll(() => machine.leave());

async function staffCookie(): Promise<string> {
  await until(() => serving.printed().includes("/account/set-up/"));
  const path = /\/account\/set-up\/\?token=\S+/.exec(serving.printed())?.[0] ?? "";
  const visitor = remoteVisitor(serving.address);
  const account = { name: "Ada", organization: "Acme", email: "ada@example.com" };
  const token = path.split("=")[1] ?? "";
  const done = await visitor.post(path, {
    action: "set-up",
    token,
    ...account,
    password: PASSWORD,
  });
  expect(done.location).toBe("/staff/start/");
  return [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

interface Sent {
  path: string;
  verb: string;
  host: string;
  caller: string;
  kind: string;
}

/** Who reaches a handler there, beside strangers. */
function callersOf(path: string): string[] {
  if (path.startsWith("/v1/")) return ["nobody", "key"];
  return isOfSite(path) ? ["nobody", "session"] : ["nobody"];
}

const isOfSite = (path: string): boolean => /^\/(?:account|staff)\//.test(path);

function everything(): Sent[] {
  const [host = ""] = HOSTS;
  const ofRoutes = routes.flatMap(({ method, path }) =>
    (REACHED_BY[method] ?? []).map((verb) => {
      return { verb, path: path.replace(/:\w+/g, "1").replace("*", "x"), host };
    }),
  );
  const others = VERBS.flatMap((verb) => [
    ...UNKNOWN.map((path) => ({ verb, path, host })),
    ...HOSTS.flatMap((odd) =>
      ["/", "/v1/me/", "/account/sign-in/"].map((path) => ({ verb, path, host: odd })),
    ),
  ]);
  return [...ofRoutes, ...others].flatMap((place) =>
    callersOf(place.path).flatMap((caller) =>
      Object.keys(BODIES).map((kind) => ({ ...place, caller, kind })),
    ),
  );
}

/** Each request comes from an address of its own, so that none is refused for how many there were. */
let sentCount = 0;

/** Sends one request. @returns what is wrong with its answer; null if nothing */
async function faultOf(one: Sent): Promise<string | null> {
  const { head, sent, isLarge } = BODIES[one.kind] ?? { head: [], sent: "" };
  const connection = await connectRaw(serving.address);
  const identity = callers[one.caller] ?? [];
  const from = `X-Forwarded-For: ${addressAt(sentCount++)}`;
  const lines = [
    `${one.verb} ${one.path} HTTP/1.1`,
    `Host: ${one.host}`,
    from,
    ...identity,
    ...head,
  ];
  const before = serving.processorMs();
  connection.send(`${lines.join("\r\n")}\r\n\r\n`);
  connection.send(sent);
  const answer = await connection.answer(one.verb === "HEAD");
  const workMs = serving.processorMs() - before;
  if (answer === null) return "no answer";
  const isClosed = answer.headers["connection"] === "close";
  if (isClosed) await connection.ended;
  connection.close();
  if (!isRefusal(answer.status, one)) return `status ${answer.status}`;
  if (workMs > WORK_MAX_MS) return `${workMs} ms of work`;
  return isLarge && !isClosed ? `${answer.status}, and goes on` : null;
}

function isRefusal(status: number, { verb, path, caller }: Sent): boolean {
  // Asks a stranger who sends a form to sign in, and leads back to its page.
  if (status === 200) return verb === "POST" && isOfSite(path) && caller === "nobody";
  return status === 301 || status === 303 || (status >= 400 && status < 500);
}

/** Somebody who asks for something simple all the while. @returns a function that ends it */
function clientBeside(): () => Promise<void> {
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const before = serving.processorMs();
      expect((await serving.get("/healthz")).status).toBe(200);
      expect(serving.processorMs() - before).toBeLessThan(WORK_MAX_MS);
      await Bun.sleep(2);
    }
  })();
  return () => {
    isOver = true;
    return asking;
  };
}

test("no body that a route does not take is read, whoever sends it, and its connection is closed", async () => {
  const all = everything();
  const beforeMs = serving.processorMs();
  const faults: string[] = [];
  const endBeside = clientBeside();
  const queue = all.values();
  const lane = async () => {
    for (const one of queue) {
      const fault = await faultOf(one);
      if (fault !== null) faults.push(`${Object.values(one).join(" ")}: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await endBeside();
  console.info(`${all.length} requests took ${serving.processorMs() - beforeMs} ms`);
  expect(faults).toEqual([]);
  expect((serving.processorMs() - beforeMs) / all.length).toBeLessThan(MEAN_MAX_MS);
  expect(serving.printed()).not.toContain('"level":"error"');
  expect(await serving.stop()).toBe(0);
}, 120_000);
