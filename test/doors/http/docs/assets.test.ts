import { expect, test } from "bun:test";
import { startAppliance } from "../../../support/appliance.ts";

/** What a browser loads for `/docs/swagger/`, as sent over the wire. */
const BYTES_MAX = 650_000;
const ORIGIN = "https://console.example.com";

const appliance = await startAppliance({ KANALOG_CORS_ORIGINS: ORIGIN });
const get = (path: string, headers: Record<string, string> = {}) =>
  appliance.app.server.handle(new Request(`http://localhost${path}`, { headers }));
const gzip = { "accept-encoding": "gzip, deflate, br" };

async function loadedByDocs(): Promise<string[]> {
  const html = await (await get("/docs/swagger/")).text();
  const loaded = html.matchAll(/<(?:link|script)[^>]*(?:href|src)="([^"]+)"/g);
  const paths = [...loaded].map(
    ([, path]) => new URL(path ?? "", "http://localhost/docs/swagger/"),
  );
  return [...paths.map(({ pathname }) => pathname), "/docs/json"];
}

test("everything that the API reference loads is compressed for clients that accept it", async () => {
  const paths = await loadedByDocs();
  expect(paths.length).toBeGreaterThan(6);
  let packed = 0;
  for (const path of paths) {
    const plain = await get(path);
    expect(plain.headers.get("content-encoding"), path).toBeNull();
    const answer = await get(path, gzip);
    expect(answer.headers.get("content-encoding"), path).toBe("gzip");
    expect(answer.headers.get("content-type"), path).toBe(plain.headers.get("content-type"));
    for (const { headers } of [plain, answer])
      expect(headers.get("vary"), path).toContain("accept-encoding");
    const bytes = new Uint8Array(await answer.bytes());
    packed += bytes.length;
    expect(Bun.gunzipSync(bytes), path).toEqual(new Uint8Array(await plain.bytes()));
  }
  expect(packed).toBeLessThan(BYTES_MAX);
});

test("a client that refuses gzip gets plain bytes, and a picture stays as it is", async () => {
  const refused = await get("/docs/json", { "accept-encoding": "gzip;q=0, br" });
  expect(refused.headers.get("content-encoding")).toBeNull();
  expect(await refused.json()).toHaveProperty("openapi");
  const picture = await get("/docs/favicon.png", gzip);
  expect(picture.headers.get("content-encoding")).toBeNull();
  expect((await picture.bytes()).slice(1, 4)).toEqual(new TextEncoder().encode("PNG"));
});

test("an answer that depends on the origin too says both", async () => {
  const { headers } = await get("/docs/json", { ...gzip, origin: ORIGIN });
  expect(headers.get("access-control-allow-origin")).toBe(ORIGIN);
  expect(headers.get("vary")).toBe("accept-encoding, Origin");
  expect((await get("/staff/guides/operating/")).headers.get("vary")).toBe(
    "accept-language, cookie, Origin",
  );
});
