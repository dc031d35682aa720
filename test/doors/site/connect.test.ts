import { afterEach, beforeEach, expect, test } from "bun:test";
import { connectSnippets } from "../../../src/customers/keys/connect-snippets.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { ISSUER, startWithOAuth } from "../../support/oauth-client.ts";
import { addPerson, signedInVisitor, type Visitor } from "../../support/visitor.ts";

/** Connecting an assistant in one step: a link to press or a text to paste, with address and key filled in. */

let appliance: Appliance;
let person: Visitor;
beforeEach(async () => {
  appliance = await startAppliance();
  const { email } = await addPerson(appliance);
  person = await signedInVisitor(appliance, email);
});
afterEach(() => appliance.close());

const escaped = (text: string) => Bun.escapeHTML(text).replaceAll("&#x27;", "&#39;");
const linksIn = (html: string) =>
  [...html.matchAll(/<a class="button" href="([^"]+)"/g)].map(([, link = ""]) =>
    link.replaceAll("&amp;", "&"),
  );

test("one button on the Connect page creates a read-only key and shows every way with it filled in", async () => {
  const { status, html } = await person.post("/account/connect/", {
    ...{ action: "make-key", name: "My assistant" },
  });
  expect(status).toBe(200);
  const [key = ""] = /knl_ro_\w{38}/.exec(html) ?? [];
  expect((await appliance.get("/v1/me/", key)).body.key).toMatchObject({ name: "My assistant" });
  for (const { text } of connectSnippets("http://localhost", key)) {
    expect(html).toContain(escaped(text));
  }
  expect(html).not.toContain("YOUR_KEY");
  expect(html).not.toContain("input:kanalog-key");
});

test("the page of a new key shows them too, and its links contain address and key", async () => {
  const { html } = await person.post("/account/keys/", {
    ...{ action: "create", name: "Key", access: "read_only", expires: "" },
  });
  const [key = ""] = /knl_ro_\w{38}/.exec(html) ?? [];
  const links = linksIn(html);
  const server = {
    url: "http://localhost/v1/mcp/",
    headers: { Authorization: `Bearer ${key}` },
  };
  for (const start of ["cursor://anysphere.cursor-deeplink/mcp/install?", "lmstudio://add_mcp?"]) {
    const link = links.find((one) => one.startsWith(start)) ?? "";
    const query = new URLSearchParams(link.slice(start.length));
    expect(query.get("name")).toBe("kanalog");
    const config = Buffer.from(query.get("config") ?? "", "base64").toString();
    expect(JSON.parse(config)).toEqual(server);
  }
  const code = links.find((one) => one.startsWith("vscode:mcp/install?")) ?? "";
  expect(JSON.parse(decodeURIComponent(code.slice("vscode:mcp/install?".length)))).toEqual({
    ...{ name: "kanalog", type: "http" },
    ...server,
  });
  expect(links).toContain("http://localhost/docs/mcp/kanalog.mcpb");
});

test("without a key, only links that need none are shown: VS Code asks for it", async () => {
  const links = linksIn((await person.get("/account/connect/")).html);
  expect(links.filter((link) => /^(cursor|lmstudio):/.test(link))).toEqual([]);
  const code = links.find((one) => one.startsWith("vscode:mcp/install?")) ?? "";
  const { inputs, headers } = JSON.parse(
    decodeURIComponent(code.slice("vscode:mcp/install?".length)),
  );
  expect(headers).toEqual({ Authorization: `Bearer \${input:${inputs[0].id}}` });
  expect(inputs[0].password).toBe(true);
});

test("a key without a name is refused at its field and not created", async () => {
  const answer = await person.post("/account/connect/", { action: "make-key", name: " " });
  expect([answer.status, answer.html.includes('aria-invalid="true"')]).toEqual([400, true]);
  expect(answer.html).not.toMatch(/knl_ro_\w/);
});

test("the address alone is shown only if assistants can sign in", async () => {
  expect((await person.get("/account/connect/")).html).not.toContain("ChatGPT");
  const on = await startWithOAuth();
  const { email } = await addPerson(on);
  const { html } = await (await signedInVisitor(on, email)).get("/account/connect/");
  expect(html).toContain('<h2 id="by-address">claude.ai, ChatGPT</h2>');
  expect(html).toContain(`<code>${ISSUER}/v1/mcp/</code>`);
  await on.close();
});

test.each(["en", "ru"])(
  "no way of connecting needs anything that only an operator has (%s)",
  async (language) => {
    const page = (await person.get("/account/connect/", { "accept-language": language })).html;
    const text = page.slice(page.indexOf("<main"));
    expect(text).not.toMatch(/bun run|src\/main\.ts|KANALOG_(?!URL|KEY)|\bbun\b/);
  },
);
