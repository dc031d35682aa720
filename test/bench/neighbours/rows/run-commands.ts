import { elapsed } from "../../../support/webhook-journey.ts";
import type { Beside, Stage } from "../row.ts";

/** The end of a command that was interrupted: what it had done stays done. */
const INTERRUPTED = 130;

/**
 * Runs commands of the product one after the other, as processes of their own, until the time is
 * over or there is none left; the last one is interrupted then.
 * @param words of the command of a number; null where there is none
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
    const said = Promise.all([child.stdout.text(), child.stderr.text()]);
    await Promise.race([child.exited, elapsed(left)]);
    if (child.exitCode === null) child.kill("SIGTERM");
    const exitCode = await child.exited;
    if (exitCode !== 0 && exitCode !== INTERRUPTED && child.signalCode === null) {
      throw new Error(`${next.join(" ")}: exit ${exitCode}: ${(await said).join("")}`);
    }
    if (exitCode === 0) runs += 1;
    else break;
  }
  return { notes: runs === 1 ? ["once, to its end"] : [`${runs} times to its end`], broken: [] };
}
