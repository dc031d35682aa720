import { elapsed } from "../../../support/webhook-journey.ts";
import type { Beside, Stage } from "../row.ts";

/** Exit code of a command that was interrupted. */
const INTERRUPTED = 130;

/**
 * Runs Kanalog's commands one after another, as separate processes, until the time is over or there are none left;
 * interrupts a command that is still running then.
 * @param words returns the arguments of the nth command; null if there are no more
 */
export async function runCommands(
  { machine }: Stage,
  seconds: number,
  words: (number: number) => string[] | null,
): Promise<Beside> {
  const endsAtMs = performance.now() + seconds * 1000;
  let runs = 0;
  for (let left = seconds * 1000; left > 0; left = endsAtMs - performance.now()) {
    const next = words(runs);
    if (next === null) break;
    const child = machine.spawn(next);
    const printed = Promise.all([child.stdout.text(), child.stderr.text()]);
    await Promise.race([child.exited, elapsed(left)]);
    if (child.exitCode === null) child.kill("SIGTERM");
    const exitCode = await child.exited;
    if (exitCode !== 0 && exitCode !== INTERRUPTED && child.signalCode === null) {
      throw new Error(`${next.join(" ")}: exit ${exitCode}: ${(await printed).join("")}`);
    }
    if (exitCode === 0) runs += 1;
    else break;
  }
  return { notes: runs === 1 ? ["completed once"] : [`completed ${runs} times`], broken: [] };
}
