import { systemClock } from "../ports/clock.ts";
import { installedBun, PINNED, ROOT } from "./pinned-bun.ts";

// Installs the packages that the lock file names, by the pinned Bun: others cannot read the file. Run by
// the scripts of package.json before anything else, so it says something only where it takes long. With
// `--production` those of the program alone: tests and benches need twice as much.

const WORD_EVERY_S = 2;

const installed = installedBun();
const here = Bun.version === PINNED ? process.execPath : installed;
const bun = here === null ? [process.execPath, "x", `bun@${PINNED}`] : [here];
const say = (text: string) => process.stderr.write(`${text}\n`);

const child = Bun.spawn([...bun, "install", "--frozen-lockfile", ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: ["ignore", "pipe", "pipe"],
});
const ended = Promise.all([
  new Response(child.stdout).text(),
  new Response(child.stderr).text(),
  child.exited,
]);

async function tellUntil(isOver: () => boolean): Promise<void> {
  for (let seconds = 1; ; seconds += WORD_EVERY_S) {
    await systemClock.sleep((seconds === 1 ? 1 : WORD_EVERY_S) * 1_000);
    if (isOver()) return;
    say(seconds === 1 ? "Installing packages, once …" : `Installing packages: ${seconds} s`);
  }
}

let isOver = false;
void tellUntil(() => isOver);
const [out, notes, exitCode] = await ended;
isOver = true;
if (exitCode !== 0) {
  say(`${out}${notes}`.trim());
  say(`The packages could not be installed by Bun ${PINNED}. Run: npx --yes bun@${PINNED} start`);
}
// Exits at once: with the exit code alone it would go on until the next word is due.
process.exit(exitCode);
