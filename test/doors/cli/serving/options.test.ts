import { afterAll, beforeAll, expect, test } from "bun:test";
import { createMachine, type Machine } from "../../../support/machine.ts";

let machine: Machine;
beforeAll(() => {
  machine = createMachine();
});
afterAll(() => machine.leave());

test("a wrong option is reported by its own name, not the variable's", async () => {
  for (const [words, option, expected] of [
    [["serve", "--workers", "0"], "--workers <n>", '"0" is not a whole number from 1 to 64'],
    [["serve", "--port", "80.5"], "--port <port>", '"80.5" is not a whole number from 0 to 65535'],
    [["health", "--port", "x"], "--port <port>", '"x" is not a whole number from 0 to 65535'],
    [["start", "--host", ""], "--host <host>", "must not be blank"],
    [["serve", "--db", " "], "--db <path>", "must not be blank"],
    [["source", "add", "pull", "--kind", "posts", "--every", "1x"], "--every", "15m, 6h"],
  ] as const) {
    const { exitCode, notes } = await machine.run(words);
    expect(exitCode).toBe(2);
    expect(notes).toContain(option);
    expect(notes).toContain(expected);
    expect(notes).not.toContain("KANALOG_");
  }
});

test("a variable named like a setting that does not exist is warned about, with the nearest setting", async () => {
  const unknown = {
    KANALOG_TRUSTPROXY: "true",
    KANALOG_PORTT_FILE: "port",
    KANALOG_COLOUR_OF_THE_SKY: "grey",
  };
  const silent = {
    ...{ KANALOG_TEST_SLOW: "1", KANALOG_TRUSTED: "", KANALOG_TRUST_PROXY: "true" },
    KANALOG_PORT_FILE: "",
  };
  const warnings = [
    "Warning: KANALOG_TRUSTPROXY is not a setting; did you mean KANALOG_TRUST_PROXY?",
    "Warning: KANALOG_PORTT_FILE is not a setting; did you mean KANALOG_PORT_FILE?",
    "Warning: KANALOG_COLOUR_OF_THE_SKY is not a setting.",
  ];
  await machine.run(["plan", "list"]);
  const environment = { ...unknown, ...silent };
  for (const words of [["check"], ["config", "--all"]]) {
    const { exitCode, notes } = await machine.run(words, { environment });
    expect({ exitCode, warnings: notes.trimEnd().split("\n") }).toEqual({ exitCode: 0, warnings });
  }
  const server = await machine.serve(["serve"], { environment });
  for (const line of warnings) expect(server.printed()).toContain(line);
  await server.stop();
});

/** Commands that run until they are stopped, and print no document. */
const SERVING = ["start", "serve", "mcp"];

test("every command accepts --json", async () => {
  const without: string[] = [];
  let commands = 0;
  async function look(words: readonly string[]): Promise<void> {
    const { out } = await machine.run(
      words.length === 0 ? ["help", "--all"] : [...words, "--help"],
    );
    const [, listed = ""] = out.split("\nCommands:\n");
    const names = [...listed.matchAll(/^ {2}([a-z][a-z-]*)/gm)].flatMap(([, name]) => name ?? []);
    const below = names.filter((name) => name !== "help");
    for (const name of below) await look([...words, name]);
    if (below.length > 0 || SERVING.includes(words.join(" "))) return;
    commands += 1;
    if (!out.includes("--json")) without.push(words.join(" "));
  }
  await look([]);
  expect(without).toEqual([]);
  expect(commands).toBeGreaterThan(50);
});
