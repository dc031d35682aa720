import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, type Customer, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { createMachine } from "../../support/machine.ts";
import {
  type Call,
  created,
  endManaging,
  expectFieldFaults,
  expectRefused,
  importChannels,
  RECEIVER,
  startManaging,
  WEBHOOKS,
} from "../../support/webhook-calls.ts";

/** Which bodies are accepted, and how others are refused. */

const KIB = 1024;
const LIST_MAX = 256 * KIB;
const REQUIRED = "This field is required.";

let appliance: Appliance;
let customer: Customer;
let call: Call;

beforeEach(async () => {
  ({ appliance, customer, call } = await startManaging());
  await imported(appliance, "channels", [channel(4, { is_public: false })]);
  await appliance.app.domains.accounts.changePlan("profi", { webhooks: 1000 }, COMMAND_LINE);
});
afterEach(() => endManaging(appliance));

async function count(): Promise<number> {
  return (await call("GET", "")).body.results.length;
}

describe("a body", () => {
  const json = { "content-type": "application/json" };
  const good = JSON.stringify({ url: RECEIVER, channels: [1] });
  const send = (body: RequestInit["body"], headers: Record<string, string> = json, path = "") =>
    appliance.request(WEBHOOKS + path, { method: "POST", key: customer.key, headers, body });
  const inChunks = (text: string) => {
    const bytes = new TextEncoder().encode(text);
    let at = 0;
    return new ReadableStream({
      pull(controller) {
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.slice(at, at + 60_000));
        at += 60_000;
      },
    });
  };

  test("that is not JSON in UTF-8 is a parse_error, which does not quote it", async () => {
    const bytes = (...values: number[]) => new Uint8Array(values);
    for (const body of [
      "{",
      `${good}x`,
      "url=x",
      "{'url': 1}",
      '{"url": NaN}',
      "undefined",
      " ",
      "[".repeat(10_000),
      '{"a":'.repeat(3_000),
      bytes(0x22, 0xff, 0x22),
      bytes(0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d),
      bytes(0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00),
    ]) {
      for (const path of ["", "1/rotate-secret/", "1/test/"]) {
        const answer = await send(body, json, path);
        expectRefused(answer, 400, "parse_error", String(body).slice(0, 40));
        expect(answer.body.detail).not.toContain("url");
      }
    }
    expect(await count()).toBe(0);
  });

  test("with few levels is parsed as usual, one with more than 32 levels is not parsed", async () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    const sent = (channels: string) => send(`{"url": "${RECEIVER}", "channels": ${channels}}`);
    expectFieldFaults(await sent(nested(31)), { channels: /./ });
    const answer = await sent(nested(32));
    expectRefused(answer, 400, "parse_error");
    expect(answer.body.detail).toBe("The body is nested deeper than 32 levels.");
  });

  test("with more members, lists or texts than any method could use is not parsed", async () => {
    const members = (count: number) =>
      Array.from({ length: count }, (_, at) => `"m${at}": ${at}`).join();
    expectFieldFaults(await send(`{"url": "${RECEIVER}", ${members(999)}}`), {
      ...Object.fromEntries(Array.from({ length: 19 }, (_, at) => [`m${at}`, /./])),
      non_field_errors: "There are 981 more faults.",
    });
    for (const [body, detail] of [
      [`{${members(1_001)}}`, "The body has more than 1000 members."],
      [`[${Array(1_000).fill("[]").join()}]`, "The body has more than 1000 objects and lists."],
      [`[${Array(3_001).fill('""').join()}]`, "The body has more than 3000 texts."],
    ] as const) {
      const answer = await send(body);
      expectRefused(answer, 400, "parse_error", detail);
      expect(answer.body.detail).toBe(detail);
    }
  });

  test("may contain any number of brackets within texts, also after escapes", async () => {
    const brackets = "[{:".repeat(2_000);
    const body = JSON.stringify({ url: RECEIVER, channels: [1], ['\\"']: `\\"${brackets}\\` });
    expectFieldFaults(await send(body), { '\\"': "There is no such field." });
  });

  test("that is JSON but not an object is a 400 that says what it is", async () => {
    for (const [body, type] of [
      ["[]", "list"],
      [`[${good}]`, "list"],
      ['"x"', "str"],
      ["1", "int"],
      ["true", "bool"],
    ] as const) {
      expectFieldFaults(await send(body), {
        non_field_errors: `Invalid data. Expected a dictionary, but got ${type}.`,
      });
    }
    expect((await send("null")).status).toBe(400);
    expect(await count()).toBe(0);
  });

  test("that is empty counts as one without fields, whatever its content type", async () => {
    for (const headers of [json, {}, { "content-type": "text/plain" }]) {
      for (const body of [undefined, "", inChunks("")]) {
        const answer = await send(body, headers);
        expectFieldFaults(answer, { url: REQUIRED, channels: REQUIRED });
      }
    }
    const { id } = await created(call);
    expect((await send("", json, `${id}/rotate-secret/`)).status).toBe(200);
    expect((await send(undefined, {}, `${id}/test/`)).status).toBe(200);
  });

  test("with another content type, or none, is a 415", async () => {
    const bytes = new TextEncoder().encode(good);
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonp",
      "application/xml",
      "text/json+application/json",
      "x",
    ]) {
      const answer = await send(good, { "content-type": type });
      expectRefused(answer, 415, "unsupported_media_type", type);
    }
    expectRefused(await send(bytes, {}), 415, "unsupported_media_type");
    expect(await count()).toBe(0);
  });

  test("may have its content type in any case and with parameters", async () => {
    for (const type of [
      "application/json; charset=utf-8",
      "Application/JSON",
      "application/json;charset=UTF-8",
    ]) {
      expect((await send(good, { "content-type": type })).status, type).toBe(201);
    }
  });

  test("of exactly 256 KiB is accepted if it may contain a list; one byte more is a 413, with or without a length", async () => {
    const padded = (size: number) => good + " ".repeat(size - good.length);
    const lengthOf = (size: number) => ({ ...json, "content-length": String(size) });
    expect((await send(padded(LIST_MAX), lengthOf(LIST_MAX))).status).toBe(201);
    expect((await send(padded(LIST_MAX))).status).toBe(201);
    expect((await send(inChunks(padded(LIST_MAX)))).status).toBe(201);
    for (const [body, headers] of [
      [padded(LIST_MAX + 1), lengthOf(LIST_MAX + 1)],
      [padded(LIST_MAX + 1), json],
      [inChunks(padded(LIST_MAX + 1)), json],
    ] as const) {
      expectRefused(await send(body, headers), 413, "payload_too_large");
    }
    expect(await count()).toBe(3);
  });

  test("of exactly 16 KiB is accepted if only a small object is expected; one byte more is a 413", async () => {
    const { id } = await created(call);
    const padded = (size: number) => "{}".padEnd(size);
    for (const path of [`${id}/rotate-secret/`, `${id}/test/`]) {
      expect((await send(padded(16 * KIB), json, path)).status).toBe(200);
      for (const body of [padded(16 * KIB + 1), inChunks(padded(16 * KIB + 1))]) {
        const answer = await send(body, json, path);
        expectRefused(answer, 413, "payload_too_large");
        expect(answer.body.detail).toBe("The body is larger than 16 KiB.");
      }
    }
  });

  test("of more than 32 KiB, which another thread parses, is read like any other", async () => {
    await appliance.close();
    const machine = createMachine();
    appliance = await startAppliance({ KANALOG_DB: machine.database });
    customer = await appliance.customer({ access: "read_write" });
    await importChannels(appliance, 1);
    const large = (text: string) => text.padEnd(40 * KIB);
    expect((await send(large(good))).body).toMatchObject({ url: RECEIVER, channels: [1] });
    expectRefused(await send(large(`${good}x`)), 400, "parse_error");
    const numbers = Array.from({ length: 8_000 }, (_, at) => 1_000 + at);
    const body = JSON.stringify({ url: RECEIVER, channels: numbers });
    expectFieldFaults(await send(body), { channels: /no more than 5000 elements/ });
    await appliance.close();
    await machine.leave();
    ({ appliance } = await startManaging());
  });

  test("that never ends is given up soon after the limit", async () => {
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 64 * 1024;
        if (sent > 64 * LIST_MAX) controller.error(new Error("it was read on"));
        else controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
      },
    });
    expectRefused(await send(endless), 413, "payload_too_large");
    expect(sent).toBeLessThan(2 * LIST_MAX);
  });

  test("of one byte too many is a 413 over the network too, in one piece and in chunks", async () => {
    await appliance.close();
    appliance = await startAppliance({ KANALOG_PORT: "0" });
    await importChannels(appliance, 1);
    const { key } = await appliance.customer({ access: "read_write" });
    const address = appliance.app.listen();
    const post = (body: RequestInit["body"]) =>
      fetch(address + WEBHOOKS, {
        method: "POST",
        headers: { ...json, authorization: `Bearer ${key}` },
        body,
      });
    const padded = (size: number) => good + " ".repeat(size - good.length);
    for (const [body, status] of [
      [padded(LIST_MAX), 201],
      [inChunks(padded(LIST_MAX)), 201],
      [padded(LIST_MAX + 1), 413],
      [inChunks(padded(LIST_MAX + 1)), 413],
      ["[".repeat(200_000), 400],
    ] as const) {
      const answer = await post(body);
      expect(answer.status).toBe(status);
      expect(answer.headers.get("x-request-id")).not.toBeNull();
      await answer.body?.cancel();
    }
  });

  test("of a method that takes none is refused unread, and nothing is changed", async () => {
    const { id } = await created(call);
    const answer = await appliance.request(`${WEBHOOKS}${id}/`, {
      ...{ method: "DELETE", key: customer.key, headers: json, body: "{" },
    });
    expectRefused(answer, 413, "payload_too_large");
    expect((await appliance.get(`${WEBHOOKS}${id}/`, customer.key)).status).toBe(200);
  });
});
