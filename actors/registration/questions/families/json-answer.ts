import type { Family } from "../family.ts";
import { count } from "../prose.ts";
import type { Random } from "../random.ts";

/** `groups` of `each`, and then `more` besides; `less` go away again. */
export interface JsonAnswerFacts {
  readonly groups: number;
  readonly each: number;
  readonly more: number;
  readonly less: number;
}

const ORDERS = [
  'Answer with a JSON object whose only key is "answer" and whose value is the number (a JSON number, not a string).',
  'The reply must be JSON: an object with the single key "answer", the value being the number itself without quotes.',
  'Write the result as a JSON object. It has one key, "answer"; its value is a number, not text. Nothing may stand around the object.',
  'Your whole answer is to be one JSON object, its one and only key being "answer", with the result as a numeric value.',
];

export const jsonAnswer: Family<JsonAnswerFacts> = {
  name: "json-answer",
  reasoning: false,
  kind: "number",
  format: "json",
  build: (random) => ({ groups: random.int(3, 9), each: random.int(6, 18), more: random.int(5, 40), less: random.int(2, 17) }),
  answer: ({ groups, each, more, less }) => JSON.stringify({ answer: groups * each + more - less }),
  candidates: null,
  phrasings: [
    ({ groups, each, more, less }, r) => `${order(r)} The task: ${count(r, groups)} nests with ${count(r, each)} ants' eggs in each and ${count(r, more)} eggs lying about; ${count(r, less)} of all these are eaten by a bird. How many eggs are left?`,
    ({ groups, each, more, less }, r) => `A tram has ${count(r, groups)} cars and carries ${count(r, each)} people in every one. At the square ${count(r, more)} people get in and ${count(r, less)} get out. How many people does it carry then? ${order(r)}`,
    ({ groups, each, more, less }, r) => `How many pages has the reader read? ${count(r, groups)} evenings of ${count(r, each)} pages apiece, plus ${count(r, more)} pages on a Sunday, but ${count(r, less)} of the pages were read in the wrong book and do not count. ${order(r)}`,
    ({ groups, each, more, less }, r) => `${order(r)} What you have to work out is the height of a stack in millimetres, made of ${count(r, groups)} boards, each ${count(r, each)} mm thick, on a foot of ${count(r, more)} mm, after ${count(r, less)} mm have been planed off the top.`,
    ({ groups, each, more, less }, r) => `Take ${count(r, less)} away from ${count(r, more)} more than ${count(r, groups)} times ${count(r, each)}. ${order(r)}`,
    ({ groups, each, more, less }, r) => `In spring a beekeeper owned ${count(r, more)} frames. Then ${count(r, groups)} new hives with ${count(r, each)} frames each arrived, and over the summer ${count(r, less)} frames fell apart. Find the number of frames that remain. ${order(r)}`,
    ({ groups, each, more, less }, r) => `Score of a darts player: ${count(r, groups)} rounds at ${count(r, each)} points, a bonus worth ${count(r, more)}, a penalty of ${count(r, less)}. ${order(r)} The number asked for is the final score.`,
    ({ groups, each, more, less }, r) => `"I planted ${count(r, each)} bulbs in each of ${count(r, groups)} beds," says a gardener, "then I found ${count(r, more)} more in the shed and planted them too. Mice took ${count(r, less)}." Say how many bulbs the mice left in the ground. ${order(r)}`,
  ],
};

function order(random: Random): string {
  return random.pick(ORDERS);
}
