/**
 * Schema version 27 changes no table by itself: files whose tables were made by a program between two releases are
 * brought to the shape of their version when they come to it (`mendShape`). A migration that has shipped is never
 * edited.
 */
export const formerShapes = "";
