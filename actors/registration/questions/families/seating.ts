import type { Family } from "../family.ts";
import { list, only, scattered } from "../prose.ts";
import type { Random } from "../random.ts";
import { NAMES } from "../vocabulary.ts";

export type Relation = "clockwise" | "anticlockwise" | "opposite";

/** `next`: b is the next clockwise from a. `apart`: a and b are not neighbours. */
export interface SeatClue {
  readonly type: "next" | "opposite" | "apart";
  readonly a: string;
  readonly b: string;
}

export interface SeatingFacts {
  /** Clockwise. */
  readonly seats: ReadonlyArray<string>;
  readonly names: ReadonlyArray<string>;
  readonly clues: ReadonlyArray<SeatClue>;
  readonly about: string;
  readonly relation: Relation;
}

const SEATS = 6;
const STEP: Readonly<Record<Relation, number>> = { clockwise: 1, anticlockwise: SEATS - 1, opposite: SEATS / 2 };

/** How far b sits from a, going clockwise. */
function distance(seats: ReadonlyArray<string>, a: string, b: string): number {
  return (seats.indexOf(b) - seats.indexOf(a) + SEATS) % SEATS;
}

function holds(clue: SeatClue, seats: ReadonlyArray<string>): boolean {
  const far = distance(seats, clue.a, clue.b);
  if (clue.type === "next") return far === 1;
  return clue.type === "opposite" ? far === SEATS / 2 : far !== 1 && far !== SEATS - 1;
}

/** All ways round the table, the first person's seat being fixed: turning the table changes nothing. */
function tables(names: ReadonlyArray<string>): Array<Array<string>> {
  let partial = [names.slice(0, 1)];
  for (const name of names.slice(1)) {
    partial = partial.flatMap((seats) => seats.map((_, i) => [...seats.slice(0, i + 1), name, ...seats.slice(i + 1)]));
  }
  return partial.map((seats) => [...seats]);
}

function trueClues(seats: ReadonlyArray<string>): Array<SeatClue> {
  return seats.flatMap((a) =>
    seats.flatMap((b): Array<SeatClue> => {
      const far = distance(seats, a, b);
      if (far === 1) return [{ type: "next", a, b }];
      if (far === SEATS / 2) return [{ type: "opposite", a, b }];
      return far === 2 || far === SEATS - 2 ? [{ type: "apart", a, b }] : [];
    }),
  );
}

function build(random: Random): SeatingFacts {
  const seats = random.sample(NAMES, SEATS);
  let open = tables(seats);
  const clues: Array<SeatClue> = [];
  for (const clue of random.shuffle(trueClues(seats))) {
    const left = open.filter((table) => holds(clue, table));
    if (left.length === open.length) continue;
    clues.push(clue);
    open = left;
    if (open.length === 1) break;
  }
  const told = (a: string, relation: Relation): boolean =>
    clues.some((clue) => holdsDirectly(clue, a, relation));
  const questions = seats.flatMap((about) => (["clockwise", "anticlockwise", "opposite"] as const).map((relation) => ({ about, relation })));
  const untold = questions.filter(({ about, relation }) => !told(about, relation));
  return { seats, names: random.shuffle(seats), clues, ...random.pick(untold) };
}

/** Whether a clue alone already gives the neighbour asked for. */
function holdsDirectly(clue: SeatClue, about: string, relation: Relation): boolean {
  if (relation === "opposite") return clue.type === "opposite" && (clue.a === about || clue.b === about);
  return clue.type === "next" && (relation === "clockwise" ? clue.a : clue.b) === about;
}

function answer({ seats, about, relation }: SeatingFacts): string {
  return seats[(seats.indexOf(about) + STEP[relation]) % SEATS] ?? "";
}

interface Scene {
  readonly open: (names: string) => string;
  readonly next: (a: string, b: string) => string;
  readonly opposite: (a: string, b: string) => string;
  readonly apart: (a: string, b: string) => string;
  readonly ask: Readonly<Record<Relation, (about: string) => string>>;
  readonly askFirst: boolean;
}

const SCENES: ReadonlyArray<Scene> = [
  {
    open: (names) => `${names} sit evenly spaced around a round table.`,
    next: (a, b) => `Going clockwise, the seat after ${a}'s is ${b}'s.`,
    opposite: (a, b) => `${a} sits straight across from ${b}.`,
    apart: (a, b) => `${a} and ${b} are not neighbours.`,
    ask: {
      clockwise: (about) => `Whose seat comes right after ${about}'s, going clockwise?`,
      anticlockwise: (about) => `Whose seat comes right after ${about}'s, going anticlockwise?`,
      opposite: (about) => `Who sits straight across from ${about}?`,
    },
    askFirst: false,
  },
  {
    open: (names) => `Six tents form a perfect circle round a campfire; they belong to ${names}.`,
    next: (a, b) => `Walk clockwise from the tent of ${a} and the first one you reach is that of ${b}.`,
    opposite: (a, b) => `The fire lies exactly between the tents of ${a} and ${b}.`,
    apart: (a, b) => `No one could call ${a} and ${b} next-door campers.`,
    ask: {
      clockwise: (about) => `If you walk clockwise from the tent of ${about}, whose is the first you reach?`,
      anticlockwise: (about) => `If you walk anticlockwise from the tent of ${about}, whose is the first you reach?`,
      opposite: (about) => `Looking over the fire from the tent of ${about}, whose tent is exactly on the other side?`,
    },
    askFirst: true,
  },
  {
    open: (names) => `A carousel that turns clockwise has six horses in one ring at equal distances. The riders are ${names}.`,
    next: (a, b) => `${a} rides directly behind ${b}.`,
    opposite: (a, b) => `${b} and ${a} are half a ring apart.`,
    apart: (a, b) => `${a} is neither directly ahead of ${b} nor directly behind.`,
    ask: {
      clockwise: (about) => `Who rides directly ahead of ${about}?`,
      anticlockwise: (about) => `Who rides directly behind ${about}?`,
      opposite: (about) => `Which rider is half a ring away from ${about}?`,
    },
    askFirst: false,
  },
  {
    open: (names) => `Seen from above, a round pond has six huts on its shore at the positions of 12, 2, 4, 6, 8 and 10 on a clock face. Owners: ${names}.`,
    next: (a, b) => `${b}'s hut is two hours later on that clock face than ${a}'s.`,
    opposite: (a, b) => `A boat going from ${a}'s hut through the middle of the pond lands at ${b}'s.`,
    apart: (a, b) => `Between ${a}'s hut and ${b}'s there is at least one other, whichever way along the shore you go.`,
    ask: {
      clockwise: (about) => `Name the owner of the hut two hours later on the clock face than ${about}'s.`,
      anticlockwise: (about) => `Name the owner of the hut two hours earlier on the clock face than ${about}'s.`,
      opposite: (about) => `A boat leaves ${about}'s hut and crosses the middle of the pond: at whose hut does it land?`,
    },
    askFirst: false,
  },
  {
    open: (names) => `In a card game with six players in a ring, the deal passes clockwise from each player to the next. The players: ${names}.`,
    next: (a, b) => `${a} passes the deal to ${b}.`,
    opposite: (a, b) => `Three passes bring the deal from ${a} to ${b}.`,
    apart: (a, b) => `The deal never goes straight from ${a} to ${b}, nor straight from ${b} to ${a}.`,
    ask: {
      clockwise: (about) => `To whom does ${about} pass the deal?`,
      anticlockwise: (about) => `From whom does ${about} receive the deal?`,
      opposite: (about) => `Who has the deal three passes after ${about}?`,
    },
    askFirst: true,
  },
  {
    open: (names) => `Around a circular bed six gardeners each planted a rose bush, all at equal distances. They are ${names}.`,
    next: (a, b) => `The bush of ${b} is the clockwise neighbour of the bush of ${a}.`,
    opposite: (a, b) => `Draw a line from ${b}'s bush through the centre and it ends at ${a}'s.`,
    apart: (a, b) => `The bushes of ${a} and ${b} do not stand next to each other.`,
    ask: {
      clockwise: (about) => `Who planted the clockwise neighbour of ${about}'s bush?`,
      anticlockwise: (about) => `Who planted the anticlockwise neighbour of ${about}'s bush?`,
      opposite: (about) => `A line from ${about}'s bush through the centre ends at a bush planted by whom?`,
    },
    askFirst: false,
  },
  {
    open: (names) => `A ring railway has exactly six stops, evenly placed, each named after its founder: ${names}. Trains run clockwise only.`,
    next: (a, b) => `After leaving ${a} a train calls at ${b}.`,
    opposite: (a, b) => `The ride from ${a} to ${b} covers half of the ring.`,
    apart: (a, b) => `Neither ${a} to ${b} nor ${b} to ${a} can be ridden without calling somewhere on the way.`,
    ask: {
      clockwise: (about) => `At which stop does a train call right after ${about}?`,
      anticlockwise: (about) => `From which stop does a train come when it pulls into ${about}?`,
      opposite: (about) => `Which stop is half of the ring away from ${about}?`,
    },
    askFirst: true,
  },
  {
    open: (names) => `${names} hold hands in a circle dance, facing inwards, so that everybody's left-hand neighbour is the next dancer clockwise.`,
    next: (a, b) => `${a}'s left hand holds ${b}'s right hand.`,
    opposite: (a, b) => `${a} looks straight at ${b} over the middle.`,
    apart: (a, b) => `${a} does not hold hands with ${b}.`,
    ask: {
      clockwise: (about) => `Whose hand is in ${about}'s left hand?`,
      anticlockwise: (about) => `Whose hand is in ${about}'s right hand?`,
      opposite: (about) => `At whom does ${about} look straight over the middle?`,
    },
    askFirst: false,
  },
];

const render =
  (scene: Scene) =>
  (facts: SeatingFacts, random: Random): string => {
    const clues = facts.clues.map((clue) => scene[clue.type](clue.a, clue.b));
    const told = `${scene.open(list(facts.names))} ${scattered(random, clues)}`;
    const asked = `${scene.ask[facts.relation](facts.about)} ${only.name(random)}`;
    return scene.askFirst ? `${asked} ${told}` : `${told} ${asked}`;
  };

export const seating: Family<SeatingFacts> = {
  name: "seating",
  reasoning: true,
  kind: "word",
  format: null,
  build,
  answer,
  candidates: ({ names, about }) => names.filter((name) => name !== about),
  phrasings: SCENES.map(render),
};
