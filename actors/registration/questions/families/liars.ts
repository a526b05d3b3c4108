import type { Family } from "../family.ts";
import { count, list, only, scattered } from "../prose.ts";
import type { Random } from "../random.ts";
import { NAMES } from "../vocabulary.ts";

/** What the speaker says about who did it. */
export interface Statement {
  readonly speaker: string;
  readonly says: "was" | "was not" | "was one of";
  /** One name, or two for "was one of". */
  readonly names: ReadonlyArray<string>;
}

export interface LiarsFacts {
  readonly names: ReadonlyArray<string>;
  readonly statements: ReadonlyArray<Statement>;
  /** How many statements are true. */
  readonly truths: number;
  readonly culprit: string;
}

const PEOPLE = 5;

const isTrue = ({ says, names }: Statement, culprit: string): boolean => names.includes(culprit) === (says !== "was not");
const truthsIf = (statements: ReadonlyArray<Statement>, culprit: string): number =>
  statements.filter((statement) => isTrue(statement, culprit)).length;

function statement(random: Random, speaker: string, names: ReadonlyArray<string>): Statement {
  const says = random.pick(["was", "was not", "was one of"] as const);
  return { speaker, says, names: random.sample(names, says === "was one of" ? 2 : 1) };
}

/** Draws statements until some number of truths fits one culprit only. */
function build(random: Random): LiarsFacts {
  for (;;) {
    const names = random.sample(NAMES, PEOPLE);
    const statements = names.map((speaker) => statement(random, speaker, names));
    const truths = random.int(1, PEOPLE - 1);
    const fitting = names.filter((name) => truthsIf(statements, name) === truths);
    if (fitting.length === 1 && fitting[0] !== undefined) return { names: random.shuffle(names), statements, truths, culprit: fitting[0] };
  }
}

interface Scene {
  readonly open: (names: string) => string;
  readonly was: (speaker: string, name: string) => string;
  readonly not: (speaker: string, name: string) => string;
  readonly either: (speaker: string, a: string, b: string) => string;
  readonly key: (truths: string, lies: string, one: boolean) => string;
  readonly ask: string;
  readonly askFirst: boolean;
}

const statementsAre = (truths: string, one: boolean): string => `${truths} ${one ? "statement is" : "statements are"}`;

const SCENES: ReadonlyArray<Scene> = [
  {
    open: (names) => `One of ${names} has eaten the cake.`,
    was: (speaker, name) => `${speaker}: "It was ${name}."`,
    not: (speaker, name) => `${speaker}: "It was not ${name}."`,
    either: (speaker, a, b) => `${speaker}: "It was ${a} or ${b}."`,
    key: (truths, _, one) => `Exactly ${statementsAre(truths, one)} true, the others are false.`,
    ask: "Who has eaten the cake?",
    askFirst: false,
  },
  {
    open: (names) => `The suspects are ${names}, and nobody else was in the house.`,
    was: (speaker, name) => `${speaker} accuses ${name}.`,
    not: (speaker, name) => `${speaker} swears that ${name} is innocent.`,
    either: (speaker, a, b) => `${speaker} says that the thief is one of these two: ${a}, ${b}.`,
    key: (_, lies) => `We know that the number of false claims among these is ${lies}.`,
    ask: "Somebody, acting alone, took the necklace. Find out who.",
    askFirst: true,
  },
  {
    open: (names) => `A single ticket won the lottery, and it belongs to one person of this group: ${names}.`,
    was: (speaker, name) => `According to ${speaker}, the ticket is ${name}'s.`,
    not: (speaker, name) => `According to ${speaker}, the ticket isn't ${name}'s.`,
    either: (speaker, a, b) => `According to ${speaker}, the ticket is either ${a}'s or ${b}'s.`,
    key: (truths, _, one) => `In fact ${truths} of the five remarks ${one ? "is" : "are"} right and the rest wrong.`,
    ask: "Whose ticket won?",
    askFirst: false,
  },
  {
    open: (names) => `Who will lead the expedition? The choice fell on one of ${names}, and rumours go about.`,
    was: (speaker, name) => `"${name} will lead," whispers ${speaker}.`,
    not: (speaker, name) => `"Anybody but ${name} will lead," whispers ${speaker}.`,
    either: (speaker, a, b) => `"${a} or ${b} will lead," whispers ${speaker}.`,
    key: (_, lies) => `Of the five rumours precisely ${lies} will turn out wrong.`,
    ask: "Name the leader.",
    askFirst: false,
  },
  {
    open: (names) => `Five cousins grew up together: ${names}.`,
    was: (speaker, name) => `It is ${name}, if ${speaker} is right.`,
    not: (speaker, name) => `It is someone other than ${name}, if ${speaker} is right.`,
    either: (speaker, a, b) => `It is ${a} or it is ${b}, if ${speaker} is right.`,
    key: (truths, lies) => `The grandmother, who never errs, adds: "Right ones among you: ${truths}. Wrong ones: ${lies}."`,
    ask: "Just one of the cousins can whistle, and each of them makes a claim about who that is. Which cousin can whistle?",
    askFirst: true,
  },
  {
    open: (names) => `The mask in the play hides ${names.replace(" and ", " or ")}.`,
    was: (speaker, name) => `${speaker} bets on ${name}.`,
    not: (speaker, name) => `${speaker} bets against ${name}.`,
    either: (speaker, a, b) => `${speaker} bets that it must be ${a} or else ${b}.`,
    key: (truths, _, one) => `When the mask came off, ${truths} of the five bets ${one ? "was" : "were"} won, all the others lost.`,
    ask: "Who was behind the mask?",
    askFirst: false,
  },
  {
    open: (names) => `A window is broken. It can only have been one child, and these were there: ${names}.`,
    was: (speaker, name) => `The note from ${speaker} reads: ${name} did it.`,
    not: (speaker, name) => `The note from ${speaker} reads: ${name} did not do it.`,
    either: (speaker, a, b) => `The note from ${speaker} reads: one of two did it, ${a} or ${b}.`,
    key: (_, lies) => `Lies are written on exactly this many of the notes: ${lies}. What the remaining notes say is true.`,
    ask: "Which child broke the window?",
    askFirst: false,
  },
  {
    open: (names) => `In the drawer lies a passport, and it was issued to one of ${names}.`,
    was: (speaker, name) => `${speaker} believes the holder to be ${name}.`,
    not: (speaker, name) => `${speaker} rules ${name} out.`,
    either: (speaker, a, b) => `${speaker} thinks that the holder is ${a}, or possibly ${b}, but nobody else.`,
    key: (truths) => `As it happens, ${truths} out of the five opinions prove correct, not more and not fewer.`,
    ask: "You are to tell to whom a passport belongs.",
    askFirst: true,
  },
];

export const liars: Family<LiarsFacts> = {
  name: "liars",
  reasoning: true,
  kind: "word",
  format: null,
  build,
  answer: ({ culprit }) => culprit,
  candidates: ({ names }) => names,
  phrasings: SCENES.map((scene) => ({ names, statements, truths }: LiarsFacts, random: Random) => {
    const said = statements.map(({ speaker, says, names: [a = "", b = ""] }) =>
      says === "was" ? scene.was(speaker, a) : says === "was not" ? scene.not(speaker, a) : scene.either(speaker, a, b),
    );
    const key = scene.key(count(random, truths), count(random, PEOPLE - truths), truths === 1);
    const told = `${scene.open(list(names))} ${scattered(random, said)} ${key}`;
    const asked = `${scene.ask} ${only.name(random)}`;
    return scene.askFirst ? `${asked} ${told}` : `${told} ${asked}`;
  }),
};
