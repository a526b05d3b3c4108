import type { Family } from "../family.ts";
import { only } from "../prose.ts";
import { MONTHS } from "../vocabulary.ts";

export interface Day {
  /** 1 to 12 */
  readonly month: number;
  readonly day: number;
}

export interface DayCountFacts {
  readonly from: Day;
  readonly to: Day;
  /** Nights that do not count. */
  readonly away: number;
}

const DAYS_IN = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** From March on, so that leap years make no difference. */
const FIRST_MONTH = 3;
const LAST_START_MONTH = 9;

export function dayOfYear({ month, day }: Day): number {
  return DAYS_IN.slice(0, month - 1).reduce((sum, days) => sum + days, day);
}

const date = ({ month, day }: Day): string => `${day} ${MONTHS[month - 1]}`;
const monthFirst = ({ month, day }: Day): string => `${MONTHS[month - 1]} ${day}`;

export const dayCount: Family<DayCountFacts> = {
  name: "day-count",
  reasoning: true,
  kind: "number",
  format: null,
  build: (random) => {
    const month = random.int(FIRST_MONTH, LAST_START_MONTH);
    const end = month + random.int(1, 3);
    return {
      from: { month, day: random.int(2, DAYS_IN[month - 1] ?? 28) },
      to: { month: end, day: random.int(5, DAYS_IN[end - 1] ?? 28) },
      away: random.int(2, 5),
    };
  },
  answer: ({ from, to, away }) => String(dayOfYear(to) - dayOfYear(from) - away),
  candidates: null,
  phrasings: [
    ({ from, to, away }, r) =>
      `A lodger arrives on ${date(from)} and leaves for good on ${date(to)} of the same year. In between there were ${away} nights spent elsewhere. How many nights did the lodger sleep in the house? ${only.number(r)}`,
    ({ from, to, away }, r) =>
      `How many nights must be paid for? The boat lay in the marina from ${monthFirst(from)} until it sailed on ${monthFirst(to)} that same year, and the marina gives ${away} nights free. ${only.number(r)}`,
    ({ from, to, away }, r) =>
      `The exhibition's security firm charges for each night from the evening of ${date(from)} to the morning of ${date(to)}, one calendar year. During a strike it did not work for ${away} nights, which are not charged. Find how many nights it charges. ${only.number(r)}`,
    ({ from, to, away }, r) =>
      `Same year, two dates: check-in ${monthFirst(from)}, check-out ${monthFirst(to)}. Count the nights between them, and take away the ${away} when the cabin was closed by snow. What remains? ${only.number(r)}`,
    ({ from, to, away }, r) =>
      `On ${date(to)} the greenhouse lamp is taken out; it was put in on ${date(from)} earlier that year and burned through every night but ${away}, when the current failed. Through how many nights did it burn? ${only.number(r)}`,
    ({ from, to, away }, r) =>
      `Somebody kept a dream diary. The first entry is about the night that began on ${date(from)}; the last is about the night that ended on the morning of ${date(to)}, later that year. If ${away} nights in that span have no entry and all others have one each, how large is the number of entries? ${only.number(r)}`,
    ({ from, to, away }, r) =>
      `An owl was ringed on ${monthFirst(from)} and the ring was read again on ${monthFirst(to)} of that year. The difference of the two dates in days, less ${away} days for which the logger had no power, is the figure to be filed. Which figure is it? ${only.number(r)}`,
    ({ from, to, away }, r) =>
      `If today were ${date(from)}, you would have to sleep some number of times before it is ${date(to)} (this year, one sleep a night). Imagine you stay awake the whole night ${away} times on the way. How many sleeps are left? ${only.number(r)}`,
  ],
};
