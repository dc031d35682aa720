/**
 * Texts with placeholders, in the part of ICU's MessageFormat that ours need: `{name}`; `{count, plural, =0 {…}
 * one {…} other {…}}`, where a list counts its items; `{kind, select, a {…} other {…}}`; and a brace quoted as
 * `'{'`. Three formats are our own: `{plan, name, plans}` looks the value up in a table of the language's
 * names, `{names, list, and}` joins a list by a word instead of commas, and `{columns, quoted}` quotes as JSON.
 *
 * `intl-messageformat` does the same without these two, in 35 KB; a text with a plural takes it 13 us, which
 * is too much for errors under load; this takes 0.5.
 */
export interface Grammar {
  language: string;
  /** Names in this language, by table and value. */
  names: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

type Single = string | number | boolean;
type Value = Single | null | undefined | readonly (string | number)[];
export type Values = Readonly<Record<string, Value>>;
/** Puts values into a text. */
export type Fill = (values: Values) => string;

/**
 * A text that takes values has them behind its name, as in `found(count)`, since the types of JSON do not
 * know what is in a text. `name?` may be missing, `names[]` is a list.
 */
export type NameIn<Key> = Key extends `${infer Name}(${string})` ? Name : Key;
type MarksIn<Marks extends string> = Marks extends `${infer First}, ${infer Rest}`
  ? [First, ...MarksIn<Rest>]
  : [Marks];
type ValueOf<Mark> = Mark extends `${string}[]` ? readonly (string | number)[] : Single;

/** The values that a text takes, by name. */
export type ValuesIn<Key> = Key extends `${string}(${infer Marks})`
  ? {
      [Mark in MarksIn<Marks>[number] as Mark extends `${string}?`
        ? never
        : Mark extends `${infer Name}[]`
          ? Name
          : Mark]: ValueOf<Mark>;
    } & {
      [Mark in MarksIn<Marks>[number] as Mark extends `${infer Name}?` ? Name : never]?:
        | Single
        | null
        | undefined;
    }
  : Record<never, never>;

type InOrder<Marks extends readonly string[]> = { [At in keyof Marks]: ValueOf<Marks[At]> };

/** Texts as code uses them: one that takes values is a function of them, in the order of its key. */
export type Texts<Raw> = Raw extends string
  ? string
  : Raw extends readonly (infer Item)[]
    ? readonly Texts<Item>[]
    : {
        readonly [Key in keyof Raw as NameIn<Key>]: Key extends `${string}(${infer Marks})`
          ? (...values: InOrder<MarksIn<Marks>>) => Texts<Raw[Key]>
          : Texts<Raw[Key]>;
      };

/** Texts as code uses them, of texts as they are written. */
export function textsOf<Raw>(raw: Raw, grammar: Grammar): Texts<Raw> {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return raw as Texts<Raw>;
  const texts = Object.entries(raw).map(([key, value]) => {
    const { name, takes } = signatureOf(key);
    if (takes === null) return [name, textsOf(value, grammar)];
    const fills = [value].flat().map((text) => fillOf(text, grammar));
    const filled = (...given: Value[]) => {
      const values = Object.fromEntries(takes.map((one, at) => [one, given[at]]));
      const all = fills.map((fill) => fill(values));
      return Array.isArray(value) ? all : all[0];
    };
    return [name, filled];
  });
  return Object.fromEntries(texts);
}

/** The name in a text's key, and the names of the values that it takes; null if it takes none. */
export function signatureOf(key: string): { name: string; takes: string[] | null } {
  const [name = key, marks] = key.split(/[()]/);
  return { name, takes: marks?.split(", ").map((mark) => mark.replace(/\W+$/, "")) ?? null };
}

const TOKENS = /'[{}][^']*'|[{}]|'|[^{}']+/g;

/** Puts values into a text, which is parsed when it is first used. */
export function fillOf(text: string, grammar: Grammar): Fill {
  let fill: Fill | null = null;
  return (values) => {
    fill ??= sequence(text.match(TOKENS) ?? [], grammar);
    return fill(values);
  };
}

/** Takes tokens up to the end, or to the brace that closes the sequence. */
function sequence(tokens: string[], grammar: Grammar): Fill {
  const pieces: (string | Fill)[] = [];
  while (tokens.length > 0 && tokens[0] !== "}") {
    const token = tokens.shift() ?? "";
    if (token === "{") pieces.push(placeholder(tokens, grammar));
    else pieces.push(token.length > 1 && token.startsWith("'") ? token.slice(1, -1) : token);
  }
  return (values) => {
    let filled = "";
    for (const piece of pieces) filled += typeof piece === "string" ? piece : piece(values);
    return filled;
  };
}

/** Takes the tokens of a placeholder behind its opening brace, and the closing one. */
function placeholder(tokens: string[], grammar: Grammar): Fill {
  const head = tokens.shift() ?? "";
  const [name = "", format, style = ""] = head.split(",").map((part) => part.trim());
  const options = optionsOf(style, tokens, grammar);
  tokens.shift();
  if (format === "plural") return plural(name, options, grammar.language);
  if (format === "select") {
    return (values) => (options.get(String(values[name])) ?? options.get("other"))?.(values) ?? "";
  }
  if (format === "name") {
    const names = new Map(Object.entries(grammar.names[style] ?? {}));
    return (values) => names.get(String(values[name])) ?? String(values[name]);
  }
  if (format === "quoted") {
    return (values) =>
      [values[name]]
        .flat()
        .map((one) => JSON.stringify(one))
        .join(", ");
  }
  const separator = format === "list" ? ` ${style} ` : ", ";
  return (values) => {
    const value = values[name];
    return Array.isArray(value) ? value.join(separator) : String(value);
  };
}

/** Takes the options of a plural or a select, whose first key stands in its head. */
function optionsOf(first: string, tokens: string[], grammar: Grammar): Map<string, Fill> {
  const options = new Map<string, Fill>();
  for (let key = first; tokens.at(0) === "{"; ) {
    tokens.shift();
    options.set(key, sequence(tokens, grammar));
    tokens.shift();
    if (tokens.at(0) !== "}") key = tokens.shift()?.trim() ?? "";
  }
  return options;
}

/** A plural with exact numbers alone, such as `=1`, needs no rules, which take 2 us. */
function plural(name: string, options: ReadonlyMap<string, Fill>, language: string): Fill {
  const isExact = [...options.keys()].every((key) => key.startsWith("=") || key === "other");
  const rules = isExact ? null : new Intl.PluralRules(language);
  return (values) => {
    const value = values[name];
    const count = Array.isArray(value) ? value.length : Number(value);
    const form = rules?.select(count) ?? "other";
    const option = options.get(`=${count}`) ?? options.get(form) ?? options.get("other");
    return option?.(values) ?? "";
  };
}
