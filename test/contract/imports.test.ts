import { describe, expect, test } from "bun:test";
import { dirname, join, normalize } from "node:path";

/**
 * The direction of imports: main, then app, then the doors, then methods, then domains, then db,
 * ports and errors. A file may name only what lies below it.
 */

interface Import {
  /** Path of the importing file within `src`. */
  file: string;
  /** Path within `src`, `../…` for a file outside of it, or the name of a package. */
  names: string;
  /** Erased when the program runs. */
  isType: boolean;
}

const SOURCE = join(import.meta.dir, "../../src");

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;
const IMPORT =
  /\b(?:import|export)\s+(type\s)?(?:[^"';]*?\sfrom\s*)?"([^"]+)"|\bimport\s*\(\s*"([^"]+)"|\bnew URL\(\s*"(\.[^"]+\.ts)"/g;

function importsOf(file: string, source: string): Import[] {
  return [...source.replace(COMMENT, "").matchAll(IMPORT)].map((match) => {
    const [, type, statement, dynamic, worker] = match;
    const given = statement ?? dynamic ?? worker ?? "";
    const names = given.startsWith(".") ? normalize(join(dirname(file), given)) : given;
    // `import { type A }` of nothing but types counts as one of types too.
    const inBraces = /\{([^}]*)\}/
      .exec(match[0])?.[1]
      ?.split(",")
      .map((item) => item.trim());
    const items = inBraces?.filter((item) => item !== "") ?? [];
    const isType =
      type !== undefined || (items.length > 0 && items.every((item) => item.startsWith("type ")));
    return { file, names, isType };
  });
}

const files = new Map<string, string>();
for await (const file of new Bun.Glob("**/*.{ts,tsx}").scan(SOURCE)) {
  files.set(file, await Bun.file(join(SOURCE, file)).text());
}
const imports = [...files].flatMap(([file, source]) => importsOf(file, source));

const DOORS = ["http", "mcp", "site", "cli"];
const DOMAINS = [
  "directory",
  "channels",
  "statistics",
  "posts",
  "accounts",
  "keys",
  "limits",
  "webhooks",
  "mail",
  "people",
  "audit",
  "backups",
  "checks",
];
/** Files and folders at the bottom, which everything may use. */
const BOTTOM = [
  "address-ranges.ts",
  "connect-snippets.ts",
  "errors.ts",
  "fields.ts",
  "json-text.ts",
  "moscow-time.ts",
  "retry-ladder.ts",
  "ports",
];
/** What the application is put together of. */
const PARTS = [
  "compose-jobs.ts",
  "compose-limits.ts",
  "compose-readings.ts",
  "compose-services.ts",
  "compose-site.ts",
  "compose-webhooks.ts",
];
/** The composition: the application and its parts, and what its threads run. */
const COMPOSITION = [
  "app.ts",
  ...PARTS,
  "database-threads.ts",
  "domains.ts",
  "installation-secret.ts",
  "operations.ts",
  "thread.ts",
];

/** What the files of a folder (or one file of `src` itself) may import of the other ones. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  "main.ts": ["app.ts", "domains.ts", "cli", "mcp", "config.ts", "ports"],
  ...Object.fromEntries(
    ["app.ts", ...PARTS].map((file) => [
      file,
      [
        "database-threads.ts",
        "domains.ts",
        "installation-secret.ts",
        ...PARTS,
        "metrics",
        "http",
        "mcp",
        "site",
        "methods",
        "imports",
        "jobs",
        "config.ts",
        "db",
        ...DOMAINS,
        ...BOTTOM,
      ],
    ]),
  ),
  "database-threads.ts": ["operations.ts", "thread.ts", "config.ts", "db", ...BOTTOM],
  "domains.ts": ["installation-secret.ts", "imports", "config.ts", "db", ...DOMAINS, ...BOTTOM],
  "installation-secret.ts": ["config.ts", "db", ...DOMAINS, ...BOTTOM],
  "operations.ts": ["imports", "jobs", "db", ...DOMAINS, ...BOTTOM],
  "thread.ts": ["operations.ts", "db", ...BOTTOM],
  "config.ts": BOTTOM,
  http: ["methods", "metrics", "config.ts", ...DOMAINS, ...BOTTOM],
  mcp: ["methods", "config.ts", ...DOMAINS, ...BOTTOM],
  // Staff's console shows the jobs, and imports rows.
  site: ["imports", "jobs", "methods", "metrics", "config.ts", ...DOMAINS, ...BOTTOM],
  // The door of commands works on the whole application, and imports rows.
  cli: ["app.ts", "domains.ts", "imports", "methods", "config.ts", "db", ...DOMAINS, ...BOTTOM],
  // Only the types of the work that it counts.
  metrics: ["jobs", ...DOMAINS, ...BOTTOM],
  methods: [...DOMAINS, ...BOTTOM],
  jobs: ["db", ...DOMAINS, ...BOTTOM],
  imports: ["db", ...DOMAINS, ...BOTTOM],
  ...Object.fromEntries(
    DOMAINS.map((domain) => [
      domain,
      [...DOMAINS.filter((other) => other !== domain), "db", ...BOTTOM],
    ]),
  ),
  db: ["errors.ts", "moscow-time.ts", "ports"],
  ports: [],
  "address-ranges.ts": [],
  "connect-snippets.ts": [],
  "errors.ts": [],
  "json-text.ts": [],
  "moscow-time.ts": [],
  "fields.ts": ["errors.ts", "moscow-time.ts"],
  "retry-ladder.ts": [],
  "assets.d.ts": [],
  // Builds the program, and is no part of it.
  packaging: [],
};

/** The packages that only certain folders may name. */
const PACKAGES: Record<string, readonly string[]> = {
  "better-sqlite3": ["db"],
  "drizzle-orm/better-sqlite3": ["db"],
  elysia: ["http", "mcp", "site", "methods"],
  "@elysiajs/swagger": ["http"],
  "swagger-ui-dist": ["http"],
  croner: ["jobs"],
  commander: ["cli"],
  "cli-progress": ["cli"],
  pino: ["ports"],
  "prom-client": ["metrics"],
  nodemailer: ["ports"],
  "better-auth": ["people"],
  hono: ["site"],
  "@fastify/busboy": ["site"],
  uplot: ["site"],
  "csv-parse": ["imports"],
  "image-size": ["imports"],
};

const unitOf = (path: string): string => path.split("/")[0] ?? path;
const isPackage = (name: string): boolean => !files.has(name) && !name.startsWith("..");
const isStore = (path: string): boolean => path.endsWith(".store.ts");

/** Why an import goes the wrong way, or null. */
function wrongWay({ file, names, isType }: Import): string | null {
  const [from, to] = [unitOf(file), unitOf(names)];
  if (isPackage(names)) {
    for (const [name, folders] of Object.entries(PACKAGES)) {
      if (names !== name && !names.startsWith(`${name}/`)) continue;
      if (!folders.includes(from)) return `only ${folders.join(", ")} may name ${name}`;
    }
    if (names.startsWith("drizzle-orm") && from !== "db" && !/\.(store|table)\.ts$/.test(file)) {
      return "only stores and tables may name drizzle";
    }
    return null;
  }
  if (names.startsWith("..")) {
    return names.startsWith("../data/") || names === "../package.json"
      ? null
      : "only data lies outside of src";
  }
  if (from === to) return null;
  if (!MAY_IMPORT[from]?.includes(to)) return `${from} may not import ${to}`;
  if (isStore(names) && DOORS.includes(from)) return "a door names no store";
  // What a store answers with may be a part of a method's own type.
  if (isStore(names) && from === "methods" && !isType) return "a method calls no store";
  if (COMPOSITION.includes(to) && from === "cli" && !isType) {
    return "a command gets the application; it does not build it";
  }
  return null;
}

describe("the direction of imports", () => {
  test("is kept by every file", () => {
    const wrong = imports.flatMap((one) => {
      const reason = wrongWay(one);
      return reason === null ? [] : [`${one.file} imports ${one.names}: ${reason}`];
    });
    expect(wrong).toEqual([]);
  });

  test("is looked for in all the files there are", () => {
    expect(files.size).toBeGreaterThan(80);
    expect(imports.filter(({ names }) => files.has(names)).length).toBeGreaterThan(250);
    for (const file of files.keys()) {
      expect(MAY_IMPORT, `${unitOf(file)} has no place in the order`).toHaveProperty([
        unitOf(file),
      ]);
    }
    // Every relative import was understood.
    const lost = imports.filter(({ names }) => /\.ts$/.test(names) && !files.has(names));
    expect(lost).toEqual([]);
  });

  test("would be seen where it is not kept", () => {
    for (const [file, source] of [
      ["http/rest.ts", 'import { x } from "../cli/start.ts";'],
      ["http/rest.ts", 'import { x } from "../channels/channels.store.ts";'],
      ["cli/key.ts", 'import { x } from "../keys/keys.store.ts";'],
      ["cli/key.ts", 'import { x } from "../http/rest.ts";'],
      ["methods/posts.ts", 'import {\n  selectPosts,\n} from "../posts/posts.store.ts";'],
      ["methods/posts.ts", 'import { type A, selectPosts } from "../posts/posts.store.ts";'],
      ["methods/posts.ts", 'import { x } from "../db/database.ts";'],
      ["methods/posts.ts", 'import type { x } from "../http/rest.ts";'],
      ["channels/card.ts", 'import { t } from "elysia";'],
      ["channels/card.ts", 'import type { Cron } from "croner";'],
      ["channels/card.ts", 'import { x } from "../methods/table.ts";'],
      ["channels/card.ts", 'const { x } = await import("../http/rest.ts");'],
      ["channels/card.ts", 'import Driver from "better-sqlite3";'],
      ["channels/card.ts", 'import "better-sqlite3/linux-x64";'],
      ["channels/card.ts", 'export * from "../app.ts";'],
      ["db/database.ts", 'import { x } from "../channels/card.ts";'],
      ["ports/clock.ts", 'import { x } from "../errors.ts";'],
      ["errors.ts", 'import { x } from "./http/rest.ts";'],
      ["app.ts", 'import { x } from "./cli/start.ts";'],
      ["jobs/jobs.ts", 'new Worker(new URL("../app.ts", import.meta.url))'],
    ] as const) {
      const found = importsOf(file, source);
      expect(found, source).toHaveLength(1);
      expect(found.map(wrongWay), `${file}: ${source}`).not.toContain(null);
    }
    for (const [file, source] of [
      ["methods/posts.ts", 'import type { PostPosition } from "../posts/posts.store.ts";'],
      ["http/rest.ts", '// import { x } from "../cli/start.ts";'],
      ["http/rest.ts", 'import { x } from "./answers.ts";'],
    ] as const) {
      expect(importsOf(file, source).map(wrongWay), source).not.toContainEqual(expect.any(String));
    }
  });

  test("goes in no circle, neither between files nor between domains", () => {
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
    const ofDomains = imports.filter(({ file }) => DOMAINS.includes(unitOf(file)));
    expect(circle(below(unitOf, ofDomains))).toBeNull();
    // The search itself finds one.
    expect(
      circle(
        new Map([
          ["a", new Set(["b"])],
          ["b", new Set(["a"])],
        ]),
      ),
    ).toEqual(["a", "b", "a"]);
  });

  test("the application is built in one place only", () => {
    const builders = imports
      .filter(({ names, isType }) => COMPOSITION.includes(names) && !isType)
      .map(({ file, names }) => `${file} -> ${names}`)
      .sort();
    expect(builders).toEqual([
      ...PARTS.map((part) => `app.ts -> ${part}`),
      "app.ts -> database-threads.ts",
      "app.ts -> domains.ts",
      "app.ts -> installation-secret.ts",
      "compose-site.ts -> installation-secret.ts",
      "database-threads.ts -> operations.ts",
      "database-threads.ts -> thread.ts",
      "domains.ts -> installation-secret.ts",
      "main.ts -> app.ts",
      "main.ts -> domains.ts",
      "thread.ts -> operations.ts",
    ]);
  });
});

describe("the outside world", () => {
  const SQL = /\b(?:SELECT .+ FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b/;
  const OUTSIDE =
    /\bDate\.now\b|\bnew Date\(\s*\)|\bnew Date\b(?!\()|(?<!new )\bDate\(|\bMath\.random\b|\bset(?:Timeout|Interval|Immediate)\b|\bfetch\(|\bperformance\.now\b|\brandomUUID|\brandomBytes\b|\bgetRandomValues\b|\bBun\.sleep\b/;

  test("comes in through ports only: time, randomness, waiting and network", () => {
    const wrong = [...files].flatMap(([file, source]) => {
      const found = OUTSIDE.exec(source.replace(COMMENT, ""));
      return found === null || file.startsWith("ports/") ? [] : [`${file}: ${found[0]}`];
    });
    expect(wrong).toEqual([]);
  });

  test("is the stores' business where it is the database: no SQL in doors, methods or imports", () => {
    const wrong = [...files.keys()].filter((file) => {
      if (isStore(file)) return false;
      return /^(?:http|cli|methods|imports)\//.test(file) && SQL.test(files.get(file) ?? "");
    });
    expect(wrong).toEqual([]);
    expect(SQL.test(files.get("posts/posts.store.ts") ?? "")).toBe(true);
  });

  test("is known when it is used", () => {
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
