import { afterEach, beforeEach, expect, test } from "bun:test";
import { startAppliance } from "../../../support/appliance.ts";
import { fakePorts } from "../../../support/fake-ports.ts";
import {
  type OAuthTalk,
  REDIRECT,
  startOAuthTalk,
  startWithOAuth,
} from "../../../support/oauth-client.ts";
import { until } from "../../../support/until.ts";
import { visitorOf } from "../../../support/visitor.ts";

/** Clients whose id is the address of a document that describes them. */

const ID = "https://assistant.example/client.json";
const DOCUMENT = {
  client_id: ID,
  client_name: "Documented",
  redirect_uris: [REDIRECT, "http://localhost/callback"],
  token_endpoint_auth_method: "none",
};

let talk: OAuthTalk;
beforeEach(async () => {
  talk = await startOAuthTalk();
  publish(ID, DOCUMENT);
});
afterEach(async () => {
  expect(talk.appliance.ports.log.errors).toEqual([]);
  await talk.appliance.close();
});

const network = () => talk.appliance.ports.network;
const publish = (id: string, document: unknown) =>
  network().documents.set(id, typeof document === "string" ? document : JSON.stringify(document));

async function isShown(id: string): Promise<boolean> {
  const { status, html } = await talk.person.get(talk.askPath(id));
  if (status !== 200) expect([status, html]).toEqual([400, expect.stringMatching(REFUSALS)]);
  return status === 200;
}

const REFUSALS = /unknown here|could not be read|does not describe it/;

test("a client needs no registration: its document is read, its name and host are shown, and a grant works", async () => {
  const { html } = await talk.person.get(talk.askPath(ID));
  expect(html).toContain("<bdi>Documented</bdi>");
  expect(html).toContain("It is described at assistant.example.");
  const { tokens } = await talk.connect(ID);
  expect((await talk.call(tokens.access_token)).status).toBe(200);
  expect((await talk.refresh(ID, tokens.refresh_token)).status).toBe(200);
  expect(network().gets).toHaveLength(1);
  expect(network().gets[0]).toMatchObject({
    ...{ address: "93.184.215.14", host: "assistant.example", port: 443, path: "/client.json" },
    ...{ bytesMax: 16_384, timeoutMs: 5_000 },
  });
});

test("a document is read again after an hour, and is no longer valid if that fails", async () => {
  expect(await isShown(ID)).toBe(true);
  publish(ID, { ...DOCUMENT, redirect_uris: ["https://assistant.example/other"] });
  expect(await isShown(ID)).toBe(true);
  talk.appliance.ports.clock.advance(3_600_000);
  expect((await talk.person.get(talk.askPath(ID))).html).toContain("not one of its own");
  network().documents.clear();
  talk.appliance.ports.clock.advance(3_600_000);
  expect(await isShown(ID)).toBe(false);
});

test("a client that has secrets too is a public one here if its document allows that", async () => {
  const methods = { token_endpoint_auth_methods_supported: ["none", "private_key_jwt"] };
  publish(ID, { ...DOCUMENT, token_endpoint_auth_method: "private_key_jwt", ...methods });
  expect(await isShown(ID)).toBe(true);
});

test("the page says whether the document could not be read or describes another client", async () => {
  const said = async () => (await talk.person.get(talk.askPath(ID))).html;
  publish(ID, { ...DOCUMENT, client_id: "https://assistant.example/other.json" });
  expect(await said()).toContain("does not describe it");
  for (const fault of ["unreachable", "timeout", "too_large"] as const) {
    network().documents.clear();
    network().answerGet = () => ({ fault });
    expect(await said()).toContain("could not be read");
  }
  network().answerGet = () => ({ status: 302 });
  expect(await said()).toContain("could not be read");
});

test("a well-known client is let in without a network, at its own addresses only", async () => {
  const id = "https://claude.ai/oauth/claude-code-client-metadata";
  network().answerGet = () => ({ fault: "unreachable" });
  const page = (redirect: string) => talk.person.get(talk.askPath(id, { redirect_uri: redirect }));
  expect((await page("http://localhost:54321/callback")).html).toContain("<bdi>Claude Code</bdi>");
  expect((await page(REDIRECT)).html).toContain("not one of its own");
  // With a network, its document decides.
  publish(id, { ...DOCUMENT, client_id: id, client_name: "Renamed" });
  expect((await page(REDIRECT)).html).toContain("<bdi>Renamed</bdi>");
});

test("a document that does not describe a public client with this very id is refused", async () => {
  const other = (at: number) => `https://assistant.example/${at}.json`;
  const wrong: unknown[] = [
    "no JSON",
    "[]",
    "null",
    { ...DOCUMENT },
    { client_id: other(4), redirect_uris: [REDIRECT] },
    { ...DOCUMENT, client_id: other(5), token_endpoint_auth_method: "private_key_jwt" },
    { ...DOCUMENT, client_id: other(6), redirect_uris: ["http://evil.example/"] },
    { ...DOCUMENT, client_id: other(7), padding: "x".repeat(10_000_000) },
  ];
  for (const [at, document] of wrong.entries()) {
    talk.appliance.ports.clock.advance(60_000);
    publish(other(at), document);
    expect([at, await isShown(other(at))]).toEqual([at, false]);
  }
});

test.each([
  "http://assistant.example/client.json",
  "https://assistant.example",
  "https://assistant.example/",
  "https://assistant.example/a/../client.json",
  "https://assistant.example/client.json?x",
  "https://assistant.example/client.json#x",
  "https://user@assistant.example/client.json",
  "https://ASSISTANT.example/client.json",
  "https://assistant.example:443/client.json",
  "https://127.0.0.1/client.json",
  "https://[::1]/client.json",
  "https://169.254.169.254/latest/meta-data",
  "https://localhost/client.json",
  "https://printer.local/client.json",
  "https://inside.example/client.json",
  `https://assistant.example/${"x".repeat(2_000)}`,
])("no document is requested from %p", async (id) => {
  network().names.set("inside.example", ["93.184.215.14", "10.0.0.7"]);
  publish(id, { ...DOCUMENT, client_id: id });
  expect(await isShown(id)).toBe(false);
  expect(network().gets).toEqual([]);
});

test("a document behind a redirect is not looked for", async () => {
  const id = "https://assistant.example/moved.json";
  network().answerGet = () => ({
    status: 302,
    body: JSON.stringify({ ...DOCUMENT, client_id: id }),
  });
  expect(await isShown(id)).toBe(false);
  expect(network().gets).toHaveLength(1);
});

test("no document is read for strangers, and a limited number for others", async () => {
  await visitorOf(talk.appliance).get(talk.askPath(ID));
  expect(network().gets).toEqual([]);
  for (let at = 0; at < 50; at++) {
    await talk.person.get(talk.askPath(`https://assistant.example/${at}.json`));
  }
  expect(network().gets.length).toBeLessThanOrEqual(10);
});

test("the token endpoint reads none: a client without consent has no code", async () => {
  const { status, body } = await talk.exchange(ID, "knl_oc_x");
  expect([status, body.error]).toEqual([400, "invalid_grant"]);
  expect(network().gets).toEqual([]);
});

test.each([true, false])("a start finds out whether documents can be read: %p", async (isOpen) => {
  const ports = fakePorts();
  const id = "https://vscode.dev/oauth/client-metadata.json";
  if (isOpen) ports.network.documents.set(id, JSON.stringify({ ...DOCUMENT, client_id: id }));
  const started = await startWithOAuth({ KANALOG_PORT: "0" }, ports);
  const isSupported = async () => {
    const { body } = await started.request("/.well-known/oauth-authorization-server");
    return body.client_id_metadata_document_supported;
  };
  expect(await isSupported()).toBe(false);
  started.app.listen();
  await until(() => ports.network.gets.length === (isOpen ? 5 : 6));
  await until(async () => (await isSupported()) === isOpen);
  await started.close();
});

test("a start without OAuth asks nobody", async () => {
  const ports = fakePorts();
  const started = await startAppliance({ KANALOG_PORT: "0" }, ports);
  started.app.listen();
  await new Promise((resolve) => setImmediate(resolve));
  expect(ports.network.gets).toEqual([]);
  await started.close();
});
