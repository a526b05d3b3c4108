import type { Family } from "../family.ts";
import { list, withArticles } from "../prose.ts";
import type { Random } from "../random.ts";
import { COLOURS, OBJECTS } from "../vocabulary.ts";

/** Two colours: what is in them is exchanged. Three: the first's goes to the second, the second's to the third, the third's to the first. */
export type Shift = ReadonlyArray<string>;

export interface BoxesFacts {
  readonly colours: ReadonlyArray<string>;
  readonly object: string;
  readonly start: string;
  readonly shifts: ReadonlyArray<Shift>;
}

const BOXES = 6;
const SHIFTS = 5;

/** At least two shifts touch the box that matters. */
function build(random: Random): BoxesFacts {
  for (;;) {
    const colours = random.sample(COLOURS, BOXES);
    const start = random.pick(colours);
    const shifts = Array.from({ length: SHIFTS }, () => random.sample(colours, random.pick([2, 2, 3])));
    const stays = shifts.reduce<ReadonlyArray<string>>((path, shift) => [...path, follow(path.at(-1) ?? "", shift)], [start]);
    const moves = stays.filter((colour, i) => i > 0 && colour !== stays[i - 1]).length;
    if (moves >= 2) return { colours, object: random.pick(OBJECTS), start, shifts };
  }
}

function follow(colour: string, shift: Shift): string {
  const at = shift.indexOf(colour);
  return at < 0 ? colour : (shift[(at + 1) % shift.length] ?? colour);
}

interface Scene {
  readonly open: (colours: string, object: string, start: string) => string;
  readonly swap: (a: string, b: string) => string;
  readonly round: (a: string, b: string, c: string) => string;
  readonly ask: (object: string) => string;
  readonly askFirst: boolean;
}

const SCENES: ReadonlyArray<Scene> = [
  {
    open: (colours, object, start) => `There are six boxes: ${colours}. A ${object} is in the ${start} one, and each of the others has a stone in it.`,
    swap: (a, b) => `The contents of the ${a} and the ${b} box are exchanged.`,
    round: (a, b, c) => `What is in the ${a} box goes into the ${b}, what was in the ${b} into the ${c}, and what was in the ${c} into the ${a}.`,
    ask: (object) => `What colour is the box with the ${object} in the end?`,
    askFirst: false,
  },
  {
    open: (colours, object, start) => `The rooms are called after their wallpaper: ${colours}. In the ${start} room sleeps the owner of a ${object}, a different guest in every other.`,
    swap: (a, b) => `The guests of the ${b} and the ${a} room trade rooms.`,
    round: (a, b, c) => `A threefold move follows, all at once: ${a} to ${b}, ${b} to ${c}, ${c} to ${a}.`,
    ask: (object) => `Guests of an inn keep moving. In which room is the owner of the ${object} when all is quiet again?`,
    askFirst: true,
  },
  {
    open: (colours, object, start) => `Jugglers in ${colours} each hold something. The juggler in ${start} is the one with the ${object}.`,
    swap: (a, b) => `Now ${a} and ${b} throw to each other what they hold.`,
    round: (a, b, c) => `Now, at the same moment, ${a} throws to ${b}, ${b} throws to ${c} and ${c} throws to ${a}.`,
    ask: (object) => `After the last throw, what is the colour of the juggler with the ${object}?`,
    askFirst: false,
  },
  {
    open: (colours, object, start) => `Six wagons (${colours}) carry one load each. The ${object} travels in the ${start} wagon.`,
    swap: (a, b) => `At a halt the crew loads ${a}'s goods into ${b} and ${b}'s into ${a}.`,
    round: (a, b, c) => `At a halt three loads move on: the one of ${a} to ${b}, the one of ${b} to ${c}, the one of ${c} to ${a}.`,
    ask: (object) => `Which wagon delivers the ${object}?`,
    askFirst: false,
  },
  {
    open: (colours, _object, start) => `At first it hangs on the ${start} hook, and on each of the other hooks hangs a coat. The hooks are ${colours}.`,
    swap: (a, b) => `Somebody makes the things on ${b} and ${a} change places.`,
    round: (a, b, c) => `Somebody takes three things down and hangs ${a}'s on ${b}, ${b}'s on ${c} and ${c}'s on ${a}.`,
    ask: (object) => `A ${object} keeps being moved in a cloakroom with coloured hooks. On which hook is it finally?`,
    askFirst: true,
  },
  {
    open: (colours, object, start) => `A conjurer has cups in ${colours}. Under the ${start} cup is a tiny ${object}, under the rest are beans, one each. The cups stay where they are.`,
    swap: (a, b) => `With a quick hand the things under ${a} and ${b} are interchanged.`,
    round: (a, b, c) => `In one go the thing under ${a} comes to lie under ${b}, the one from under ${b} under ${c}, and the one from under ${c} under ${a}.`,
    ask: (object) => `Under which cup should one look for the ${object} now?`,
    askFirst: false,
  },
  {
    open: (colours, object, start) => `Ships named by the colour of their sails (${colours}) meet at sea. The captain of ${start} owns the ${object}, and a captain always takes all belongings along.`,
    swap: (a, b) => `Captain of ${a} and captain of ${b} take over each other's ship.`,
    round: (a, b, c) => `Three captains change ships together, from ${a} to ${b}, from ${b} to ${c} and from ${c} to ${a}.`,
    ask: (object) => `On which ship is the ${object} after all these changes?`,
    askFirst: false,
  },
  {
    open: (colours, object, start) => `The teams, ${colours}, have a mascot each; it is a ${object} in the case of the ${start} team.`,
    swap: (a, b) => `Then ${b} gets ${a}'s mascot in return for its own.`,
    round: (a, b, c) => `Then ${b} gets ${a}'s, ${c} gets ${b}'s and ${a} gets ${c}'s, in a single ceremony.`,
    ask: (object) => `At a sports day mascots change owners over and over. Whose mascot is the ${object} at the close?`,
    askFirst: true,
  },
];

const COLOUR_ONLY = ["Give the colour only.", "One colour is the whole answer.", "Reply with just the colour."];

export const boxes: Family<BoxesFacts> = {
  name: "boxes",
  reasoning: true,
  kind: "word",
  format: null,
  build,
  answer: ({ start, shifts }) => shifts.reduce(follow, start),
  candidates: ({ colours }) => colours,
  phrasings: SCENES.map((scene) => ({ colours, object, start, shifts }: BoxesFacts, random: Random) => {
    const steps = shifts.map(([a = "", b = "", c]) => (c === undefined ? scene.swap(a, b) : scene.round(a, b, c)));
    const told = [withArticles(scene.open(list(colours), object, start)), ...steps].join(" ");
    const asked = `${withArticles(scene.ask(object))} ${random.pick(COLOUR_ONLY)}`;
    return scene.askFirst ? `${asked} ${told}` : `${told} ${asked}`;
  }),
};
