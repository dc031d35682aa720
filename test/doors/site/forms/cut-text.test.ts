import { afterEach, beforeEach, expect, test } from "bun:test";
import { cutFaults, cutText, errorMessages } from "../../../../src/doors/site/forms/faults.ts";
import { fieldError } from "../../../../src/errors.ts";
import { message } from "../../../../src/values/messages/messages.ts";
import { type Appliance, startAppliance } from "../../../support/appliance.ts";
import { channel, imported } from "../../../support/expectations.ts";
import { addPerson, signedInVisitor } from "../../../support/visitor.ts";

/** A page's faults take less than 4 KiB, whatever was typed. */

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

/** The fault texts on a page. */
function toldOn(html: string): string {
  const texts = html.matchAll(
    /<(strong|p)(?: class="\w+")?(?: role="alert"| id="[\w-]+-fault")>(.*?)<\/\1>/gs,
  );
  return [...texts].map(([, , text = ""]) => text).join("");
}

test("at most 20 faults are shown, in less than 4 KiB of the page's source", () => {
  const many = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`field${at}`, [message("blank")]]),
  );
  const shown = Object.values(cutFaults(errorMessages("en", fieldError(many)))).flat();
  expect(shown).toHaveLength(20);
  expect(shown.at(-1)).toBe("There are 11 more faults.");
  expect(cutFaults({ a: ["x", "y"], b: ["z"] })).toEqual({ a: ["x", "y"], b: ["z"] });
  for (const character of ["x", '"', "ж", "😀"]) {
    const cut = cutFaults({ a: [character.repeat(50_000)], b: [character.repeat(50_000)] });
    const bytes = Buffer.byteLength(Bun.escapeHTML(Object.values(cut).flat().join("")));
    expect(bytes, character).toBeGreaterThan(3_000);
    expect(bytes, character).toBeLessThan(4_000);
  }
});

test("a text is truncated between characters, or left as it is if it fits", () => {
  expect(cutText("abc", 3)).toBe("abc");
  expect(cutText("abcd", 3)).toBe("abc…");
  expect(cutText("😀😀", 7)).toBe("😀…");
  expect(cutText('a"b', 6)).toBe("a…");
});

test("names of unknown channels are truncated, and 20 of them are shown", async () => {
  await addPerson(appliance);
  const visitor = await signedInVisitor(appliance, "ada@example.com");
  for (const names of [
    Array.from({ length: 4_000 }, (_, at) => `@nobody_${at}`),
    Array.from({ length: 800 }, (_, at) => `"${"&".repeat(80)}${at}`),
    [`@${"x".repeat(200_000)}`],
  ]) {
    const sent = { action: "create", url: "http://x", channels: names.join("\n") };
    const { status, html } = await visitor.post("/account/webhooks/", sent);
    expect(status).toBe(400);
    expect(toldOn(html)).toContain("Enter a valid https:// address.");
    expect(toldOn(html)).toMatch(/This is neither|There is no public channel/);
    expect(Buffer.byteLength(toldOn(html))).toBeLessThan(4 * 1024);
    expect(toldOn(html).split(", ").length).toBeLessThanOrEqual(20);
  }
});

test("text from a page's address is truncated", async () => {
  await imported(appliance, "channels", [channel(1)]);
  await addPerson(appliance);
  const visitor = await signedInVisitor(appliance, "ada@example.com");
  const query = `ordering=${"o".repeat(12_000)}`;
  const { html } = await visitor.get(`/account/channels/?${query}`);
  const [results = ""] = /<section id="results".*<\/section>/s.exec(html) ?? [];
  expect(results).toContain("ooo");
  expect(Buffer.byteLength(results)).toBeLessThan(4 * 1024);
});
