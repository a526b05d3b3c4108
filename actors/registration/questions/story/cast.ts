/** The people of a story: each has a name, and something that is told once and recognised by common sense later. */
import type { Bank, Relation } from "../bank/bank.ts";
import { MEN, NAMES, WOMEN } from "../language/names.ts";
import { withArticles } from "../language/text.ts";
import type { Random } from "../random.ts";

export interface Person {
  readonly name: string;
  readonly woman: boolean;
  /** Null where the name is all that is told. */
  readonly mark: Mark | null;
}

export interface Mark {
  readonly relation: Relation;
  readonly key: string;
  readonly value: string;
}

export interface Cast {
  readonly people: ReadonlyArray<Person>;
  /** Names of nobody in the cast. */
  readonly strangers: ReadonlyArray<string>;
}

const STRANGERS = 3;
const PEOPLE_TO_A_RELATION = 2;
const NAMED_OF_TEN = 6;

/** Several people share a kind of mark, so that only its value tells them apart; no two marks can be taken for each other. */
export function castOf(random: Random, bank: Bank, size: number, unmarked: number): Cast {
  const names = random.sample(NAMES, size + STRANGERS);
  const marks: Array<Mark> = [];
  const groups = new Set<string>();
  for (const relation of random.shuffle(bank.relations)) {
    if (marks.length >= size - 1) break;
    if (groups.has(relation.group)) continue;
    groups.add(relation.group);
    const values = new Set<string>();
    for (const [key, value] of random.sample(relation.pairs, Math.min(relation.pairs.length, 4 * PEOPLE_TO_A_RELATION))) {
      if (values.has(value) || values.size === PEOPLE_TO_A_RELATION || marks.length === size - 1) continue;
      values.add(value);
      marks.push({ relation, key, value });
    }
  }
  if (marks.length < size - 1) throw new Error(`cast: the bank has marks for ${marks.length} of ${size - 1} people`);
  const given: Array<Mark | null> = random.shuffle(marks);
  given.splice(unmarked, 0, null);
  const people = given.map((mark, i) => ({ name: names[i] as string, woman: WOMEN.includes(names[i] as string), mark }));
  return { people, strangers: names.slice(size) };
}

const intro = (random: Random, { relation, key }: Mark): string => withArticles(random.pick(relation.intro).replace("{}", key));

/** The person's mark, told. */
export function introduced(random: Random, person: Person, mark: Mark): string {
  const told = intro(random, mark);
  return random.pick([
    `${person.name} ${told}`,
    `${person.name} ${told}`,
    `it is ${person.name} who ${told}`,
    `someone ${told}, namely ${person.name}`,
    `know that ${person.name} ${told}`,
  ]);
}

/** Two marks told the wrong way round, and set right at once. */
export function exchanged(random: Random, one: Person, other: Person, mark: Mark, otherMark: Mark): string {
  const wrong = `${one.name} ${intro(random, otherMark)} and ${other.name} ${intro(random, mark)}`;
  return random.pick([
    `${wrong} – no, exactly the other way round`,
    `${wrong}; sorry, I have confused these two, so swap them`,
    `I wrote down that ${wrong}, but it is the reverse: each has what I gave to the other`,
    `it would be wrong to say that ${wrong}: exchange the names and it is right`,
  ]);
}

/** "the one who drew an animal that barks" */
export function described(random: Random, { name, mark, woman }: Person): string {
  if (mark === null) return name;
  const head = random.pick(["the one", "the person", "the one", woman ? "the woman" : "the man"]);
  return `${head} ${random.pick(mark.relation.ref).replace("{}", mark.value)}`;
}

export const mentioned = (random: Random, person: Person): string =>
  (random.int(1, 10) <= NAMED_OF_TEN ? person.name : described(random, person));

export const pronoun = ({ woman }: Person): string => (woman ? "she" : "he");

if (new Set([...WOMEN, ...MEN]).size !== NAMES.length) throw new Error("names: one is listed twice");
