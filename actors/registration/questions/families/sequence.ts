import type { Family } from "../family.ts";
import { count, only, ordinal } from "../prose.ts";

/** From `start`, by turns: add `plus`, multiply by `times`, take `minus` away; over again until the `nth` number. */
export interface SequenceFacts {
  readonly start: number;
  readonly plus: number;
  readonly times: number;
  readonly minus: number;
  /** Counted from 1, the start being number 1. */
  readonly nth: number;
}

function answer({ start, plus, times, minus, nth }: SequenceFacts): string {
  let value = start;
  for (let step = 0; step < nth - 1; step++) {
    if (step % 3 === 0) value += plus;
    else if (step % 3 === 1) value *= times;
    else value -= minus;
  }
  return String(value);
}

export const sequence: Family<SequenceFacts> = {
  name: "sequence",
  reasoning: true,
  kind: "number",
  format: null,
  build: (random) => ({
    start: random.int(2, 12),
    plus: random.int(2, 9),
    times: random.int(2, 3),
    minus: random.int(1, 7),
    nth: random.int(5, 8),
  }),
  answer,
  candidates: null,
  phrasings: [
    ({ start, plus, times, minus, nth }, r) =>
      `A row of numbers begins with ${start}. To get the next numbers you add ${count(r, plus)}, then multiply by ${count(r, times)}, then subtract ${count(r, minus)}, one step for each new number, and after the third step the three steps start over. What is the ${ordinal(nth)} number of the row, ${start} being the first? ${only.number(r)}`,
    ({ start, plus, times, minus, nth }, r) =>
      `Which value does a machine show after ${count(r, nth - 1)} key presses, if it shows ${start} before the first? Its one key does three different things in rotation: on the first press the value grows by ${count(r, plus)}, on the second it is multiplied by ${count(r, times)}, on the third it drops by ${count(r, minus)}; the fourth press works like the first, and so forth. ${only.number(r)}`,
    ({ start, plus, times, minus, nth }, r) =>
      `In a saga, champions take over a herd in turn. The first champion owns ${start} sheep and leaves them to the second, who finds ${count(r, plus)} more; the third makes the herd ${count(r, times)} times as large; the fourth loses ${count(r, minus)}. Then this cycle (finding, multiplying, losing) is repeated with the same figures by those who follow. How large is the herd in the hands of champion number ${nth}? ${only.number(r)}`,
    ({ start, plus, times, minus, nth }, r) =>
      `Three rules, A, B and C, are used again and again in that order. Rule C: take away ${count(r, minus)}. Rule B: multiply by ${count(r, times)}. Rule A: add ${count(r, plus)}. Write ${start} at the left end of a line and to the right of each number what the next rule makes of it. Which number stands at position ${nth} from the left? ${only.number(r)}`,
    ({ start, plus, times, minus, nth }, r) =>
      `Day 1: ${start} visitors. From then on the daily figure follows a pattern of three changes which keeps repeating: up by ${count(r, plus)}; next day, ${count(r, times)} times the day before; the day after, down by ${count(r, minus)}. Give the figure for day ${nth}. ${only.number(r)}`,
    ({ start, plus, times, minus, nth }, r) =>
      `"Think of ${start}," says a conjurer. "Add ${count(r, plus)}. Multiply the result by ${count(r, times)}. Subtract ${count(r, minus)}. And round again, the same three orders in the same sequence, until I call stop." He calls stop when exactly ${count(r, nth - 1)} orders have been carried out. What is the listener thinking of now? ${only.number(r)}`,
    ({ start, plus, times, minus, nth }, r) =>
      `The steps of a code are numbered. Step 1 gives ${start}. Steps 2, 5 and 8 give ${count(r, plus)} more than the step before them. Steps 3 and 6 give ${count(r, times)} times what the step before them gave. Steps 4 and 7 give ${count(r, minus)} less than the step before. Find what step ${nth} gives. ${only.number(r)}`,
    ({ start, plus, times, minus, nth }, r) =>
      `Work out the ${ordinal(nth)} bead's weight in grams on this string: the opening bead weighs ${start}; each further bead is made from the one before by one of three recipes, used cyclically (first ${count(r, plus)} grams heavier, then ${count(r, times)} times as heavy, then ${count(r, minus)} grams lighter, then from the top). ${only.number(r)}`,
  ],
};
