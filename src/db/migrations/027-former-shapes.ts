/**
 * Schema version 27 changes no table itself: on the way to it, tables made by a program between two
 * releases are brought to the shape of their version (`mendShape`). A migration that has shipped is never
 * edited.
 */
export const formerShapes = "";
