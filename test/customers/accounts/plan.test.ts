import { expect, test } from "bun:test";
import {
  nextTerm,
  type PlanTerm,
  periodAt,
  planInForce,
} from "../../../src/customers/accounts/plan.ts";

const START = Date.parse("2026-01-10T15:30:00+03:00");
const DAY = 24 * 60 * 60 * 1000;
const PERIOD = 30 * DAY;
const END = START + 100 * DAY;

const endless: PlanTerm = { plan: "growth", planStartedAt: START, planEndsAt: null };
const ending: PlanTerm = { ...endless, planEndsAt: END };

test("a plan is in force from its start until the instant it ends", () => {
  const held = { plan: "growth" as const, startedAt: START };
  expect(planInForce(endless, END)).toEqual({ ...held, endsAt: null });
  expect(planInForce(ending, START)).toEqual({ ...held, endsAt: END });
  expect(planInForce(ending, END - 1)).toEqual({ ...held, endsAt: END });
});

test("after a plan has ended, test is in force, in a period that starts with the end", () => {
  const fallen = { plan: "test" as const, startedAt: END, endsAt: END };
  expect(planInForce(ending, END)).toEqual(fallen);
  expect(planInForce(ending, END + 1000 * DAY)).toEqual(fallen);
});

test("periods are 30 days from the plan's start, to the millisecond", () => {
  const first = { startedAt: START, endsAt: START + PERIOD };
  expect(periodAt(START, START)).toEqual(first);
  expect(periodAt(START, START + PERIOD - 1000)).toEqual(first);
  expect(periodAt(START, START + PERIOD - 1)).toEqual(first);
  const second = { startedAt: START + PERIOD, endsAt: START + 2 * PERIOD };
  expect(periodAt(START, START + PERIOD)).toEqual(second);
});

test("periods without requests are skipped", () => {
  const tenth = { startedAt: START + 10 * PERIOD, endsAt: START + 11 * PERIOD };
  expect(periodAt(START, START + 10 * PERIOD)).toEqual(tenth);
  expect(periodAt(START, START + 11 * PERIOD - 1)).toEqual(tenth);
});

test("a time before the plan's start is in the first period", () => {
  expect(periodAt(START, START - 1)).toEqual({ startedAt: START, endsAt: START + PERIOD });
  expect(periodAt(START, 0)).toEqual({ startedAt: START, endsAt: START + PERIOD });
});

test("renewing the plan in force keeps its start, so the period continues", () => {
  const later = END + 30 * DAY;
  expect(nextTerm(ending, "growth", later, END - 1)).toEqual({ ...ending, planEndsAt: later });
  expect(nextTerm(endless, "growth", null, END)).toEqual(endless);
  expect(nextTerm(endless, "growth", later, END)).toEqual({ ...ending, planEndsAt: later });
});

test("another plan starts a new period at once", () => {
  const now = START + 5 * DAY;
  expect(nextTerm(ending, "profi", null, now)).toEqual({
    ...{ plan: "profi", planStartedAt: now, planEndsAt: null },
  });
  expect(nextTerm(endless, "test", null, now).planStartedAt).toBe(now);
});

test("a renewal after the end starts a new period at once", () => {
  for (const now of [END, END + 10 * DAY]) {
    expect(nextTerm(ending, "growth", null, now)).toEqual({
      ...{ plan: "growth", planStartedAt: now, planEndsAt: null },
    });
  }
});
