import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  canonicalAddress,
  isWithinRange,
  parseAddress,
  parseAddressRange,
} from "../../src/values/network/address-ranges.ts";

const within = (address: string, ...ranges: string[]): boolean =>
  isWithinRange(address, ranges.map(parseAddressRange));

/** All eight groups, without abbreviation. */
const ipv6 = fc
  .array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), {
    minLength: 8,
    maxLength: 8,
  })
  .map((groups) => groups.map((group) => group.toString(16)).join(":"));

describe("an address range", () => {
  test("contains its first and its last address, and not their neighbours", () => {
    expect(within("9.255.255.255", "10.0.0.0/8")).toBe(false);
    expect(within("10.0.0.0", "10.0.0.0/8")).toBe(true);
    expect(within("10.255.255.255", "10.0.0.0/8")).toBe(true);
    expect(within("11.0.0.0", "10.0.0.0/8")).toBe(false);
    expect(within("172.15.255.255", "172.16.0.0/12")).toBe(false);
    expect(within("172.31.255.255", "172.16.0.0/12")).toBe(true);
    expect(within("fcff::", "fd00::/8")).toBe(false);
    expect(within("fd00::", "fd00::/8")).toBe(true);
    expect(within("fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fd00::/8")).toBe(true);
    expect(within("fe00::", "fd00::/8")).toBe(false);
  });

  test("of a single address contains that address only", () => {
    expect(within("10.1.2.3", "10.1.2.3")).toBe(true);
    expect(within("10.1.2.4", "10.1.2.3")).toBe(false);
    expect(within("fd00::1", "fd00:0:0::1")).toBe(true);
    expect(within("fd00::2", "fd00::1")).toBe(false);
  });

  test("may be written with any of its addresses", () => {
    expect(within("10.9.9.9", "10.1.2.3/8")).toBe(true);
    expect(within("fdff::", "fd12::34/8")).toBe(true);
  });

  test("with a prefix of 0 bits contains all addresses of its version and none of the other", () => {
    expect(within("203.0.113.7", "0.0.0.0/0")).toBe(true);
    expect(within("2001:db8::1", "0.0.0.0/0")).toBe(false);
    expect(within("2001:db8::1", "::/0")).toBe(true);
    expect(within("203.0.113.7", "::/0")).toBe(false);
  });

  test("is enough if it is one of several, and no address is within an empty list", () => {
    expect(within("fd00::1", "10.0.0.0/8", "fd00::/8")).toBe(true);
    expect(within("192.168.0.1", "10.0.0.0/8", "fd00::/8")).toBe(false);
    expect(within("10.0.0.1")).toBe(false);
  });

  test.each([
    "",
    " ",
    "10.0.0.0/33",
    "fd00::/129",
    "10.0.0.0/",
    "10.0.0.0/-1",
    "10.0.0.0/8.0",
    "10.0.0.0/0x8",
    "10.0.0.0/8/8",
    "10.0.0.0/255.0.0.0",
    "/8",
    "10/8",
    "10.0.0/8",
    "010.0.0.0/8",
    "0x0a.0.0.0/8",
    "10.0.0.0 /8",
    "10.0.0.0/8\n",
    "fe80::1%eth0",
    "fe80::%1/10",
    "[fd00::]/8",
    "fd00:/8",
    "localhost",
    "*",
  ])("is refused with a message: %j", (text) => {
    expect(() => parseAddressRange(text)).toThrow(
      new Error(`${JSON.stringify(text)} is not an address range such as 10.0.0.0/8.`),
    );
  });
});

describe("an IPv4-mapped address", () => {
  test("counts as the IPv4 address, however it is spelled", () => {
    for (const address of ["::ffff:10.0.0.1", "::ffff:a00:1", "0:0:0:0:0:FFFF:0A00:0001"]) {
      expect(within(address, "10.0.0.0/8")).toBe(true);
      expect(within(address, "11.0.0.0/8")).toBe(false);
      expect(within(address, "::/0")).toBe(false);
      expect(canonicalAddress(address)).toBe("10.0.0.1");
    }
  });

  test("as the base of a range makes it an IPv4 range", () => {
    expect(within("10.200.0.1", "::ffff:10.0.0.0/104")).toBe(true);
    expect(within("11.0.0.1", "::ffff:10.0.0.0/104")).toBe(false);
    expect(within("10.0.0.1", "::ffff:10.0.0.1")).toBe(true);
    expect(within("8.8.8.8", "::ffff:0:0/96")).toBe(true);
  });

  test("is not the same as an IPv4-compatible address", () => {
    expect(within("::10.0.0.1", "10.0.0.0/8")).toBe(false);
    expect(canonicalAddress("::10.0.0.1")).toBe("::a00:1");
    expect(canonicalAddress("::ffff:0:10.0.0.1")).toBe("::ffff:0:a00:1");
  });
});

describe("only a strict spelling is an address", () => {
  test.each([
    "",
    "1.2.3",
    "1.2.3.4.5",
    "1.2.3.4.",
    "01.2.3.4",
    "0x1.2.3.4",
    "256.1.1.1",
    "16909060",
    " 1.2.3.4",
    "1.2.3.4\n",
    "1.2.3.4/32",
    "1.2.3.4%1",
    "１.2.3.4",
    "::1%1",
    "::1%eth0",
    "[::1]",
    "::1\n",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7::8:9",
    "12345::",
    "::g",
    "::01.2.3.4",
    "::ffff:0x7f.0.0.1",
    "::ffff:127.1",
    "::1.2.3.4:5",
    "localhost",
  ])("%j is not an address", (text) => {
    expect(parseAddress(text)).toBeNull();
    expect(canonicalAddress(text)).toBeNull();
    expect(within(text, "0.0.0.0/0", "::/0")).toBe(false);
  });

  test("the canonical spelling of an address is the one that URL writes", () => {
    fc.assert(
      fc.property(ipv6, (spelled) => {
        const { hostname } = new URL(`https://[${spelled}]/`);
        fc.pre(!hostname.startsWith("[::ffff:"));
        expect(`[${canonicalAddress(spelled)}]`).toBe(hostname);
        expect(`[${canonicalAddress(spelled.toUpperCase())}]`).toBe(hostname);
      }),
      { numRuns: 2000 },
    );
  });

  test("any four numbers from 0 to 255 are an address, whose spelling stays as it is", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(canonicalAddress(address)).toBe(address);
      }),
    );
  });
});
