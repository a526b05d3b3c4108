import type { Family } from "../family.ts";
import { count, only, ordinal } from "../prose.ts";

/** `rows` rows of `each` things, but two rows have `fewer`, and `out` things of one ordinary row are away. */
export interface ExceptionsFacts {
  readonly rows: number;
  readonly each: number;
  /** Row numbers from 1, ascending. */
  readonly special: readonly [number, number];
  readonly fewer: number;
  readonly ordinary: number;
  readonly out: number;
}

export const exceptions: Family<ExceptionsFacts> = {
  name: "exceptions",
  reasoning: true,
  kind: "number",
  format: null,
  build: (random) => {
    const rows = random.int(6, 11);
    const [a, b, ordinary] = random.sample(Array.from({ length: rows }, (_, i) => i + 1), 3) as [number, number, number];
    const each = random.int(11, 24);
    return { rows, each, special: [Math.min(a, b), Math.max(a, b)], fewer: random.int(4, 9), ordinary, out: random.int(2, 8) };
  },
  answer: ({ rows, each, fewer, out }) => String((rows - 2) * each + 2 * fewer - out),
  candidates: null,
  phrasings: [
    ({ rows, each, special: [a, b], fewer, ordinary, out }, r) =>
      `A theatre has ${count(r, rows)} rows with ${count(r, each)} seats in each, except that the ${ordinal(a)} and the ${ordinal(b)} row have only ${count(r, fewer)} seats each. In the ${ordinal(ordinary)} row ${count(r, out)} seats have been taken out for repair. How many seats are in place? ${only.number(r)}`,
    ({ rows, each, special: [a, b], fewer, ordinary, out }, r) =>
      `How many books are on the shelves right now? Shelf ${ordinary} has ${count(r, out)} out on loan, no other shelf any. There are ${count(r, rows)} shelves; when nothing is on loan each holds ${count(r, each)} books, with the exception of shelves ${a} and ${b}, where there is room for just ${count(r, fewer)} apiece and both are full. ${only.number(r)}`,
    ({ rows, each, special: [a, b], fewer, ordinary, out }, r) =>
      `Every floor of a hotel has ${count(r, each)} rooms. Not so floors ${a} and ${b}: the kitchen and the pool leave space for ${count(r, fewer)} rooms on each of these two. Floor ${ordinary} is an ordinary one, but ${count(r, out)} of its rooms are closed. Given ${count(r, rows)} floors numbered from 1, find how many rooms can be let. ${only.number(r)}`,
    ({ rows, each, special: [a, b], fewer, ordinary, out }, r) =>
      `An orchard was planted in ${count(r, rows)} lines. The planter meant to put ${count(r, each)} trees in every line and did so, apart from line ${a} and line ${b}, which got ${count(r, fewer)} each because of rocks. Last winter ${count(r, out)} trees of line ${ordinary} died and were felled. What number of trees stands there today? ${only.number(r)}`,
    ({ rows, each, special: [a, b], fewer, ordinary, out }, r) =>
      `Week after week, for ${count(r, rows)} weeks, a potter fired ${count(r, each)} cups; only in week ${a} and again in week ${b} the kiln was half cold and gave ${count(r, fewer)}. Later it was found that ${count(r, out)} cups from week ${ordinary} leaked, so they were smashed. Tell how many cups were left over the whole period. ${only.number(r)}`,
    ({ rows, each, special: [a, b], fewer, ordinary, out }, r) =>
      `Carriages ${a} and ${b} of a train are dining cars with ${count(r, fewer)} places each. The train has ${count(r, rows)} carriages altogether, and each of the others offers ${count(r, each)} places, though in carriage ${ordinary} the conductor has roped off ${count(r, out)}. How many places are open to passengers, dining cars included? ${only.number(r)}`,
    ({ rows, each, special: [a, b], fewer, ordinary, out }, r) =>
      `A choir book numbers its chapters 1 to ${rows}. You would find ${count(r, each)} songs in a chapter, unless it is chapter ${a} or chapter ${b}: these two are short and have ${count(r, fewer)} songs each. One reader's copy lacks ${count(r, out)} songs of chapter ${ordinary}, since pages were torn out. Counting what this copy still has, how many songs is that? ${only.number(r)}`,
    ({ rows, each, special: [a, b], fewer, ordinary, out }, r) =>
      `Someone fills ${count(r, rows)} jars, one after another. The ${ordinal(a)} jar takes ${count(r, fewer)} plums, the ${ordinal(b)} likewise ${count(r, fewer)}, while all the remaining jars take ${count(r, each)} apiece. At night a child eats ${count(r, out)} plums out of the ${ordinal(ordinary)} jar. What is the total of plums the next morning? ${only.number(r)}`,
  ],
};
