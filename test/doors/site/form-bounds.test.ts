import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { sitePages } from "../../../src/doors/site/site-pages.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { addPerson, STAFF, signedInVisitor, staffVisitor } from "../../support/visitor.ts";

/** How much of a form is read, and from whom. */

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

const SIGN_IN = "/account/sign-in/";
const WEBHOOKS = "/account/webhooks/";
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const KIB = 1024;

interface Watched {
  body: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Bytes that were read from it. */
  taken(): number;
}

/** An endless body that counts how much of it was read. */
function watched(begin = ""): Watched {
  let taken = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        const piece = taken === 0 && begin !== "" ? Buffer.from(begin) : Buffer.alloc(KIB);
        taken += piece.byteLength;
        controller.enqueue(piece);
      },
    },
    // Produces nothing until somebody reads.
    { highWaterMark: 0 },
  );
  return { body, taken: () => taken };
}

function send(path: string, body: RequestInit["body"], headers: Record<string, string> = FORM) {
  return appliance.request(path, { method: "POST", body: body ?? null, headers });
}

async function cookieOf(email: string): Promise<string> {
  const { cookies } = await signedInVisitor(appliance, email);
  return [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

describe("a form", () => {
  test("over 16 KiB is refused, or over 256 KiB on a page with a list of channels", async () => {
    await addPerson(appliance);
    const headers = { ...FORM, cookie: await cookieOf("ada@example.com") };
    const made = (size: number) => `action=none&url=${"x".repeat(size - 16)}`;
    for (const [path, kib] of [
      [SIGN_IN, 16],
      ["/account/forgotten-password/", 16],
      ["/account/choose-password/", 16],
      ["/account/set-up/", 16],
      ["/account/profile/", 16],
      ["/account/keys/", 16],
      [WEBHOOKS, 256],
      [`${WEBHOOKS}1/`, 256],
    ] as const) {
      expect((await send(path, made(kib * KIB), headers)).status, path).not.toBe(413);
      const refused = await send(path, made(kib * KIB + 1), headers);
      expect(refused.status, path).toBe(413);
      expect(refused.body).toContain("The form is too large.");
    }
  });

  test("that declares too large a size is refused unread, and otherwise once it exceeds the limit", async () => {
    const declared = watched();
    const headers = { ...FORM, "content-length": String(16 * KIB + 1) };
    expect((await send(SIGN_IN, declared.body, headers)).status).toBe(413);
    expect(declared.taken()).toBe(0);
    const untold = watched();
    expect((await send(SIGN_IN, untold.body)).status).toBe(413);
    expect(untold.taken()).toBe(17 * KIB);
  });

  test("with more than 1,000 fields is refused", async () => {
    const fields = (count: number) => Array.from({ length: count }, () => "a=1").join("&");
    expect((await send(SIGN_IN, fields(1_000))).status).toBe(409);
    expect((await send(SIGN_IN, fields(1_001))).status).toBe(413);
    expect((await send(SIGN_IN, "&".repeat(16 * KIB))).status).toBe(413);
  });

  test("with a repeated field counts the first one", async () => {
    const form = "email=first%40x.zz&email=second%40x.zz&action=sign-in&action=sign-out";
    const { body } = await send(SIGN_IN, form);
    expect(body).toContain('value="first@x.zz"');
    expect(body).not.toContain("second@x.zz");
  });

  test("that is not a form is refused, however it is sent", async () => {
    for (const type of ["multipart/form-data", "multipart/form-data; boundary=x"]) {
      expect((await send(SIGN_IN, "nonsense", { "content-type": type })).status, type).toBe(400);
    }
    for (const body of ["", "%", "%FF=%00", "a", '{"action":"sign-in"}', "=&=&&&"]) {
      expect((await send(SIGN_IN, body)).status, body).toBe(409);
    }
    expect(appliance.ports.log.errors).toEqual([]);
  });

  test("may be multipart, with the limits of fields, and a file in it is ignored", async () => {
    const parts = (fields: number, valueBytes: number) => {
      const form = new FormData();
      form.append("action", "sign-in");
      for (let at = 0; at < fields; at += 1) form.append("email", "x".repeat(valueBytes));
      form.append("file", new File(["x"], "a.bin"));
      return form;
    };
    const read = await send(SIGN_IN, parts(3, 10), {});
    expect(read.status).toBe(409);
    expect(read.body).toContain(`value="${"x".repeat(10)}"`);
    expect((await send(SIGN_IN, parts(20, 10), {})).status).toBe(413);
    expect((await send(SIGN_IN, parts(1, 17 * KIB), {})).status).toBe(413);
  });
});

test("with a list of channels longer than any plan's is refused before any lookup", async () => {
  await addPerson(appliance);
  const visitor = await signedInVisitor(appliance, "ada@example.com");
  const list = (length: number) => Array.from({ length }, (_, at) => at + 1).join(" ");
  const sent = { action: "create", url: "https://hooks.example.com/" };
  const refused = await visitor.post(WEBHOOKS, { ...sent, channels: list(10_001) });
  expect(refused.status).toBe(400);
  expect(refused.html).toMatch(/Enter at most \d+ channels\./);
});

describe("no form is read", () => {
  test("if its page requires somebody who is signed in, or somebody else", async () => {
    const { organizationId } = await addPerson(appliance);
    const member = { email: "mia@example.com", role: "member", organizationId } as const;
    await addPerson(appliance, member);
    const cookie = await cookieOf("mia@example.com");
    for (const { path, access, actions } of sitePages) {
      if (actions === undefined || access === "anybody") continue;
      const address = path.replace(/:\w+/g, "1");
      const strangers = watched();
      const answer = await send(address, strangers.body);
      expect(answer.body, path).toContain("<h1>Sign in</h1>");
      expect(strangers.taken(), path).toBe(0);
      if (access !== "staff" && access !== "manager") continue;
      const members = watched();
      expect((await send(address, members.body, { ...FORM, cookie })).status, path).toBe(404);
      expect(members.taken(), path).toBe(0);
    }
  });

  test("from another site, for a page that accepts none, and where there is no page", async () => {
    for (const [path, headers, status] of [
      [SIGN_IN, { origin: "https://evil.example" }, 403],
      ["/account/keys/prefix/", {}, 405],
      ["/account/nothing/", {}, 404],
    ] as const) {
      const sent = watched();
      expect((await send(path, sent.body, { ...FORM, ...headers })).status, path).toBe(status);
      expect(sent.taken(), path).toBe(0);
    }
  });
});

describe("an upload", () => {
  const PATH = "/staff/imports/";
  const part = (name: string, value: string, file = "") =>
    `--x\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
  const multipart = { "content-type": "multipart/form-data; boundary=x" };

  test("from a stranger is not read", async () => {
    const sent = watched();
    const { body } = await send(PATH, sent.body, multipart);
    expect(body).toContain("<h1>Sign in</h1>");
    expect(sent.taken()).toBe(0);
  });

  test("may have 20 fields and 16 KiB before its file, and must end", async () => {
    const staff = await staffVisitor(appliance);
    const csrf = await staff.csrf(PATH);
    const headers = { ...multipart, cookie: await cookieOf(STAFF) };
    const file = part("file", "id,title\n1,Один\n", '; filename="rows.csv"');
    const whole = (fields: string) => Buffer.from(`${fields}${file}--x--\r\n`);
    const status = async (body: RequestInit["body"]) => (await send(PATH, body, headers)).status;
    const token = part("csrf", csrf);
    expect(await status(whole(part("a", "x".repeat(15 * KIB))))).toBe(409);
    expect(await status(whole(part("a", "x".repeat(17 * KIB))))).toBe(413);
    expect(await status(whole(part("a", "x".repeat(9 * KIB)).repeat(2)))).toBe(413);
    expect(await status(whole(part("a", "x").repeat(20)))).toBe(409);
    expect(await status(whole(part("a", "x").repeat(21)))).toBe(413);
    for (const begin of [
      "",
      "--x\r\n",
      `${token}--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n`,
    ]) {
      const sent = watched(begin);
      expect(await status(sent.body), begin).toBeOneOf([400, 413]);
      expect(sent.taken()).toBeLessThan(100 * KIB);
    }
    expect(appliance.ports.log.errors).toEqual([]);
  });
});
