import type { Family } from "../family.ts";
import { list, only, scattered } from "../prose.ts";
import type { Random } from "../random.ts";
import { MEN, WOMEN } from "../vocabulary.ts";

export interface Person {
  readonly name: string;
  readonly female: boolean;
}

export interface Household {
  readonly husband: string;
  readonly wife: string;
  readonly children: ReadonlyArray<Person>;
}

export interface KinshipFacts {
  readonly households: ReadonlyArray<Household>;
  readonly relation: string;
  readonly about: string;
  readonly kin: string;
}

const GRANDCHILDREN = 2;

/** Grandparents with three children, two of them married with two children each: eleven people. */
function households(random: Random): Array<Household> {
  const women = random.shuffle(WOMEN);
  const men = random.shuffle(MEN);
  const person = (): Person => {
    const female = random.int(0, 1) === 1;
    return { name: (female ? women : men).pop() ?? "", female };
  };
  const children = [person(), person(), person()];
  const elders: Household = { husband: men.pop() ?? "", wife: women.pop() ?? "", children };
  const younger = random.sample(children, 2).map(({ name, female }): Household => ({
    husband: female ? (men.pop() ?? "") : name,
    wife: female ? name : (women.pop() ?? ""),
    children: Array.from({ length: GRANDCHILDREN }, person),
  }));
  return [elders, ...younger];
}

/** Every word for a relation with the people it fits, in the widest use of the word: who marries in counts too. */
function kinOf(tree: ReadonlyArray<Household>, about: string): ReadonlyArray<readonly [string, ReadonlyArray<Person>]> {
  const couple = (name: string) => tree.find(({ husband, wife }) => name === husband || name === wife);
  const home = (name: string) => tree.find(({ children }) => children.some((child) => child.name === name));
  const spouses = (name: string): Array<Person> => {
    const own = couple(name);
    if (own === undefined) return [];
    return name === own.husband ? [{ name: own.wife, female: true }] : [{ name: own.husband, female: false }];
  };
  const siblings = (name: string) => home(name)?.children.filter((child) => child.name !== name) ?? [];
  const parents = (name: string) => [home(name)?.husband, home(name)?.wife].filter((parent) => parent !== undefined);
  const children = (name: string) => couple(name)?.children ?? [];
  const withSpouses = (people: ReadonlyArray<Person>) => people.flatMap((one) => [one, ...spouses(one.name)]);

  const elders = withSpouses(parents(about).flatMap(siblings));
  const inLaws = [
    ...siblings(about).flatMap(({ name }) => spouses(name)),
    ...spouses(about).flatMap(({ name }) => withSpouses(siblings(name))),
  ];
  const young = [about, ...spouses(about).map(({ name }) => name)].flatMap(siblings).flatMap(({ name }) => children(name));
  const split = (people: ReadonlyArray<Person>, female: string, male: string) =>
    [
      [female, people.filter((one) => one.female)],
      [male, people.filter((one) => !one.female)],
    ] as const;
  return [
    ...split(elders, "aunt", "uncle"),
    ...split(inLaws, "sister-in-law", "brother-in-law"),
    ...split(young, "niece", "nephew"),
    ...split(children(about).flatMap(({ name }) => spouses(name)), "daughter-in-law", "son-in-law"),
    ...split(children(about).flatMap(({ name }) => [...children(name)]), "granddaughter", "grandson"),
    ...split(elders.flatMap(({ name }) => (home(name) === undefined ? [] : children(name))), "female cousin", "male cousin"),
  ];
}

function build(random: Random): KinshipFacts {
  for (;;) {
    const tree = households(random);
    const people = tree.flatMap(({ husband, wife, children }) => [husband, wife, ...children.map(({ name }) => name)]);
    const questions = [...new Set(people)].flatMap((about) =>
      kinOf(tree, about).flatMap(([relation, kin]) => (kin.length === 1 && kin[0] !== undefined ? [{ about, relation, kin: kin[0].name }] : [])),
    );
    // A tree with all grandchildren of one sex and all children of the other may leave nothing unique to ask.
    if (questions.length > 0) return { households: tree, ...random.pick(questions) };
  }
}

function everybody({ households: tree }: KinshipFacts): ReadonlyArray<string> {
  return [...new Set(tree.flatMap(({ husband, wife, children }) => [husband, wife, ...children.map(({ name }) => name)]))];
}

interface Style {
  readonly open: string;
  readonly home: (husband: string, wife: string, children: ReadonlyArray<Person>) => string;
  readonly ask: (relation: string, about: string) => string;
  readonly askFirst: boolean;
}

const each = (children: ReadonlyArray<Person>, say: (name: string, female: boolean) => string): string =>
  list(children.map(({ name, female }) => say(name, female)));

const STYLES: ReadonlyArray<Style> = [
  {
    open: "Some facts about one family.",
    home: (husband, wife, children) =>
      `${husband} and his wife ${wife} have ${each(children, (name, female) => `a ${female ? "daughter" : "son"} called ${name}`)}.`,
    ask: (relation, about) => `Who is the only ${relation} of ${about}?`,
    askFirst: false,
  },
  {
    open: "Work out a family tree from these lines.",
    home: (husband, wife, children) =>
      `${wife} is married to ${husband}, her husband; ${each(children, (name, female) => `${name} is their ${female ? "daughter" : "son"}`)}.`,
    ask: (relation, about) => `${about} has exactly one ${relation}: what is the name?`,
    askFirst: true,
  },
  {
    open: "At a reunion everyone introduced their parents.",
    home: (husband, wife, children) =>
      children.map(({ name, female }) => `${name}, a ${female ? "woman" : "man"}, came with father ${husband} and mother ${wife}.`).join(" "),
    ask: (relation, about) => `Going by this, ${about} has a single ${relation}; say who it is.`,
    askFirst: false,
  },
  {
    open: "From a parish book, where f stands for female and m for male:",
    home: (husband, wife, children) =>
      `${each(children, (name, female) => `${name} (${female ? "f" : "m"})`)}: children of Mr ${husband} and Mrs ${wife}, wed to each other.`,
    ask: (relation, about) => `Find the one ${relation} that ${about} has.`,
    askFirst: false,
  },
  {
    open: "An album shows several weddings, and below each photograph the children of that marriage.",
    home: (husband, wife, children) =>
      `Under groom ${husband} and bride ${wife} come ${each(children, (name, female) => `${female ? "the girl" : "the boy"} ${name}`)}.`,
    ask: (relation, about) => `Whose picture would you show to somebody who wants to see ${about}'s only ${relation}?`,
    askFirst: false,
  },
  {
    open: "",
    home: (husband, wife, children) =>
      `${wife} gave birth to ${each(children, (name, female) => `${name}, ${female ? "a girl" : "a boy"}`)}; the father each time was her husband ${husband}.`,
    ask: (relation, about) => `The question is who ${about}'s ${relation} is; there is only one in what follows.`,
    askFirst: true,
  },
  {
    open: "Census notes, one household at a time.",
    home: (husband, wife, children) =>
      `Man of the house ${husband}, married to ${wife}; offspring: ${each(children, (name, female) => `${female ? "daughter" : "son"} ${name}`)}.`,
    ask: (relation, about) => `The clerk must now write down the name of ${about}'s ${relation}, and only one person fits. Which?`,
    askFirst: false,
  },
  {
    open: "Listen to who is called what.",
    home: (husband, wife, children) =>
      `${list(children.map(({ name }) => name))} say Dad to ${husband} and Mum to ${wife}, who are a married couple; ${each(children, (name, female) => `${name} is ${female ? "female" : "male"}`)}.`,
    ask: (relation, about) => `Which person named here is the sole ${relation} of ${about}?`,
    askFirst: true,
  },
];

const render =
  (style: Style) =>
  (facts: KinshipFacts, random: Random): string => {
    const homes = facts.households.map(({ husband, wife, children }) => style.home(husband, wife, random.shuffle(children)));
    const told = `${style.open} ${scattered(random, homes)}`.trim();
    const asked = `${style.ask(facts.relation, facts.about)} Relatives by marriage count as well. ${only.name(random)}`;
    return style.askFirst ? `${asked} ${told}` : `${told} ${asked}`;
  };

export const kinship: Family<KinshipFacts> = {
  name: "kinship",
  reasoning: true,
  kind: "word",
  format: null,
  build,
  answer: ({ kin }) => kin,
  candidates: (facts) => everybody(facts).filter((name) => name !== facts.about),
  phrasings: STYLES.map(render),
};
