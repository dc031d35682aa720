import { expect, test } from "bun:test";
import { createLockWatch } from "../../src/db/lock.ts";
import { createRecentLog } from "../../src/ports/log.ts";
import { fakeClock, fakeLog } from "../support/fake-ports.ts";

const clock = fakeClock("2026-11-20T12:00:00+03:00");

test("warnings and errors are kept, latest first, and still written to the log", () => {
  const written = fakeLog();
  const { log, entries } = createRecentLog(written, clock);
  log.info({}, "served");
  log.warn({ err: "no disk" }, "usage could not be committed");
  log.error({ err: new Error("broken"), requestId: "r-1" }, "failed");
  expect(entries()).toEqual([
    {
      ...{ at: clock.now(), level: "error", message: "failed", requestId: "r-1" },
      ...{ facts: "", cause: expect.stringContaining("broken") },
    },
    {
      ...{ at: clock.now(), level: "warn", message: "usage could not be committed" },
      ...{ requestId: null, facts: "", cause: "no disk" },
    },
  ]);
  expect(written.warnings).toHaveLength(1);
  expect(written.errors).toEqual([
    { fields: { err: new Error("broken"), requestId: "r-1" }, message: "failed" },
  ]);
});

test("numbers are kept, and which work held the lock", () => {
  const { log, entries } = createRecentLog(fakeLog(), clock);
  const watch = createLockWatch({ clock, log }, () => {});
  watch.note("recount", 61.2);
  log.error({ err: "no disk", job: "backup", organizationId: 7 }, "a job failed");
  expect(entries().map(({ facts }) => facts)).toEqual([
    "job: backup, organizationId: 7",
    "work: recount, heldMs: 61",
  ]);
});

test("only the latest 200 are kept, and a long cause is truncated", () => {
  const { log, entries } = createRecentLog(fakeLog(), clock);
  for (let number = 1; number <= 250; number += 1) {
    log.warn({ err: "x".repeat(100_000) }, `warning ${number}`);
  }
  expect(entries()).toHaveLength(200);
  expect(entries()[0]?.message).toBe("warning 250");
  expect(entries().at(-1)?.message).toBe("warning 51");
  expect(entries()[0]?.cause.length).toBeLessThan(3_000);
});

test("a credential is removed even if a long cause is truncated within it", () => {
  const { log, entries } = createRecentLog(fakeLog(), clock);
  const long = `${"x".repeat(1_980)} smtp://user:open-sesame@mail.example.com`;
  log.warn({ err: long }, "a mail could not be sent");
  expect(entries()[0]?.cause).not.toContain("user");
});

test("keys, signing secrets, tokens and passwords are removed, and other fields are not kept", () => {
  const { log, entries } = createRecentLog(fakeLog(), clock);
  const secrets = [
    "knl_rw_0123456789abcdefghijABCDEFGHIJ01234567",
    "whsec_c2VjcmV0LXNlY3JldA",
    "smtps://mailer:hunter22@mail.example.com",
    "GET /account/choose-password/?token=tOkEn123",
    'password: "hunter22"',
    "Authorization: Bearer abcdef",
    "cookie: kanalog.session_token=tOkEn123.s",
  ];
  for (const text of secrets) log.error({ err: new Error(text), to: ["a@example.com"] }, text);
  const text = JSON.stringify(entries());
  for (const secret of ["0123456789ab", "c2Vjcm", "hunter22", "tOkEn123", "abcdef", "a@example"]) {
    expect(text, secret).not.toContain(secret);
  }
  expect(text).toContain("mail.example.com");
});
