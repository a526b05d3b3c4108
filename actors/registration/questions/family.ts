/**
 * A family is one kind of puzzle.
 *
 * - `build` draws the facts; they are plain data and hold all that the prompt says.
 * - `answer` computes the one right answer from the facts; tests solve the same facts by another method.
 * - Every phrasing tells the same facts and asks the same thing, in other words and another order.
 * - `candidates` lists the values a guesser would choose from, where the answer is one of the things named;
 *   without it the answer is a computed value.
 */
import type { AnswerKind, FormatRule } from "./question.ts";
import type { Random } from "./random.ts";

export const MIN_PHRASINGS = 8;

export interface Family<F> {
  readonly name: string;
  /** Whether facts must be combined to reach the answer, as opposed to looked up or copied out. */
  readonly reasoning: boolean;
  readonly kind: AnswerKind;
  readonly format: FormatRule | null;
  readonly build: (random: Random) => F;
  readonly answer: (facts: F) => string;
  readonly candidates: ((facts: F) => ReadonlyArray<string>) | null;
  readonly phrasings: ReadonlyArray<(facts: F, random: Random) => string>;
}

export interface Draft {
  readonly prompt: string;
  readonly answer: string;
  readonly kind: AnswerKind;
  readonly format: FormatRule | null;
}

/** A family whose facts stay inside: what the registry and the generator need. */
export interface SealedFamily {
  readonly name: string;
  readonly reasoning: boolean;
  readonly format: FormatRule | null;
  readonly draft: (random: Random) => Draft;
}

export function seal<F>(family: Family<F>): SealedFamily {
  if (family.phrasings.length < MIN_PHRASINGS) throw new Error(`question family ${family.name}: fewer than ${MIN_PHRASINGS} phrasings`);
  return {
    name: family.name,
    reasoning: family.reasoning,
    format: family.format,
    draft: (random) => {
      const facts = family.build(random);
      const prompt = random.pick(family.phrasings)(facts, random);
      return { prompt, answer: family.answer(facts), kind: family.kind, format: family.format };
    },
  };
}
