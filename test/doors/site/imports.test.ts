import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { gzipSync } from "node:zlib";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { auditOf } from "../../support/audit.ts";
import { STORED_SUMMARY } from "../../support/stored-run.ts";
import { until } from "../../support/until.ts";
import { addPerson, signedInVisitor, type Visitor, visitorOf } from "../../support/visitor.ts";
import { windows1251 } from "../../support/windows-1251.ts";

const PAGE = "/staff/imports/";

let appliance: Appliance;
let staff: Visitor;
beforeEach(async () => {
  appliance = await startAppliance();
  await addPerson(appliance, { email: "op@example.com", isStaff: true });
  staff = await signedInVisitor(appliance, "op@example.com");
});
afterEach(() => appliance.close());

const file = (content: string | Uint8Array<ArrayBuffer>, name = "rows.csv") =>
  new File([content], name);

const uploads = () =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`kanalog.upload-${process.pid}-`));

async function upload(kind: string, sent: File, browser = staff) {
  return browser.post(PAGE, { action: "import", kind, file: sent });
}

/** Page of a run, once it has ended. */
async function ended(path: string): Promise<string> {
  let page = "";
  await until(async () => {
    page = String((await staff.get(path)).body);
    return !page.includes("data-refresh");
  }, "the end of the import");
  return page;
}

async function run(kind: string, sent: File): Promise<string> {
  const answer = await upload(kind, sent);
  expect(answer.status, String(answer.body)).toBe(303);
  return ended(answer.headers.get("location") ?? "");
}

/** Reasons of rejects and warnings. */
const reasonsIn = (html: string): string =>
  [...html.matchAll(/<bdi>([^<]*)<\/bdi>/g)].map(([, text]) => text).join("\n");

const count = (html: string, label: string): string | undefined =>
  new RegExp(`<strong>([^<]*)</strong> ${label}`).exec(html)?.[1];

describe("an uploaded file", () => {
  test("is imported, and its page shows what became of the rows", async () => {
    const page = await run(
      "channels",
      file("id,title,subscribers\n1,Один,10\n2,Два,x\n3,Три,30\n", "каналы 1.csv"),
    );
    expect(count(page, "Read")).toBe("3");
    expect(count(page, "Inserted")).toBe("2");
    expect(count(page, "Rejected")).toBe("1");
    expect(page).toContain("<bdi>каналы 1.csv</bdi>");
    expect(page).toMatch(
      /<th scope="row">1<\/th><td[^>]*><code>subscribers<\/code><\/td><td[^>]*><bdi>A valid integer is required.<\/bdi><\/td><td[^>]*>3<\/td><td[^>]*><q>x<\/q>/,
    );
    expect(page).toContain("Read as CSV, separated by commas, UTF-8");
    expect((await appliance.get("/v1/msgr/channels/3/")).body.title).toBe("Три");
    const again = await run("channels", file("id,title,subscribers\n1,Один,10\n3,Три,31\n"));
    expect(count(again, "Unchanged")).toBe("1");
    expect(count(again, "Updated")).toBe("1");
  });

  test("that cannot be read is refused with its own reason, even if the progress cannot be saved either", async () => {
    appliance.app.domains.db.exec(
      `CREATE TRIGGER unsaved BEFORE UPDATE OF summary ON import_runs
       BEGIN SELECT RAISE(ABORT, 'no progress today'); END`,
    );
    const page = await run("channels", file('id,title\n1,"Один\n'));
    expect(page).toContain("Line 2: a quote is never closed.");
    expect(appliance.ports.log.errors).toMatchObject([
      { fields: { run: 1, err: { message: "no progress today" } } },
    ]);
  });

  test("whose first 10,000 rows are all rejected is given up, with the reasons", async () => {
    const bad = gzipSync(`id,title,subscribers\n${"1,Один,many\n".repeat(100_000)}`);
    const page = await run("channels", file(bad, "bad.csv.gz"));
    expect(page).toMatch(/All of the first 1\d{4} rows were rejected, so the rest was not read\./);
    expect(page).toContain("A valid integer is required.");
  });

  test("that takes more than an hour is given up, and the next one follows", async () => {
    const { clock, log } = appliance.ports;
    const { endOfTurn } = clock;
    let pauses = 0;
    // The import hangs before its first slice.
    clock.endOfTurn = () => {
      pauses += 1;
    };
    const rows = Array.from({ length: 3_000 }, (_, at) => `${at + 1},T,1\n`).join("");
    const { headers } = await upload("channels", file(`id,title,subscribers\n${rows}`));
    await until(() => pauses > 0);
    clock.endOfTurn = endOfTurn;
    clock.advance(3_600_000);
    clock.advance(10_000);
    expect(await ended(headers.get("location") ?? "")).toContain(
      "It had not ended after 60 minutes, and was given up.",
    );
    expect(log.warnings).toContainEqual(
      expect.objectContaining({ message: "an import was given up" }),
    );
    expect(count(await run("channels", file("id,title,subscribers\n1,Один,10\n")), "Read")).toBe(
      "1",
    );
  });

  test("of channels reports moved handles; of statistics accepts links", async () => {
    const header = "id,msgr_id,handle,title,subscribers\n";
    await run("channels", file(`${header}1,11,one,Один,10\n2,12,two,Два,20\n`));
    const page = await run("channels", file(`${header}2,12,one,Два,20\n3,13,two,Три,30\n`));
    expect(count(page, "Handles moved")).toBe("1");
    expect(page).toContain("@one moved from channel 1 to channel 2.");
    const stats = await run("stats", file("channel,day,subscribers\nt.me/one,2026-11-18,5\n"));
    expect(count(stats, "Inserted")).toBe("1");
    expect(stats).not.toContain("Handles moved");
  });

  test("of posts updates the derived days immediately, as the command does", async () => {
    const day = "2026-11-19";
    await run("channels", file("id,title,subscribers\n1,Один,10\n"));
    await run("stats", file(`channel,day,subscribers\n1,${day},10\n`));
    const values = async () => {
      const path = `/v1/msgr/stats/daily/?channels=1&from=${day}&to=${day}`;
      const [{ views, posts }] = (await appliance.get(path)).body.results;
      return { views, posts };
    };
    expect(await values()).toEqual({ views: 0, posts: 0 });
    const row = `{"id":1,"channel":1,"views":40,"published_at":"${day}T12:00:00Z"}\n`;
    await run("posts", file(row, "posts.ndjson"));
    expect(await values()).toEqual({ views: 40, posts: 1 });
    await run("posts", file('{"id":1,"views":70}\n', "posts.ndjson"));
    expect(await values()).toEqual({ views: 70, posts: 1 });
  });

  test("may be NDJSON, recognized by its name or first character", async () => {
    const row = '{"id":7,"title":"Семь","subscribers":1}\n';
    expect(count(await run("channels", file(row, "a.ndjson")), "Inserted")).toBe("1");
    expect(count(await run("channels", file(row, "a.bin")), "Unchanged")).toBe("1");
  });

  test("is removed from the disk, whatever becomes of it", async () => {
    await run("channels", file("id,title,subscribers\n1,Один,10\n"));
    await run("channels", file("no,such,columns\n1,2,3\n"));
    await upload("nothing", file("id\n1\n"));
    await upload("channels", file(""));
    await upload("channels", file("id,title,subscribers\n1,Один,10\n"), visitorOf(appliance));
    expect(uploads()).toEqual([]);
  });

  test("that cannot be imported explains why on its page", async () => {
    const header = await run("channels", file("id,nonsense\n1,2\n"));
    expect(header).toMatch(/role="alert"[\s\S]*nonsense/);
    const bytes = await run("channels", file(new Uint8Array([0x69, 0x64, 0x0a, 0xd0, 0x90, 0xff])));
    expect(bytes).toContain("rows.csv is not UTF-8 (line 2).");
    const empty = await run("stats", file("\n\n"));
    expect(empty).toContain("The file has no complete header");
  });

  test("cannot name files of the server: a category's image is an address", async () => {
    const page = await run(
      "categories",
      file(
        "slug,name,image\nauto,Авто,/etc/passwd\nart,Искусство,logo.webp\n" +
          "books,Книги,https://example.com/b.webp\ngames,Игры,file:///etc/passwd\n",
      ),
    );
    expect(count(page, "Rejected")).toBe("3");
    expect(page).toContain("In an uploaded file, give an image as a web address");
    expect(reasonsIn(page)).not.toContain("/etc/passwd");
  });

  test("shows rejects and warnings by reason, with one truncated example each", async () => {
    const rows = Array.from({ length: 150 }, (_, at) => `${at + 1},${"ж".repeat(2000)},x`);
    const good = Array.from({ length: 20 }, (_, at) => `${at + 200},${"ж".repeat(2000)},1`);
    const csv = `id,kind,subscribers\n${[...rows, ...good].join("\n")}\n`;
    const page = await run(
      "channels",
      file(csv.replace("subscribers", "subscribers,title").replaceAll(/(,[x1])$/gm, "$1,T")),
    );
    expect(page.match(/<th scope="row">/g)).toHaveLength(2);
    expect(page).toMatch(
      /Rejected rows<.*<th scope="row">150<.*<q>x<.*Warnings<.*<th scope="row">20<.*<td[^>]*>152<.*<q>ж{100}…</s,
    );
    expect(page.length).toBeLessThan(100_000);
  });

  test("offers all rejected rows as a file, which is kept for the ten latest imports", async () => {
    const rows = Array.from({ length: 150 }, (_, at) => `${at + 1},T,x`);
    await run("channels", file(`id,title,subscribers\n${rows.join("\n")}\n`));
    const download = () => staff.post(`${PAGE}1/`, { action: "rejects" });
    const answer = await download();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-disposition")).toBe(
      'attachment; filename="rejected-rows-1.ndjson"',
    );
    const lines = String(answer.body).trimEnd().split("\n");
    expect(lines).toHaveLength(150);
    expect(JSON.parse(lines[149] ?? "")).toEqual({
      ...{ line: 151, column: "subscribers", reason: "A valid integer is required." },
      fields: { id: "150", title: "T", subscribers: "x" },
    });
    for (let runs = 0; runs < 9; runs += 1) await run("stats", file("channel,day,subscribers\n"));
    expect((await download()).status).toBe(200);
    await run("stats", file("channel,day,subscribers\n"));
    expect((await download()).status).toBe(404);
    expect((await staff.post(`${PAGE}2/`, { action: "rejects" })).status).toBe(404);
  });

  test("may be compressed and in other encodings, as with the command", async () => {
    const csv = "Номер;Название;Подписчики;Ещё\n1;Один;1,2К;x\n";
    const answer = await staff.post(PAGE, {
      ...{ action: "import", kind: "channels", ignore_unknown: "yes", timezone: "asia/omsk" },
      map: "Номер=id\r\nназвание = title\r\n\r\nПодписчики=subscribers",
      file: file(gzipSync(windows1251(csv)), "rows.csv.gz"),
    });
    const page = await ended(answer.headers.get("location") ?? "");
    expect(count(page, "Inserted")).toBe("1");
    expect(page).toContain(
      "Read as CSV, separated by semicolons, Windows-1251, gzip, times without an offset are in Asia/Omsk.",
    );
    expect(page).toContain("Columns ignored, because there is no field for them: Ещё.");
    expect(page).toContain("The file is not UTF-8 and was read as Windows-1251.");
    expect((await appliance.get("/v1/msgr/channels/1/")).body).toMatchObject({
      ...{ title: "Один", subscribers: 1200 },
    });
  });

  test("of channels is followed by a recount of the directories, one that is only tried is not", async () => {
    const channels = async () => {
      const { body } = await appliance.get("/v1/msgr/categories/");
      return body.results.find(({ slug }: { slug: string }) => slug === "auto").channels;
    };
    const sent = () => file("id,title,subscribers,category\n1,Один,10,auto\n");
    const before = await channels();
    const tried = await staff.post(PAGE, {
      ...{ action: "import", kind: "channels", file: sent(), dry_run: "yes" },
    });
    await ended(tried.headers.get("location") ?? "");
    expect(await channels()).toBe(before);
    await run("channels", sent());
    expect(await channels()).toBe(before + 1);
  });

  test("shows hostile names and reasons as text", async () => {
    const hostile = "<script>alert(1)\u202e.csv";
    const page = await run("channels", file("id,kind\n1,<img src=x onerror=alert(2)>\n", hostile));
    expect(page).not.toContain("<script>alert");
    expect(page).not.toContain("<img src=x");
    expect(page).toContain("<bdi>&lt;script&gt;");
    expect((await staff.get(PAGE)).body).not.toContain("<script>alert");
  });

  test("is recorded in the audit log with person and content", async () => {
    await run("channels", file("id,title,subscribers\n1,Один,10\n", "a.csv"));
    expect(auditOf(appliance)).toMatchObject([
      {
        ...{ person: "op@example.com", action: "import.start", target: "import 1" },
        details: { kind: "channels", file: "a.csv", bytes: 35 },
      },
    ]);
  });
});

test("an import that accepted no rows says so, and links onwards without a reload", async () => {
  const page = await run("channels", file("title,subscribers\nОдин,10\nДва,20\n"));
  expect(page).toContain(
    "The import is complete, but no rows were accepted. The reasons are below.",
  );
  const refreshed = /<div id="run">.*<\/div>/s.exec(page)?.[0];
  expect(refreshed).toContain('<a href="/staff/start/">First steps</a>');
});

describe("a file with a preview", () => {
  const look = (sent: File, kind = "channels") =>
    staff.post(PAGE, { action: "import", look: "yes", kind, file: sent });
  const start = async (path: string) => {
    const token = new URL(path, "http://localhost").searchParams.get("file") ?? "";
    return staff.post(path, { action: "start", file: token });
  };

  test("is the form's default", async () => {
    expect((await staff.get(PAGE)).body).toMatch(/name="look" value="yes" checked/);
  });

  test("shows what was recognized and its first ten rows; nothing is imported until it is started", async () => {
    const rows = Array.from({ length: 30 }, (_, at) => `${at + 1};Канал ${at + 1};${at}`);
    const sent = file(`ID;Title;Subscribers\n${rows.join("\n")}\n`, "<каналы>.csv");
    const { location } = await look(sent);
    expect(location).toStartWith(`${PAGE}?file=`);
    const { body, status } = await staff.get(location ?? "");
    expect(status).toBe(200);
    expect(body).toContain("Read as CSV, separated by semicolons, UTF-8");
    expect(body).toContain("Columns: ID = id, Title = title, Subscribers = subscribers.");
    expect(body).toContain("<bdi>&lt;каналы&gt;.csv</bdi>: Channels");
    const shown = [...String(body).matchAll(/<bdi>Канал (\d+)<\/bdi>/g)];
    expect(shown.map(([, number]) => Number(number))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect((await appliance.get("/v1/msgr/channels/1/")).status).toBe(404);
    expect(auditOf(appliance)).toEqual([]);

    const started = await start(location ?? "");
    expect(started.location).toBe(`${PAGE}1/`);
    expect(count(await ended(`${PAGE}1/`), "Inserted")).toBe("30");
    expect((await start(location ?? "")).status).toBe(404);
    expect((await staff.get(location ?? "")).status).toBe(404);
    expect(uploads()).toEqual([]);
  });

  test("shows a bad line among the first ones, and the columns of a JSON array", async () => {
    const sent = file(
      '[{"id":1,"title":["a"]},5,{"id":2,"subscribers":9007199254740993}]',
      "a.json",
    );
    const { body } = await staff.get((await look(sent)).location ?? "");
    for (const text of [
      "Read as JSON",
      "[&quot;a&quot;]",
      "not a JSON object",
      "9007199254740993",
    ]) {
      expect(body).toContain(text);
    }
  });

  test("lists unknown columns with guesses, and skips those left empty", async () => {
    const content = "Канал в MAX;Назв.;Подписчиков было;Заметка\n@one;Один;12;да\n";
    const sent = () => file(content, "list.csv");
    const { body, status } = await look(sent());
    expect(status).toBe(400);
    const [details = ""] = /<details open="">.*?<\/details>/s.exec(String(body)) ?? [];
    const [, listed = ""] = /<textarea[^>]*>([^<]*)/.exec(details) ?? [];
    expect(listed).toBe("Канал в MAX=handle\nНазв.=title\nПодписчиков было=subscribers\nЗаметка=");
    const again = { action: "import", look: "yes", kind: "channels", file: sent() };
    const { location } = await staff.post(PAGE, { ...again, map: listed });
    const { body: shown } = await staff.get(location ?? "");
    expect(shown).toContain("Канал в MAX = handle, Назв. = title, Подписчиков было = subscribers");
    expect(shown).toContain("Заметка");
    await start(location ?? "");
    expect(count(await ended(`${PAGE}1/`), "Inserted")).toBe("1");

    // Without any named column there is nothing to import.
    const open = await staff.post(PAGE, {
      ...again,
      file: sent(),
      map: listed.replace(/=\w+/g, "="),
    });
    const { body: nothing } = await staff.get(open.location ?? "");
    expect(nothing).toContain("The file has no known columns.");
    expect(nothing).not.toContain('value="start"');
  });

  test("that cannot be imported explains why at its field, and is not stored", async () => {
    for (const [sent, expected] of [
      [file("id,nonsense\n1,2\n"), "The header has unknown columns: &quot;nonsense&quot;"],
      [file("channel,day,subscribers\n"), "Import it as stats."],
      [file("PK\x03\x04 and more than that", "rows.xlsx"), "rows.xlsx is no Excel workbook"],
      [file("\n\n"), "The file has no complete header"],
    ] as const) {
      const answer = await look(sent);
      expect(answer.status).toBe(400);
      expect(answer.body).toContain(expected);
      expect(uploads()).toEqual([]);
    }
    const broken = await staff.post(PAGE, {
      ...{ action: "import", kind: "stats", map: "channel", timezone: "Moscow" },
      file: file("channel,day,subscribers\n"),
    });
    expect(broken.body).toContain("nor one name a line, as theirs=ours.");
    expect(broken.body).toContain("It is not the IANA name of a time zone");
  });

  test("is for staff only", async () => {
    const { location } = await look(file("id,title,subscribers\n1,Один,10\n"));
    await addPerson(appliance, { email: "owner@example.com" });
    const owner = await signedInVisitor(appliance, "owner@example.com");
    expect((await owner.get(location ?? "")).status).toBe(404);
    expect((await staff.get(`${PAGE}?file=nothing`)).status).toBe(404);
  });
});

describe("the form", () => {
  test("reports what is missing at the fields and keeps what was chosen", async () => {
    const none = await staff.post(PAGE, { action: "import", kind: "posts" });
    expect(none.status).toBe(400);
    expect(none.body).toContain("No file was chosen.");
    expect(none.body).toMatch(/<option value="posts" selected/);
    const empty = await upload("stats", file(""));
    expect(empty.body).toContain("The file is empty.");
    expect(empty.body).toMatch(/<option value="stats" selected/);
    const kind = await upload("constructor", file("a\n"));
    expect(kind.status).toBe(400);
    expect(kind.body).toContain("&quot;constructor&quot; is not a valid choice.");
  });

  test("is for staff only, like the runs", async () => {
    await run("channels", file("id,title,subscribers\n1,Один,10\n"));
    await addPerson(appliance, { email: "owner@example.com" });
    const owner = await signedInVisitor(appliance, "owner@example.com");
    const csrf = await owner.csrf("/account/profile/");
    for (const path of [PAGE, `${PAGE}1/`]) expect((await owner.get(path)).status).toBe(404);
    const answer = await owner.post(PAGE, {
      ...{ csrf, action: "import", kind: "channels" },
      file: file("id,title,subscribers\n2,Два,10\n"),
    });
    expect(answer.status).toBe(404);
    expect(
      appliance.app.domains.db.prepare("SELECT count(*) FROM import_runs").raw().get()?.[0],
    ).toBe(1);
  });

  test("runs a dry run on request, on a copy that is removed afterwards", async () => {
    const sent = file("id,title,subscribers\n1,Один,10\n2,Два,x\n");
    const answer = await staff.post(PAGE, {
      ...{ action: "import", kind: "channels", file: sent, dry_run: "yes" },
    });
    const page = await ended(answer.headers.get("location") ?? "");
    expect([count(page, "Inserted"), count(page, "Rejected")]).toEqual(["1", "1"]);
    expect(page).toContain("This is a dry run: nothing is changed.");
    expect((await staff.get(PAGE)).body).toContain("<td>done, dry run</td>");
    expect((await appliance.get("/v1/msgr/channels/1/")).status).toBe(404);
    expect(uploads()).toEqual([]);
    // Without the mark, it is imported.
    await run("channels", file("id,title,subscribers\n1,Один,10\n"));
    expect((await appliance.get("/v1/msgr/channels/1/")).status).toBe(200);
  });

  test("replaces a directory on request, and nothing else", async () => {
    const slugs = () =>
      appliance.app.domains.db
        .prepare("SELECT slug FROM categories ORDER BY position")
        .raw()
        .all()
        .flat() as string[];
    const sent = () => file("slug,name\nonly,Only\n");
    const before = slugs();
    await run("categories", sent());
    expect(slugs()).toEqual([...before, "only"]);
    const fields = { action: "import", replace: "yes" };
    const answer = await staff.post(PAGE, { ...fields, kind: "categories", file: sent() });
    const page = await ended(answer.headers.get("location") ?? "");
    expect(count(page, "Removed")).toBe(String(before.length));
    expect(slugs()).toEqual(["only"]);
    const refused = await staff.post(PAGE, { ...fields, kind: "channels", file: sent() });
    expect(refused.status).toBe(400);
    expect(refused.body).toContain("Only categories and territories can be replaced.");
    expect(refused.body).toMatch(/name="replace" value="yes" checked/);
  });

  test("waits for the previous import and says so", async () => {
    const { db } = appliance.app.domains;
    const insert = db.prepare(
      `INSERT INTO import_runs (kind, file_name, person, state, started_at, summary)
       VALUES ('stats', ?, 'x', 'running', 0, ?)`,
    );
    for (const name of ["first.csv", "second.csv"]) insert.run(name, STORED_SUMMARY);
    const [first, second] = [await staff.get(`${PAGE}1/`), await staff.get(`${PAGE}2/`)];
    expect(first.body).toContain("File read: 33%");
    expect(second.body).toContain("Waiting for the previous import to finish.");
    expect(second.body).not.toContain("<progress");
    const { body } = await staff.get(PAGE);
    expect(body).toMatch(/second\.csv.*?<td>waiting<.*first\.csv.*?<td>running</s);
  });

  test("keeps 200 characters of a file's name, without invisible and direction characters", async () => {
    const name = `\u202e${"я".repeat(300)}\u0007.csv`;
    const answer = await upload("stats", new File(["channel,day,subscribers\n"], name));
    const { body } = await staff.get(answer.headers.get("location") ?? "");
    expect(body).toContain(`<bdi>${"я".repeat(200)}</bdi>`);
    const [run] = appliance.app.domains.db
      .prepare("SELECT file_name FROM import_runs")
      .raw()
      .all()
      .flat() as string[];
    expect(run).toBe("я".repeat(200));
  });

  test("writes no file without the token, or before it", async () => {
    const answer = await staff.post(PAGE, {
      ...{ csrf: "wrong", action: "import", kind: "stats" },
      file: file("channel,day\n"),
    });
    expect(answer.body).toContain("The page was open for too long");
    expect(answer.body).toContain('<option value="stats" selected="">');
    const body = new FormData();
    body.append("file", file("id,title,subscribers\n1,Один,10\n"));
    body.append("kind", "channels");
    body.append("action", "import");
    body.append("csrf", await staff.csrf(PAGE));
    const cookie = [...staff.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const late = await appliance.request(PAGE, { method: "POST", body, headers: { cookie } });
    expect(late.status).toBe(400);
    expect(late.body).toContain("No file was chosen.");
    expect(uploads()).toEqual([]);
  });

  test("is answered 400 if it is broken, and 413 with a thousand fields", async () => {
    const cookie = [...staff.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const send = (body: string, type: string) =>
      appliance.request(PAGE, { method: "POST", body, headers: { cookie, "content-type": type } });
    const csrf = await staff.csrf(PAGE);
    const part = (name: string, value: string) =>
      `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const whole = part("csrf", csrf) + part("action", "import") + part("kind", "channels");
    const opened = `${whole}--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nid,`;
    for (const body of ["", "nonsense", "--x", opened]) {
      expect((await send(body, "multipart/form-data; boundary=x")).status, body).toBe(400);
    }
    expect((await send("", "multipart/form-data")).status).toBe(400);
    const many = Array.from({ length: 1000 }, (_, at) => part(`f${at}`, "1")).join("");
    const large = await send(`${whole}${many}--x--\r\n`, "multipart/form-data; boundary=x");
    expect(large.status).toBe(413);
    const long = await send(
      `${whole}${part("y", "1".repeat(100_000))}--x--\r\n`,
      "multipart/form-data; boundary=x",
    );
    expect(long.status).toBe(413);
    expect(uploads()).toEqual([]);
  });

  test("lists the latest runs; an unknown run is not found", async () => {
    await run("channels", file("id,title,subscribers\n1,Один,10\n", "first.csv"));
    await run("channels", file("id,title,subscribers\n2,Два,10\n", "second.csv"));
    const { body } = await staff.get(PAGE);
    expect(body.indexOf("second.csv")).toBeLessThan(body.indexOf("first.csv"));
    for (const id of ["3", "0", "x", "9999999999999999999", "%00"]) {
      expect((await staff.get(`${PAGE}${id}/`)).status, id).toBe(404);
    }
  });
});
