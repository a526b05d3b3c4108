import type { Family } from "../family.ts";
import { count, only } from "../prose.ts";
import type { Random } from "../random.ts";
import { PLACES } from "../vocabulary.ts";

export interface Stop {
  readonly place: string;
  readonly off: number;
  readonly on: number;
}

export interface BusFacts {
  readonly start: number;
  readonly stops: ReadonlyArray<Stop>;
  /** Index of the stop after which the count is wanted. */
  readonly asked: number;
}

const STOPS = 5;

function build(random: Random): BusFacts {
  const start = random.int(9, 31);
  let aboard = start;
  const stops = random.sample(PLACES, STOPS).map((place): Stop => {
    const off = random.int(2, Math.min(9, aboard - 1));
    const on = random.int(2, 11);
    aboard += on - off;
    return { place, off, on };
  });
  return { start, stops, asked: random.int(2, STOPS - 1) };
}

interface Scene {
  readonly open: (start: string) => string;
  readonly stop: (place: string, off: string, on: string) => string;
  readonly ask: (place: string) => string;
  readonly askFirst: boolean;
}

const SCENES: ReadonlyArray<Scene> = [
  {
    open: (start) => `A bus starts with ${start} passengers.`,
    stop: (place, off, on) => `At the ${place} ${off} get off and ${on} get on.`,
    ask: (place) => `How many passengers are on the bus as it leaves the ${place}?`,
    askFirst: false,
  },
  {
    open: (start) => `At first ${start} people follow a guide.`,
    stop: (place, off, on) => `By the ${place} the group gains ${on} and loses ${off}.`,
    ask: (place) => `How large is the guided group right after it has passed the ${place}? Stops come in the order told.`,
    askFirst: true,
  },
  {
    open: (start) => `The lorry sets out carrying ${start} parcels for a street of customers.`,
    stop: (place, off, on) => `Next comes the ${place}: the driver hands over ${off} and is given ${on} to take along.`,
    ask: (place) => `What is the number of parcels in the lorry when the ${place} is behind it?`,
    askFirst: false,
  },
  {
    open: (start) => `A shepherd owned ${start} goats in the morning and then went from one place to another.`,
    stop: (place, off, on) => `Near the ${place} he bought ${on} goats, having just sold ${off}.`,
    ask: (place) => `Tell how many goats he had once the business near the ${place} was done.`,
    askFirst: false,
  },
  {
    open: (start) => `There were ${start} coins in a busker's hat; what follows happened in this order.`,
    stop: (place, off, on) => `In front of the ${place} listeners threw in ${on}, but ${off} were stolen.`,
    ask: (place) => `Count the coins in the hat as the busker walks away from the ${place}.`,
    askFirst: false,
  },
  {
    open: (start) => `A parade has ${start} marchers at the outset.`,
    stop: (place, off, on) => `After it came to the ${place}, ${off} marchers were tired and dropped out, whereas ${on} newcomers joined.`,
    ask: (place) => `We want the number of marchers between the ${place} and whatever came after it.`,
    askFirst: true,
  },
  {
    open: (start) => `Water carriers filled a barrel with ${start} litres and rolled it through the village.`,
    stop: (place, off, on) => `Then, at the ${place}, ${on} litres were poured in and ${off} drawn out.`,
    ask: (place) => `How many litres did the barrel hold directly after the ${place}?`,
    askFirst: false,
  },
  {
    open: (start) => `A librarian's trolley bears ${start} books at the beginning of the round.`,
    stop: (place, off, on) => `The box near the ${place} comes next; ${on} books are lifted from it onto the trolley, and ${off} are put from the trolley into it.`,
    ask: (place) => `With how many books does the trolley roll on from the ${place}?`,
    askFirst: true,
  },
];

export const bus: Family<BusFacts> = {
  name: "bus",
  reasoning: true,
  kind: "number",
  format: null,
  build,
  answer: ({ start, stops, asked }) => String(stops.slice(0, asked + 1).reduce((aboard, { off, on }) => aboard - off + on, start)),
  candidates: null,
  phrasings: SCENES.map(({ open, stop, ask, askFirst }) => ({ start, stops, asked }: BusFacts, random: Random) => {
    const told = [open(count(random, start)), ...stops.map(({ place, off, on }) => stop(place, count(random, off), count(random, on)))].join(" ");
    const question = `${ask(stops[asked]?.place ?? "")} ${only.number(random)}`;
    return askFirst ? `${question} ${told}` : `${told} ${question}`;
  }),
};
