import { afterAll, beforeAll, expect, test } from "bun:test";
import { createMachine, type Machine } from "../../../support/machine.ts";

let machine: Machine;
beforeAll(() => {
  machine = createMachine();
});
afterAll(() => machine.leave());

test("a wrong option is told by its own name", async () => {
  for (const [words, option, said] of [
    [["serve", "--workers", "0"], "--workers <n>", '"0" is not a whole number from 1 to 64'],
    [
      ["source", "add", "pull", "--kind", "posts", "--every", "1x"],
      "--every <schedule>",
      "15m, 6h",
    ],
  ] as const) {
    const { exitCode, notes } = await machine.run(words);
    expect(exitCode).toBe(2);
    expect(notes).toContain(`option '${option}' argument`);
    expect(notes).toContain(said);
    expect(notes).not.toContain("KANALOG_WORKERS");
  }
});
