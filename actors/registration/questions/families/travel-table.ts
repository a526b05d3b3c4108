import type { Family } from "../family.ts";
import { count, scattered, withArticles } from "../prose.ts";
import type { Random } from "../random.ts";
import { CITIES, NAMES, OBJECTS, WEEKDAYS } from "../vocabulary.ts";

export interface Trip {
  readonly name: string;
  /** 0 is Monday; the five trips fill Monday to Friday. */
  readonly day: number;
  readonly city: string;
  readonly object: string;
}

export interface TravelTableFacts {
  readonly trips: ReadonlyArray<Trip>;
  /** Wanted is the city of the trip `shift` days after the one with this object; before it, when negative. */
  readonly object: string;
  readonly shift: number;
}

const TRIPS = 5;

function build(random: Random): TravelTableFacts {
  const names = random.sample(NAMES, TRIPS);
  const cities = random.sample(CITIES, TRIPS);
  const objects = random.sample(OBJECTS, TRIPS);
  const trips = names.map((name, day): Trip => ({ name, day, city: cities[day] ?? "", object: objects[day] ?? "" }));
  const from = random.pick(trips);
  const shift = random.pick([-2, -1, 1, 2].filter((days) => from.day + days >= 0 && from.day + days < TRIPS));
  return { trips: random.shuffle(trips), object: from.object, shift };
}

function answer({ trips, object, shift }: TravelTableFacts): string {
  const from = trips.find((trip) => trip.object === object)?.day ?? 0;
  return trips.find(({ day }) => day === from + shift)?.city ?? "";
}

interface Scene {
  readonly open: string;
  readonly trip: (name: string, day: string, city: string, object: string) => string;
  readonly ask: (object: string, days: string, side: "before" | "after") => string;
  readonly askFirst: boolean;
}

const SCENES: ReadonlyArray<Scene> = [
  {
    open: "In one week five friends made a trip each.",
    trip: (name, day, city, object) => `${name} went to ${city} on ${day} and brought back a souvenir, a ${object}.`,
    ask: (object, days, side) => `Which city was visited ${days} ${side} the trip that brought the ${object}?`,
    askFirst: false,
  },
  {
    open: "The courier firm's week, from Monday to Friday, was this.",
    trip: (name, day, city, object) => `On ${day} a ${object} was carried by ${name}, destination ${city}.`,
    ask: (object, days, side) => `Find the destination of the job done ${days} ${side} the one with the ${object}.`,
    askFirst: true,
  },
  {
    open: "Five speakers toured with a talk about one thing each; no two spoke on the same day.",
    trip: (name, day, city, object) => `${city} heard ${name}, ${day} being the day and the ${object} the subject.`,
    ask: (object, days, side) => `Where was a talk given ${days} ${side} the talk about the ${object}?`,
    askFirst: false,
  },
  {
    open: "Auctions, all within one working week.",
    trip: (name, day, city, object) => `The ${object} that ${name} had put up was sold in ${city}; that was ${day}.`,
    ask: (object, days, side) => `In what city did the auction take place that came ${days} ${side} the sale of the ${object}?`,
    askFirst: false,
  },
  {
    open: "A thief has confessed.",
    trip: (name, day, city, object) => `"${day}: I was in ${city}. There I stole from ${name}. It was a ${object}."`,
    ask: (object, days, side) => `The detective asks where the theft happened that took place ${days} ${side} the theft of the ${object}.`,
    askFirst: true,
  },
  {
    open: "Postcards have come in from a travelling orchestra.",
    trip: (name, day, city, object) => `The picture on ${name}'s card is a ${object}, the stamp is from ${city}, and it was posted on ${day}.`,
    ask: (object, days, side) => `One card was posted ${days} ${side} the card with the ${object}. From which city is its stamp?`,
    askFirst: false,
  },
  {
    open: "",
    trip: (name, day, city, object) => `${name} in ${city} has ${day}, and the prop is a ${object}.`,
    ask: (object, days, side) => `The same film is shot in several cities during one week, each with its own director, day and prop. Which city's day is ${days} ${side} the day that has the ${object}?`,
    askFirst: true,
  },
  {
    open: "Somebody spilt tea over the museum's loan list, but it can still be read.",
    trip: (name, day, city, object) => `A ${object}: lent to ${city}, fetched by ${name}, out of the house since ${day}.`,
    ask: (object, days, side) => `Name the city to which something was lent ${days} ${side} the ${object} left the house, all loans being from a single week.`,
    askFirst: false,
  },
];

export const travelTable: Family<TravelTableFacts> = {
  name: "travel-table",
  reasoning: true,
  kind: "word",
  format: null,
  build,
  answer,
  candidates: ({ trips }) => trips.map(({ city }) => city),
  phrasings: SCENES.map(({ open, trip, ask, askFirst }) => ({ trips, object, shift }: TravelTableFacts, random: Random) => {
    const rows = trips.map(({ name, day, city, object }) => withArticles(trip(name, WEEKDAYS[day] ?? "", city, object)));
    const told = `${open} ${scattered(random, rows)}`.trim();
    const size = Math.abs(shift);
    const days = size === 1 ? random.pick(["one day", "exactly a day", "1 day"]) : `${count(random, size)} days`;
    const asked = `${ask(object, days, shift < 0 ? "before" : "after")} ${random.pick(["Give the city only.", "Only the name of the city is wanted.", "Reply with just the city."])}`;
    return askFirst ? `${asked} ${told}` : `${told} ${asked}`;
  }),
};
