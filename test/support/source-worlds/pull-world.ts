import { expect } from "bun:test";
import { gzipSync } from "node:zlib";
import { serveTroubled } from "../troubled-server.ts";
import { type Addition, SOURCE_ENVIRONMENT, type SourceWorld } from "./source-world.ts";

const POSTS = 3_000;
const CHANNEL = 1_001;

const CARD = `id,msgr_id,title,handle,subscribers,is_public\n1,${CHANNEL},One,one,100,true\n`;

/** A file at a web address, whose rows change and grow in number. */
export function createPullWorld(): SourceWorld {
  const texts = Array.from({ length: POSTS }, (_, at) => `post ${at} (0)`);
  let edition = 1;
  let failures = 0;

  const server = serveTroubled((request) => {
    if (new URL(request.url).pathname === "/channels.csv") return new Response(CARD);
    if (failures > 0) {
      failures -= 1;
      return new Response("<html>Bad Gateway</html>", { status: 502 });
    }
    const etag = `"${edition}"`;
    if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304 });
    const rows = texts.map((text, at) => `1,${at + 1},2025-11-01T10:00:00Z,${text}`);
    const file = `channel,msgr_post_id,published_at,text\n${rows.join("\n")}\n`;
    const headers = { etag, "content-type": "text/csv", "content-encoding": "gzip" };
    return new Response(gzipSync(file), { headers });
  });

  const addition = (kind: string): Addition => {
    const url = `${server.url}/${kind}.csv`;
    return {
      name: kind,
      words: ["source", "add", "pull", "--kind", kind, "--url", url, "--name", kind],
      ...{ path: "/staff/sources/", fields: { kind, url, name: kind }, button: "Add a source" },
    };
  };
  return {
    server,

    additions: [addition("channels"), addition("posts")],

    async add(machine) {
      machine.write("channels.csv", CARD);
      const imported = await machine.run(["import", "channels", "channels.csv"]);
      expect(imported).toMatchObject({ exitCode: 0 });
      const added = await machine.run(addition("posts").words, { environment: SOURCE_ENVIRONMENT });
      expect(added).toMatchObject({ exitCode: 0 });
    },

    /**
     * Now and then publishes a new edition of the file, with a tenth of the texts changed and a row more.
     */
    happen(chance) {
      const what = chance(60);
      if (what === 57) server.hangUps += 1;
      else if (what === 58) failures += 1;
      else if (what < 10) {
        edition += 1;
        for (let count = POSTS / 10; count > 0; count--) {
          const at = chance(texts.length);
          texts[at] = `post ${at} (${edition})`;
        }
        texts.push(`post ${texts.length} (${edition})`);
      }
    },

    calm() {
      server.hangUps = 0;
      failures = 0;
    },

    wanted: () => new Map(texts.map((text, at) => [`${CHANNEL} ${at + 1}`, text])),

    /** True once a random part of the newest edition's rows is stored. */
    isAmid(chance, machine) {
      const count = () =>
        machine.query<{ rows: number }>(
          "SELECT count(*) AS rows FROM posts WHERE text LIKE ?",
          `%(${edition})`,
        )[0]?.rows ?? 0;
      const from = server.requests;
      const wanted = texts.filter((text) => text.endsWith(`(${edition})`)).length;
      const enough = chance(wanted + 1);
      return () => server.requests > from && count() >= enough;
    },
  };
}
