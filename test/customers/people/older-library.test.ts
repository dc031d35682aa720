import { expect, test } from "bun:test";
import { startAppliance } from "../../support/appliance.ts";
import { PASSWORD, visitorOf } from "../../support/visitor.ts";

/** Rows and a cookie as better-auth 1.6.0 wrote them with this secret. They do not expire before 2099. */
const SECRET = "a secret text of at least thirty-two characters";
const COOKIE =
  "0yeCbgCa9NnvEhx3CYBD57N2Z7fBTciT.xoGKsuq%2BkQWifWDehXI%2B9uUGtQG%2BXEZbXuRT9ZS%2FjvE%3D";
const LINK = "ma1temdLTuWq3JH0PQPotEUU";
const HASH =
  "$argon2id$v=19$m=8,t=1,p=1$YmdRHjB8JWG5rAxIaR0sSDlXAlKSWam4Lji1qnlncew$OPEQvMcwbD7NNgI290xuBifu0Py477ms0jGETozZyjk";
const ROWS = `
  INSERT INTO people VALUES ('UmhcVvPsYtEZW0XgNQwf3vi4jCedbAQy', 'Ada', 'ada@example.com', 1, 1, NULL, NULL, 0,
    '2026-11-22T13:16:36.496Z', '2026-11-22T13:16:36.496Z');
  INSERT INTO sessions VALUES ('EX6PbEsCslToIuimdv2xlLAhtGHEOOlK', '0yeCbgCa9NnvEhx3CYBD57N2Z7fBTciT',
    'UmhcVvPsYtEZW0XgNQwf3vi4jCedbAQy', '2099-11-29T13:16:37.513Z', '', '',
    '2026-11-22T13:16:37.513Z', '2026-11-22T13:16:37.513Z');
  INSERT INTO credentials (id, account_id, provider_id, person_id, password, created_at, updated_at)
    VALUES ('FLQcWYq3FvQsnJ0qoA8xk5NU9kX93SEp', 'UmhcVvPsYtEZW0XgNQwf3vi4jCedbAQy', 'credential',
    'UmhcVvPsYtEZW0XgNQwf3vi4jCedbAQy', '${HASH}', '2026-11-22T13:16:36.533Z', '2026-11-22T13:16:36.533Z');
  INSERT INTO verifications VALUES ('YTLPlF4yggzCp0GJC4VnaFjHqNWbOY7w',
    'QOgyy-Yo363zdoxe-EJT-1oLVIRLGhuXW3NBU5Siw24', 'UmhcVvPsYtEZW0XgNQwf3vi4jCedbAQy',
    '2099-11-25T13:16:37.522Z', '2026-11-22T13:16:37.522Z', '2026-11-22T13:16:37.522Z');`;

test("sessions, passwords and links of the library's previous release remain valid", async () => {
  const appliance = await startAppliance({ KANALOG_SECRET: SECRET });
  appliance.app.domains.db.exec(ROWS);

  const before = visitorOf(appliance);
  before.cookies.set("kanalog.session_token", COOKIE);
  const profile = await before.get("/account/profile/");
  expect([profile.status, profile.html.includes("ada@example.com")]).toEqual([200, true]);

  const again = visitorOf(appliance);
  expect((await again.signIn("ada@example.com", `${PASSWORD}x`)).status).not.toBe(303);
  expect((await again.signIn("ada@example.com")).status).toBe(303);

  const chosen = "a password of her own";
  const path = `/account/choose-password/?token=${LINK}`;
  const form = { action: "choose", password: chosen };
  expect((await visitorOf(appliance).get(path)).html).toContain('name="password"');
  const done = await visitorOf(appliance).post(path, form);
  expect(done.location).toBe("/account/sign-in/?done=password");
  expect((await visitorOf(appliance).signIn("ada@example.com", chosen)).status).toBe(303);
  await appliance.close();
});
