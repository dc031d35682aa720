/** Rule of an affix file: words that match `when` have a form with `add` instead of `strip`. */
interface Rule {
  strip: string;
  add: string;
  when: RegExp;
}

const RULE = /^SFX\s+(\S)\s+(\S+)\s+(\S+)\s+(\S+)$/;

/** The words of a dictionary in hunspell's format (suffixes only, flags of one letter), with their forms by flag. */
export function* expandHunspell(
  aff: string,
  dic: string,
): Generator<[base: string, forms: [flag: string, form: string][]]> {
  const rules = new Map<string, Rule[]>();
  for (const line of aff.split("\n")) {
    const [, flag = "", strip = "", add = "", when = ""] = RULE.exec(line.trim()) ?? [];
    if (flag === "") continue;
    const textOf = (part: string): string => (part === "0" ? "" : part);
    const rule = { strip: textOf(strip), add: textOf(add), when: new RegExp(`${when}$`) };
    rules.set(flag, [...(rules.get(flag) ?? []), rule]);
  }
  for (const line of dic.split("\n").slice(1)) {
    const [base = "", flags = ""] = line.trim().split("/");
    if (base === "") continue;
    const forms = [...flags].flatMap((flag) =>
      (rules.get(flag) ?? [])
        .filter(({ strip, when }) => base.endsWith(strip) && when.test(base))
        .map(({ strip, add }): [string, string] => [
          flag,
          base.slice(0, base.length - strip.length) + add,
        ]),
    );
    yield [base, forms];
  }
}
