import { describe, expect, test } from "bun:test";
import { passwordFault } from "../../../src/customers/people/password-rules.ts";
import { inEnglish } from "../../../src/values/messages/messages.ts";

const faultOf = (password: string): string | null => {
  const fault = passwordFault(password, "Jane.Doe@example.com");
  return fault && inEnglish(fault);
};

describe("a password", () => {
  test("has 10 to 128 characters, of any kind", () => {
    for (const password of [
      "кот и пёс ",
      "🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵",
      "correct horse battery",
      "длинный пароль. ".repeat(8),
    ]) {
      expect(faultOf(password), password).toBeNull();
    }
    for (const password of ["", "short", "🦊🐻🐼🐨🐯🦁🐮🐷🐸"]) {
      expect(faultOf(password)).toContain("at least 10 characters");
    }
    expect(faultOf("длинный пароль. ".repeat(9))).toContain("no more than 128 characters");
  });

  test("does not contain the name in the address or the product's name", () => {
    for (const password of [
      "jane.doe@example.com",
      "my JANE.DOE pass",
      "Kanalog2026!",
      "xxkanalogxx",
    ]) {
      expect(faultOf(password), password).toContain("must not contain the name");
    }
    // A name of three letters may occur by chance.
    expect(passwordFault("canada road trip", "ada@example.com")).toBeNull();
  });

  test("is not one of those guessed first, with any digits and symbols around it", () => {
    for (const password of [
      ...["1234567890", "0987654321", "qwertyuiop", "QWERTYUIOP", "1q2w3e4r5t", "йцукенгшщз"],
      ...[
        "password123",
        "P@ssw0rd2026!",
        "Welcome2026",
        "iloveyou!!",
        "aaaaaaaaaa",
        "abcabcabcabc",
      ],
      ...["123123123123", "Пароль12345", "administrator", "qwerty123456", "zyxwvutsrqp"],
    ]) {
      expect(faultOf(password), password).toContain("among the first that attackers try");
    }
    for (const password of ["password of my cat", "adminton rackets", "1234567890 apples"]) {
      expect(faultOf(password), password).toBeNull();
    }
  });
});
