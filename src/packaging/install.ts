import { systemClock } from "../ports/clock.ts";
import { installedBun, PINNED, ROOT } from "./pinned-bun.ts";

// Installs the packages in the lock file with the pinned Bun, since other versions cannot read it. The
// scripts of package.json run this first, so it prints nothing unless it takes long. `--production` skips
// the packages of tests and benches, which are half of all.

const PROGRESS_EVERY_S = 2;

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

async function reportUntil(isOver: () => boolean): Promise<void> {
  for (let seconds = 1; ; seconds += PROGRESS_EVERY_S) {
    await systemClock.sleep((seconds === 1 ? 1 : PROGRESS_EVERY_S) * 1_000);
    if (isOver()) return;
    say(seconds === 1 ? "Installing packages, once …" : `Installing packages: ${seconds} s`);
  }
}

let isOver = false;
void reportUntil(() => isOver);
const [out, notes, exitCode] = await ended;
isOver = true;
if (exitCode !== 0) {
  say(`${out}${notes}`.trim());
  say(`The packages could not be installed by Bun ${PINNED}. Run: npx --yes bun@${PINNED} start`);
}
// Exits explicitly: with only the exit code set, the progress timer would keep the process alive.
process.exit(exitCode);
