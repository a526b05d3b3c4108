import type { Family } from "../family.ts";
import { count, ordinal, only, scattered } from "../prose.ts";
import type { Random } from "../random.ts";
import { MONTHS, NAMES } from "../vocabulary.ts";
import { dayOfYear } from "./day-count.ts";
import type { Day } from "./day-count.ts";

/** Either a date, or so many days after another person's (before it, when negative). */
export type Birthday =
  | { readonly name: string; readonly on: Day }
  | { readonly name: string; readonly days: number; readonly from: string };

export interface BirthdaysFacts {
  readonly birthdays: ReadonlyArray<Birthday>;
  /** Wanted is the one who comes at this place in the year, counted from 1. */
  readonly place: number;
}

const PEOPLE = 5;
const DATED = 2;

function days(birthdays: ReadonlyArray<Birthday>): Map<string, number> {
  const known = new Map<string, number>();
  // A relative birthday refers to one that was listed before it.
  for (const one of birthdays) known.set(one.name, "on" in one ? dayOfYear(one.on) : (known.get(one.from) ?? 0) + one.days);
  return known;
}

/** No chain of differences leads out of the calendar year, and a leap day would shift no order. */
function build(random: Random): BirthdaysFacts {
  const names = random.sample(NAMES, PEOPLE);
  const month = random.int(5, 7);
  const birthdays = names.map((name, i): Birthday => {
    if (i < DATED) return { name, on: { month: month + i, day: random.int(3, 28) } };
    return { name, days: random.int(2, 29) * random.pick([-1, 1]), from: names[random.int(0, i - 1)] ?? "" };
  });
  return new Set(days(birthdays).values()).size === PEOPLE ? { birthdays, place: random.int(1, PEOPLE) } : build(random);
}

function answer({ birthdays, place }: BirthdaysFacts): string {
  return [...days(birthdays)].toSorted(([, a], [, b]) => a - b)[place - 1]?.[0] ?? "";
}

interface Scene {
  readonly open: string;
  readonly dated: (name: string, day: number, month: string) => string;
  readonly after: (name: string, from: string, days: string) => string;
  readonly before: (name: string, from: string, days: string) => string;
  readonly ask: (place: number) => string;
  readonly askFirst: boolean;
}

const SCENES: ReadonlyArray<Scene> = [
  {
    open: "Five colleagues compare their birthdays.",
    dated: (name, day, month) => `${name} was born on ${day} ${month}.`,
    after: (name, from, days) => `${name}'s birthday is ${days} after ${from}'s.`,
    before: (name, from, days) => `${name}'s birthday is ${days} before ${from}'s.`,
    ask: (place) => `Going through the calendar from January to December, whose birthday comes ${ordinal(place)}?`,
    askFirst: false,
  },
  {
    open: "These were the dates.",
    dated: (name, day, month) => `${month} ${day}: launch of the "${name}".`,
    after: (name, from, days) => `The "${from}" had been afloat for ${days} when the "${name}" was launched.`,
    before: (name, from, days) => `It took another ${days} after the launch of the "${name}" until the "${from}" was launched.`,
    ask: (place) => `A shipyard launched five boats within one year. Which of them was launched ${ordinal(place)}?`,
    askFirst: true,
  },
  {
    open: "In a certain year five storms crossed the bay; each got a name.",
    dated: (name, day, month) => `On the ${day}${suffix(day)} of ${month}, ${name} came in.`,
    after: (name, from, days) => `Between ${from} and the later ${name} lay ${days}, from date to date.`,
    before: (name, from, days) => `Between ${name} and the later ${from} lay ${days}, from date to date.`,
    ask: (place) => `Number the storms as they came. Which name has number ${place}?`,
    askFirst: false,
  },
  {
    open: "Each painter on the list had an opening night in the same season.",
    dated: (name, day, month) => `Opening night for ${name}: ${day} ${month}.`,
    after: (name, from, days) => `${from} opened ${days} earlier than ${name}.`,
    before: (name, from, days) => `${from} opened ${days} later than ${name}.`,
    ask: (place) => `By opening night, who is number ${place} of the season?`,
    askFirst: false,
  },
  {
    open: "The registrar gave hints instead of a list.",
    dated: (name, day, month) => `"For ${name} you turn to ${month} ${day}."`,
    after: (name, from, days) => `"Count ${days} forward from ${from}, and there is ${name}."`,
    before: (name, from, days) => `"Count ${days} back from ${from}, and there is ${name}."`,
    ask: (place) => `Five people signed a register during one year, each on a different day. Sort them by date: who is at position ${place}?`,
    askFirst: true,
  },
  {
    open: "Saplings were put into the ground in one and the same year, each named after its sponsor.",
    dated: (name, day, month) => `The sapling ${name} was planted on ${month} ${day}.`,
    after: (name, from, days) => `When the sapling ${name} was planted, it was ${days} since the planting of ${from}.`,
    before: (name, from, days) => `When the sapling ${name} was planted, it was still ${days} until the planting of ${from}.`,
    ask: (place) => `Which sapling was the ${ordinal(place)} to be planted?`,
    askFirst: false,
  },
  {
    open: "A postman remembers when he first brought mail to five newcomers.",
    dated: (name, day, month) => `To ${name} it was in ${month}, on day ${day} of that month.`,
    after: (name, from, days) => `To ${name} I went ${days} later than to ${from}.`,
    before: (name, from, days) => `To ${name} I went ${days} sooner than to ${from}.`,
    ask: (place) => `All this was in a single year. Who was the ${ordinal(place)} of the newcomers to get mail?`,
    askFirst: false,
  },
  {
    open: "Comets, named after those who found them, were discovered as follows.",
    dated: (name, day, month) => `${name}'s discovery is dated ${day} ${month}.`,
    after: (name, from, days) => `Add ${days} to the date of ${from}'s and you have that of ${name}'s.`,
    before: (name, from, days) => `Take ${days} off the date of ${from}'s and you have that of ${name}'s.`,
    ask: (place) => `Put five discoveries of one year in order of time. Whose is the ${ordinal(place)}?`,
    askFirst: true,
  },
];

function suffix(day: number): string {
  if (day >= 11 && day <= 13) return "th";
  return ["th", "st", "nd", "rd"][day % 10] ?? "th";
}

/** "14 days" or "two weeks", "1 week". */
function span(random: Random, length: number): string {
  if (length % 7 !== 0 || random.int(0, 1) === 0) return `${count(random, length)} days`;
  return length === 7 ? "one week" : `${count(random, length / 7)} weeks`;
}

function sentence(random: Random, scene: Scene, one: Birthday): string {
  if ("on" in one) return scene.dated(one.name, one.on.day, MONTHS[one.on.month - 1] ?? "");
  const tell = one.days > 0 ? scene.after : scene.before;
  return tell(one.name, one.from, span(random, Math.abs(one.days)));
}

export const birthdays: Family<BirthdaysFacts> = {
  name: "birthdays",
  reasoning: true,
  kind: "word",
  format: null,
  build,
  answer,
  candidates: (facts) => facts.birthdays.map(({ name }) => name),
  phrasings: SCENES.map((scene) => (facts: BirthdaysFacts, random: Random) => {
    const told = `${scene.open} ${scattered(random, facts.birthdays.map((one) => sentence(random, scene, one)))}`;
    const asked = `${scene.ask(facts.place)} ${only.name(random)}`;
    return scene.askFirst ? `${asked} ${told}` : `${told} ${asked}`;
  }),
};
