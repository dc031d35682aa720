import { afterEach, expect, test } from "bun:test";
import { CONNECTION_STEPS } from "../../../../src/customers/oauth/connection-test.ts";
import { WORDS } from "../../../../src/words/words.ts";
import { type Appliance, startAppliance } from "../../../support/appliance.ts";
import { createMachine } from "../../../support/machine.ts";
import { addPerson, signedInVisitor, type Visitor } from "../../../support/visitor.ts";

/** "Test the connection": through a proxy with a fault, the step that fails is named, and what to do. */

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Answer = (path: string, request: Request) => Response | null;

/** An appliance behind a proxy that answers some requests itself. */
async function behindProxy(
  answer: Answer = () => null,
  setting = "on",
): Promise<{ url: string; appliance: Appliance; person: Visitor }> {
  let inner = "";
  const proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const own = answer(pathname, request);
      if (own !== null) return own;
      const { method, headers } = request;
      const body = method === "POST" ? await request.text() : null;
      return fetch(inner + pathname + search, { method, headers, body, redirect: "manual" });
    },
  });
  closing.push(() => proxy.stop(true));
  const appliance = await startAppliance({
    ...{ KANALOG_PORT: "0", KANALOG_OAUTH: setting, KANALOG_BASE_URL: proxy.url.origin },
  });
  closing.push(() => appliance.close());
  inner = appliance.app.listen();
  const { email } = await addPerson(appliance);
  return { url: proxy.url.origin, appliance, person: await signedInVisitor(appliance, email) };
}

const PATH = "/account/connect/test/";
const { connectionTest: words } = WORDS.en;
const plain = (html: string) => html.replaceAll("&#39;", "'").replaceAll("&amp;", "&");

test("a sound installation passes each step, and nobody gets access", async () => {
  const { appliance, person, url } = await behindProxy();
  const { html } = await person.post(PATH, { action: "run" });
  expect(html).toContain(words.passed);
  expect(html).toContain(`${url}/v1/mcp/`);
  expect(html.split(`>${words.ok}<`).length - 1).toBe(CONNECTION_STEPS.length);
  const { db } = appliance.app.domains;
  for (const table of ["keys", "oauth_codes", "oauth_grants", "oauth_tokens"]) {
    expect(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()).toEqual({ n: 0 });
  }
  expect(appliance.ports.log.errors).toEqual([]);
});

const notFound = (): Response => new Response("<h1>Not found</h1>", { status: 404 });
const FAULTS: [step: keyof typeof words.steps, answer: Answer, got: string][] = [
  ["reach", (path) => (path === "/v1/mcp/" ? notFound() : null), "/v1/mcp/: 404"],
  [
    "reach",
    (path) => (path === "/v1/mcp/" ? Response.redirect("https://www.example.com/", 301) : null),
    "301 → https://www.example.com/",
  ],
  [
    "challenge",
    (path) => (path === "/v1/mcp/" ? new Response(null, { status: 401 }) : null),
    "WWW-Authenticate: ",
  ],
  ["resource", (path) => (path.startsWith("/.well-known/") ? notFound() : null), "404"],
  [
    "resource",
    (path) => (path.includes("protected-resource") ? new Response("<html>") : null),
    "oauth-protected-resource/v1/mcp/: ",
  ],
  ["server", (path) => (path.includes("authorization-server") ? notFound() : null), "404"],
  ["register", (path) => (path === "/oauth/register" ? notFound() : null), "404"],
  ["authorize", (path) => (path.startsWith("/account/") ? notFound() : null), "404"],
  [
    "token",
    (path) => (path === "/oauth/token" ? new Response(null, { status: 502 }) : null),
    "502",
  ],
  [
    "page",
    (_path, { method }) => (method === "OPTIONS" ? new Response(null, { status: 405 }) : null),
    "405",
  ],
];
for (const [step, answer, got] of FAULTS) {
  test(`${step} fails if a proxy answers "${got}", on the page and on the command line`, async () => {
    const { person, url } = await behindProxy(answer);
    const html = plain((await person.post(PATH, { action: "run" })).html);
    expect(html).toContain(`${words.steps[step]}: ${words.advice[step]}`);
    expect(html).toContain(got);
    expect(html).not.toContain(words.passed);
    const passed = CONNECTION_STEPS.indexOf(step);
    expect(html.split(`>${words.ok}<`).length - 1).toBe(passed);

    const machine = createMachine();
    closing.push(() => machine.leave());
    const { exitCode, out } = await machine.run(["mcp", "test", "--url", url]);
    expect(exitCode).toBe(1);
    expect(out).toContain(`${passed + 1}/8 ${words.steps[step]}: failed`);
    expect(out).toContain(words.advice[step]);
  });
}

test("the command passes a sound installation, whatever the spelling of the address", async () => {
  const { url } = await behindProxy();
  const machine = createMachine();
  closing.push(() => machine.leave());
  for (const spelling of ["", "/", "/mcp", "/v1/mcp/"]) {
    const { exitCode, out } = await machine.run(["mcp", "test", "--url", url + spelling]);
    expect([spelling, exitCode, out.split("\n")[0]]).toEqual([
      ...[spelling, 0, `1/8 ${words.steps.reach}: ok`],
    ]);
  }
  const { exitCode, out } = await machine.run(["mcp", "test", "--url", "http://127.0.0.1:1"]);
  expect(exitCode).toBe(1);
  expect(out).toContain("http://127.0.0.1:1/v1/mcp/: ");
  const failed = await machine.run(["mcp", "test", "--url", "http://127.0.0.1:1", "--json"]);
  expect(failed.exitCode).toBe(1);
  expect(JSON.parse(failed.out)).toEqual({
    address: "http://127.0.0.1:1/v1/mcp/",
    steps: [{ step: "reach", fault: expect.any(String) }],
  });
  expect((await machine.run(["mcp", "test"])).exitCode).toBe(2);
});

test("if assistants cannot sign in here, the page says what turns it on; it is throttled", async () => {
  const off = await behindProxy(() => null, "off");
  expect((await off.person.get(PATH)).html).toContain("KANALOG_OAUTH=on");
  const on = await behindProxy();
  const statuses: number[] = [];
  for (let at = 0; at < 7; at += 1) {
    statuses.push((await on.person.post(PATH, { action: "run" })).status);
  }
  expect([statuses[0], statuses.at(-1)]).toEqual([200, 429]);
});
