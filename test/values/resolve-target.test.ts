import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseAddressRange } from "../../src/values/network/address-ranges.ts";
import {
  createTargetGuard,
  type Resolution,
  readTargetUrl,
  type Target,
} from "../../src/values/network/target-guard.ts";

const REFUSED = { ok: false, reason: "refused" } as const;
const NO_SUCH_NAME = { ok: false, reason: "no_such_name" } as const;
const UNRESOLVED = { ok: false, reason: "unresolved" } as const;
const accepted = (...addresses: string[]): Resolution => ({ ok: true, addresses });

const TIMEOUT_MS = 1234;

function target(url: string): Target {
  const result = readTargetUrl(url);
  if ("fault" in result) throw new Error(`${url}: ${result.fault}`);
  return result.value;
}

interface Setup {
  url?: string;
  answers?: readonly string[] | (() => Promise<readonly string[]>);
  allowed?: readonly string[];
}

/** The guard's result for an address, and the names that it resolved. */
async function resolve({ url = "https://example.com/", answers = [], allowed = [] }: Setup) {
  const resolved: [string, number][] = [];
  const guard = createTargetGuard((name, timeoutMs) => {
    resolved.push([name, timeoutMs]);
    return typeof answers === "function" ? answers() : Promise.resolve(answers);
  }, allowed.map(parseAddressRange));
  return { resolution: await guard(target(url), TIMEOUT_MS), resolved };
}

const resolutionOf = async (setup: Setup): Promise<Resolution> => (await resolve(setup)).resolution;

describe("a name", () => {
  test("is resolved once, with the given time limit, without brackets, port or trailing dot", async () => {
    const { resolution, resolved } = await resolve({
      url: "https://Пример.рф.:8443/x",
      answers: ["8.8.8.8"],
    });
    expect(resolved).toEqual([["xn--e1afmkfd.xn--p1ai", TIMEOUT_MS]]);
    expect(resolution).toEqual(accepted("8.8.8.8"));
  });

  test("with public addresses only is accepted, IPv4 first, otherwise in the resolver's order", async () => {
    const answers = ["2606:4700::1111", "9.9.9.9", "2001:4860:4860::8888", "1.1.1.1"];
    expect(await resolutionOf({ answers })).toEqual(
      accepted("9.9.9.9", "1.1.1.1", "2606:4700::1111", "2001:4860:4860::8888"),
    );
  });

  test("gives each address once, in its canonical spelling", async () => {
    const answers = ["2606:4700:0:0::1111", "1.1.1.1", "2606:4700::1111", "1.1.1.1"];
    expect(await resolutionOf({ answers })).toEqual(accepted("1.1.1.1", "2606:4700::1111"));
  });

  test.each([
    ["127.0.0.1"],
    ["10.0.0.1"],
    ["169.254.169.254"],
    ["::1"],
    ["fd00::1"],
    ["fe80::1%eth0"],
    ["::ffff:127.0.0.1"],
    ["64:ff9b::a00:1"],
    ["2002:7f00:1::"],
    ["2a00:1450::5efe:10.0.0.1"],
    ["no address"],
    [""],
  ])("is refused if it resolves to %j, alone or beside a public address", async (address) => {
    expect(await resolutionOf({ answers: [address] })).toEqual(REFUSED);
    expect(await resolutionOf({ answers: ["8.8.8.8", address] })).toEqual(REFUSED);
    expect(await resolutionOf({ answers: [address, "2606:4700::1111"] })).toEqual(REFUSED);
  });

  test("that resolves differently the second time is checked again", async () => {
    const rounds = [["8.8.8.8"], ["8.8.8.8", "127.0.0.1"], ["127.0.0.1"]];
    const guard = createTargetGuard(async () => rounds.shift() ?? [], []);
    const example = target("https://example.com/");
    expect(await guard(example, TIMEOUT_MS)).toEqual(accepted("8.8.8.8"));
    expect(await guard(example, TIMEOUT_MS)).toEqual(REFUSED);
    expect(await guard(example, TIMEOUT_MS)).toEqual(REFUSED);
    expect(await guard(example, TIMEOUT_MS)).toEqual(NO_SUCH_NAME);
  });

  test("without an address does not exist", async () => {
    expect(await resolutionOf({ answers: [] })).toEqual(NO_SUCH_NAME);
  });

  test("whose resolver gives up or fails is unresolved, and nothing is thrown", async () => {
    const gaveUp = () => Promise.reject(new DOMException("too late", "TimeoutError"));
    expect(await resolutionOf({ answers: gaveUp })).toEqual(UNRESOLVED);
    const broken = () => {
      throw new Error("broken");
    };
    expect(await resolutionOf({ answers: broken })).toEqual(UNRESOLVED);
  });
});

describe("an address as host", () => {
  test("is accepted if it is public, and no name server is queried", async () => {
    const ipv4 = await resolve({ url: "https://8.8.8.8/", answers: ["10.0.0.1"] });
    expect(ipv4).toEqual({ resolution: accepted("8.8.8.8"), resolved: [] });
    const ipv6 = await resolve({ url: "https://[2606:4700:0::1111]/", answers: ["10.0.0.1"] });
    expect(ipv6).toEqual({ resolution: accepted("2606:4700::1111"), resolved: [] });
  });

  test.each([
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://①②⑦。⓪。⓪。①/",
    "https://%31%32%37.0.0.1./",
    "https://169.254.169.254/latest/meta-data/",
    "https://0/",
    "https://[::]/",
    "https://[::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[::ffff:8.8.8.8]/",
    "https://[::10.0.0.1]/",
    "https://[64:ff9b::8.8.8.8]/",
    "https://[2001:0:808:808::f5ff:fffe]/",
  ])("is refused if it is not public: %s", async (url) => {
    expect(await resolve({ url, answers: ["8.8.8.8"] })).toEqual({
      resolution: REFUSED,
      resolved: [],
    });
  });
});

describe("a local name", () => {
  const LOCAL = [
    "https://localhost/",
    "https://LOCALHOST./",
    "https://api.localhost/",
    "https://printer.local/",
    "https://metadata.google.internal/",
    "https://db:8443/",
  ];

  test.each(LOCAL)("is not even resolved if no network is allowed: %s", async (url) => {
    expect(await resolve({ url, answers: ["8.8.8.8"] })).toEqual({
      resolution: REFUSED,
      resolved: [],
    });
  });

  test.each(LOCAL)("is accepted if all its addresses are allowed: %s", async (url) => {
    const allowed = ["10.0.0.0/8", "fd00::/8"];
    expect(await resolutionOf({ url, allowed, answers: ["fd00::1", "10.0.0.1"] })).toEqual(
      accepted("10.0.0.1", "fd00::1"),
    );
    expect(await resolutionOf({ url, allowed, answers: ["10.0.0.1", "8.8.8.8"] })).toEqual(REFUSED);
    expect(await resolutionOf({ url, allowed, answers: ["10.0.0.1", "::1"] })).toEqual(REFUSED);
    expect(await resolutionOf({ url, allowed, answers: [] })).toEqual(NO_SUCH_NAME);
  });
});

describe("the operator's own networks", () => {
  test("are open to addresses and names, also beside public addresses", async () => {
    const allowed = ["10.1.0.0/16", "::1"];
    expect(await resolutionOf({ url: "https://10.1.2.3/", allowed })).toEqual(accepted("10.1.2.3"));
    expect(await resolutionOf({ url: "https://[::1]:8443/", allowed })).toEqual(accepted("::1"));
    expect(await resolutionOf({ allowed, answers: ["10.1.2.3", "8.8.8.8"] })).toEqual(
      accepted("10.1.2.3", "8.8.8.8"),
    );
  });

  test("open nothing else", async () => {
    const allowed = ["10.1.0.0/16"];
    expect(await resolutionOf({ url: "https://10.2.0.1/", allowed })).toEqual(REFUSED);
    expect(await resolutionOf({ allowed, answers: ["10.1.2.3", "10.2.0.1"] })).toEqual(REFUSED);
    expect(await resolutionOf({ allowed, answers: ["10.1.2.3", "::1"] })).toEqual(REFUSED);
  });

  test("include the IPv4-mapped spelling of their addresses, which is connected to as IPv4", async () => {
    const allowed = ["10.1.0.0/16"];
    expect(await resolutionOf({ url: "https://[::ffff:10.1.2.3]/", allowed })).toEqual(
      accepted("10.1.2.3"),
    );
    expect(await resolutionOf({ allowed, answers: ["::ffff:a01:203", "10.1.2.3"] })).toEqual(
      accepted("10.1.2.3"),
    );
    expect(await resolutionOf({ allowed, answers: ["::10.1.2.3"] })).toEqual(REFUSED);
  });
});

test("a name with one private address among any number of public ones is refused", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom<string[]>("8.8.8.8", "1.1.1.1", "2606:4700::1111"), {
        maxLength: 6,
      }),
      fc.constantFrom("127.0.0.1", "192.168.1.1", "::1", "fd00::1", "::ffff:10.0.0.1"),
      fc.nat(6),
      async (answers, address, position) => {
        expect(await resolutionOf({ answers: answers.toSpliced(position, 0, address) })).toEqual(
          REFUSED,
        );
      },
    ),
  );
});
