import type { StdioProgram } from "./mcp-clients.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Message = any;

/** A conversation with a program that speaks JSON-RPC lines, without a client library. */
export interface Talk {
  say(line: string): void;
  write(piece: string | Uint8Array): void;
  /** Waits for a line that satisfies `holds`; fails if the output ends before. */
  answer(holds: (message: Message) => boolean): Promise<Message>;
  /** All lines so far, in the order in which they came. */
  answers(): Message[];
  /** Null while it runs. */
  exitCode(): number | null;
  /** Closes the program's input and waits for its end. */
  end(): Promise<{ exitCode: number; output: string; notes: string }>;
}

export function startTalk({ command, args, env, cwd }: StdioProgram): Talk {
  const child = Bun.spawn([command, ...args], {
    env,
    cwd,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  let output = "";
  let hasEnded = false;
  let moved = Promise.withResolvers<void>();
  const readAll = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      output += decoder.decode(chunk, { stream: true });
      moved.resolve();
      moved = Promise.withResolvers();
    }
    hasEnded = true;
    moved.resolve();
  })();
  const notes = child.stderr.text();

  const talk: Talk = {
    say: (line) => talk.write(`${line}\n`),
    write(piece) {
      child.stdin.write(piece);
      child.stdin.flush();
    },
    async answer(holds) {
      for (;;) {
        const found = talk.answers().find(holds);
        if (found !== undefined) return found;
        if (hasEnded) throw new Error(`no such answer: ${output}${await notes}`);
        await moved.promise;
      }
    },
    answers: () =>
      output
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    exitCode: () => child.exitCode,
    async end() {
      child.stdin.end();
      await readAll;
      return { exitCode: await child.exited, output, notes: await notes };
    },
  };
  return talk;
}
