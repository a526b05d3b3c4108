import type { Family } from "../family.ts";
import { scattered } from "../prose.ts";
import type { Random } from "../random.ts";
import { PLACES } from "../vocabulary.ts";

export type Side = "north" | "south" | "east" | "west";

/** `a` is the next square from `b` on the given side. */
export interface NextTo {
  readonly a: string;
  readonly side: Side;
  readonly b: string;
}

export interface GridFacts {
  readonly clues: ReadonlyArray<NextTo>;
  readonly from: string;
  /** Squares to go east (negative: west) and north (negative: south). */
  readonly east: number;
  readonly north: number;
  readonly target: string;
}

interface Spot {
  readonly place: string;
  readonly x: number;
  readonly y: number;
}

const SPOTS = 6;
const SIZE = 3;
const STEPS: ReadonlyArray<readonly [Side, number, number]> = [["north", 0, 1], ["south", 0, -1], ["east", 1, 0], ["west", -1, 0]];

/** Grows a connected patch of squares, one clue for each new square. */
function grow(random: Random): { readonly spots: ReadonlyArray<Spot>; readonly clues: ReadonlyArray<NextTo> } {
  const places = random.sample(PLACES, SPOTS);
  const spots: Array<Spot> = [{ place: places[0] ?? "", x: random.int(0, SIZE - 1), y: random.int(0, SIZE - 1) }];
  const clues: Array<NextTo> = [];
  for (const place of places.slice(1)) {
    const open = spots.flatMap((spot) =>
      STEPS.map(([side, dx, dy]) => ({ next: { place, x: spot.x + dx, y: spot.y + dy }, clue: { a: place, side, b: spot.place } })).filter(
        ({ next: { x, y } }) => x >= 0 && y >= 0 && x < SIZE && y < SIZE && !spots.some((other) => other.x === x && other.y === y),
      ),
    );
    const { next, clue } = random.pick(open);
    spots.push(next);
    clues.push(clue);
  }
  return { spots, clues };
}

function build(random: Random): GridFacts {
  const { spots, clues } = grow(random);
  const pairs = spots.flatMap((from) => spots.map((to) => ({ from: from.place, target: to.place, east: to.x - from.x, north: to.y - from.y })));
  const told = (a: string, b: string): boolean => clues.some((clue) => (clue.a === a && clue.b === b) || (clue.a === b && clue.b === a));
  const asked = random.pick(pairs.filter(({ from, target }) => from !== target && !told(from, target)));
  return { clues, ...asked };
}

const OPPOSITE: Readonly<Record<Side, Side>> = { north: "south", south: "north", east: "west", west: "east" };

interface Scene {
  readonly open: string;
  readonly clue: (a: string, side: Side, b: string) => string;
  readonly step: readonly [string, string];
  readonly ask: (from: string, way: string) => string;
  readonly askFirst: boolean;
}

const SCENES: ReadonlyArray<Scene> = [
  {
    open: "A village is laid out in square plots of equal size.",
    clue: (a, side, b) => `The plot directly ${side} of the ${b} is the ${a}'s.`,
    step: ["plot", "plots"],
    ask: (from, way) => `Starting at the ${from}, go ${way}. What stands there?`,
    askFirst: false,
  },
  {
    open: "The map's squares touch each other without gaps.",
    clue: (a, side, b) => `Move one square ${side} from the ${b} and you are on the ${a}.`,
    step: ["square", "squares"],
    ask: (from, way) => `On a chequered map, which building do you find by moving from the ${from} ${way}?`,
    askFirst: true,
  },
  {
    open: "A model maker glues buildings on tiles and puts the tiles together.",
    clue: (a, side, b) => `The tile of the ${a} has the tile of the ${b} as its ${OPPOSITE[side]} neighbour.`,
    step: ["tile", "tiles"],
    ask: (from, way) => `Put a finger on the ${from} and shift it ${way}: which building does the finger touch?`,
    askFirst: false,
  },
  {
    open: "All blocks of this small town have the same size, and each has one landmark.",
    clue: (a, side, b) => `If you leave the block of the ${a} towards the ${OPPOSITE[side]}, the ${b} is in the very next block.`,
    step: ["block", "blocks"],
    ask: (from, way) => `Which landmark is reached from the ${from} by walking ${way}?`,
    askFirst: false,
  },
  {
    open: "These are the rules for the picture.",
    clue: (a, side, b) => `Draw the ${a} in the field just ${side} of the field with the ${b}.`,
    step: ["field", "fields"],
    ask: (from, way) => `A child draws on squared paper, north at the top. From the ${from}, count ${way}. What is drawn in that field?`,
    askFirst: true,
  },
  {
    open: "A pilot looks down on a chessboard of parcels of land.",
    clue: (a, side, b) => `${side.charAt(0).toUpperCase()}${side.slice(1)} of the ${b}, and sharing a border with it, is the parcel of the ${a}.`,
    step: ["parcel", "parcels"],
    ask: (from, way) => `Over the ${from} the pilot turns and flies ${way}. What is below the plane now?`,
    askFirst: false,
  },
  {
    open: "Each screen of an old computer game shows one building, and you leave a screen over one of its four edges.",
    clue: (a, side, b) => `Leaving the ${b} screen over its ${side} edge, the player enters the ${a} screen.`,
    step: ["screen", "screens"],
    ask: (from, way) => `The screens fit together like squares of a map. A player goes from the ${from} screen ${way}. Which building is shown?`,
    askFirst: false,
  },
  {
    open: "The guide explains where everything is.",
    clue: (a, side, b) => `"From the ${a}, the ${b} is one section to the ${OPPOSITE[side]}."`,
    step: ["section", "sections"],
    ask: (from, way) => `A fairground is divided into equal square sections. Say what a visitor meets who walks from the ${from} ${way}.`,
    askFirst: true,
  },
];

function way(random: Random, scene: Scene, east: number, north: number): string {
  const leg = (length: number, side: string): Array<string> =>
    length === 0 ? [] : [`${length === 1 ? "one" : "two"} ${scene.step[length === 1 ? 0 : 1]} ${side}`];
  const legs = [...leg(Math.abs(east), east > 0 ? "east" : "west"), ...leg(Math.abs(north), north > 0 ? "north" : "south")];
  return random.shuffle(legs).join(" and then ");
}

export const grid: Family<GridFacts> = {
  name: "grid",
  reasoning: true,
  kind: "word",
  format: null,
  build,
  answer: ({ target }) => target,
  candidates: ({ clues, from }) => [...new Set(clues.flatMap(({ a, b }) => [a, b]))].filter((place) => place !== from),
  phrasings: SCENES.map((scene) => ({ clues, from, east, north }: GridFacts, random: Random) => {
    const told = `${scene.open} ${scattered(random, clues.map(({ a, side, b }) => scene.clue(a, side, b)))}`;
    const asked = `${scene.ask(from, way(random, scene, east, north))} ${random.pick(["Name the building only.", "Answer with the building alone.", "Only the building is wanted."])}`;
    return scene.askFirst ? `${asked} ${told}` : `${told} ${asked}`;
  }),
};
