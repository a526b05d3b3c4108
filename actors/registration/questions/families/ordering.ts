import type { Family } from "../family.ts";
import { list, only, ordinal, scattered } from "../prose.ts";
import type { Random } from "../random.ts";
import { NAMES } from "../vocabulary.ts";

export type Clue =
  | { readonly type: "before"; readonly a: string; readonly b: string }
  | { readonly type: "next"; readonly a: string; readonly b: string }
  | { readonly type: "not"; readonly a: string; readonly place: number };

export interface OrderingFacts {
  /** In the order of mention, which tells nothing. */
  readonly names: ReadonlyArray<string>;
  readonly clues: ReadonlyArray<Clue>;
  /** The place asked for, counted from 1. */
  readonly place: number;
  readonly order: ReadonlyArray<string>;
}

const PEOPLE = 5;
/** Clues of the form "not there" tell little: more than these make a long and tiresome text. */
const EXCLUSIONS = 5;

function permutations(items: ReadonlyArray<string>): Array<Array<string>> {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));
}

function holds(clue: Clue, order: ReadonlyArray<string>): boolean {
  const at = order.indexOf(clue.a);
  if (clue.type === "not") return at !== clue.place - 1;
  const gap = order.indexOf(clue.b) - at;
  return clue.type === "next" ? gap === 1 : gap > 0;
}

function trueClues(random: Random, order: ReadonlyArray<string>): Array<Clue> {
  const relations: Array<Clue> = [];
  const exclusions: Array<Clue> = [];
  for (const [i, a] of order.entries()) {
    for (const [j, b] of order.entries()) {
      if (j === i + 1) relations.push({ type: "next", a, b });
      if (j > i) relations.push({ type: "before", a, b });
      if (j !== i) exclusions.push({ type: "not", a, place: j + 1 });
    }
  }
  return random.shuffle([...relations, ...random.sample(exclusions, EXCLUSIONS)]);
}

/** The clues without those that later ones made idle. */
function pruned(clues: ReadonlyArray<Clue>, orders: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<Clue> {
  return clues.reduce<ReadonlyArray<Clue>>((kept, clue) => {
    const rest = kept.filter((other) => other !== clue);
    return orders.filter((order) => rest.every((other) => holds(other, order))).length === 1 ? rest : kept;
  }, clues);
}

/** Takes clues until a single order is left, and only such as rule something out. */
function build(random: Random): OrderingFacts {
  const order = random.sample(NAMES, PEOPLE);
  const orders = permutations(order);
  let open = orders;
  const clues: Array<Clue> = [];
  for (const clue of trueClues(random, order)) {
    const left = open.filter((candidate) => holds(clue, candidate));
    if (left.length === open.length) continue;
    clues.push(clue);
    open = left;
    if (open.length === 1) break;
  }
  return { names: random.shuffle(order), clues: pruned(clues, orders), place: random.int(1, PEOPLE), order };
}

interface Scene {
  readonly open: (names: string) => string;
  readonly before: (a: string, b: string) => string;
  readonly next: (a: string, b: string) => string;
  readonly not: (a: string, place: number) => string;
  readonly ask: (place: number) => string;
  readonly askFirst: boolean;
}

const SCENES: ReadonlyArray<Scene> = [
  {
    open: (names) => `${names} ran a race, and no two of them tied.`,
    before: (a, b) => `${a} finished ahead of ${b}.`,
    next: (a, b) => `${b} crossed the line immediately after ${a}.`,
    not: (a, place) => `${a} did not come in ${ordinal(place)}.`,
    ask: (place) => `Who finished ${ordinal(place)}?`,
    askFirst: false,
  },
  {
    open: (names) => `There is one line at the bakery, and in it stand ${names}.`,
    before: (a, b) => `${b} will be served later than ${a}.`,
    next: (a, b) => `Directly in front of ${b} stands ${a}.`,
    not: (a, place) => `Whoever has the ${ordinal(place)} place in the line, it isn't ${a}.`,
    ask: (place) => `Which person is ${ordinal(place)} to be served?`,
    askFirst: true,
  },
  {
    open: (names) => `At a recital five pupils play one after another: ${names}.`,
    before: (a, b) => `When ${b} goes on stage, ${a} has already played.`,
    next: (a, b) => `Nobody plays between ${a} and ${b}, and of these two ${a} is the earlier.`,
    not: (a, place) => `The ${ordinal(place)} turn does not go to ${a}.`,
    ask: (place) => `Name the pupil who has the ${ordinal(place)} turn.`,
    askFirst: false,
  },
  {
    open: (names) => `A narrow tower has five floors with a single tenant on each; the tenants are ${names}. Floors are counted from the bottom up.`,
    before: (a, b) => `${b} lives somewhere above ${a}.`,
    next: (a, b) => `Going up exactly one floor from ${a} you come to ${b}.`,
    not: (a, place) => `You would not find ${a} at home on floor number ${place}.`,
    ask: (place) => `Whose home is floor number ${place}?`,
    askFirst: true,
  },
  {
    open: (names) => `The guests reached the cabin one at a time. Their names, in no special order: ${names}.`,
    before: (a, b) => `By the time ${b} arrived, ${a} was there already.`,
    next: (a, b) => `The next to arrive after ${a} was ${b}.`,
    not: (a, place) => `Guest number ${place} at the door was somebody other than ${a}.`,
    ask: (place) => `Who was guest number ${place} at the door?`,
    askFirst: false,
  },
  {
    open: (names) => `On a shelf five folders stand side by side, one each for ${names}.`,
    before: (a, b) => `The folder of ${a} has its place somewhere to the left of the one of ${b}.`,
    next: (a, b) => `Touching the folder of ${a} on the right is the folder of ${b}.`,
    not: (a, place) => `It would be wrong to look for the folder of ${a} at position ${place} from the left.`,
    ask: (place) => `To whom does the folder at position ${place} from the left belong?`,
    askFirst: false,
  },
  {
    open: (names) => `A couple had five children, all in different years: ${names}.`,
    before: (a, b) => `${a} is older than ${b}.`,
    next: (a, b) => `After ${a}, the next child born was ${b}.`,
    not: (a, place) => `${a} isn't the ${ordinal(place)}-born.`,
    ask: (place) => `Listing the children from the oldest to the youngest, whom do you write in ${ordinal(place)} position?`,
    askFirst: true,
  },
  {
    open: (names) => `In a quiz no two scores were equal. Taking part: ${names}. The highest score gets rank 1.`,
    before: (a, b) => `${b} scored fewer points than ${a}.`,
    next: (a, b) => `Just one rank below ${a} you find ${b}.`,
    not: (a, place) => `Rank ${place} was not for ${a}.`,
    ask: (place) => `Tell which contestant holds rank ${place}.`,
    askFirst: false,
  },
];

function clueText(scene: Scene, clue: Clue): string {
  return clue.type === "not" ? scene.not(clue.a, clue.place) : scene[clue.type](clue.a, clue.b);
}

const render =
  (scene: Scene) =>
  (facts: OrderingFacts, random: Random): string => {
    const told = `${scene.open(list(facts.names))} ${scattered(random, facts.clues.map((clue) => clueText(scene, clue)))}`;
    const asked = `${scene.ask(facts.place)} ${only.name(random)}`;
    return scene.askFirst ? `${asked} ${told}` : `${told} ${asked}`;
  };

export const ordering: Family<OrderingFacts> = {
  name: "ordering",
  reasoning: true,
  kind: "word",
  format: null,
  build,
  answer: ({ order, place }) => order[place - 1] ?? "",
  candidates: ({ names }) => names,
  phrasings: SCENES.map(render),
};
