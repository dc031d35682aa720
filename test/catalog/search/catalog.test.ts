import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import {
  channel,
  expectFaults,
  expectIds,
  expectOk,
  idsOf,
  imported,
} from "../../support/expectations.ts";

const CATALOG = "/v1/msgr/channels/";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

/** Expects the catalog to list these channels for a query, in any order. */
async function expectFound(query: string, ids: number[]): Promise<void> {
  const answer = await expectOk(appliance, `${CATALOG}?${query}`);
  expect(
    idsOf(answer).sort((a, b) => a - b),
    query,
  ).toEqual(ids);
  expect(answer.body.next).toBeNull();
}

const q = (text: string): string => `q=${encodeURIComponent(text)}`;
const channels = (rows: Record<string, unknown>[]) => imported(appliance, "channels", rows);

describe("filters", () => {
  test("group chats are listed only if requested", async () => {
    await channels([channel(1), channel(2, { kind: "chat" }), channel(3, { kind: "channel" })]);
    await expectFound("", [1, 3]);
    await expectFound("kind=channel", [1, 3]);
    await expectFound("kind=chat", [2]);
    for (const wrong of ["group", "Channel", "channel,chat"]) {
      await expectFaults(appliance, `${CATALOG}?kind=${wrong}`, {
        kind: `"${wrong}" is not a valid choice.`,
      });
    }
  });

  test("a category matches as the primary and as an additional one", async () => {
    await channels([
      channel(1, { category: "science" }),
      channel(2, { category: "news", categories: ["science", "humor"] }),
      channel(3, { categories: ["humor"] }),
      channel(4, { category: "news" }),
      channel(5),
    ]);
    await expectFound("category=science", [1, 2]);
    await expectFound("category=humor", [2, 3]);
    await expectFound("category=news", [2, 4]);
    await expectFound("category=law", []);
  });

  test("an unknown category or territory is named in a 400", async () => {
    await expectFaults(appliance, `${CATALOG}?category=foo`, {
      category: "Object with slug=foo does not exist.",
    });
    await expectFaults(appliance, `${CATALOG}?territory=Russia`, {
      territory: "Object with slug=Russia does not exist.",
    });
    await expectFaults(appliance, `${CATALOG}?category=%D1%91%27%22%25&territory=a%20b`, {
      category: "Object with slug=ё'\"% does not exist.",
      territory: "Object with slug=a b does not exist.",
    });
  });

  test("a territory includes those below it, but none beside or above it", async () => {
    await channels([
      channel(1, { territory: "russia" }),
      channel(2, { territory: "privolzhskiy-fo" }),
      channel(3, { territory: "tatarstan" }),
      channel(4, { territory: "kazan" }),
      channel(5, { territory: "moskva" }),
      channel(6),
    ]);
    await expectFound("territory=russia", [1, 2, 3, 4, 5]);
    await expectFound("territory=privolzhskiy-fo", [2, 3, 4]);
    await expectFound("territory=tatarstan", [3, 4]);
    await expectFound("territory=kazan", [4]);
    await expectFound("territory=moskva-moskva", []);
  });

  test("the territory filter follows an entry that moves within the tree", async () => {
    await imported(appliance, "territories", [
      { slug: "utopia", name: "Утопия", kind: "country" },
      { slug: "old-region", name: "Старый край", kind: "region", parent: "utopia" },
      { slug: "new-region", name: "Новый край", kind: "region", parent: "utopia" },
      { slug: "amaurot", name: "Амаурот", kind: "city", parent: "old-region" },
    ]);
    await channels([channel(1, { territory: "amaurot" })]);
    await imported(appliance, "territories", [{ slug: "amaurot", parent: "new-region" }]);
    await expectFound("territory=old-region", []);
    await expectFound("territory=new-region", [1]);
    await expectFound("territory=utopia", [1]);
  });

  test("the range of subscribers includes its bounds", async () => {
    await channels(
      [0, 9, 10, 11, 20, 21].map((subscribers, at) => channel(at + 1, { subscribers })),
    );
    await expectFound("subscribers_min=10", [3, 4, 5, 6]);
    await expectFound("subscribers_max=10", [1, 2, 3]);
    await expectFound("subscribers_max=0", [1]);
    await expectFound("subscribers_min=10&subscribers_max=20", [3, 4, 5]);
    await expectFound("subscribers_min=11&subscribers_max=11", [4]);
    await expectFound("subscribers_min=12&subscribers_max=11", []);
    await expectFound("subscribers_min=-5&subscribers_max=9007199254740991", [1, 2, 3, 4, 5, 6]);
  });

  test("a range bound that is not an integer, or not a safe one, is a 400", async () => {
    for (const name of ["subscribers_min", "subscribers_max"]) {
      for (const wrong of [
        "many",
        "1.5",
        "1e3",
        "0x10",
        "1 000",
        "%20",
        "9007199254740992",
        "-9007199254740992",
        "99999999999999999999999",
        "NaN",
        "Infinity",
      ]) {
        await expectFaults(appliance, `${CATALOG}?${name}=${wrong}`, {
          [name]: "A valid integer is required.",
        });
      }
    }
  });

  test("a mark can be required or excluded, in every spelling", async () => {
    await channels([
      channel(1, { a_plus: true, verified: true }),
      channel(2, { a_plus: true }),
      channel(3, { verified: true }),
      channel(4),
    ]);
    for (const yes of ["true", "TRUE", "True", "tRuE", "1", "yes", "YES", "Yes"]) {
      await expectFound(`a_plus=${yes}`, [1, 2]);
      await expectFound(`verified=${yes}`, [1, 3]);
    }
    for (const no of ["false", "FALSE", "False", "0", "no", "NO", "No"]) {
      await expectFound(`a_plus=${no}`, [3, 4]);
      await expectFound(`verified=${no}`, [2, 4]);
    }
    await expectFound("a_plus=1&verified=no", [2]);
    await expectFound("a_plus=false&verified=FALSE", [4]);
    for (const wrong of ["maybe", "2", "-1", "on", "t", "truee", "null", "да"]) {
      for (const name of ["a_plus", "verified"]) {
        await expectFaults(appliance, `${CATALOG}?${name}=${encodeURIComponent(wrong)}`, {
          [name]: "Must be a valid boolean.",
        });
      }
    }
  });

  test("filters combine with AND", async () => {
    const all = {
      title: "Наука и жизнь",
      category: "science",
      territory: "kazan",
      kind: "chat",
      subscribers: 500,
      a_plus: true,
      verified: false,
    };
    await channels([
      channel(1, all),
      channel(2, { ...all, title: "Жизнь" }),
      channel(3, { ...all, category: "news" }),
      channel(4, { ...all, territory: "moskva" }),
      channel(5, { ...all, kind: "channel" }),
      channel(6, { ...all, subscribers: 499 }),
      channel(7, { ...all, subscribers: 501 }),
      channel(8, { ...all, a_plus: false }),
      channel(9, { ...all, verified: true }),
    ]);
    await expectFound(
      `${q("наука")}&category=science&territory=tatarstan&kind=chat` +
        "&subscribers_min=500&subscribers_max=500&a_plus=true&verified=false",
      [1],
    );
  });

  test("all wrong parameters are reported at once", async () => {
    await expectFaults(
      appliance,
      `${CATALOG}?kind=group&subscribers_min=x&a_plus=x&ordering=subscribers&limit=0`,
      {
        kind: '"group" is not a valid choice.',
        subscribers_min: "A valid integer is required.",
        a_plus: "Must be a valid boolean.",
        ordering: '"subscribers" is not a valid choice.',
        limit: "Ensure this value is greater than or equal to 1.",
      },
    );
    await expectFaults(appliance, `${CATALOG}?q=ab&category=foo&territory=bar`, {
      q: "Ensure this field has at least 3 characters.",
      category: "Object with slug=foo does not exist.",
      territory: "Object with slug=bar does not exist.",
    });
  });
});

describe("the page size", () => {
  test("is 50, or from 1 to 100 if requested", async () => {
    await channels(Array.from({ length: 101 }, (_, at) => channel(at + 1)));
    const length = async (query: string): Promise<number> =>
      idsOf(await expectOk(appliance, `${CATALOG}?${query}`)).length;
    expect(await length("")).toBe(50);
    expect(await length("limit=1")).toBe(1);
    expect(await length("limit=100")).toBe(100);
    await expectFaults(appliance, `${CATALOG}?limit=101`, {
      limit: "Ensure this value is less than or equal to 100.",
    });
    for (const wrong of ["0", "-1"]) {
      await expectFaults(appliance, `${CATALOG}?limit=${wrong}`, {
        limit: "Ensure this value is greater than or equal to 1.",
      });
    }
    await expectFaults(appliance, `${CATALOG}?limit=ten`, {
      limit: "A valid integer is required.",
    });
  });

  test("a last page that is exactly full has no next", async () => {
    await channels([channel(1), channel(2)]);
    expect((await expectOk(appliance, `${CATALOG}?limit=2`)).body.next).toBeNull();
    expect((await expectOk(appliance, `${CATALOG}?limit=1`)).body.next).not.toBeNull();
  });
});

describe("ids", () => {
  test("gives the cards in the requested order, without unknown ones, repeated ones once", async () => {
    await channels([channel(1), channel(2), channel(3), channel(4, { kind: "chat" })]);
    await expectIds(appliance, `${CATALOG}?ids=3,1,2`, [3, 1, 2]);
    await expectIds(appliance, `${CATALOG}?ids=3,999,1,3,4,1`, [3, 1, 4]);
    await expectIds(appliance, `${CATALOG}?ids=%203%20,%201`, [3, 1]);
    await expectIds(appliance, `${CATALOG}?ids=999,0,-1,9007199254740991`, []);
    expect((await expectOk(appliance, `${CATALOG}?ids=1,2`)).body.next).toBeNull();
  });

  test("takes 100 numbers and refuses 101", async () => {
    const rows = Array.from({ length: 101 }, (_, at) => channel(at + 1));
    await channels(rows);
    const ids = rows.map(({ id }) => Number(id));
    await expectIds(appliance, `${CATALOG}?ids=${ids.slice(0, 100)}`, ids.slice(0, 100));
    await expectFaults(appliance, `${CATALOG}?ids=${ids}`, {
      ids: "Ensure this field has no more than 100 elements.",
    });
  });

  test("refuses everything but numbers", async () => {
    for (const wrong of [
      "a",
      "1,a",
      "1,",
      ",1",
      "1,,2",
      "1;2",
      "1.5",
      "9007199254740992",
      "@abc",
    ]) {
      await expectFaults(appliance, `${CATALOG}?ids=${wrong}`, {
        ids: "A valid integer is required.",
      });
    }
  });

  test("ignores every other parameter, even wrong ones", async () => {
    await channels([channel(1), channel(2, { kind: "chat" })]);
    await expectIds(
      appliance,
      `${CATALOG}?ids=2,1&kind=group&category=foo&q=a&subscribers_min=9000&a_plus=x` +
        "&ordering=x&limit=1&cursor=x&territory=%FF",
      [2, 1],
    );
  });

  test("without a value counts as not given", async () => {
    await channels([channel(1)]);
    await expectIds(appliance, `${CATALOG}?ids=`, [1]);
    await expectFaults(appliance, `${CATALOG}?ids=&kind=group`, {
      kind: '"group" is not a valid choice.',
    });
  });
});

describe("q", () => {
  test("finds parts of titles and handles, ignoring letter case and ё", async () => {
    await channels([
      channel(1, { title: "Ёлки и ПАЛКИ", handle: "Forest_News" }),
      channel(2, { title: "Елки-моталки", handle: "wood" }),
      channel(3, { title: "Palki Daily", handle: "sticks" }),
    ]);
    for (const text of ["ёлки", "ЕЛКИ", "Ёлк", "елки"]) await expectFound(q(text), [1, 2]);
    for (const text of ["палки", "и ПАЛ", "ПАЛк", "FOREST", "est_ne", "елки и палки"]) {
      await expectFound(q(text), [1]);
    }
    await expectFound(q("PALKI"), [3]);
    await expectFound(q("tick"), [3]);
  });

  test("does not match across the end of the title and the start of the handle", async () => {
    await channels([channel(1, { title: "alpha", handle: "beta" })]);
    for (const text of ["alphabeta", "pha bet", "pha\nbet", "abe"]) await expectFound(q(text), []);
  });

  test("needs three characters after trimming, counted in code points", async () => {
    await channels([channel(1, { title: "Смех 😀😃😄 и abc" })]);
    for (const text of ["a", "ab", " ab ", "\tab\n", "😀😃", "ёж"]) {
      await expectFaults(appliance, `${CATALOG}?${q(text)}`, {
        q: "Ensure this field has at least 3 characters.",
      });
    }
    for (const text of ["abc", " \t abc\n ", "😀😃😄"]) await expectFound(q(text), [1]);
  });

  test("of only white space is too short, and an empty one counts as not given", async () => {
    await channels([channel(1)]);
    await expectFaults(appliance, `${CATALOG}?q=%20%20`, {
      q: "Ensure this field has at least 3 characters.",
    });
    await expectFound("q=", [1]);
  });

  test("takes %, _, quotes and operators of the search index as plain characters", async () => {
    const titles = [
      "Скидки 100%_off",
      'Кафе "Ёж" и кот',
      "it's alive",
      "rock AND roll",
      "rock OR roll",
      "NEAR(a b)",
      "stars *** stars",
      "^caret^ -minus- +plus+",
      "title:colon {brace}",
      "back\\slash",
      "NOT a drill",
      "semi;colon--comment",
    ];
    await channels(titles.map((title, at) => channel(at + 1, { title })));
    for (const [part, ids] of [
      ["0%_", [1]],
      ["%%%", []],
      ["___", []],
      ["100__off", []],
      ['"ёж"', [2]],
      ['е "е', [2]],
      ['"""', []],
      ["t's", [3]],
      ["' OR 1=1", []],
      ["k AND r", [4]],
      ["rock AND", [4]],
      ["OR roll", [5]],
      ["rock", [4, 5]],
      ["roll OR rock", []],
      ["near(", [6]],
      ["near(a b)", [6]],
      ["***", [7]],
      ["sta*", []],
      ["^car", [8]],
      ["-min", [8]],
      ["+plus+", [8]],
      ["le:co", [9]],
      ["title:rock", []],
      ["{brace}", [9]],
      ["k\\s", [10]],
      ["not a", [11]],
      ["lon--", [12]],
    ] as const) {
      await expectFound(q(part), [...ids]);
    }
  });

  test("never finds the characters that the index uses for filters", async () => {
    await channels([channel(1, { a_plus: true, category: "science" }), channel(2)]);
    for (const text of ["\ue002\ue100\ue900", "\ue000\ue100\ue901", "\ue002\ue100\ue900abc"]) {
      await expectFound(q(text), []);
    }
    await expectFound(`a_plus=true&${q("channel")}`, [1]);
  });

  test("as a link or @handle matches the handle exactly, in upper or lower case", async () => {
    await channels([
      channel(1, { title: "news", handle: "News" }),
      channel(2, { title: "News and t.me/news", handle: "news_daily" }),
    ]);
    for (const text of [
      "@news",
      "@NEWS",
      " @News ",
      "t.me/news",
      "https://t.me/NEWS",
      "http://telegram.me/news/",
      "max.ru/news?utm=1",
      "HTTPS://T.ME/news/123",
      "t.me/s/news",
    ]) {
      await expectFound(q(text), [1]);
    }
    await expectFound(q("@new"), []);
    await expectFound(q("https://t.me/new"), []);
    await expectFound(q("news"), [1, 2]);
    await expectFound(q("@a"), []);
  });

  test("as a link or @handle combines with the other filters", async () => {
    await channels([
      channel(1, { handle: "one", category: "science", subscribers: 10 }),
      channel(2, { handle: "two", kind: "chat", a_plus: true }),
    ]);
    await expectFound("q=@one", [1]);
    await expectFound("q=@one&category=science&subscribers_min=10&subscribers_max=10", [1]);
    for (const other of [
      "category=news",
      "kind=chat",
      "a_plus=true",
      "subscribers_min=11",
      "subscribers_max=9",
      "territory=russia",
    ]) {
      await expectFound(`q=@one&${other}`, []);
    }
    await expectFound("q=t.me/two", []);
    await expectFound("q=t.me/two&kind=chat&a_plus=yes&verified=no", [2]);
    await expectFaults(appliance, `${CATALOG}?q=@one&category=foo`, {
      category: "Object with slug=foo does not exist.",
    });
  });

  test("as an invitation link gives an empty page", async () => {
    await channels([channel(1, { title: "t.me/+AbCdEf joinchat", handle: "joinchat" })]);
    for (const text of [
      "https://t.me/+AbCdEfGhIj",
      "t.me/joinchat/AbCdEfGhIj",
      "https://t.me/c/1234567/89",
      "https://t.me/addlist/abc",
    ]) {
      await expectFound(q(text), []);
    }
  });

  test("as a link to another site is plain text", async () => {
    await channels([channel(1, { title: "all of example.com/news here", handle: "news" })]);
    await expectFound(q("example.com/news"), [1]);
    await expectFound(q("https://example.com/news"), []);
  });
});

describe("the query", () => {
  test("unknown parameters are ignored", async () => {
    await channels([channel(1)]);
    await expectFound("foo=bar&Kind=chat&category[]=x&__proto__=1&constructor=x&foo=%FF", [1]);
  });

  test("the last one of a repeated parameter counts", async () => {
    await channels([channel(1), channel(2, { kind: "chat" })]);
    await expectFound("kind=group&kind=chat", [2]);
    await expectFound("kind=chat&kind=", [1]);
    await expectFaults(appliance, `${CATALOG}?kind=chat&kind=group`, {
      kind: '"group" is not a valid choice.',
    });
  });

  test("an empty value counts as not given", async () => {
    await channels([channel(1)]);
    await expectFound(
      "q=&category=&territory=&kind=&subscribers_min=&subscribers_max=&a_plus=&verified=" +
        "&ids=&ordering=&limit=&cursor=",
      [1],
    );
    await expectFound("category&kind&&=&", [1]);
  });

  test("bad UTF-8 and NUL are a 400 on their parameter, for every parameter", async () => {
    for (const name of [
      "q",
      "category",
      "territory",
      "kind",
      "subscribers_min",
      "subscribers_max",
      "a_plus",
      "verified",
      "ids",
      "ordering",
      "limit",
      "cursor",
    ]) {
      for (const wrong of [
        "%FF",
        "abc%FFdef",
        "%C3%28",
        "%ED%A0%80",
        "%",
        "%zz",
        "%00",
        "abc%00",
      ]) {
        const path = `${CATALOG}?${name}=${wrong}`;
        const answer = await appliance.get(path);
        expect(answer.status, path).toBe(400);
        expect(Object.keys(answer.body), path).toEqual([name]);
      }
    }
    expect(appliance.ports.log.errors).toEqual([]);
  });

  test("a line break counts as a space", async () => {
    await channels([channel(1, { title: "Наука и жизнь" })]);
    for (const space of ["\n", "\r\n", "\t", "\u00a0", "\u2028"]) {
      await expectFound(q(`наука${space}и`), [1]);
    }
  });

  test("a plus is a space, and escapes may be in upper or lower case", async () => {
    await channels([channel(1, { title: "Наука и жизнь" })]);
    await expectFound("q=%d0%bd%d0%b0%d1%83%d0%ba%d0%b0+%D0%B8", [1]);
  });
});

describe("the range of subscribers", () => {
  test("also bounds searches, whichever plan finds them", async () => {
    await channels([
      channel(1, { title: "kanalog one", subscribers: 5 }),
      channel(2, { title: "kanalog two", subscribers: 500 }),
      channel(3, { title: "kanalog three", subscribers: 50_000 }),
      channel(4, { title: "kanalog four", subscribers: 50_001, a_plus: true }),
    ]);
    await expectFound("q=kanalog&subscribers_max=5", [1]);
    await expectFound("q=kanalog&subscribers_max=50000", [1, 2, 3]);
    await expectFound("q=kanalog&subscribers_min=500&subscribers_max=500", [2]);
    await expectFound("a_plus=true&subscribers_max=50000", []);
    await expectFound("a_plus=true&subscribers_max=50001", [4]);
    for (const ordering of ["-subscribers", "-quality", "-citation", "-last_post_at"]) {
      await expectFound(`subscribers_max=499&ordering=${ordering}`, [1]);
      await expectFound(`subscribers_min=50001&ordering=${ordering}`, [4]);
    }
  });
});
