import { expect, test } from "bun:test";
import {
  createTransactionSize,
  FEWEST_REFRESHED,
  ON_NODE,
} from "../../../src/catalog/imports/transaction-size.ts";

interface Storage {
  /** In milliseconds: what a row costs when it is written, and later; what each commit costs. */
  rowMs: number;
  laterMs: number;
  commitMs: number;
}

/** The rows of the last of so many transactions; every `slowEvery`th commit takes a second. */
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

test("rows that leave much to be written later make transactions small, others large", () => {
  const after = (laterMs: number) => rowsAfter(100, { rowMs: 0.01, laterMs, commitMs: 2 });
  expect(after(0)).toBeWithin(500, 801);
  expect(after(0.1)).toBeWithin(58, 100);
  expect(after(5)).toBe(20);
});

test("commits that meet a slow moment of the disk, one in ten, shrink the others by little", () => {
  const storage = { rowMs: 0.01, laterMs: 0.02, commitMs: 2 };
  const usual = rowsAfter(200, storage);
  expect(rowsAfter(209, storage, 10)).toBeGreaterThan(0.6 * usual);
});

test("a disk whose every commit is slow has transactions as large as any other", () => {
  const storage = { rowMs: 0.01, laterMs: 0.02, commitMs: 2 };
  expect(rowsAfter(100, { ...storage, commitMs: 40 })).toBe(rowsAfter(100, storage));
});

test("rows that refresh numbers have large transactions on a slow machine too, but no long ones", () => {
  const size = createTransactionSize(2);
  for (let times = 0; times < 100; times++) size.ended(20, 8, 100);
  const rowsOf = (rowMs: number): number => {
    let rows = 0;
    do rows += 1;
    while (!size.isFull(rows, rows * rowMs, FEWEST_REFRESHED));
    return rows;
  };
  expect(rowsOf(0.01)).toBe(FEWEST_REFRESHED.rows);
  expect(rowsOf(0.2)).toBe(150);
});

test("on a node commits that take 1 ms and 20 in turn leave transactions large, but not long", () => {
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
