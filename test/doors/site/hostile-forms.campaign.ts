import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { sitePages } from "../../../src/doors/site/site-pages.ts";
import { mostly } from "../../support/hostile-requests.ts";
import { hostileText } from "../../support/hostile-values.ts";
import { type SiteWorld, startSiteWorld } from "../../support/site-world.ts";
import { signedInVisitor, type Visitor } from "../../support/visitor.ts";

/** More with `bun run campaign hostile`, up to a number: `journeys/hostile-visits` sends the rest to the real process. */
const FORMS = Math.min(
  5_000,
  Math.ceil(Number(process.env["KANALOG_TEST_REQUESTS"] ?? 3_000) / 20),
);
const SEED = Number(process.env["KANALOG_TEST_SEED"] ?? Date.now() % 1_000_000);
/** Actions that end the session, or hash for most of a second each. */
const LEFT_OUT = /^(sign-in|sign-out|change|choose|set-up|end-sessions|take-staff)$/;

let world: SiteWorld;
let staff: Visitor;
// Twenty days of use take longer than a hook's time limit on a busy machine.
beforeAll(async () => {
  world = await startSiteWorld();
  staff = await signedInVisitor(world.appliance, world.owner);
});
afterAll(() => world.appliance.close());

interface HostileForm {
  path: string;
  query: string;
  action: string;
  fields: Record<string, string>;
}

/** Forms for every page and action, with random fields of all pages. */
function hostileForms(names: readonly string[]): fc.Arbitrary<HostileForm> {
  const actions = sitePages.flatMap(({ path, actions = {} }) =>
    (world.pages[path] ?? []).flatMap((at) =>
      Object.keys(actions)
        .filter((action) => !LEFT_OUT.test(action))
        .map((action) => ({ path: at.split("?")[0] ?? at, action })),
    ),
  );
  const value = fc.oneof(
    fc.constantFrom("", "1", "2", "999999", "profi", "owner", "on", "read_only", "2027-01-31"),
    hostileText,
  );
  return fc.constantFrom(...actions).chain(({ path, action }) =>
    fc.record({
      path: fc.constant(path),
      action: mostly(fc.constant(action), hostileText, 30),
      query: mostly(fc.constant(""), hostileText, 3),
      fields: fc.dictionary(mostly(fc.constantFrom(...names), hostileText, 8), value, {
        maxKeys: 8,
        noNullPrototype: true,
      }),
    }),
  );
}

test(
  "no form of any page, however it is filled in, causes a server error",
  async () => {
    console.info(`${FORMS} forms (KANALOG_TEST_REQUESTS), seed ${SEED} (KANALOG_TEST_SEED)`);
    const failures: string[] = [];
    world.appliance.ports.log.error = (fields, message) =>
      failures.push(`${message} ${JSON.stringify(fields)}`);
    const names = new Set<string>();
    for (const at of Object.values(world.pages).flat()) {
      const { html } = await staff.get(at);
      for (const [, name = ""] of html.matchAll(
        /<(?:input|select|textarea)[^>]* name="([^"]+)"/g,
      )) {
        names.add(name);
      }
    }
    expect(names.size).toBeGreaterThan(20);
    const statuses = new Map<number, number>();
    const csrf = await staff.csrf("/account/keys/");
    const property = fc.asyncProperty(hostileForms([...names]), async (form) => {
      // As fast as a person, so that the limit of one address does not answer in place of the pages.
      world.appliance.ports.clock.advance(1_000);
      const query = encodeURIComponent(form.query.toWellFormed());
      const answers = [
        await staff.post(`${form.path}?q=${query}&cursor=${query}`, {
          ...form.fields,
          ...{ action: form.action, csrf },
        }),
        await staff.get(`${form.path}?q=${query}&cursor=${query}&done=${query}&days=${query}`),
      ];
      for (const { status } of answers) {
        expect(status).toBeLessThan(500);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      expect(failures).toEqual([]);
    });
    await fc.assert(property, { numRuns: FORMS, seed: SEED });
    // Otherwise somebody was signed out, and the remaining forms were refused unread.
    expect((await staff.get("/staff/")).status).toBe(200);
    expect([...statuses.keys()]).toContain(303);
    expect([...statuses.keys()]).toContain(400);
  },
  60_000 + FORMS * 500,
);
