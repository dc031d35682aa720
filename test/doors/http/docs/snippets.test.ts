import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KEY_PLACE } from "../../../../src/customers/keys/connect-snippets.ts";
import { examples } from "../../../../src/doors/http/docs/examples.ts";
import { WRITTEN_ADDRESS } from "../../../../src/doors/http/docs/guide-html.ts";
import type { Snippet } from "../../../../src/doors/http/docs/snippets.ts";
import {
  BETWEEN_CALLS_MS,
  MAKES_ALERT,
  MAKES_WEBHOOK,
  startExampleWorld,
  withOneCursor,
} from "../../../support/recorded-examples.ts";

/** Whether a method's recorded answer is a file. */
const isText = (name: string | undefined): boolean =>
  typeof examples.calls[name ?? ""]?.answer === "string";

/** Runs the documentation's snippets: each prints the answer shown beside it. */
const folder = mkdtempSync(join(tmpdir(), "kanalog-snippets-"));
beforeAll(() => {
  writeFileSync(join(folder, "say.ts"), SAY_JSON);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Makes a snippet's log lines JSON. */
const SAY_JSON = `const say = console.log;
console.log = (value) => say(JSON.stringify(value));
for (const file of process.argv.slice(2)) await import(file);
`;
const RUN_PYTHON = `import json, sys
for file in sys.argv[1:]:
    exec(open(file, encoding="utf-8").read(), {"print": lambda value: print(json.dumps(value))})
`;

const languages: { lang: Snippet["lang"]; command: string; run: (files: string[]) => string[] }[] =
  [
    {
      lang: "Shell",
      command: "bash",
      run: (files) => ["bash", "-ec", 'for f; do . "$f"; echo; done', "bash", ...files],
    },
    {
      lang: "TypeScript",
      command: process.execPath,
      run: (files) => [process.execPath, join(folder, "say.ts"), ...files],
    },
    {
      lang: "Python",
      command: "python3",
      run: (files) => ["python3", "-c", RUN_PYTHON, ...files],
    },
  ];

interface Operation {
  operationId: string;
  "x-codeSamples": Snippet[];
}

test.each(languages)("the snippets in $lang do what they show", async ({ lang, command, run }) => {
  if (Bun.which(command) === null) {
    console.warn(`No ${command} here: the snippets in ${lang} were not run.`);
    return;
  }
  const { appliance, key, readLastPost } = await startExampleWorld({ KANALOG_PORT: "0" });
  try {
    const address = appliance.app.listen();
    const { body } = await appliance.request("/docs/json");
    const operations = Object.values<Record<string, Operation>>(body.paths).flatMap((path) =>
      Object.values(path),
    );
    const fileOf = (name: string): string => {
      const operation = operations.find(({ operationId }) => operationId === name);
      const snippet = operation?.["x-codeSamples"].find((one) => one.lang === lang);
      const file = join(folder, `${name}-${lang}.ts`);
      writeFileSync(file, (snippet?.source ?? "").replaceAll(KEY_PLACE, key));
      return file;
    };
    const paste = async (names: string[]): Promise<string[]> => {
      const child = Bun.spawn(run(names.map(fileOf)), {
        env: { PATH: process.env["PATH"] ?? "", HOME: folder },
        stdout: "pipe",
        stderr: "pipe",
      });
      const [out, notes] = await Promise.all([child.stdout.text(), child.stderr.text()]);
      expect(await child.exited, notes).toBe(0);
      // The shell prints a file unchanged, on several lines.
      const isFile = lang === "Shell" && names.length === 1 && isText(names[0]);
      return isFile ? [JSON.stringify(out.slice(0, -1))] : out.trimEnd().split("\n");
    };
    const [webhook, alert, ...others] = Object.keys(examples.calls);
    expect([webhook, alert]).toEqual([MAKES_WEBHOOK, MAKES_ALERT]);
    const printed = await paste([MAKES_WEBHOOK, MAKES_ALERT]);
    await readLastPost();
    let rest: string[] = [];
    for (const name of others) {
      rest.push(name);
      const next = others[others.indexOf(name) + 1];
      if (next !== undefined && !isText(name) && !isText(next)) continue;
      appliance.ports.clock.advance(BETWEEN_CALLS_MS * rest.length);
      printed.push(...(await paste(rest)));
      rest = [];
    }
    const names = Object.keys(examples.calls);
    expect(printed).toHaveLength(names.length);
    for (const [at, name] of names.entries()) {
      const { status, answer } = examples.calls[name] ?? {};
      const shown = withOneCursor(printed[at] ?? "").replaceAll(address, WRITTEN_ADDRESS);
      if (status === 204) expect(["", "204"], name).toContain(shown);
      else expect(JSON.parse(shown), name).toEqual(answer);
    }
  } finally {
    await appliance.close();
  }
});
