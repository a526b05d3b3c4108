import type { Family } from "../family.ts";
import { only } from "../prose.ts";
import type { Random } from "../random.ts";
import { WORDS } from "../vocabulary.ts";

export type Rule =
  | { readonly type: "contains" | "lacks"; readonly letter: string }
  | { readonly type: "length"; readonly length: number }
  | { readonly type: "vowels"; readonly count: number }
  | { readonly type: "double" };

export interface OddOneOutFacts {
  readonly rule: Rule;
  /** All but one keep the rule. */
  readonly words: ReadonlyArray<string>;
}

const SHOWN = 6;
const DOUBLE = /(.)\1/;

function keeps(rule: Rule, word: string): boolean {
  switch (rule.type) {
    case "contains":
      return word.includes(rule.letter);
    case "lacks":
      return !word.includes(rule.letter);
    case "length":
      return word.length === rule.length;
    case "vowels":
      return [...word].filter((letter) => "aeiou".includes(letter)).length === rule.count;
    case "double":
      return DOUBLE.test(word);
  }
}

function draw(random: Random): Rule {
  const type = random.pick(["contains", "lacks", "length", "vowels", "double"] as const);
  if (type === "contains") return { type, letter: random.pick([..."aeionrt"]) };
  if (type === "lacks") return { type, letter: random.pick([..."aeinrt"]) };
  if (type === "length") return { type, length: random.int(6, 7) };
  return type === "vowels" ? { type, count: random.int(2, 3) } : { type };
}

function build(random: Random): OddOneOutFacts {
  const rule = draw(random);
  const odd = random.pick(WORDS.filter((word) => !keeps(rule, word)));
  const others = random.sample(WORDS.filter((word) => keeps(rule, word)), SHOWN - 1);
  return { rule, words: random.shuffle([odd, ...others]) };
}

/** What a word that keeps the rule does. */
function verb(rule: Rule): string {
  switch (rule.type) {
    case "contains":
      return `contains the letter ${rule.letter}`;
    case "lacks":
      return `does without the letter ${rule.letter}`;
    case "length":
      return `is exactly ${rule.length} letters long`;
    case "vowels":
      return `has exactly ${rule.count} vowels (a, e, i, o, u; repeats count)`;
    case "double":
      return "has the same letter twice in a row somewhere";
  }
}

export const oddOneOut: Family<OddOneOutFacts> = {
  name: "odd-one-out",
  reasoning: false,
  kind: "word",
  format: null,
  build,
  answer: ({ rule, words }) => words.find((word) => !keeps(rule, word)) ?? "",
  candidates: ({ words }) => words,
  phrasings: [
    ({ rule, words }, r) => `All of these words but one keep a rule: ${words.join(", ")}. The rule: each word ${verb(rule)}. Which word breaks it? ${only.word(r)}`,
    ({ rule, words }, r) => `Which of the six does not belong? The club of words admits a member only if it ${verb(rule)}. At the door stand ${words.join(", ")}. ${only.word(r)}`,
    ({ rule, words }, r) => `${words.map((word) => `"${word}"`).join(" ")} – five times it is true that the word ${verb(rule)}, and once it is false. Find the word for which it is false. ${only.word(r)}`,
    ({ rule, words }, r) => `A printer may use nothing but type that ${verb(rule)}, word by word. By mistake one wrong word got into this line: ${words.join(" / ")}. Name the mistake. ${only.word(r)}`,
    ({ rule, words }, r) => `From the list below, strike out every word that ${verb(rule)}. One remains; it is your answer. List: ${words.join("; ")}. ${only.word(r)}`,
    ({ rule, words }, r) => `Asked for words such that each ${verb(rule)}, a pupil wrote ${words.join(", ")}. A single one was marked as wrong. Tell which. ${only.word(r)}`,
    ({ rule, words }, r) => `The password to a cave is hidden among ${words.join(", ")}: it is the only one of them about which you cannot say that it ${verb(rule)}. What is the password? ${only.word(r)}`,
    ({ rule, words }, r) => `Sort the following into two heaps, "yes" if the word ${verb(rule)} and "no" if not: ${words.join(" | ")}. The "no" heap will have just one word on it; say which one. ${only.word(r)}`,
  ],
};
