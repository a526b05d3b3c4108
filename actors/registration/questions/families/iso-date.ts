import type { Family } from "../family.ts";
import { count } from "../prose.ts";
import type { Random } from "../random.ts";
import { MONTHS } from "../vocabulary.ts";

export interface IsoDateFacts {
  readonly year: number;
  /** 1 to 12 */
  readonly month: number;
  readonly day: number;
  readonly later: number;
}

const DAY_MS = 86_400_000;

const FORM = [
  "Answer in the form YYYY-MM-DD, with nothing before or after it.",
  "The date must be written strictly as YYYY-MM-DD: four digits, hyphen, two digits, hyphen, two digits.",
  "Use precisely the format YYYY-MM-DD (leading zeros included) and add no other sign.",
];

type Telling = (date: { readonly dayFirst: string; readonly monthFirst: string }, later: string, form: string) => string;

const tell =
  (telling: Telling) =>
  ({ year, month, day, later }: IsoDateFacts, random: Random): string => {
    const name = MONTHS[month - 1] ?? "";
    return telling({ dayFirst: `${day} ${name} ${year}`, monthFirst: `${name} ${day}, ${year}` }, count(random, later), random.pick(FORM));
  };

export const isoDate: Family<IsoDateFacts> = {
  name: "iso-date",
  reasoning: false,
  kind: "word",
  format: "exact",
  build: (random) => ({ year: random.int(2031, 2079), month: random.int(1, 12), day: random.int(8, 28), later: random.int(9, 27) }),
  answer: ({ year, month, day, later }) => new Date(Date.UTC(year, month - 1, day) + later * DAY_MS).toISOString().slice(0, 10),
  candidates: null,
  phrasings: [
    tell(({ dayFirst }, later, form) => `A permit is issued on ${dayFirst} and runs out ${later} days after that day. On what date does it run out? ${form}`),
    tell(({ monthFirst }, later, form) => `${form} The date to be written is the one that lies ${later} days after ${monthFirst}.`),
    tell(({ dayFirst }, later, form) => `If it were ${dayFirst} today, which date would it be in ${later} days? ${form}`),
    tell(({ monthFirst }, later, form) => `The satellite was launched on ${monthFirst}. Its first picture arrived when exactly ${later} days had gone by. Date that picture. ${form}`),
    tell(({ dayFirst }, later, form) => `Between the order and the delivery of a piano there were ${later} days, so that an order of one day and a delivery of the next would make 1. The order: ${dayFirst}. State when the piano was delivered. ${form}`),
    tell(({ monthFirst }, later, form) => `What should a librarian stamp into a book borrowed on ${monthFirst}? The rule of the house is to add ${later} days to the day of borrowing and to stamp the resulting date. ${form}`),
    tell(({ dayFirst }, later, form) => `Somebody tears one sheet a day off a wall calendar. The sheet on top now reads ${dayFirst}; find the date on top after ${later} more sheets have been torn off. ${form}`),
    tell(({ monthFirst }, later, form) => `Quarantine of a ship: it drops anchor on ${monthFirst}, has to lie there for ${later} days, and may leave on the date reached by counting that many days on from the day of anchoring. ${form} Which date is that?`),
  ],
};
