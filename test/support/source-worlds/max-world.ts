import { expect } from "bun:test";
import { createFakeMax, type FakeMax, postIdOf, refuse } from "../fake-max.ts";
import { serveTroubled } from "../troubled-server.ts";
import { hasRequested, SOURCE_ENVIRONMENT, type SourceWorld } from "./source-world.ts";

const CHANNELS = [-9_007_199_254_740_993n, -9_007_199_254_740_995n, -70_000_000_000_001n];

/** A bot at MAX, which is polled first; after `turn` it pushes: late, twice and out of order. */
export function createMaxWorld(): SourceWorld {
  const max = createFakeMax(Date.now);
  const server = serveTroubled((request) => max.answer(request));
  const mids: string[] = [];

  function once(answer: () => Response): FakeMax["disturb"] {
    return () => {
      max.disturb = () => undefined;
      return answer();
    };
  }

  const addition = {
    name: "catalog_bot",
    words: ["source", "add", "max", "--token", "-", "--api", server.url],
    stdin: `${max.token}\n`,
    path: "/staff/sources/max/",
    fields: { token: max.token, api: server.url },
    button: "Test the token and add the bot",
  };
  const world: SourceWorld = {
    server,

    additions: [addition],

    async add(machine) {
      const { words, stdin, name } = addition;
      const added = await machine.run(words, { environment: SOURCE_ENVIRONMENT, stdin });
      expect(added).toMatchObject({ exitCode: 0, out: expect.stringContaining(name) });
      expect(added.out + added.notes).not.toContain(max.token);
      world.join?.();
    },

    join() {
      for (const id of CHANNELS) max.addChannel({ id, title: `Channel ${id}` });
    },

    happen(chance) {
      const channel = CHANNELS[chance(CHANNELS.length)] ?? 0n;
      const at = chance(mids.length);
      const mid = mids[at];
      const what = chance(60);
      if (what < 30) mids.push(max.post(channel, `post ${mids.length}`));
      else if (what < 48 && mid !== undefined) max.edit(mid, `edit ${chance(1e6)}`);
      else if (what < 54 && mid !== undefined) {
        max.remove(mid);
        mids.splice(at, 1);
      } else if (what === 57) server.hangUps += 1;
      else if (what === 58) {
        max.disturb = once(() => refuse(429, "too.many.requests", "Slow", { "retry-after": "0" }));
      } else if (what === 59) {
        max.disturb = once(() => new Response("<html>Bad Gateway</html>", { status: 502 }));
      }
    },

    calm() {
      server.hangUps = 0;
      max.disturb = () => undefined;
    },

    wanted: () =>
      new Map(
        [...max.channels.values()].flatMap(({ id, posts }) =>
          [...posts.values()].map(
            ({ mid, text }) => [`${id} ${postIdOf(mid)}`, text ?? ""] as const,
          ),
        ),
      ),

    isAmid: (chance) => hasRequested(server, chance(12)),

    async turn(machine) {
      const words = ["source", "pushes", "catalog_bot", "on"];
      const turned = await machine.run(words, { environment: SOURCE_ENVIRONMENT });
      expect(turned).toMatchObject({ exitCode: 0 });
    },

    /** A push that is not accepted is kept for later, as at MAX. */
    async deliver({ address }, chance) {
      const waiting = max.pushes.splice(0);
      for (const push of chance(2) === 0 ? waiting.toReversed() : waiting) {
        const path = new URL(push.url).pathname;
        const answer = await fetch(address + path, {
          ...{ method: "POST", body: push.body },
          headers: { "content-type": "application/json", "x-max-bot-api-secret": push.secret },
        }).catch(() => null);
        if (answer?.status !== 200 || chance(8) === 0) max.pushes.push(push);
      }
    },
  };
  return world;
}
