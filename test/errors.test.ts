import { expect, test } from "bun:test";
import { storageReason, toAppError } from "../src/errors.ts";

const thrown = (code: string) => Object.assign(new Error("SQLite's words"), { code });

test.each([
  ["SQLITE_BUSY_SNAPSHOT", "another process has locked it (SQLite's words)"],
  ["SQLITE_FULL", "the disk is full (SQLite's words)"],
  ["SQLITE_IOERR_NOMEM", "the disk is full, read-only or failing (SQLite's words)"],
  ["SQLITE_NOMEM", "there is too little memory (SQLite's words)"],
])(
  "%s is not a fault of the program: callers may retry, operators get the reason",
  (code, reason) => {
    expect(toAppError(thrown(code)).code).toBe("unavailable");
    expect(storageReason(thrown(code))).toBe(reason);
  },
);

test.each([["SQLITE_CONSTRAINT"], ["SQLITE_ERROR"]])("%s is a fault of the program", (code) => {
  expect(toAppError(thrown(code)).code).toBe("internal");
  expect(storageReason(thrown(code))).toBeNull();
});
