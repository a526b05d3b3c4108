import type { Family } from "../family.ts";
import { counted, only } from "../prose.ts";
import type { Random } from "../random.ts";

export type Turn = "left" | "right" | "back";

export interface WalkFacts {
  /** Index into the compass, clockwise from north. */
  readonly facing: number;
  /** The first leg needs no turn. */
  readonly first: number;
  readonly legs: ReadonlyArray<{ readonly turn: Turn; readonly length: number }>;
}

const COMPASS = ["north", "east", "south", "west"];
const EAST = [0, 1, 0, -1];
const NORTH = [1, 0, -1, 0];
const QUARTERS: Readonly<Record<Turn, number>> = { right: 1, back: 2, left: 3 };
const LEGS = 4;
const NEAREST = 3;

function fromStart({ facing, first, legs }: WalkFacts): number {
  let heading = facing;
  let east = (EAST[heading] ?? 0) * first;
  let north = (NORTH[heading] ?? 0) * first;
  for (const { turn, length } of legs) {
    heading = (heading + QUARTERS[turn]) % COMPASS.length;
    east += (EAST[heading] ?? 0) * length;
    north += (NORTH[heading] ?? 0) * length;
  }
  return Math.abs(east) + Math.abs(north);
}

function build(random: Random): WalkFacts {
  for (;;) {
    const legs = Array.from({ length: LEGS }, () => ({ turn: random.pick(["left", "right", "left", "right", "back"] as const), length: random.int(2, 12) }));
    const facts = { facing: random.int(0, 3), first: random.int(3, 14), legs };
    if (fromStart(facts) >= NEAREST) return facts;
  }
}

interface Scene {
  readonly open: (heading: string, first: (one: string, many?: string) => string) => string;
  readonly leg: (turn: Turn, length: (one: string, many?: string) => string) => string;
  readonly ask: string;
  readonly askFirst: boolean;
}

const SCENES: ReadonlyArray<Scene> = [
  {
    open: (heading, first) => `In a town whose streets form a square grid, a courier rides ${first("block")} ${heading}.`,
    leg: (turn, length) => `${{ left: "She turns left", right: "She turns right", back: "She makes a U-turn" }[turn]} and rides ${length("block")}.`,
    ask: "What is the smallest number of blocks she must ride along the streets to be back at the start?",
    askFirst: false,
  },
  {
    open: (heading, first) => `A robot on a tiled floor faces ${heading} and rolls ${first("tile")} forward.`,
    leg: (turn, length) => `Next command: ${{ left: "quarter turn anticlockwise", right: "quarter turn clockwise", back: "half turn" }[turn]}, then ${length("tile")} forward.`,
    ask: "Moving only straight along rows and columns of tiles, how many tiles of travel lead the robot home by the shortest way? Its log is as follows.",
    askFirst: true,
  },
  {
    open: (heading, first) => `The treasure map says: stand at the oak looking ${heading} and take ${first("pace")} straight on.`,
    leg: (turn, length) => `${{ left: "Now to your left", right: "Now to your right", back: "Turn about to face the other way" }[turn]}, ${length("pace")}.`,
    ask: "Add up how many paces the treasure lies north or south of the oak and how many it lies east or west of it. What is the sum?",
    askFirst: false,
  },
  {
    open: (heading, first) => `Out of harbour a boat sails ${first("mile")} due ${heading}.`,
    leg: (turn, length) => `The helmsman ${{ left: "goes 90 degrees to port (left)", right: "goes 90 degrees to starboard (right)", back: "puts about and heads the opposite way" }[turn]} for ${length("mile")}.`,
    ask: "If it must return by sailing first due north or south and then due east or west, never further than necessary, how many miles is the return?",
    askFirst: false,
  },
  {
    open: (heading, first) => `Someone is lost in a hedge maze laid out in squares; heading ${heading} at the gate, this person went ${first("square")} on.`,
    leg: (turn, length) => `After that came ${length("square")} ${{ left: "to the left of the last direction", right: "to the right of the last direction", back: "in reverse of the last direction, having turned round" }[turn]}.`,
    ask: "Suppose all hedges are cut down, but one may still only go from a square to one sharing a side with it. How many squares of walking separate this person from the gate?",
    askFirst: false,
  },
  {
    open: (heading, first) => `The ant starts on a sheet of squared paper, crawling towards the ${heading} edge for ${first("cell")}.`,
    leg: (turn, length) => `It ${{ left: "swings left", right: "swings right", back: "wheels right round" }[turn]}; ${length("cell")} more.`,
    ask: "An ant never cuts corners: it goes along grid directions. How many cells long is the ant's shortest way from its last cell to its first?",
    askFirst: true,
  },
  {
    open: (heading, first) => `"Drive ${heading} for ${first("kilometre")}," the navigator began.`,
    leg: (turn, length) => `"${{ left: "Left", right: "Right", back: "Turn round completely" }[turn]}, and keep going for ${length("kilometre")}."`,
    ask: "All roads there run straight north to south or east to west, one each kilometre. The instructions were obeyed. Find the length in kilometres of a shortest drive back to where it began.",
    askFirst: false,
  },
  {
    open: (heading, first) => `On a huge board a token is pushed ${first("field")} to the ${heading}.`,
    leg: (turn, length) => `It then changes course by ${{ left: "a right angle to its left", right: "a right angle to its right", back: "180 degrees" }[turn]} and is pushed ${length("field")}.`,
    ask: "One move takes the token one field north, east, south or west. Give the least number of moves that brings the token in this story back to its first field.",
    askFirst: true,
  },
];

export const walk: Family<WalkFacts> = {
  name: "walk",
  reasoning: true,
  kind: "number",
  format: null,
  build,
  answer: (facts) => String(fromStart(facts)),
  candidates: null,
  phrasings: SCENES.map(({ open, leg, ask, askFirst }) => ({ facing, first, legs }: WalkFacts, random: Random) => {
    const measured = (length: number) => (one: string, many?: string) => counted(random, length, one, many);
    const told = [open(COMPASS[facing] ?? "", measured(first)), ...legs.map(({ turn, length }) => leg(turn, measured(length)))].join(" ");
    const asked = `${ask} ${only.number(random)}`;
    return askFirst ? `${asked} ${told}` : `${told} ${asked}`;
  }),
};
