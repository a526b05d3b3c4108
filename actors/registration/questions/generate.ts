/**
 * The five questions of one challenge.
 *
 * - Four come from reasoning families; the fifth from any family that is left, and only it may ask for a format.
 * - No family appears twice, and the fifth's place is drawn, so the position of a question tells nothing.
 * - Pure: the same randomness gives the same questions. Production passes fresh random bytes for every challenge.
 */
import { FAMILIES } from "./families/index.ts";
import type { SealedFamily } from "./family.ts";
import { MAX_PROMPT_CHARS, MIN_REASONING_QUESTIONS, QUESTIONS_PER_CHALLENGE } from "./question.ts";
import type { Question } from "./question.ts";
import type { Random } from "./random.ts";

const REASONING = FAMILIES.filter(({ reasoning }) => reasoning);
const OTHERS = FAMILIES.filter(({ reasoning }) => !reasoning);
const FREE_QUESTIONS = QUESTIONS_PER_CHALLENGE - MIN_REASONING_QUESTIONS;

export function generateQuestions(random: Random): ReadonlyArray<Question> {
  const sure = random.sample(REASONING, MIN_REASONING_QUESTIONS);
  const rest = [...OTHERS, ...REASONING.filter((family) => !sure.includes(family))];
  const families = random.shuffle([...sure, ...random.sample(rest, FREE_QUESTIONS)]);
  return families.map((family, i) => question(random, family, `q${i + 1}`));
}

/** Draws again in the rare case of a prompt over the bound. */
function question(random: Random, family: SealedFamily, id: string): Question {
  for (;;) {
    const draft = family.draft(random);
    if (draft.prompt.length < MAX_PROMPT_CHARS) return { id, ...draft };
  }
}
