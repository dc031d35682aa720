import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contrast, parseColour } from "../../../src/values/settings/colour.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { addPerson, visitorOf } from "../../support/visitor.ts";

/** The operator's name, logo and accent on every page. */

const NAME = "Каналы <b>& Ко";
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="100"><script>alert(1)</script></svg>';

const folder = mkdtempSync(join(tmpdir(), "kanalog-brand-"));
let appliance: Appliance | undefined;
afterEach(async () => {
  expect(appliance?.ports.log.errors).toEqual([]);
  await appliance?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function branded(settings: Record<string, string>): Promise<Appliance> {
  appliance = await startAppliance(settings);
  return appliance;
}

const textOf = async (of: Appliance, path: string): Promise<string> =>
  String((await of.request(path)).body);

test("name, logo and accent appear on the site, the guides, the methods' page and /", async () => {
  const logo = join(folder, "logo.svg");
  writeFileSync(logo, LOGO);
  const own = await branded({ KANALOG_BRAND: NAME, KANALOG_LOGO: logo, KANALOG_ACCENT: "#ffee00" });
  await addPerson(own);
  for (const path of ["/", "/docs/", "/docs/mcp/", "/account/sign-in/"]) {
    const html = (await visitorOf(own).get(path)).html;
    expect(html, path).toContain("<span>Каналы &lt;b&gt;&amp; Ко</span>");
    expect(/<title>(.*?)<\/title>/.exec(html)?.[1], path).toEndWith("Каналы &lt;b&gt;&amp; Ко");
    expect(html, path).toMatch(/<link rel="icon" href="[^"]*account\/assets\/mark"/);
  }
  const mark = await own.request("/account/assets/mark");
  expect(mark.headers.get("content-type")).toBe("image/svg+xml");
  expect(mark.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(mark.headers.get("x-content-type-options")).toBe("nosniff");
  const css = await textOf(own, "/account/assets/frame.css");
  expect(css).toContain("--mark-ratio: 3.000;");
  for (const [name, surface] of [
    ["light", [238, 241, 244]],
    ["dark", [32, 39, 45]],
  ] as const) {
    const accent = new RegExp(`--accent-${name}: (#\\w+);`).exec(css)?.[1] ?? "";
    expect(contrast(parseColour(accent) ?? [0, 0, 0], surface), name).toBeGreaterThan(5.5);
  }
  expect(css).toContain("--accent-dark: #ffee00;");
});

test("mails about an account name the operator, not the program", async () => {
  const own = await branded({
    KANALOG_BRAND: NAME,
    KANALOG_SIGN_UP: "on",
    KANALOG_BASE_URL: "https://example.com",
  });
  await addPerson(own, { email: "olga@example.com" });
  const visitor = visitorOf(own);
  await visitor.post("/account/sign-up/", { action: "send", email: "new@example.com" });
  await visitor.post("/account/forgotten-password/", { action: "send", email: "olga@example.com" });
  await own.app.workAfterAnswers();
  await own.app.mailer.runDue();
  expect(own.ports.mail.sent.map(({ subject }) => subject)).toEqual([
    `Your ${NAME} account`,
    `A new password for ${NAME}`,
  ]);
});

test("without settings the name is Kanalog, with a mark of its own", async () => {
  const own = await branded({});
  await addPerson(own);
  expect((await visitorOf(own).get("/")).html).toContain("<span>Kanalog</span>");
  const css = await textOf(own, "/account/assets/frame.css");
  const accent = /--accent-light: (#\w+);/.exec(css)?.[1];
  expect(await textOf(own, "/account/assets/mark")).toContain(`fill="${accent}"`);
});

test("assets are compressed for clients that accept it, and are the same when decompressed", async () => {
  const own = await branded({});
  let packed = 0;
  for (const name of ["frame.css", "site.css", "site.js", "uplot.css", "uplot.js", "mark"]) {
    const path = `/account/assets/${name}`;
    const plain = await own.app.server.handle(new Request(`http://localhost${path}`));
    expect(plain.headers.get("content-encoding"), name).toBeNull();
    const gzip = await own.app.server.handle(
      new Request(`http://localhost${path}`, { headers: { "accept-encoding": "br, gzip" } }),
    );
    expect(gzip.headers.get("content-encoding"), name).toBe("gzip");
    expect(gzip.headers.get("vary"), name).toBe("accept-encoding");
    const bytes = await gzip.bytes();
    packed += bytes.length;
    expect(Bun.gunzipSync(new Uint8Array(bytes)), name).toEqual(
      new Uint8Array(await plain.bytes()),
    );
  }
  // A page may weigh 100 KB, of which more than half remains for the page itself.
  expect(packed).toBeLessThan(45_000);
});
