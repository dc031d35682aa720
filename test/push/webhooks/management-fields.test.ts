import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import {
  type Call,
  callsWith,
  created,
  endManaging,
  expectFieldFaults,
  importChannels,
  RECEIVER,
  shownBy,
  startManaging,
} from "../../support/webhook-calls.ts";

/** Which fields are accepted, and how others are refused. */

const REQUIRED = "This field is required.";
const NULL = "This field may not be null.";

let appliance: Appliance;
let call: Call;

beforeEach(async () => {
  ({ appliance, call } = await startManaging());
  await imported(appliance, "channels", [channel(4, { is_public: false })]);
  await appliance.app.domains.accounts.changePlan("profi", { webhooks: 1000 }, COMMAND_LINE);
});
afterEach(() => endManaging(appliance));

const shown = (id: number) => shownBy(call, id);

async function count(): Promise<number> {
  return (await call("GET", "")).body.results.length;
}

/** Expects a field to be refused both at creation and at change, and neither to leave a trace. */
async function expectFieldRefused(
  field: "url" | "channels" | "is_active",
  values: readonly (readonly [unknown, string | RegExp])[],
): Promise<void> {
  const { id } = await created(call);
  const before = await shown(id);
  appliance.ports.clock.advance(1000);
  for (const [value, fault] of values) {
    const what = JSON.stringify(value);
    const others = { url: RECEIVER, channels: [2] };
    if (field !== "is_active") {
      const made = await call("POST", "", { ...others, [field]: value });
      expectFieldFaults(made, { [field]: fault }, what);
    }
    const changed = await call("PATCH", `${id}/`, { ...others, [field]: value });
    expectFieldFaults(changed, { [field]: fault }, what);
  }
  expect(await count()).toBe(1);
  expect(await shown(id)).toEqual(before);
  expect(appliance.ports.network.posts).toEqual([]);
}

describe("the field", () => {
  test("url and channels are reported together if they are missing at creation", async () => {
    expectFieldFaults(await call("POST", "", {}), { url: REQUIRED, channels: REQUIRED });
    expectFieldFaults(await call("POST", ""), { url: REQUIRED, channels: REQUIRED });
    expectFieldFaults(await call("POST", "", { url: RECEIVER }), { channels: REQUIRED });
    expectFieldFaults(await call("POST", "", { channels: [1] }), { url: REQUIRED });
    expect(await count()).toBe(0);
  });

  test("url must be a text that is not blank", async () => {
    await expectFieldRefused("url", [
      [null, NULL],
      ["", "This field may not be blank."],
      [" \t", "This field may not be blank."],
      [true, "Not a valid string."],
      [[RECEIVER], "Not a valid string."],
      [{ href: RECEIVER }, "Not a valid string."],
      [5, /./],
      ["nonsense", /./],
      [`${RECEIVER}\0`, "Null characters are not allowed."],
    ]);
  });

  test("url may have at most 2,048 characters", async () => {
    const ofLength = (length: number, letter: string) =>
      RECEIVER + letter.repeat(length - RECEIVER.length);
    for (const letter of ["x", "ж", "\u{1f600}"]) {
      const url = ofLength(2048, letter);
      expect((await created(call, { url })).url).toBe(url);
      const answer = await call("POST", "", { url: ofLength(2049, letter), channels: [1] });
      const fault = "Ensure this field has no more than 2048 characters.";
      expectFieldFaults(answer, { url: fault });
    }
  });

  test("channels must be a list of integers that is not empty", async () => {
    const integer = "A valid integer is required.";
    await expectFieldRefused("channels", [
      [null, NULL],
      ["1", 'Expected a list of items but got type "str".'],
      [1, 'Expected a list of items but got type "int".'],
      [1.5, 'Expected a list of items but got type "float".'],
      [true, 'Expected a list of items but got type "bool".'],
      [{ 0: 1 }, 'Expected a list of items but got type "dict".'],
      [[], "This list may not be empty."],
      [["x"], integer],
      [[1, 1.5], integer],
      [[1, true], integer],
      [[[1]], integer],
      [[1, {}], integer],
      [[1e30], integer],
      [[1, ""], integer],
      [[1, null], /./],
    ]);
  });

  test("channels is refused with the numbers that no public channel has", async () => {
    await expectFieldRefused("channels", [
      [[4], /\b4\b/],
      [[1, 71, 2, 72], /^(?!.*\b[12]\b).*\b71\b.*\b72\b/],
      [[3, 4, 71], /^(?!.*\b3\b).*\b4\b.*\b71\b/],
      [[0], /\b0\b/],
      [[-1], /-1\b/],
      [[Number.MAX_SAFE_INTEGER], /9007199254740991/],
    ]);
  });

  test("channels may repeat a number, which counts once, where it first occurs", async () => {
    const { id } = await created(call, { channels: [2, 1, 2, 1, 3] });
    expect((await shown(id)).channels).toEqual([2, 1, 3]);
    await appliance.app.domains.accounts.changePlan("profi", { webhookChannels: 2 }, COMMAND_LINE);
    const { status, body } = await call("PATCH", `${id}/`, { channels: [1, 1, 1, 2] });
    expect([status, body.channels]).toEqual([200, [1, 2]]);
  });

  test("channels keeps a channel that is no longer public, which the next list must leave out", async () => {
    const { id } = await created(call, { channels: [1, 2] });
    await imported(appliance, "channels", [{ id: 2, is_public: false }]);
    expect((await call("PATCH", `${id}/`, { url: `${RECEIVER}/2` })).status).toBe(200);
    const answer = await call("PATCH", `${id}/`, { channels: [1, 2] });
    expectFieldFaults(answer, { channels: /\b2\b/ });
    expect((await call("PATCH", `${id}/`, { channels: [1] })).body.channels).toEqual([1]);
  });

  test("is_active must be a boolean", async () => {
    const fault = "Must be a valid boolean.";
    await expectFieldRefused("is_active", [
      [null, NULL],
      ["maybe", fault],
      ["", fault],
      [2, fault],
      [-1, fault],
      [[true], fault],
      [{}, fault],
    ]);
  });

  test("that does not exist is reported, at creation, change, rotation and test", async () => {
    const { id } = await created(call);
    const before = await shown(id);
    const good = { url: RECEIVER, channels: [1] };
    const names = ["name", "secret", "id", "disabled_reason", "URL", "constructor", "toString"];
    for (const name of [...names, "__proto__", "hasOwnProperty", "prototype", "", "ё"]) {
      for (const [verb, path, fields] of [
        ["POST", "", good],
        ["PATCH", `${id}/`, good],
        ["POST", `${id}/rotate-secret/`, { overlap_hours: 1 }],
        ["POST", `${id}/test/`, {}],
        ["POST", `${id}/deliveries/1/resend/`, {}],
      ] as const) {
        // Built from entries, so that even `__proto__` is a field of the body.
        const body = Object.fromEntries([...Object.entries(fields), [name, { x: 1 }]]);
        const answer = await call(verb, path, body);
        expect(answer.status, `${verb} ${path} ${name}`).toBe(400);
        expect(Object.entries(answer.body), `${verb} ${path} ${name}`).toEqual([
          [name, [expect.any(String)]],
        ]);
      }
    }
    expectFieldFaults(await call("POST", "", { ...good, is_active: true }), { is_active: /./ });
    expect(await shown(id)).toEqual(before);
    expect(await count()).toBe(1);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  test("is reported with every other that has a fault, all at once", async () => {
    expectFieldFaults(await call("POST", "", { url: [], channels: "x", a: 1 }), {
      url: "Not a valid string.",
      channels: 'Expected a list of items but got type "str".',
      a: /./,
    });
    const { id } = await created(call);
    const body = { url: "", channels: [], is_active: null, b: null, c: 1 };
    expectFieldFaults(await call("PATCH", `${id}/`, body), {
      url: "This field may not be blank.",
      channels: "This list may not be empty.",
      is_active: NULL,
      b: /./,
      c: /./,
    });
  });
});

describe("the address", () => {
  const live = (name: string, ...addresses: string[]) =>
    void appliance.ports.network.names.set(name, addresses);

  test("of a private network or of localhost is a 400 on url", async () => {
    await expectFieldRefused(
      "url",
      [
        "https://10.0.0.1/",
        "https://127.0.0.1:8443/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://169.254.169.254/latest/meta-data/",
        "https://localhost/",
        "https://LOCALHOST:8443/",
        "https://a.localhost/",
        "https://printer.local/",
        "https://db.internal/",
        "https://intranet/",
      ].map((url) => [url, /./] as const),
    );
  });

  test("of a name with a private address among its addresses is a 400 on url", async () => {
    live("mixed.example.com", "93.184.215.14", "192.168.1.1");
    live("mixed6.example.com", "93.184.215.14", "fd00::1");
    live("private.example.com", "10.0.0.1");
    await expectFieldRefused("url", [
      ["https://mixed.example.com/", /./],
      ["https://mixed6.example.com/", /./],
      ["https://private.example.com/", /./],
    ]);
  });

  test("of a name that does not exist is a 400 on url", async () => {
    live("nowhere.example.com");
    await expectFieldRefused("url", [["https://nowhere.example.com/", /./]]);
  });

  test("of a name that cannot be resolved at present is accepted, because attempts are checked anyway", async () => {
    const { names } = appliance.ports.network;
    names.set("later.example.com", null);
    const { id } = await created(call, { url: "https://later.example.com/" });
    names.set("later.example.com", ["10.0.0.1"]);
    const { body } = await call("POST", `${id}/test/`);
    expect(body).toMatchObject({ delivered: false, error: "The receiver could not be reached." });
    expect(appliance.ports.network.posts).toEqual([]);
  });

  test("must be https, without user info, on port 443 or above 1023", async () => {
    await expectFieldRefused(
      "url",
      [
        "http://hooks.example.com/",
        "ftp://hooks.example.com/",
        "hooks.example.com",
        "//hooks.example.com/",
        "https:hooks.example.com",
        "https:\\\\hooks.example.com\\",
        "https://",
        "https://ada@hooks.example.com/",
        "https://ada:x@hooks.example.com/",
        "https://hooks.example.com:0/",
        "https://hooks.example.com:22/",
        "https://hooks.example.com:80/",
        "https://hooks.example.com:442/",
        "https://hooks.example.com:444/",
        "https://hooks.example.com:1023/",
        "https://hooks.example.com:65536/",
      ].map((url) => [url, /./] as const),
    );
    for (const url of [
      "https://hooks.example.com",
      "https://hooks.example.com:443/",
      "https://hooks.example.com:1024/",
      "https://hooks.example.com:65535/x?y=z",
      "https://93.184.215.14/",
      "https://[2606:4700::1111]:8443/",
    ]) {
      expect((await created(call, { url })).url).toBe(url);
    }
  });

  test("of an internationalized name is accepted and shown as given, and called in its ASCII form", async () => {
    const url = "https://Пример.рф/хук?о=ё";
    const { id } = await created(call, { url });
    expect((await shown(id)).url).toBe(url);
    expect((await call("POST", `${id}/test/`)).body.delivered).toBe(true);
    expect(appliance.ports.network.posts[0]).toMatchObject({
      host: "xn--e1afmkfd.xn--p1ai",
      path: "/%D1%85%D1%83%D0%BA?%D0%BE=%D1%91",
    });
    const ascii = "https://xn--e1afmkfd.xn--p1ai/";
    expect((await call("PATCH", `${id}/`, { url: ascii })).body.url).toBe(ascii);
    live("xn--e1afmkfd.xn--p1ai", "10.0.0.1");
    const answer = await call("PATCH", `${id}/`, { url });
    expectFieldFaults(answer, { url: /./ });
    expect((await shown(id)).url).toBe(ascii);
  });

  test("in the operator's own networks is accepted if KANALOG_WEBHOOK_ALLOW contains them", async () => {
    await appliance.close();
    appliance = await startAppliance({ KANALOG_WEBHOOK_ALLOW: "10.1.0.0/16" });
    await importChannels(appliance, 1);
    const { key } = await appliance.customer({ access: "read_write" });
    call = callsWith(appliance, key);
    expect((await created(call, { url: "https://10.1.2.3/" })).url).toBe("https://10.1.2.3/");
    const answer = await call("POST", "", { url: "https://10.2.0.1/", channels: [1] });
    expectFieldFaults(answer, { url: /./ });
  });
});
