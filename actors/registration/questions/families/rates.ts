import type { Family } from "../family.ts";
import { count, counted, only } from "../prose.ts";

/** Two workers; each finishes `amount` things every `minutes`. The second pauses for `stop` minutes of the `total`. */
export interface RatesFacts {
  readonly first: { readonly amount: number; readonly minutes: number };
  readonly second: { readonly amount: number; readonly minutes: number };
  readonly stop: number;
  readonly total: number;
}

export const rates: Family<RatesFacts> = {
  name: "rates",
  reasoning: true,
  kind: "number",
  format: null,
  build: (random) => {
    const [one, two] = random.sample([2, 3, 4, 5, 6], 2) as [number, number];
    return {
      first: { amount: random.int(3, 14), minutes: one },
      second: { amount: random.int(3, 14), minutes: two },
      stop: two * random.int(1, 3),
      total: one * two * random.int(2, 4),
    };
  },
  answer: ({ first, second, stop, total }) =>
    String(first.amount * (total / first.minutes) + second.amount * ((total - stop) / second.minutes)),
  candidates: null,
  phrasings: [
    ({ first, second, stop, total }, r) =>
      `One press prints ${count(r, first.amount)} posters every ${count(r, first.minutes)} minutes, another ${count(r, second.amount)} every ${count(r, second.minutes)} minutes. They start together; the second is halted for the last ${count(r, stop)} of the ${count(r, total)} minutes. How many posters come out in all? ${only.number(r)}`,
    ({ first, second, stop, total }, r) =>
      `What quantity of water, in litres, is in the tank ${count(r, total)} minutes after it was empty? The wide pipe brings ${counted(r, first.amount, "litre")} per ${count(r, first.minutes)} minutes all that time. The narrow pipe brings ${counted(r, second.amount, "litre")} per ${count(r, second.minutes)} minutes but is opened ${count(r, stop)} minutes late. ${only.number(r)}`,
    ({ first, second, stop, total }, r) =>
      `In ${count(r, total)} minutes two cooks make dumplings at steady speeds. The younger cook is away for ${count(r, stop)} of these minutes and otherwise makes ${count(r, second.amount)} in ${count(r, second.minutes)} minutes. The older never stops: ${count(r, first.amount)} in ${count(r, first.minutes)} minutes. Find the number of dumplings they make together. ${only.number(r)}`,
    ({ first, second, stop, total }, r) =>
      `A counting task: robot P packs ${counted(r, first.amount, "box", "boxes")} in each span of ${count(r, first.minutes)} minutes; robot Q, in each span of ${count(r, second.minutes)} minutes of work, packs ${count(r, second.amount)}. Both are switched on for ${count(r, total)} minutes, yet Q stands idle for its first ${count(r, stop)}. How large is the pile of packed boxes at the end? ${only.number(r)}`,
    ({ first, second, stop, total }, r) =>
      `Every ${count(r, first.minutes)} minutes the left hose fills ${counted(r, first.amount, "bucket")}; every ${count(r, second.minutes)} minutes the right hose fills ${count(r, second.amount)}. After both had been turned on at once, the right one was shut off ${count(r, stop)} minutes before the end, and the left one ran the full ${count(r, total)} minutes. How many buckets were filled? ${only.number(r)}`,
    ({ first, second, stop, total }, r) =>
      `Two typists share a manuscript for ${count(r, total)} minutes. The second of them spends ${count(r, stop)} minutes of that time on the telephone, typing nothing. Typing speeds: the first, ${counted(r, first.amount, "line")} in ${count(r, first.minutes)} minutes; the second, ${counted(r, second.amount, "line")} in ${count(r, second.minutes)} minutes. What total of lines is typed? ${only.number(r)}`,
    ({ first, second, stop, total }, r) =>
      `Bees from two hives visit a meadow. Hive one sends out ${counted(r, first.amount, "bee")} in every ${count(r, first.minutes)}-minute period, and hive two, in every ${count(r, second.minutes)}-minute period, ${count(r, second.amount)}. Rain keeps hive two shut for the opening ${count(r, stop)} minutes of an observation that lasts ${count(r, total)} minutes in all; hive one minds no rain. How many bees leave during the observation? ${only.number(r)}`,
    ({ first, second, stop, total }, r) =>
      `Tell how many tickets are sold in ${count(r, total)} minutes by two counters, given the following. At counter B, ${count(r, second.amount)} go every ${count(r, second.minutes)} minutes while it is manned, and it is left unmanned for the final ${count(r, stop)} minutes. At counter A, which is manned throughout, ${count(r, first.amount)} go every ${count(r, first.minutes)} minutes. ${only.number(r)}`,
  ],
};
