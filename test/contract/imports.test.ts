import { describe, expect, test } from "bun:test";
import { dirname, join, normalize } from "node:path";

/**
 * The direction of imports: main, then app, the doors, verbs and words, the cluster, the groups of domains,
 * db, and finally values, ports and errors. A file may import only from below. Domains and doors meet the
 * cluster only by `inTransaction` and a port of db.
 */

interface Import {
  /** Path of the importing file within `src`. */
  file: string;
  /** Path within `src`, `../…` for a file outside it, or the name of a package. */
  names: string;
  /** Removed when the program runs. */
  isType: boolean;
  /** Loaded together with the file, rather than when it is needed. */
  isAtOnce: boolean;
}

const SOURCE = join(import.meta.dir, "../../src");

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;
const IMPORT =
  /\b(?:import|export)\s+(type\s)?(?:[^"';]*?\sfrom\s*)?"([^"]+)"|\bimport\s*\(\s*"([^"]+)"|\bnew URL\(\s*"(\.[^"]+\.ts)"/g;

function importsOf(file: string, source: string): Import[] {
  return [...source.replace(COMMENT, "").matchAll(IMPORT)].map((match) => {
    const [, type, statement, dynamic, worker] = match;
    const specifier = statement ?? dynamic ?? worker ?? "";
    const names = specifier.startsWith(".") ? normalize(join(dirname(file), specifier)) : specifier;
    // `import { type A }` with nothing but types counts as an import of types too.
    const inBraces = /\{([^}]*)\}/
      .exec(match[0])?.[1]
      ?.split(",")
      .map((item) => item.trim());
    const items = inBraces?.filter((item) => item !== "") ?? [];
    const isType =
      type !== undefined || (items.length > 0 && items.every((item) => item.startsWith("type ")));
    return { file, names, isType, isAtOnce: statement !== undefined && !isType };
  });
}

const files = new Map<string, string>();
for await (const file of new Bun.Glob("**/*.{ts,tsx}").scan(SOURCE)) {
  files.set(file, await Bun.file(join(SOURCE, file)).text());
}
const imports = [...files].flatMap(([file, source]) => importsOf(file, source));

/** The groups of domains, each with the groups that it may import. */
const GROUPS: Record<string, readonly string[]> = {
  customers: [],
  catalog: ["customers"],
  push: ["catalog", "customers"],
  upkeep: ["push", "catalog", "customers"],
};
const DOORS = ["http", "mcp", "site", "cli"].map((door) => `doors/${door}`);
/** Rooms that every other may import. */
const BOTTOM = ["values", "errors.ts", "ports"];

/**
 * What the files of a room may import from other rooms. A room is a folder or a file of `src`, and each
 * door is one.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  "main.ts": ["packaging", "program.ts"],
  "program.ts": ["app", "doors/cli", "doors/mcp", "ports"],
  app: [...DOORS, "verbs", "cluster", ...Object.keys(GROUPS), "db", "config.ts", ...BOTTOM],
  ...Object.fromEntries(
    DOORS.map((door) => [
      door,
      ["doors/front", "verbs", "words", ...Object.keys(GROUPS), "config.ts", ...BOTTOM],
    ]),
  ),
  // Shares no code with what it checks.
  conformance: [],
  "doors/front": BOTTOM,
  verbs: [...Object.keys(GROUPS), ...BOTTOM],
  words: BOTTOM,
  cluster: ["upkeep", "catalog", "customers", "db", ...BOTTOM],
  ...Object.fromEntries(
    Object.entries(GROUPS).map(([group, others]) => [group, [...others, "db", ...BOTTOM]]),
  ),
  db: BOTTOM,
  "config.ts": BOTTOM,
  values: [],
  ports: [],
  "errors.ts": ["values"],
  "assets.d.ts": [],
  // Builds the program, but is no part of it.
  packaging: ["doors/mcp", "ports"],
};

/** Imports in the wrong direction that are allowed, and why. */
const EXCEPTIONS: readonly {
  from: string;
  to: string;
  /** Types only, except from this file. */
  isType?: true;
  values?: string;
  why: string;
}[] = [
  { from: "doors/cli", to: "db", why: "Commands copy, replace and measure the file itself." },
  { from: "doors/cli", to: "cluster", why: "Commands wait for copies, and make a file of one." },
  { from: "doors/site", to: "cluster", isType: true, why: "A page shows the nodes." },
  { from: "doors/cli", to: "conformance", why: "A command runs the kit." },
  { from: "doors/cli", to: "app", isType: true, why: "Commands are handed the application." },
  {
    ...{ from: "words", to: "catalog", isType: true, values: "catalog/channels/card.ts" },
    why: "Labels of a channel's fields are beside their declaration.",
  },
];

/** Packages that only certain folders may import. */
const PACKAGES: Record<string, readonly string[]> = {
  "better-sqlite3": ["db"],
  "drizzle-orm/better-sqlite3": ["db"],
  elysia: ["doors/front", "doors/http/docs"],
  "@sinclair/typebox": ["values"],
  "@elysiajs/swagger": ["doors/http"],
  "swagger-ui-dist": ["doors/http"],
  croner: ["upkeep/jobs", "values"],
  commander: ["doors/cli"],
  "cli-progress": ["doors/cli"],
  pino: ["ports"],
  "prom-client": ["upkeep/metrics"],
  nodemailer: ["ports"],
  "better-auth": ["customers/people"],
  "@node-oauth/oauth2-server": ["customers/oauth"],
  fflate: ["catalog/imports", "catalog/exports", "doors/mcp"],
  hono: ["doors/site"],
  "@fastify/busboy": ["doors/site"],
  uplot: ["doors/site"],
  "@resvg/resvg-wasm": ["doors/site"],
  "markdown-it": ["doors/site"],
  "@streamparser/json": ["catalog/imports"],
  "csv-parse": ["catalog/imports"],
  "read-excel-file": ["catalog/imports"],
  "image-size": ["catalog/imports", "values"],
};

/** The first two folders of a path: a door, or a domain in its group. */
const pairOf = (path: string): string => path.split("/").slice(0, 2).join("/");
const roomOf = (path: string): string =>
  path.startsWith("doors/") ? pairOf(path) : (path.split("/")[0] ?? path);
const isIn = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => path.startsWith(`${folder}/`));
const isPackage = (name: string): boolean => !files.has(name) && !name.startsWith("..");
const isStore = (path: string): boolean => path.endsWith(".store.ts");

/** Why an import is not allowed; null if it is. */
function wrongWay({ file, names, isType }: Import): string | null {
  if (isPackage(names)) {
    for (const [name, folders] of Object.entries(PACKAGES)) {
      if (names !== name && !names.startsWith(`${name}/`)) continue;
      if (!isIn(file, folders)) return `only ${folders.join(", ")} may name ${name}`;
    }
    if (
      names.startsWith("drizzle-orm") &&
      !isIn(file, ["db"]) &&
      !/\.(store|table)\.ts$/.test(file)
    ) {
      return "only stores and tables may name drizzle";
    }
    return null;
  }
  if (names.startsWith("..")) {
    return names.startsWith("../data/") || ["../package.json", "../LICENSE"].includes(names)
      ? null
      : "only data lies outside of src";
  }
  const [from, to] = [roomOf(file), roomOf(names)];
  if (from === to) return null;
  const exception = EXCEPTIONS.find((one) => one.from === from && one.to === to);
  if (exception !== undefined) {
    return isType || exception.isType !== true || names === exception.values
      ? null
      : `${from} may import only types of ${to}`;
  }
  if (!MAY_IMPORT[from]?.includes(to)) return `${from} may not import ${to}`;
  // Types may contain that of a store's row.
  const isAbove = from === "verbs" || DOORS.includes(from);
  if (isStore(names) && isAbove && !isType) return "doors and methods call no store";
  return null;
}

describe("the direction of imports", () => {
  test("is respected by every file", () => {
    const wrong = imports.flatMap((one) => {
      const reason = wrongWay(one);
      return reason === null ? [] : [`${one.file} imports ${one.names}: ${reason}`];
    });
    expect(wrong).toEqual([]);
  });

  test("is checked in all files", () => {
    expect(files.size).toBeGreaterThan(80);
    expect(imports.filter(({ names }) => files.has(names)).length).toBeGreaterThan(250);
    for (const file of files.keys()) {
      expect(MAY_IMPORT, `${roomOf(file)} has no place in the order`).toHaveProperty([
        roomOf(file),
      ]);
    }
    const loose = [...files.keys()].filter((file) => !file.includes("/"));
    expect(loose.length).toBeLessThanOrEqual(5);
    for (const { from, to, why } of EXCEPTIONS) {
      const used = imports.some(({ file, names }) => roomOf(file) === from && roomOf(names) === to);
      expect(used, why).toBe(true);
    }
    // Every relative import leads to a file.
    const lost = imports.filter(({ names }) => /\.ts$/.test(names) && !files.has(names));
    expect(lost).toEqual([]);
  });

  test("is reported if a file violates it", () => {
    for (const [file, source] of [
      ["doors/http/rest.ts", 'import { x } from "../cli/command-line.ts";'],
      ["doors/http/rest.ts", 'import { x } from "../../catalog/channels/channels.store.ts";'],
      ["doors/http/rest.ts", 'import { x } from "../../db/database.ts";'],
      ["doors/http/rest.ts", 'import type { x } from "../../app/app.ts";'],
      ["doors/cli/key.ts", 'import { x } from "../../customers/keys/keys.store.ts";'],
      ["doors/cli/key.ts", 'import { x } from "../http/rest.ts";'],
      ["doors/cli/key.ts", 'import { x } from "../../app/domains.ts";'],
      ["verbs/posts.ts", 'import {\n  selectPosts,\n} from "../catalog/posts/posts.store.ts";'],
      ["verbs/posts.ts", 'import { type A, selectPosts } from "../catalog/posts/posts.store.ts";'],
      ["verbs/posts.ts", 'import { x } from "../db/database.ts";'],
      ["verbs/posts.ts", 'import type { x } from "../doors/http/rest.ts";'],
      ["catalog/channels/card.ts", 'import { t } from "elysia";'],
      ["catalog/channels/card.ts", 'import type { Cron } from "croner";'],
      ["upkeep/backups/x.ts", 'import type { Cron } from "croner";'],
      ["catalog/channels/card.ts", 'import { x } from "../../verbs/method.ts";'],
      ["catalog/channels/card.ts", 'const { x } = await import("../../doors/http/rest.ts");'],
      ["catalog/channels/card.ts", 'import { x } from "../../push/mail/mailer.ts";'],
      ["customers/keys/keys.ts", 'import type { x } from "../../catalog/posts/posts.ts";'],
      ["catalog/channels/card.ts", 'import Driver from "better-sqlite3";'],
      ["catalog/channels/card.ts", 'import "better-sqlite3/linux-x64";'],
      ["catalog/channels/card.ts", 'export * from "../../app/app.ts";'],
      ["db/database.ts", 'import { x } from "../catalog/channels/card.ts";'],
      ["db/transaction.ts", 'import { x } from "../cluster/link.ts";'],
      ["customers/keys/keys.ts", 'import type { x } from "../../cluster/link.ts";'],
      ["upkeep/jobs/jobs.ts", 'import { x } from "../../cluster/make-cluster.ts";'],
      ["values/fields.ts", 'import { x } from "../ports/clock.ts";'],
      ["values/fields.ts", 'import { x } from "../errors.ts";'],
      ["ports/clock.ts", 'import { x } from "../errors.ts";'],
      ["errors.ts", 'import { x } from "./doors/http/rest.ts";'],
      ["words/words.ts", 'import { x } from "../doors/site/site.ts";'],
      ["words/words.ts", 'import { x } from "../customers/audit/audit-log.ts";'],
      ["verbs/posts.ts", 'import { x } from "../words/words.ts";'],
      ["app/app.ts", 'import { x } from "../program.ts";'],
      ["upkeep/jobs/jobs.ts", 'new Worker(new URL("../../app/app.ts", import.meta.url))'],
    ] as const) {
      const found = importsOf(file, source);
      expect(found, source).toHaveLength(1);
      expect(found.map(wrongWay), `${file}: ${source}`).not.toContain(null);
    }
    for (const [file, source] of [
      ["verbs/posts.ts", 'import type { PostPosition } from "../catalog/posts/posts.store.ts";'],
      ["doors/http/rest.ts", '// import { x } from "../cli/command-line.ts";'],
      ["doors/http/rest.ts", 'import { x } from "./answers.ts";'],
      ["doors/cli/key.ts", 'import type { x } from "../../app/domains.ts";'],
    ] as const) {
      expect(importsOf(file, source).map(wrongWay), source).not.toContainEqual(expect.any(String));
    }
  });

  test("has no cycle, neither between files nor between domains", () => {
    const below = (unit: (path: string) => string, of: readonly Import[]) => {
      const edges = new Map<string, Set<string>>();
      for (const { file, names } of of) {
        if (!files.has(names) || unit(file) === unit(names)) continue;
        edges.set(unit(file), (edges.get(unit(file)) ?? new Set()).add(unit(names)));
      }
      return edges;
    };
    const circle = (edges: Map<string, Set<string>>): string[] | null => {
      const done = new Set<string>();
      const visit = (node: string, path: string[]): string[] | null => {
        if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
        if (done.has(node)) return null;
        for (const next of edges.get(node) ?? []) {
          const found = visit(next, [...path, node]);
          if (found !== null) return found;
        }
        done.add(node);
        return null;
      };
      for (const node of edges.keys()) {
        const found = visit(node, []);
        if (found !== null) return found;
      }
      return null;
    };
    const running = imports.filter(({ isType }) => !isType);
    expect(circle(below((path) => path, running))).toBeNull();
    const ofDomains = imports.filter(({ file }) => roomOf(file) in GROUPS);
    expect(circle(below(pairOf, ofDomains))).toBeNull();
    // The search does find a cycle.
    expect(
      circle(
        new Map([
          ["a", new Set(["b"])],
          ["b", new Set(["a"])],
        ]),
      ),
    ).toEqual(["a", "b", "a"]);
  });

  test("keeps commands from loading what only serving, mail or sign-in need", () => {
    const loaded = new Set(["program.ts"]);
    for (const file of loaded) {
      for (const one of imports) if (one.file === file && one.isAtOnce) loaded.add(one.names);
    }
    expect([...loaded]).toContain("doors/cli/database/import.ts");
    for (const name of ["app/app.ts", "elysia", "nodemailer", "better-auth", "kysely", "hono"]) {
      expect([...loaded]).not.toContain(name);
    }
  });

  test("the application is built in one place only", () => {
    const builders = imports.filter(
      ({ file, names, isType }) => roomOf(names) === "app" && roomOf(file) !== "app" && !isType,
    );
    expect(new Set(builders.map(({ file }) => file))).toEqual(new Set(["program.ts"]));
  });
});

describe("the outside world", () => {
  const SQL = /\b(?:SELECT .+ FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b/;
  const OUTSIDE =
    /\bDate\.now\b|\bnew Date\(\s*\)|\bnew Date\b(?!\()|(?<!new )\bDate\(|\bMath\.random\b|\bset(?:Timeout|Interval|Immediate)\b|\bfetch\(|\bperformance\.now\b|\brandomUUID|\brandomBytes\b|\bgetRandomValues\b|\bBun\.sleep\b/;

  /** Contains requests as text, for readers of the documentation to paste. */
  const SHOWS_CODE = "doors/http/docs/snippets.ts";

  test("is reached through ports only: time, randomness, waiting and network", () => {
    const wrong = [...files].flatMap(([file, source]) => {
      const found = OUTSIDE.exec(source.replace(COMMENT, ""));
      const isAllowed = file.startsWith("ports/") || file === SHOWS_CODE;
      return found === null || isAllowed ? [] : [`${file}: ${found[0]}`];
    });
    expect(wrong).toEqual([]);
  });

  test("reaches the program through the front layer only", () => {
    const serving = [...files].filter(([, source]) => /\bBun\.serve\(/.test(source));
    expect(serving.map(([file]) => file)).toEqual(["doors/front/front.ts"]);
  });

  test("includes the database, which only stores use: no SQL in doors, verbs or imports", () => {
    const wrong = [...files.keys()].filter((file) => {
      if (isStore(file)) return false;
      return /^(?:doors|verbs|catalog\/imports)\//.test(file) && SQL.test(files.get(file) ?? "");
    });
    expect(wrong).toEqual([]);
    expect(SQL.test(files.get("catalog/posts/posts.store.ts") ?? "")).toBe(true);
  });

  test("is recognized when it is used", () => {
    for (const line of [
      "const now = Date.now();",
      "const now = new Date();",
      "const now = +new Date;",
      "const text = Date();",
      "Math.random() < 0.5",
      "setTimeout(done, 5);",
      "setInterval(done, 5);",
      "await fetch(address);",
      "performance.now()",
      "crypto.randomUUID()",
      "Bun.randomUUIDv7()",
    ]) {
      expect(line).toMatch(OUTSIDE);
    }
    for (const line of ["new Date(nowMs)", "Date.parse(text)", "prefetch(x)", "fetchRows(db)"]) {
      expect(line).not.toMatch(OUTSIDE);
    }
    const [clock] = [...files].filter(([file]) => file === "ports/clock.ts");
    expect(clock?.[1]).toMatch(OUTSIDE);
  });
});
