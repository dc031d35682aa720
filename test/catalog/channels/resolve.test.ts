import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, expectFaults, expectRefusal, imported } from "../../support/expectations.ts";

const RESOLVE = "/v1/msgr/channels/resolve/";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

const resolving = (q: string): string => `${RESOLVE}?q=${encodeURIComponent(q)}`;

async function expectFound(q: string, id: number, on: Appliance = appliance): Promise<void> {
  const answer = await on.get(resolving(q));
  expect(answer.body, q).toMatchObject({ id });
  expect(answer.status, q).toBe(200);
}

const NEEDED = { q: "This field is required." };

describe("a link", () => {
  test("finds its channel in every form, on each of the messenger's hosts", async () => {
    await imported(appliance, "channels", [channel(5, { handle: "NsMag" }), channel(6)]);
    for (const host of ["t.me", "telegram.me", "max.ru", "T.ME", "Telegram.Me"]) {
      for (const start of ["", "http://", "https://", "HTTPS://"]) {
        for (const rest of [
          "nsmag",
          "NSMAG",
          "nsmag/",
          "nsmag?start=1",
          "nsmag/?a=b&c=d",
          "nsmag/123",
          "nsmag/123?single",
          "nsmag/123/",
          "s/nsmag",
          "s/nsmag/",
          "s/nsmag/123",
          "s/nsmag?before=9",
          "nsmag#top",
        ]) {
          await expectFound(`${start}${host}/${rest}`, 5);
        }
      }
    }
  });

  test("in Telegram's other forms, or with a default port, is recognized", async () => {
    await imported(appliance, "channels", [channel(5, { handle: "NsMag" }), channel(6)]);
    for (const q of [
      ...["telegram.dog/nsmag", "https://telegram.dog/s/nsmag/12"],
      ...["https://web.telegram.org/k/#@nsmag", "web.telegram.org/a/#@NsMag"],
      ...["https://web.telegram.org/#@nsmag", "https://web.telegram.org/z/?account=2#@nsmag"],
      ...["nsmag.t.me", "https://nsmag.t.me", "https://nsmag.t.me/12", "http://NSMAG.T.ME/"],
      ...["tg://resolve?domain=nsmag", "tg:resolve?domain=NsMag&post=12"],
      ...["tg://resolve?post=12&domain=nsmag", "tg://resolve/?domain=nsmag"],
      ...["t.me/boost/nsmag", "https://t.me/boost/nsmag?x=1"],
      ...["http://t.me:80/nsmag", "https://t.me:443/nsmag/3", "t.me:443/s/nsmag"],
      ...["https://nsmag.t.me:443/1", "https://max.ru:443/nsmag"],
    ]) {
      await expectFound(q, 5);
      const inCatalog = await appliance.get(`/v1/msgr/channels/?q=${encodeURIComponent(q)}`);
      expect(inCatalog.body.results, q).toMatchObject([{ id: 5 }]);
    }
    for (const q of [
      ...["https://web.telegram.org/k/", "https://web.telegram.org/k/#nsmag"],
      ...["tg://resolve?domain=", "tg://join?invite=nsmag", "https://nsmag.t.me.example.com/"],
      ...["https://t.me:8443/nsmag", "https://a.nsmag.t.me/", "t.me/c/nsmag/1"],
    ]) {
      expect([400, 404], q).toContain((await appliance.get(resolving(q))).status);
    }
    const own = await startAppliance({ KANALOG_MESSENGER_HOSTS: "msgr.example" });
    await imported(own, "channels", [channel(5, { handle: "nsmag" })]);
    for (const q of ["nsmag.t.me/1", "tg://resolve?domain=nsmag", "web.telegram.org/k/#@nsmag"]) {
      expect((await own.get(resolving(q))).status, q).not.toBe(200);
    }
    await own.close();
  });

  test("may be surrounded by white space", async () => {
    await imported(appliance, "channels", [channel(5, { handle: "nsmag" })]);
    for (const q of [" https://t.me/nsmag ", "\t@nsmag\n"]) await expectFound(q, 5);
  });

  test("of an invitation finds no channel", async () => {
    await imported(appliance, "channels", [
      channel(5, { handle: "joinchat" }),
      channel(6, { handle: "AbCdEf" }),
    ]);
    for (const q of [
      "https://t.me/+AbCdEf",
      "t.me/joinchat/AbCdEf",
      "https://t.me/JoinChat/AbCdEf",
      "https://t.me/+AbCdEf?x=y",
      "https://t.me/c/123456/7",
    ]) {
      await expectRefusal(appliance, resolving(q), 404, "not_found");
    }
  });

  test("to a channel that is not here is a 404", async () => {
    await imported(appliance, "channels", [channel(5, { handle: "nsmag" })]);
    for (const q of [
      "https://t.me/nsma",
      "t.me/",
      "https://t.me/",
      "https://t.me/?nsmag",
      "t.me/s/other",
      "t.me/%D1%91",
    ]) {
      await expectRefusal(appliance, resolving(q), 404, "not_found");
    }
  });

  test("to a host that is not the messenger's finds no channel", async () => {
    await imported(appliance, "channels", [channel(5, { handle: "nsmag" })]);
    for (const q of [
      "https://example.com/nsmag",
      "https://t.me.example.com/nsmag",
      "https://nott.me/nsmag",
      "ftp://t.me/nsmag",
      "https://t.me@example.com/nsmag",
      "https://example.com/t.me/nsmag",
    ]) {
      const { status } = await appliance.get(resolving(q));
      expect([400, 404], q).toContain(status);
    }
  });

  test("is recognized by the hosts in the settings, and by no others", async () => {
    const own = await startAppliance({
      KANALOG_MESSENGER_HOSTS: "msgr.example, CHAT.example:8443",
    });
    await imported(own, "channels", [channel(5, { handle: "nsmag" })]);
    await expectFound("https://msgr.example/nsmag", 5, own);
    await expectFound("MSGR.example/s/nsmag", 5, own);
    await expectFound("https://chat.example:8443/nsmag/1", 5, own);
    for (const q of ["https://t.me/nsmag", "telegram.me/nsmag", "chat.example/nsmag"]) {
      expect((await own.get(resolving(q))).status, q).not.toBe(200);
    }
    const inCatalog = await own.get(`/v1/msgr/channels/?q=msgr.example/nsmag`);
    expect(inCatalog.body.results).toMatchObject([{ id: 5 }]);
    expect((await own.get(`/v1/msgr/channels/?q=t.me/nsmag`)).body.results).toEqual([]);
    await own.close();
  });
});

describe("a handle", () => {
  test("with @ matches exactly, in upper or lower case", async () => {
    await imported(appliance, "channels", [channel(5, { handle: "NsMag" })]);
    for (const q of ["@NsMag", "@nsmag", "@NSMAG"]) await expectFound(q, 5);
    for (const q of ["@nsma", "@nsmag2", "@", "@@nsmag", "@ns mag", "@ёж", "@nsmag%"]) {
      await expectRefusal(appliance, resolving(q), 404, "not_found");
    }
  });
});

describe("the messenger's own id", () => {
  test("may be negative, and is not the service number", async () => {
    await imported(appliance, "channels", [
      channel(5, { msgr_id: -1001234567890 }),
      channel(6, { msgr_id: 5 }),
      channel(7, { msgr_id: Number.MIN_SAFE_INTEGER }),
    ]);
    await expectFound("-1001234567890", 5);
    await expectFound("5", 6);
    await expectFound("-9007199254740991", 7);
    for (const q of ["7", "1001234567890", "-5", "0"]) {
      await expectRefusal(appliance, resolving(q), 404, "not_found");
    }
  });

  test("is exact to the last digit", async () => {
    await imported(appliance, "channels", [
      channel(5, { msgr_id: "9223372036854775807" }),
      channel(6, { msgr_id: "9223372036854775806" }),
      channel(7, { msgr_id: "-9223372036854775808" }),
      channel(8, { msgr_id: "9007199254740993" }),
    ]);
    await expectFound("9223372036854775807", 5);
    await expectFound("9223372036854775806", 6);
    await expectFound("-9223372036854775808", 7);
    await expectFound("9007199254740993", 8);
    await expectRefusal(appliance, resolving("9007199254740992"), 404, "not_found");
  });

  test("is the same with Telegram's prefix -100, without it, and in a link to a private post", async () => {
    await imported(appliance, "channels", [
      channel(5, { msgr_id: "-1001234567890", handle: "nsmag" }),
      channel(6, { msgr_id: 777 }),
    ]);
    const names = ["-1001234567890", "1234567890", "t.me/c/1234567890/17", "t.me/c/1234567890"];
    for (const q of names) await expectFound(q, 5);
    for (const q of ["777", "-1000000000777", "https://t.me/c/777/1"]) await expectFound(q, 6);
    // An id of Telegram's basic groups, which has no form without the prefix.
    await expectRefusal(appliance, resolving("-100777"), 404, "not_found");
    const q = encodeURIComponent("https://t.me/c/1234567890/17");
    expect((await appliance.get(`/v1/msgr/channels/?q=${q}`)).body.results).toMatchObject([
      { id: 5 },
    ]);
  });

  test("outside of 64 bits is a 400", async () => {
    for (const q of ["9223372036854775808", "-9223372036854775809", "99999999999999999999"]) {
      const answer = await appliance.get(resolving(q));
      expect(answer.status, q).toBe(400);
      expect(Object.keys(answer.body), q).toEqual(["q"]);
    }
  });
});

describe("q", () => {
  test("is required", async () => {
    await expectFaults(appliance, RESOLVE, NEEDED);
    await expectFaults(appliance, `${RESOLVE}?q=`, NEEDED);
    await expectFaults(appliance, `${RESOLVE}?q`, NEEDED);
    await expectFaults(appliance, `${RESOLVE}?q=@a&q=`, NEEDED);
  });

  test("that is bad UTF-8, contains NUL, or cannot name a channel is a 400 on q", async () => {
    for (const raw of ["%FF", "@nsmag%FF", "%00", "@nsmag%00", "%20", "ns%20mag", "%D1%91%D0%B6"]) {
      const answer = await appliance.get(`${RESOLVE}?q=${raw}`);
      expect(answer.status, raw).toBe(400);
      expect(Object.keys(answer.body), raw).toEqual(["q"]);
    }
  });

  test("is the only parameter; all others are ignored", async () => {
    await imported(appliance, "channels", [channel(5, { handle: "nsmag" })]);
    expect((await appliance.get(`${RESOLVE}?q=@nsmag&kind=group&id=%FF`)).status).toBe(200);
  });
});
