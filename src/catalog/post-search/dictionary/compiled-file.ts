import path from "../../../../data/dictionary/lemmas.bin" with { type: "file" };

/** Path of the compiled dictionary. A module of its own, because it does not load if the file is missing. */
export const compiledFile = path;
