import { crc32 } from "node:zlib";
import { readConfig } from "../src/config.ts";
import { invitationMail } from "../src/doors/site/mail-texts.ts";
import { framed } from "../src/ports/mail-frame.ts";
import { createMachine } from "./support/machine.ts";
import { launchBrowser, openWindow } from "./support/site-browser.ts";
import { until } from "./support/until.ts";
import { PASSWORD } from "./support/visitor.ts";

// Draws the README's pictures again, from the demonstration: two short animations, and a mail. `bun run pictures`.

const SIZE = { width: 1280, height: 800 };
/** Pages of the animation, in its order; the first one is the README's picture too. */
const TOUR = [
  "/account/channels/",
  "/account/channels/1/",
  "/account/compare/?channels=1,8,30",
  "/account/posts/",
  "/staff/",
];
/** What customers see of the demonstration messenger. */
const DEMO_PAGES = ["/account/channels/?q=Демо", "/account/posts/?q=мост+|+галактика"];
const SHOWN_MS = 2_500;

const machine = createMachine();
const server = await machine.serve(["start", "--demo"]);
await until(() => server.printed().includes("First account"));
const browser = await launchBrowser();
const { page } = await openWindow(browser, server.address, { viewport: SIZE });
await page.goto(/http\S+\/account\/set-up\/\S+/.exec(server.printed())?.[0] ?? "");
const typed = { name: "Ada", email: "ada@example.com", password: PASSWORD, organization: "Acme" };
for (const [name, value] of Object.entries(typed)) await page.fill(`[name=${name}]`, value);
await page.click("main button[type=submit]");
await page.waitForURL("**/staff/start/");
async function shownAt(path: string): Promise<Buffer> {
  await page.goto(path, { waitUntil: "networkidle" });
  return page.screenshot();
}
const tour: Buffer[] = [];
for (const path of TOUR) tour.push(await shownAt(path));
// The first minute of a demonstration messenger: the button, half a minute after it, a whole one, and its channels.
const minute = [await shownAt("/staff/sources/telegram/")];
await page.click("form:has(input[name=action][value=demo]) button");
await page.waitForURL("**/staff/sources/*/?done=demoAdded");
const { pathname: source } = new URL(page.url());
for (let at = 0; at < 2; at++) {
  await Bun.sleep(30_000);
  minute.push(await shownAt(source));
}
for (const path of DEMO_PAGES) minute.push(await shownAt(path));
// The appliance's pages forbid the styles that mails have within their elements.
await page.goto("about:blank");
await page.setViewportSize({ width: 640, height: 300 });
for (const [language, file] of [
  ["en", "mail.png"],
  ["ru", "mail.ru.png"],
] as const) {
  const mail = invitationMail(
    { baseAddress: "https://data.example.com", brand: "Kanalog", language },
    "ada@example.com",
    { organization: "Acme", inviter: "Grace" },
    "TOKEN",
  );
  await page.setContent(framed(mail, readConfig({}), false).html);
  await Bun.write(`.github/${file}`, await page.screenshot());
}
await browser.close();
await server.stop();
await machine.leave();
await Bun.write(".github/kanalog.png", tour[0] ?? "");
await Bun.write(".github/tour.png", animated(tour));
await Bun.write(".github/messenger.png", animated(minute));

/** An animated PNG of PNGs of one size, each shown as long. */
function animated(pictures: readonly Buffer[]): Buffer {
  const all = pictures.map(chunksOf);
  const header = all[0]?.find(({ type }) => type === "IHDR")?.data ?? Buffer.alloc(0);
  let sequence = 0;
  const parts = all.flatMap((chunks, at) => {
    const control = Buffer.alloc(26);
    control.writeUInt32BE(sequence++, 0);
    header.copy(control, 4, 0, 8);
    control.writeUInt16BE(SHOWN_MS, 20);
    control.writeUInt16BE(1_000, 22);
    const data = chunks
      .filter(({ type }) => type === "IDAT")
      .map((chunk) => {
        if (at === 0) return chunkOf("IDAT", chunk.data);
        const number = Buffer.alloc(4);
        number.writeUInt32BE(sequence++);
        return chunkOf("fdAT", Buffer.concat([number, chunk.data]));
      });
    return [chunkOf("fcTL", control), ...data];
  });
  const control = Buffer.alloc(8);
  control.writeUInt32BE(pictures.length);
  const signature = pictures[0]?.subarray(0, 8) ?? Buffer.alloc(0);
  const head = [signature, chunkOf("IHDR", header), chunkOf("acTL", control)];
  return Buffer.concat([...head, ...parts, chunkOf("IEND", Buffer.alloc(0))]);
}

function chunksOf(picture: Buffer): { type: string; data: Buffer }[] {
  const chunks: { type: string; data: Buffer }[] = [];
  for (let at = 8; at < picture.length; ) {
    const length = picture.readUInt32BE(at);
    const type = picture.toString("latin1", at + 4, at + 8);
    chunks.push({ type, data: picture.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function chunkOf(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, checksum]);
}
