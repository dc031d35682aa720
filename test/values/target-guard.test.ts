import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { inEnglish } from "../../src/values/messages/messages.ts";
import {
  isLocalName,
  isPublicAddress,
  readTargetUrl,
  type Target,
} from "../../src/values/network/target-guard.ts";

/**
 * The reference: first and last addresses, copied by hand from IANA's registries (IPv4 and IPv6 special
 * purpose, multicast) and compared by integer arithmetic, not by the guard's own table.
 */
const SPECIAL_IPV4: readonly [first: string, last: string][] = [
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["169.254.0.0", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.31.196.0", "192.31.196.255"],
  ["192.52.193.0", "192.52.193.255"],
  ["192.88.99.0", "192.88.99.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["192.175.48.0", "192.175.48.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "239.255.255.255"],
  ["240.0.0.0", "255.255.255.255"],
];

/** Within 2000::/3: the first 48 bits of the first and of the last address. */
const SPECIAL_IPV6: readonly [first: bigint, last: bigint][] = [
  [0x2001_0000_0000n, 0x2001_01ff_ffffn],
  [0x2001_0db8_0000n, 0x2001_0db8_ffffn],
  [0x2002_0000_0000n, 0x2002_ffff_ffffn],
  [0x2620_004f_8000n, 0x2620_004f_8000n],
  [0x3fff_0000_0000n, 0x3fff_0fff_ffffn],
];

const IPV4_LAST = 0xffff_ffff;
const IPV6_LAST = (1n << 128n) - 1n;

const fromDotted = (text: string): number =>
  text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);

const toDotted = (value: number): string =>
  [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");

/** All eight groups, without abbreviation. */
const toGroups = (value: bigint): string =>
  (value.toString(16).padStart(32, "0").match(/.{4}/g) ?? []).join(":");

const isPublicIPv4 = (value: number): boolean =>
  !SPECIAL_IPV4.some(([first, last]) => value >= fromDotted(first) && value <= fromDotted(last));

function isPublicIPv6(value: bigint): boolean {
  if (value >> 125n !== 1n) return false;
  const head = value >> 80n;
  if (SPECIAL_IPV6.some(([first, last]) => head >= first && head <= last)) return false;
  const marker = (value >> 32n) & 0xffff_ffffn;
  const isIsatap = marker === 0x0000_5efen || marker === 0x0200_5efen;
  return !isIsatap || isPublicIPv4(Number(value & 0xffff_ffffn));
}

const anyIPv4 = fc.integer({ min: 0, max: IPV4_LAST });
const specialIPv4 = fc
  .constantFrom(...SPECIAL_IPV4)
  .chain(([first, last]) => fc.integer({ min: fromDotted(first), max: fromDotted(last) }));
const publicIPv4 = anyIPv4.filter(isPublicIPv4);

const anyIPv6 = fc.bigInt({ min: 0n, max: IPV6_LAST });
/** Addresses of the unicast block, many of them near the edges of the special blocks. */
const unicastIPv6 = fc.bigInt({ min: 1n << 125n, max: (1n << 126n) - 1n });
const nearEdgeIPv6 = fc
  .tuple(
    fc.constantFrom(...SPECIAL_IPV6.flat(), 0x2000_0000_0000n),
    fc.integer({ min: -2, max: 2 }),
  )
  .chain(([head, step]) =>
    fc
      .bigInt({ min: 0n, max: (1n << 80n) - 1n })
      .map((tail) => ((head + BigInt(step)) << 80n) + tail),
  );

/** All known ways in which an IPv6 address may contain an IPv4 address. */
const EMBEDDINGS: Record<string, (ipv4: bigint) => bigint> = {
  compatible: (ipv4) => ipv4,
  mapped: (ipv4) => (0xffffn << 32n) | ipv4,
  translated: (ipv4) => (0xffffn << 48n) | ipv4,
  NAT64: (ipv4) => (0x0064_ff9bn << 96n) | ipv4,
  "local NAT64": (ipv4) => (0x0064_ff9b_0001n << 80n) | ipv4,
  "6to4": (ipv4) => (0x2002n << 112n) | (ipv4 << 80n) | 1n,
  "Teredo server": (ipv4) => (0x2001_0000n << 96n) | (ipv4 << 64n),
  "Teredo client": (ipv4) => (0x2001_0000n << 96n) | (ipv4 ^ 0xffff_ffffn),
  ISATAP: (ipv4) => (0x2a00_1450n << 96n) | (0x5efen << 32n) | ipv4,
  "ISATAP, universal": (ipv4) => (0x2a00_1450n << 96n) | (0x0200_5efen << 32n) | ipv4,
  "ISATAP, link-local": (ipv4) => (0xfe80n << 112n) | (0x5efen << 32n) | ipv4,
};

function read(given: string): Target {
  const result = readTargetUrl(given);
  if ("fault" in result) throw new Error(`${given}: ${result.fault.code}`);
  return result.value;
}

const faultOf = (given: string): string | null => {
  const result = readTargetUrl(given);
  return "fault" in result ? inEnglish(result.fault) : null;
};

const INVALID = "Enter a valid https:// address.";

describe("an IPv4 address", () => {
  test.each([...SPECIAL_IPV4])(
    "from %s to %s is not public, but its neighbours are",
    (first, last) => {
      const [from, to] = [fromDotted(first), fromDotted(last)];
      expect(isPublicAddress(first)).toBe(false);
      expect(isPublicAddress(last)).toBe(false);
      expect(isPublicAddress(toDotted(Math.floor((from + to) / 2)))).toBe(false);
      for (const neighbour of [from - 1, to + 1]) {
        if (neighbour < 0 || neighbour > IPV4_LAST) continue;
        expect(isPublicAddress(toDotted(neighbour)), toDotted(neighbour)).toBe(
          isPublicIPv4(neighbour),
        );
      }
    },
  );

  test("is public exactly if the registry has no special block for it", () => {
    fc.assert(
      fc.property(fc.oneof(anyIPv4, specialIPv4), (value) => {
        expect(isPublicAddress(toDotted(value))).toBe(isPublicIPv4(value));
      }),
      { numRuns: 5000 },
    );
  });

  test.each([
    "1.1.1.1",
    "8.8.8.8",
    "93.184.215.14",
    "100.63.255.255",
    "172.32.0.0",
    "223.255.255.255",
  ])("of the internet is public: %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each(["169.254.169.254", "100.100.100.200", "192.0.0.192", "127.0.0.53", "255.255.255.255"])(
    "of a metadata service or of the machine itself is not public: %s",
    (address) => {
      expect(isPublicAddress(address)).toBe(false);
    },
  );
});

describe("an IPv6 address", () => {
  test("is public exactly if it is within 2000::/3 and the registry has no special block for it", () => {
    fc.assert(
      fc.property(fc.oneof(anyIPv6, unicastIPv6, nearEdgeIPv6), (value) => {
        expect(isPublicAddress(toGroups(value))).toBe(isPublicIPv6(value));
      }),
      { numRuns: 5000 },
    );
  });

  test("is classified exactly at the edges of every block", () => {
    const edges: [bigint, bigint][] = [[0x2000_0000_0000n, 0x3fff_ffff_ffffn], ...SPECIAL_IPV6];
    for (const [firstHead, lastHead] of edges) {
      const first = firstHead << 80n;
      const last = ((lastHead + 1n) << 80n) - 1n;
      for (const value of [first - 1n, first, last, last + 1n]) {
        expect(isPublicAddress(toGroups(value)), toGroups(value)).toBe(isPublicIPv6(value));
      }
    }
  });

  test.each([
    "::",
    "::1",
    "::7f00:1",
    "100::1",
    "100:0:0:1::1",
    "64:ff9b::808:808",
    "4000::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "2001::1",
    "2001:2::1",
    "2001:20::1",
    "2001:db8::1",
    "2002:808:808::1",
    "2620:4f:8000::1",
    "3fff:fff::1",
  ])("of no public use is not public: %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each(["2001:4860:4860::8888", "2606:4700::1111", "2a00:1450::5efe:808:808", "2A02:6B8::1"])(
    "of the internet is public: %s",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  test.each(Object.entries(EMBEDDINGS))(
    "that carries a special IPv4 address is not public: %s",
    (_, embed) => {
      fc.assert(
        fc.property(specialIPv4, (ipv4) => {
          const address = toGroups(embed(BigInt(ipv4)));
          expect(isPublicAddress(address)).toBe(false);
          expect(isPublicAddress(new URL(`https://[${address}]/`).hostname.slice(1, -1))).toBe(
            false,
          );
        }),
      );
    },
  );

  test("of ISATAP with a special IPv4 address is not public under any prefix", () => {
    fc.assert(
      fc.property(
        unicastIPv6,
        fc.constantFrom(0x5efen, 0x0200_5efen),
        specialIPv4,
        (prefix, marker, ipv4) => {
          const head = (prefix >> 64n) << 64n;
          expect(isPublicAddress(toGroups(head | (marker << 32n) | BigInt(ipv4)))).toBe(false);
        },
      ),
    );
  });

  test("of ISATAP is also recognized in dotted spelling", () => {
    expect(isPublicAddress("2a00:1450::5efe:192.168.0.1")).toBe(false);
    expect(isPublicAddress("2a00:1450::200:5efe:10.0.0.1")).toBe(false);
    expect(isPublicAddress("2a00:1450::5efe:8.8.8.8")).toBe(true);
  });

  test("that carries a public IPv4 address is not public either, except for ISATAP", () => {
    fc.assert(
      fc.property(
        publicIPv4,
        fc.constantFrom(...Object.keys(EMBEDDINGS).filter((name) => !/^ISATAP/.test(name))),
        (ipv4, name) => {
          const address = toGroups(EMBEDDINGS[name]?.(BigInt(ipv4)) ?? 0n);
          expect(isPublicAddress(address)).toBe(false);
        },
      ),
    );
  });
});

test.each([
  "",
  "example.com",
  "8.8.8",
  "8.8.8.8.",
  "08.8.8.8",
  "134744072",
  "8.8.8.8\n",
  "[2606:4700::1111]",
  "2606:4700::1111%eth0",
  "2606:4700::08.8.8.8",
])("text that is not an address is not public: %j", (text) => {
  expect(isPublicAddress(text)).toBe(false);
});

describe("a webhook's address", () => {
  test("is parsed into what a connection needs", () => {
    expect(readTargetUrl("https://EXAMPLE.com./hook/a%20b?x=1&y=%D1%8F#part")).toEqual({
      value: {
        host: "example.com",
        isAddress: false,
        port: 443,
        path: "/hook/a%20b?x=1&y=%D1%8F",
        authority: "example.com",
      },
    });
    expect(readTargetUrl("https://[2606:4700:0:0::1111]:8443")).toEqual({
      value: {
        host: "2606:4700::1111",
        isAddress: true,
        port: 8443,
        path: "/",
        authority: "[2606:4700::1111]:8443",
      },
    });
  });

  test.each([
    ["https://example.com", "example.com", "/"],
    ["https://EXAMPLE.com", "example.com", "/"],
    ["HTTPS://example.com/", "example.com", "/"],
    ["https://example.com?x=1", "example.com", "/?x=1"],
    ["https://example.com#part", "example.com", "/"],
    ["https://example.com:443/", "example.com", "/"],
    ["https://example.com:8443/", "example.com", "/"],
    ["https://a_b.example.com/@user", "a_b.example.com", "/@user"],
    ["https://пример.рф/путь?x=1", "xn--e1afmkfd.xn--p1ai", "/%D0%BF%D1%83%D1%82%D1%8C?x=1"],
    ["https://ПРИМЕР。РФ/", "xn--e1afmkfd.xn--p1ai", "/"],
    ["https://xn--e1afmkfd.xn--p1ai/", "xn--e1afmkfd.xn--p1ai", "/"],
    ["https://faß.de/", "xn--fa-hia.de", "/"],
    ["https://8.8.8.8/", "8.8.8.8", "/"],
    ["https://example.com/a%20b", "example.com", "/a%20b"],
    ["https://example.com/%0D%0Ax", "example.com", "/%0D%0Ax"],
    ["https://1.example.com/", "1.example.com", "/"],
  ])("is accepted: %s", (given, host, path) => {
    expect(read(given)).toMatchObject({ host, path });
  });

  test.each([
    "",
    "example.com",
    "//example.com/",
    "http://example.com/",
    "wss://example.com/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "https",
    "https:",
    "https://",
    "https:///",
    "https:example.com",
    "https:127.0.0.1",
    "https:/example.com",
    "https:///example.com",
    "https:////example.com",
    "https:\\\\example.com",
    "https:/\\example.com",
    "https://\\example.com",
    "https://example.com\\@127.0.0.1/",
    "https://example.com/a\\b",
    "https://?x",
    "https://#x",
    "https://:8443/",
    "https://./",
    "https://../",
  ])("must begin with https:// and a host: %j is refused", (given) => {
    expect(faultOf(given)).toBe(INVALID);
  });

  test.each([
    ["a space before", " https://example.com/"],
    ["a space behind", "https://example.com/ "],
    ["a space in the path", "https://example.com/a b"],
    ["a tab in the scheme", "ht\ttps://example.com/"],
    ["a tab in the host", "https://exa\tmple.com/"],
    ["a newline", "https://example.com/\n"],
    ["a return", "https://example.com/a\r\nHost: x"],
    ["a NUL", "https://example.com/\0"],
    ["a C1 control", "https://example.com/\u0085"],
    ["a no-break space", "https://example.com/\u00a0"],
    ["an ideographic space", "https://example.com/\u3000"],
    ["a line separator", "https://example.com/\u2028"],
    ["a soft hyphen", "https://exa\u00admple.com/"],
    ["a zero-width space", "https://exa\u200bmple.com/"],
    ["a zero-width joiner", "https://exa\u200dmple.com/"],
    ["a word joiner", "https://exa\u2060mple.com/"],
    ["a byte order mark", "\ufeffhttps://example.com/"],
    ["a change of direction", "https://example.com/\u202egpj"],
    ["an isolate", "https://example.com/\u2066a"],
    ["a tag", "https://example.com/\u{e0041}"],
    ["half a surrogate pair", "https://example.com/\ud800"],
    ["the other half", "https://exam\udc00ple.com/"],
  ])("is refused if it contains %s", (_, given) => {
    expect(faultOf(given)).toBe(INVALID);
  });

  test.each([
    "https://user@example.com/",
    "https://user:password@example.com/",
    "https://@example.com/",
    "https://:@example.com/",
    "https://example.com@127.0.0.1/",
    "https://example.com:443@127.0.0.1/",
    "https://a@b@example.com/",
  ])("is refused with a user name or password: %s", (given) => {
    expect(faultOf(given)).toBe("A user name or password in the address is not allowed.");
  });

  test("may have port 443, or one above 1023", () => {
    for (const port of [443, 1024, 8443, 65_535]) {
      expect(read(`https://example.com:${port}/`).port).toBe(port);
    }
    expect(read("https://example.com:/").port).toBe(443);
    expect(read("https://example.com:0443/")).toMatchObject({
      port: 443,
      authority: "example.com",
    });
    for (const port of [0, 1, 22, 80, 442, 444, 1023]) {
      expect(faultOf(`https://example.com:${port}/`)).toBe("Use port 443, or one above 1023.");
    }
    for (const port of ["65536", "-1", "+443", "4a", "８443", "443:443", "0x1bb"]) {
      expect(faultOf(`https://example.com:${port}/`)).toBe(INVALID);
    }
  });

  test("may have at most 2,048 characters, whatever their width", () => {
    const prefix = "https://example.com/";
    const rest = 2048 - prefix.length;
    const tooLong = "Ensure this field has no more than 2048 characters.";
    for (const character of ["a", "я", "😀"]) {
      expect(faultOf(prefix + character.repeat(rest))).toBeNull();
      expect(faultOf(prefix + character.repeat(rest + 1))).toBe(tooLong);
    }
    expect(faultOf(prefix + "a".repeat(1_000_000))).toBe(tooLong);
  });

  test.each([
    "https://127.0.0.1../",
    "https://0x7f000001../",
    "https://example.com../",
    "https://a..b/",
    "https://.example.com/",
    `https://${"a".repeat(64)}.com/`,
    `https://${"a.".repeat(126)}com/`,
    "https://exa*mple.com/",
    "https://exa!mple.com/",
    'https://exa"mple.com/',
    "https://exa%00mple.com/",
    "https://exa%0Ample.com/",
    "https://exa%20mple.com/",
    "https://a%2Fb.com/",
    "https://a%40b.com/",
    "https://a＠b.com/",
    "https://a／b.com/",
    "https://a⒈com/",
    "https://xn--/",
    "https://xn--a.com/",
  ])("is refused if its host is not a name: %s", (given) => {
    expect(faultOf(given)).toBe(INVALID);
  });

  test.each([
    "https://256.1.1.1/",
    "https://1.2.3.4.5/",
    "https://4294967296/",
    "https://0x100000000/",
    "https://127.16777216/",
    "https://1.2.3.08/",
    "https://example.1/",
    "https://example.0x1/",
    "https://[127.0.0.1]/",
    "https://[::1/",
    "https://::1/",
    "https://[::1]example.com/",
    "https://[::1%eth0]/",
    "https://[::1%25eth0]/",
    "https://[fe80::1%251]:8443/",
    "https://[::ffff:127.1]/",
    "https://[]/",
  ])("is refused if its host only looks like an IP address: %s", (given) => {
    expect(faultOf(given)).toBe(INVALID);
  });

  test.each([
    ["https://127.0.0.1/", "127.0.0.1"],
    ["https://127.1/", "127.0.0.1"],
    ["https://127.0.1/", "127.0.0.1"],
    ["https://2130706433/", "127.0.0.1"],
    ["https://0x7f.1/", "127.0.0.1"],
    ["https://0X7F000001/", "127.0.0.1"],
    ["https://0177.0.0.1/", "127.0.0.1"],
    ["https://017700000001/", "127.0.0.1"],
    ["https://127.0.0.1./", "127.0.0.1"],
    ["https://127.0.0.1%2e/", "127.0.0.1"],
    ["https://%31%32%37.0.0.1/", "127.0.0.1"],
    ["https://127%2E0%2e0%2E1/", "127.0.0.1"],
    ["https://１２７.０.０.１/", "127.0.0.1"],
    ["https://①②⑦.⓪.⓪.①/", "127.0.0.1"],
    ["https://𝟏𝟐𝟕.𝟎.𝟎.𝟏/", "127.0.0.1"],
    ["https://127。0。0。1/", "127.0.0.1"],
    ["https://127．0．0．1/", "127.0.0.1"],
    ["https://127｡0｡0｡1/", "127.0.0.1"],
    ["https://0/", "0.0.0.0"],
    ["https://0x/", "0.0.0.0"],
    ["https://192.168.257/", "192.168.1.1"],
    ["https://[::1]/", "::1"],
    ["https://[0:0:0:0:0:0:0:1]/", "::1"],
    ["https://[::127.0.0.1]/", "::7f00:1"],
    ["https://[::ffff:127.0.0.1]/", "::ffff:7f00:1"],
    ["https://[::FFFF:7F00:0001]/", "::ffff:7f00:1"],
    ["https://[64:ff9b::10.0.0.1]/", "64:ff9b::a00:1"],
  ])("that spells an IP address in another way is parsed as that address: %s", (given, host) => {
    expect(read(given)).toMatchObject({ host, isAddress: true });
    expect(isPublicAddress(host)).toBe(false);
  });

  test("with any spelling of an IPv4 address is treated as that address", () => {
    const spelled = fc
      .oneof(specialIPv4, anyIPv4)
      .chain((value) => spellings(value).map((host) => ({ value, host })));
    fc.assert(
      fc.property(spelled, ({ value, host }) => {
        const target = read(`https://${host}/`);
        expect(target).toMatchObject({ host: toDotted(value), isAddress: true });
        expect(isPublicAddress(target.host)).toBe(isPublicIPv4(value));
      }),
      { numRuns: 3000 },
    );
  });

  test("is only accepted with a name that nobody could mistake for an IP address", () => {
    const piece = fc.constantFrom(
      ..."0127.:xXfae%[]@/\\#?-_~",
      ...["%2e", "%31", "１", "。", "②", "٣", "१", "..", "0x", "127", "xn--", "\u00ad", " "],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const result = readTargetUrl(`https://${pieces.join("")}`);
        if ("fault" in result) return;
        const { host, isAddress, path, authority } = result.value;
        const lastLabel = host.split(".").at(-1) ?? "";
        const looksNumeric = /^(\d+|0x[\da-f]*)$/.test(lastLabel);
        if (!isAddress) expect({ host, looksNumeric }).toEqual({ host, looksNumeric: false });
        // Nothing that could end the request line or a header.
        expect(path).toMatch(/^\/[!-~]*$/);
        expect(authority).toMatch(/^[a-z0-9._:[\]-]+$/);
      }),
      { numRuns: 5000 },
    );
  });

  test("may be any text: the result is an address or a fault, never an exception", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const given of [text, `https://${text}`, `https://example.com/${text}`]) {
          const result = readTargetUrl(given);
          expect("fault" in result || result.value.host.length > 0).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("a local name", () => {
  test.each([
    "localhost",
    "api.localhost",
    "a.b.localhost",
    "local",
    "printer.local",
    "internal",
    "metadata.google.internal",
    "db",
    "xn--e1afmkfd",
  ])("%s is local", (host) => {
    expect(isLocalName(host)).toBe(true);
  });

  test.each([
    "example.com",
    "localhost.example.com",
    "local.example.com",
    "notlocalhost.com",
    "my.notlocal",
    "example.internals",
    "xn--e1afmkfd.xn--p1ai",
  ])("%s is not local", (host) => {
    expect(isLocalName(host)).toBe(false);
  });

  test.each([
    "https://localhost/",
    "https://LOCALHOST/",
    "https://localhost./",
    "https://loc%61lhost/",
    "https://ｌｏｃａｌｈｏｓｔ/",
    "https://ⓛⓞⓒⓐⓛ/",
    "https://A.LocalHost:8443/",
    "https://metadata.google.internal./",
    "https://printer。local/",
  ])("is recognized in any spelling: %s", (given) => {
    expect(isLocalName(read(given).host)).toBe(true);
  });
});

/** Spellings of an IPv4 address that WHATWG URL accepts. */
function spellings(value: number): fc.Arbitrary<string> {
  const DIGITS = ["0123456789", "０１２３４５６７８９", "⓪①②③④⑤⑥⑦⑧⑨", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗"].map((row) => [
    ...row,
  ]);
  const number = (part: number): fc.Arbitrary<string> =>
    fc.constantFrom(
      `${part}`,
      `0${part.toString(8)}`,
      `000${part.toString(8)}`,
      `0x${part.toString(16)}`,
      `0X00${part.toString(16).toUpperCase()}`,
    );
  const style = fc.record({
    digits: fc.constantFrom(...DIGITS),
    isEncoded: fc.boolean(),
  });
  return fc
    .integer({ min: 1, max: 4 })
    .chain((count) => {
      // The last part has all remaining bits.
      const heads = [24, 16, 8].slice(0, count - 1).map((shift) => (value >>> shift) & 255);
      const rest = value % 2 ** (8 * (5 - count));
      return fc.tuple(
        fc.tuple(...[...heads, rest].map(number)),
        fc.constantFrom(".", "。", "．", "｡", "%2e"),
        fc.constantFrom("", ".", "。"),
        fc.array(style, { minLength: 50, maxLength: 50 }),
      );
    })
    .map(([parts, dot, end, styles]) => {
      const restyled = parts.map((part, index) =>
        [...part]
          .map((character, position) => {
            const { digits, isEncoded } = styles[(index * 12 + position) % 50] ?? {
              digits: DIGITS[0] ?? [],
              isEncoded: false,
            };
            const shown = /\d/.test(character) ? (digits[Number(character)] ?? "") : character;
            return isEncoded ? encodeURIComponent(shown).replace(/^\w$/, percent) : shown;
          })
          .join(""),
      );
      return restyled.join(dot) + end;
    });
}

/** Unlike `encodeURIComponent`, which leaves ASCII letters and digits unchanged. */
const percent = (character: string): string => `%${character.charCodeAt(0).toString(16)}`;
