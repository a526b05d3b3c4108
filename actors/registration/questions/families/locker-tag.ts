import type { Family } from "../family.ts";
import { ordinal, scattered } from "../prose.ts";
import type { Random } from "../random.ts";
import { NAMES } from "../vocabulary.ts";

export interface LockerTagFacts {
  readonly lockers: ReadonlyArray<{ readonly name: string; readonly number: number }>;
  /** Wanted is the tag of the one with this place among the numbers, from the smallest up. */
  readonly place: number;
}

const PEOPLE = 5;
const DIGITS = 4;
/** Capitals of accented letters could be written in more than one way. */
const PLAIN_NAMES = NAMES.filter((name) => /^[A-Za-z]+$/.test(name));

function build(random: Random): LockerTagFacts {
  const names = random.sample(PLAIN_NAMES, PEOPLE);
  const numbers = random.sample(Array.from({ length: 890 }, (_, i) => i + 10), PEOPLE);
  return { lockers: names.map((name, i) => ({ name, number: numbers[i] ?? 0 })), place: random.int(1, PEOPLE) };
}

function answer({ lockers, place }: LockerTagFacts): string {
  const one = lockers.toSorted((a, b) => a.number - b.number)[place - 1];
  return `${one?.name.toUpperCase()}-${String(one?.number).padStart(DIGITS, "0")}`;
}

const FORM = [
  `Write it exactly so: the name in capital letters, a hyphen, and the number with zeros in front to make ${DIGITS} digits; no spaces, no quotes.`,
  `The form is strict: capitals for the name, then one hyphen, then the number filled up with leading zeros to ${DIGITS} digits, and nothing else.`,
  `Required form, to the letter: upper-case name, hyphen, ${DIGITS}-digit number (leading zeros where needed), without blanks or a full stop.`,
];

const tell =
  (row: (name: string, number: number) => string, telling: (rows: string, place: string, form: string) => string) =>
  ({ lockers, place }: LockerTagFacts, random: Random): string => {
    const rows = scattered(random, lockers.map(({ name, number }) => row(name, number)));
    return telling(rows, place === 1 ? "smallest" : `${ordinal(place)} smallest`, random.pick(FORM));
  };

export const lockerTag: Family<LockerTagFacts> = {
  name: "locker-tag",
  reasoning: false,
  kind: "word",
  format: "exact",
  build,
  answer,
  candidates: null,
  phrasings: [
    tell((name, number) => `${name} has locker ${number}.`, (rows, place, form) => `${rows} Make the tag for the ${place} locker number, out of the owner's name and that number. ${form}`),
    tell((name, number) => `Locker ${number} was given to ${name}.`, (rows, place, form) => `Which tag belongs on the locker with the ${place} number of all? A tag shows name and number. ${form} ${rows}`),
    tell((name, number) => `In room ${number} sleeps ${name}.`, (rows, place, form) => `A hotel marks its keys with the guest's name and room number. ${rows} Mark the key of the ${place} room number among these. ${form}`),
    tell((name, number) => `The order of ${name} bears the number ${number}.`, (rows, place, form) => `${form} That is how a parcel slip combines a customer's name with the order's number. ${rows} Fill in the slip for the order whose number is the ${place}.`),
    tell((name, number) => `${name} wears number ${number} on the jersey.`, (rows, place, form) => `Sewing name strips for a team: ${rows} Give the strip for whoever has the ${place} number; it unites name and number. ${form}`),
    tell((name, number) => `"${number}," said ${name} when asked for the account.`, (rows, place, form) => `Five customers told the clerk their account numbers. ${rows} An account label is wanted, customer's name together with number, for the account that has the ${place} number here. ${form}`),
    tell((name, number) => `Ticket ${number}: ${name}.`, (rows, place, form) => `${rows} Take the holder of the ${place} ticket number and print that person's badge, consisting of the name and the ticket number. ${form}`),
    tell((name, number) => `Of ${name}'s book there are ${number} copies.`, (rows, place, form) => `Catalogue codes consist of an author and a number of copies. ${form} ${rows} The code needed is that of the author with the ${place} number of copies.`),
  ],
};
