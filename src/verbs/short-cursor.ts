import type { ApiMethod } from "./method.ts";
import type { OpenedCursor, Position } from "./paging.ts";
import type { Parameter } from "./parameters.ts";

/**
 * A cursor's contents in few bytes, since a model copies each character of a cursor and pays for it. Everything
 * is a digit below a size of its own, and all digits make one number: a flag takes a bit, a field's name
 * one of the mask of all fields.
 */

type Shape = Pick<ApiMethod, "operationId" | "parameters" | "toolDefaults">;

/** How a value is written as digits, and read again. */
interface Code<T> {
  write(value: T, put: (digit: bigint, size: bigint) => void): void;
  read(take: (size: bigint) => bigint): T;
}

export function packCursor(shape: Shape, opened: OpenedCursor): Uint8Array {
  const digits: [digit: bigint, size: bigint][] = [];
  cursorOf(shape).write(opened, (digit, size) => digits.push([digit, size]));
  const packed = digits.reduceRight((rest, [digit, size]) => rest * size + digit, 0n);
  const hex = packed.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
}

/** @param packed by `packCursor` for the same shape */
export function unpackCursor(shape: Shape, packed: Uint8Array): OpenedCursor {
  let rest = BigInt(`0x${Buffer.from(packed).toString("hex")}`);
  return cursorOf(shape).read((size) => {
    const digit = rest % size;
    rest /= size;
    return digit;
  });
}

/** A text that changes with the meaning of packed cursors, which would otherwise be read as another list. */
export function shapeOf(shape: Shape): string {
  const known = shapes.get(shape);
  if (known !== undefined) return known;
  const { operationId, parameters, toolDefaults } = shape;
  const read = Object.entries(parameters).map(([name, { schema, names }]) => {
    return [name, schema["enum"], names];
  });
  const text = JSON.stringify([operationId, read, toolDefaults?.args]);
  shapes.set(shape, text);
  return text;
}

/** Made once for each tool: writing them took half of the time of a cursor. */
const shapes = new WeakMap<Shape, string>();

function cursorOf({ parameters, toolDefaults }: Shape): Code<OpenedCursor> {
  const names = Object.keys(parameters);
  const usual = Object.entries(toolDefaults?.args ?? {}).map(([name, value]) => [name, `${value}`]);
  const count = BigInt(names.length + 1);
  return {
    write({ at, of }, put) {
      put(BigInt(at.length), POSITION_LENGTHS);
      for (const value of at) POSITION.write(value, put);
      const isUsual = usual.every(([name = "", value]) => of[name] === value);
      put(isUsual ? 1n : 0n, 2n);
      const given = Object.entries(of).filter(
        ([name, value]) => !isUsual || !usual.some(([one, its]) => one === name && its === value),
      );
      for (const [name, value] of given) {
        put(BigInt(names.indexOf(name) + 1), count);
        codeOf(parameters[name] as Parameter<unknown>).write(value, put);
      }
      put(0n, count);
    },
    read(take) {
      const length = Number(take(POSITION_LENGTHS));
      const at = Array.from({ length }, () => POSITION.read(take));
      const of: Record<string, string> = take(2n) === 1n ? Object.fromEntries(usual) : {};
      for (let index = take(count); index > 0n; index = take(count)) {
        const name = names[Number(index) - 1] as string;
        of[name] = codeOf(parameters[name] as Parameter<unknown>).read(take);
      }
      return { at, of };
    },
  };
}

const POSITION_LENGTHS = 8n;

/** A whole number from 0: its length in bits, and the bits after the first, which is 1. */
const NUMBER: Code<bigint> = {
  write(value, put) {
    const bits = value === 0n ? 0n : BigInt(value.toString(2).length);
    put(bits, 54n);
    if (bits > 1n) put(value - (1n << (bits - 1n)), 1n << (bits - 1n));
  },
  read(take) {
    const bits = take(54n);
    if (bits < 2n) return bits;
    return (1n << (bits - 1n)) + take(1n << (bits - 1n));
  },
};

const LATIN = "abcdefghijklmnopqrstuvwxyz";
const CYRILLIC = "абвгдежзийклмнопрстуфхцчшщъыьэюяё";
const ALPHABETS = [
  `${LATIN}0123456789 _-,.`,
  `${CYRILLIC}0123456789 -,`,
  `${LATIN}${LATIN.toUpperCase()}0123456789 _-,.@/:`,
  `${CYRILLIC}${CYRILLIC.toUpperCase()}0123456789 -,."|`,
];
const ALPHABET_OR_BYTES = BigInt(ALPHABETS.length + 1);

/** Letters of one of the alphabets, or bytes. */
const TEXT: Code<string> = {
  write(text, put) {
    const alphabet = ALPHABETS.findIndex((letters) =>
      [...text].every((one) => letters.includes(one)),
    );
    put(BigInt(alphabet + 1), ALPHABET_OR_BYTES);
    const letters = ALPHABETS[alphabet];
    const items =
      letters === undefined ? [...Buffer.from(text)] : [...text].map((one) => letters.indexOf(one));
    NUMBER.write(BigInt(items.length), put);
    for (const item of items) put(BigInt(item), BigInt(letters?.length ?? 256));
  },
  read(take) {
    const letters = ALPHABETS[Number(take(ALPHABET_OR_BYTES)) - 1];
    const length = Number(NUMBER.read(take));
    const items = Array.from({ length }, () => Number(take(BigInt(letters?.length ?? 256))));
    return letters === undefined
      ? Buffer.from(items).toString()
      : items.map((item) => letters[item]).join("");
  },
};

/** A value of the position: null, a number, an instant of whole seconds, or anything else as JSON. */
const POSITION: Code<Position[number]> = {
  write(value, put) {
    const isWhole = typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
    const isInstant = isWhole && value >= INSTANTS_FROM && value % 1000 === 0;
    put(value === null ? 0n : isInstant ? 1n : isWhole ? 2n : 3n, 4n);
    if (isInstant) NUMBER.write(BigInt((value - INSTANTS_FROM) / 1000), put);
    else if (isWhole) NUMBER.write(BigInt(value), put);
    else if (value !== null) TEXT.write(JSON.stringify(value), put);
  },
  read(take) {
    switch (take(4n)) {
      case 0n:
        return null;
      case 1n:
        return Number(NUMBER.read(take)) * 1000 + INSTANTS_FROM;
      case 2n:
        return Number(NUMBER.read(take));
      default:
        return JSON.parse(TEXT.read(take));
    }
  },
};

/** 2013-08-14, when the oldest of the messengers began. */
const INSTANTS_FROM = 1_376_438_400_000;

/** A value of a parameter: one of its options, a selection of its names, a number, or a text. */
function codeOf({ schema, names = [] }: Parameter<unknown>): Code<string> {
  const options: readonly string[] =
    schema["enum"] ?? (schema["type"] === "boolean" ? ["false", "true"] : []);
  const masks = 1n << BigInt(names.length);
  return {
    write(value, put) {
      const option = options.indexOf(value);
      const chosen = value.split(",").map((item) => names.indexOf(item.trim()));
      if (option >= 0) {
        put(0n, 4n);
        put(BigInt(option), BigInt(options.length));
      } else if (!chosen.includes(-1)) {
        put(1n, 4n);
        put(
          [...new Set(chosen)].reduce((mask, at) => mask | (1n << BigInt(at)), 0n),
          masks,
        );
      } else if (/^(0|[1-9]\d{0,14})$/.test(value)) {
        put(2n, 4n);
        NUMBER.write(BigInt(value), put);
      } else {
        put(3n, 4n);
        TEXT.write(value, put);
      }
    },
    read(take) {
      switch (take(4n)) {
        case 0n:
          return options[Number(take(BigInt(options.length)))] as string;
        case 1n: {
          const mask = take(masks);
          return names.filter((_name, at) => ((mask >> BigInt(at)) & 1n) === 1n).join();
        }
        case 2n:
          return String(NUMBER.read(take));
        default:
          return TEXT.read(take);
      }
    },
  };
}
