import { afterAll, beforeAll, expect, test } from "bun:test";
import { createMachine, type Machine } from "../../../support/machine.ts";

let machine: Machine;
beforeAll(() => {
  machine = createMachine();
});
afterAll(() => machine.leave());

const plans = async () => (await machine.json<{ results: object[] }>(["plan", "list"])).results;

test("plan set changes only the given limits, and prints the plan", async () => {
  const words = [
    "plan",
    "set",
    "growth",
    "--rate",
    "12",
    "--webhook-channels",
    "0",
    "--alerts",
    "7",
    ...["--database-ms", "500", "--lock-ms", "20"],
  ];
  const growth = {
    plan: "growth",
    requests_per_second: 12,
    requests_per_period: 150_000,
    posts: true,
    history_days: null,
    webhooks: 1,
    webhook_channels: 0,
    alerts: 7,
    database_ms_per_second: 500,
    lock_ms_per_second: 20,
    export: false,
  };
  expect(await machine.json<object>(words)).toEqual(growth);
  expect(await plans()).toContainEqual(growth);
});

test("limits out of range are refused in one line, with exit 2, and change nothing", async () => {
  const before = await plans();
  for (const [option, value, range] of [
    ["--rate", "0", "1 to 1000000"],
    ["--rate", "-1", "1 to 1000000"],
    ["--rate", "1000001", "1 to 1000000"],
    ["--quota", "0", "1 to 1000000000000"],
    ["--quota", "1e3", "1 to 1000000000000"],
    ["--quota", "1000000000001", "1 to 1000000000000"],
    ["--webhooks", "1001", "0 to 1000"],
    ["--webhook-channels", "many", "0 to 1000000"],
    ["--alerts", "10001", "0 to 10000"],
    ["--database-ms", "0", "1 to 64000"],
    ["--lock-ms", "1001", "1 to 1000"],
  ] as const) {
    const words = ["plan", "set", "start", `${option}=${value}`];
    const { exitCode, out, notes } = await machine.run(words);
    expect([exitCode, out, notes.trim().split("\n").length]).toEqual([2, "", 1]);
    expect(notes).toContain(option);
    expect(notes).toContain(range);
  }
  // A plan that there is not is not found, as any other thing.
  for (const [words, code] of [
    [["gold", "--rate", "5"], 1],
    [["start"], 2],
  ] as const) {
    const { exitCode, notes } = await machine.run(["plan", "set", ...words]);
    expect([exitCode, notes.trim().split("\n").length]).toEqual([code, 1]);
  }
  expect(await plans()).toEqual(before);
});

test("a command tells all faults at once, and a mistyped one creates no database", async () => {
  const words = ["org", "create", "--name", " ", "--plan", "gold", "--owner", "nobody"];
  await plans();
  const known = (await machine.run(words)).notes.trim().split("\n");
  expect(known).toEqual([
    "--name: This field may not be blank.",
    '--plan: "gold" is not a valid choice. Allowed: test, start, growth, profi.',
    "--owner: Enter a valid email address.",
  ]);
  const fresh = createMachine();
  const { exitCode, notes } = await fresh.run(["org", "create", "--name", " "]);
  expect([exitCode, notes.trim().split("\n")]).toEqual([
    2,
    ["--name: This field may not be blank.", "--plan: This field is required."],
  ]);
  expect(fresh.exists("kanalog.db")).toBe(false);
  await fresh.leave();
});
