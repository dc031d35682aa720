import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { dayOf, formatDay } from "../../../src/values/moscow-time.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import {
  channel,
  expectFaults,
  expectOk,
  expectRefusal,
  imported,
} from "../../support/expectations.ts";

const STATISTICS = "/v1/msgr/stats/daily/";
/** The fake clock's day. */
const TODAY = "2026-11-20";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

function daysBefore(day: string, count: number): string {
  return formatDay(dayOf(Date.parse(`${day}T12:00:00+03:00`)) - count);
}

/**
 * A reading for each of the days, whose numbers tell the channel and the day; imported when all are over.
 */
async function readings(channels: number[], days: string[]): Promise<void> {
  const { clock } = appliance.ports;
  const now = new Date(clock.now()).toISOString();
  clock.set("2026-11-30T12:00:00+03:00");
  await imported(
    appliance,
    "channels",
    channels.map((id) => channel(id)),
  );
  await imported(
    appliance,
    "stats",
    channels.flatMap((id) =>
      days.map((day, at) => ({
        channel: id,
        day,
        subscribers: id * 1000 + at,
        views: at,
        posts: 1,
      })),
    ),
  );
  clock.set(now);
}

const lastDays = (count: number, until = TODAY): string[] =>
  Array.from({ length: count }, (_, at) => daysBefore(until, count - 1 - at));

async function daysAt(query: string, key?: string): Promise<string[]> {
  const { body } = await expectOk(appliance, `${STATISTICS}?${query}`, key);
  return body.results.map(({ day }: { day: string }) => day);
}

const numbers = (count: number): string =>
  Array.from({ length: count }, (_, at) => at + 1).join(",");

const ENDS_EARLY = { to: "The period ends before it starts." };
const TOO_LONG = { to: "Ensure the period is at most 366 days." };
const TOO_MANY_CELLS = { channels: "Ensure channels times days is at most 10000." };
const WRONG_DATE = "Date has wrong format. Use one of these formats instead: YYYY-MM-DD.";

test("a row has exactly the contract's fields", async () => {
  await imported(appliance, "channels", [channel(7)]);
  await imported(appliance, "stats", [
    { channel: 7, day: "2026-11-19", subscribers: 12, views: 345, posts: 6 },
  ]);
  const { body } = await expectOk(appliance, `${STATISTICS}?channels=7`);
  expect(body).toEqual({
    results: [{ channel: 7, day: "2026-11-19", subscribers: 12, views: 345, posts: 6 }],
  });
});

describe("the order", () => {
  test("follows the requested channels, then the days", async () => {
    await readings([1, 2, 3], ["2026-11-18", "2026-11-20", "2026-11-19"]);
    const { body } = await expectOk(appliance, `${STATISTICS}?channels=3,1,3,2,1`);
    expect(body.results.map((row: { channel: number; day: string }) => [row.channel, row.day]))
      // A repeated number is answered once.
      .toEqual([3, 1, 2].flatMap((id) => lastDays(3).map((day) => [id, day])));
  });

  test("omits unknown channels, and days without a reading", async () => {
    await readings([1], ["2026-11-10", "2026-11-20"]);
    await imported(appliance, "channels", [channel(2)]);
    expect(await daysAt("channels=999,1,2")).toEqual(["2026-11-10", "2026-11-20"]);
    expect(await daysAt("channels=999,0,-1")).toEqual([]);
    expect(await daysAt("channels=1&from=2026-11-11&to=2026-11-19")).toEqual([]);
  });
});

describe("the period", () => {
  test("is by default the last 30 Moscow days, today included", async () => {
    await readings([1], lastDays(40, "2026-11-21"));
    expect(await daysAt("channels=1")).toEqual(lastDays(30));
    expect((await daysAt("channels=1"))[0]).toBe("2026-10-22");
    expect(await daysAt("channels=1&from=&to=")).toEqual(lastDays(30));
  });

  test("moves on exactly at midnight in Moscow", async () => {
    await readings([1], lastDays(40, "2026-11-22"));
    appliance.ports.clock.set("2026-11-20T20:59:59.999Z");
    expect(await daysAt("channels=1")).toEqual(lastDays(30, "2026-11-20"));
    appliance.ports.clock.set("2026-11-20T21:00:00.000Z");
    expect(await daysAt("channels=1")).toEqual(lastDays(30, "2026-11-21"));
    appliance.ports.clock.set("2026-11-21T00:00:00.000Z");
    expect(await daysAt("channels=1")).toEqual(lastDays(30, "2026-11-21"));
  });

  test("includes its first and its last day", async () => {
    await readings([1], lastDays(5));
    expect(await daysAt("channels=1&from=2026-11-17&to=2026-11-19")).toEqual([
      "2026-11-17",
      "2026-11-18",
      "2026-11-19",
    ]);
    expect(await daysAt("channels=1&from=2026-11-18&to=2026-11-18")).toEqual(["2026-11-18"]);
  });

  test("has a default for a bound that is not given", async () => {
    await readings([1], lastDays(40, "2026-11-25"));
    expect(await daysAt("channels=1&from=2026-11-18")).toEqual(lastDays(3));
    expect(await daysAt("channels=1&from=2026-10-18")).toEqual(lastDays(34));
    expect(await daysAt("channels=1&to=2026-10-24")).toEqual([
      "2026-10-22",
      "2026-10-23",
      "2026-10-24",
    ]);
    expect(await daysAt("channels=1&to=2026-11-25")).toEqual(lastDays(35, "2026-11-25"));
    await expectFaults(appliance, `${STATISTICS}?channels=1&to=2026-10-21`, ENDS_EARLY);
    await expectFaults(appliance, `${STATISTICS}?channels=1&from=2026-11-21`, ENDS_EARLY);
  });

  test("that ends before it starts is a 400 on to", async () => {
    await expectFaults(
      appliance,
      `${STATISTICS}?channels=1&from=2026-11-02&to=2026-11-01`,
      ENDS_EARLY,
    );
  });

  test("may have 366 days but not 367", async () => {
    await readings([1], ["2025-11-19", "2025-11-20", TODAY]);
    expect(await daysAt("channels=1&from=2025-11-20&to=2026-11-20")).toEqual(["2025-11-20", TODAY]);
    await expectFaults(
      appliance,
      `${STATISTICS}?channels=1&from=2025-11-19&to=2026-11-20`,
      TOO_LONG,
    );
    // A leap year: 366 days, the first and the last included.
    expect(await daysAt("channels=1&from=2024-01-01&to=2024-12-31")).toEqual([]);
    await expectFaults(
      appliance,
      `${STATISTICS}?channels=1&from=2024-01-01&to=2025-01-01`,
      TOO_LONG,
    );
    await expectFaults(appliance, `${STATISTICS}?channels=1&from=2025-11-19`, TOO_LONG);
  });

  test("takes existing dates only, written YYYY-MM-DD", async () => {
    for (const wrong of [
      "2025-02-30",
      "2025-02-29",
      "2025-13-01",
      "2025-00-10",
      "2025-04-31",
      "2025-1-1",
      "20250101",
      "01.02.2025",
      "2025-01-01T00:00:00",
      "2025-01-01%20",
      "2025-01-01Z",
      "+002025-01-01",
      "yesterday",
      "1763596800",
      "-2025-01-01",
      "%D9%A2%D9%A0%D9%A2%D9%A5-01-01",
    ]) {
      for (const name of ["from", "to"]) {
        await expectFaults(appliance, `${STATISTICS}?channels=1&${name}=${wrong}`, {
          [name]: WRONG_DATE,
        });
      }
    }
    expect(await daysAt("channels=1&from=2024-02-29&to=2024-02-29")).toEqual([]);
    await expectFaults(appliance, `${STATISTICS}?from=x&to=y`, {
      channels: "This field is required.",
      from: WRONG_DATE,
      to: WRONG_DATE,
    });
  });
});

describe("channels", () => {
  test("are required", async () => {
    for (const query of ["", "?channels=", "?channels", "?from=2026-11-01"]) {
      await expectFaults(appliance, STATISTICS + query, { channels: "This field is required." });
    }
  });

  test("are 100 at most", async () => {
    await readings([1, 100], [TODAY]);
    expect(await daysAt(`channels=${numbers(100)}`)).toEqual([TODAY, TODAY]);
    await expectFaults(appliance, `${STATISTICS}?channels=${numbers(101)}`, {
      channels: "Ensure this field has no more than 100 elements.",
    });
  });

  test("are numbers", async () => {
    for (const wrong of ["a", "1,a", "1,,2", "1,", "@nsmag", "1.5", "9007199254740992", "1;2"]) {
      await expectFaults(appliance, `${STATISTICS}?channels=${wrong}`, {
        channels: "A valid integer is required.",
      });
    }
    expect(await daysAt("channels=%201,%202%20")).toEqual([]);
  });

  test("times days are 10,000 at most, unknown channels included and repeated ones counted once", async () => {
    // 100 channels x 100 days, all of them unknown but one.
    await readings([1], [TODAY]);
    const hundred = `channels=${numbers(100)}`;
    const from = (days: number): string => `from=${daysBefore(TODAY, days - 1)}`;
    expect(await daysAt(`${hundred}&${from(100)}`)).toEqual([TODAY]);
    await expectFaults(appliance, `${STATISTICS}?${hundred}&${from(101)}`, TOO_MANY_CELLS);
    // 27 x 366 = 9,882; 28 x 366 = 10,248.
    expect(await daysAt(`channels=${numbers(27)}&${from(366)}`)).toEqual([TODAY]);
    await expectFaults(
      appliance,
      `${STATISTICS}?channels=${numbers(28)}&${from(366)}`,
      TOO_MANY_CELLS,
    );
    const repeated = Array.from({ length: 100 }, () => "1").join(",");
    expect(await daysAt(`channels=${repeated}&${from(366)}`)).toEqual([TODAY]);
  });

  test("may have 10,000 readings in one answer", async () => {
    const ids = Array.from({ length: 100 }, (_, at) => at + 1);
    await readings(ids, lastDays(100));
    const { body } = await expectOk(
      appliance,
      `${STATISTICS}?channels=${ids}&from=${daysBefore(TODAY, 99)}`,
    );
    expect(body.results).toHaveLength(10_000);
  });
});

describe("the Test plan", () => {
  test("covers the last 30 days and no earlier day", async () => {
    const { key } = await appliance.customer({ plan: "test" });
    await readings([1], lastDays(40));
    expect(await daysAt("channels=1", key)).toEqual(lastDays(30));
    expect(await daysAt("channels=1&from=2026-10-22", key)).toEqual(lastDays(30));
    await expectRefusal(
      appliance,
      `${STATISTICS}?channels=1&from=2026-10-21`,
      403,
      "tariff_required",
      key,
    );
    await expectRefusal(
      appliance,
      `${STATISTICS}?channels=1&from=2026-10-01&to=2026-10-02`,
      403,
      "tariff_required",
      key,
    );
    // The plan restricts only the first day.
    expect(await daysAt("channels=1&from=2026-11-19&to=2027-01-01", key)).toEqual(lastDays(2));
  });

  test("counts its days from midnight in Moscow", async () => {
    const { key } = await appliance.customer({ plan: "test" });
    appliance.ports.clock.set("2026-11-20T23:59:59.999+03:00");
    expect(await daysAt("channels=1&from=2026-10-22", key)).toEqual([]);
    appliance.ports.clock.set("2026-11-21T00:00:00.000+03:00");
    await expectRefusal(
      appliance,
      `${STATISTICS}?channels=1&from=2026-10-22`,
      403,
      "tariff_required",
      key,
    );
  });

  test("is checked after the parameters", async () => {
    const { key } = await appliance.customer({ plan: "test" });
    for (const [query, faults] of [
      ["channels=1&from=2020-02-30", { from: WRONG_DATE }],
      ["from=2020-01-01", { channels: "This field is required." }],
      ["channels=1&from=2020-01-01", TOO_LONG],
      ["channels=1&from=2020-01-02&to=2020-01-01", ENDS_EARLY],
      [`channels=${numbers(100)}&from=2026-01-01`, TOO_MANY_CELLS],
    ] as const) {
      await expectFaults(appliance, `${STATISTICS}?${query}`, faults, key);
    }
  });

  test("is the only one without full history", async () => {
    for (const plan of ["start", "growth", "profi"] as const) {
      const { key } = await appliance.customer({ plan });
      const path = `${STATISTICS}?channels=1&from=2015-01-01&to=2015-12-31`;
      expect((await appliance.get(path, key)).status, plan).toBe(200);
    }
  });
});
