import { expect, test } from "bun:test";
import {
  createTransactionSize,
  ON_NODE,
} from "../../../src/catalog/imports/writing/import-paced.ts";

interface Storage {
  /** Costs in milliseconds: of writing a row, of its later work before and in the commit, of any commit. */
  rowMs: number;
  laterMs: number;
  commitMs: number;
}

/** Number of rows in the last of some transactions; every `slowEvery`th commit takes a second. */
function rowsAfter(transactions: number, { rowMs, laterMs, commitMs }: Storage, slowEvery = 0) {
  const size = createTransactionSize(commitMs);
  let rows = 0;
  for (let at = 1; at <= transactions; at++) {
    rows = 0;
    do rows += 1;
    while (!size.isFull(rows, rows * rowMs));
    const isSlow = slowEvery > 0 && at % slowEvery === 0;
    const rowsMs = rows * rowMs;
    size.ended(rows, rowsMs, rowsMs + rows * laterMs + (isSlow ? 1_000 : commitMs));
  }
  return rows;
}

test("transactions are small if their rows leave much to write later, and otherwise large", () => {
  const after = (laterMs: number) => rowsAfter(100, { rowMs: 0.01, laterMs, commitMs: 2 });
  expect(after(0)).toBeWithin(500, 801);
  expect(after(0.1)).toBeWithin(58, 100);
  expect(after(5)).toBe(20);
});

test("one slow commit in ten hardly shrinks the other transactions", () => {
  const storage = { rowMs: 0.01, laterMs: 0.02, commitMs: 2 };
  const usual = rowsAfter(200, storage);
  expect(rowsAfter(209, storage, 10)).toBeGreaterThan(0.6 * usual);
});

test("transactions are as large on a disk where every commit is slow", () => {
  const storage = { rowMs: 0.01, laterMs: 0.02, commitMs: 2 };
  expect(rowsAfter(100, { ...storage, commitMs: 40 })).toBe(rowsAfter(100, storage));
});

test("on a node, commits that take 1 and 20 ms by turns leave transactions large, but not long", () => {
  const size = createTransactionSize(1, ON_NODE);
  for (let times = 0; times < 100; times++) {
    size.ended(20, 1, 2);
    size.ended(20, 1, 22);
  }
  const rowsOf = (rowMs: number): number => {
    let rows = 0;
    do rows += 1;
    while (!size.isFull(rows, rows * rowMs));
    return rows;
  };
  expect(rowsOf(0.01)).toBe(ON_NODE.rowsMin);
  expect(rowsOf(0.2)).toBe(100);
});
