/**
 * A family is one kind of question: the world of its stories and the question about it. Stories are told in the same
 * way for all families.
 *
 * - A world has facts and possible moves. `answer` computes the one right answer from the moves that count.
 * - The plan decides on the detours by which moves are told (`story/plan.ts`). Telling puts the plan into words
 *   (`story/tell.ts`).
 * - A draft is drawn again if, for example, it is too long or too short, or too few of its beats change the answer.
 *   There are at most `MAX_DRAFTS` tries.
 */
import type { Bank } from "./bank/bank.ts"
import { withNoise } from "./language/noise.ts"
import { MAX_STORY_CHARS, MIN_STORY_CHARS } from "./question.ts"
import type { AnswerKind, FormatRule } from "./question.ts"
import type { Random } from "./random.ts"
import { additionOf, raised } from "./story/addition.ts"
import type { Addition } from "./story/addition.ts"
import { castOf } from "./story/cast.ts"
import type { Cast } from "./story/cast.ts"
import { planOf } from "./story/plan.ts"
import type { Plan, Speakers } from "./story/plan.ts"
import { storyText } from "./story/tell.ts"
import type { World } from "./story/world.ts"

export const ENGINES = ["sum", "row", "cards", "collection"] as const
export type Engine = (typeof ENGINES)[number]

export interface Family {
  readonly name: string
  readonly reasoning: boolean
  /** The way of computing that the family's answers need. A challenge has a family of each engine. */
  readonly engine: Engine
  readonly format: FormatRule | null
  readonly world: (random: Random, bank: Bank) => World
  /** The answer and the closing words, if the family asks for a format. */
  readonly formatted: ((random: Random, answer: string) => { readonly answer: string; readonly closing: string }) | null
}

export interface Draft {
  readonly prompt: string
  readonly answer: string
  readonly kind: AnswerKind
  readonly format: FormatRule | null
}

export interface Drafted extends Draft {
  readonly cast: Cast
  readonly world: World
  readonly plan: Plan
  /** The counts that are added to the plan's answer. */
  readonly addition: Addition
  /** The answer before it is put into a format. */
  readonly value: string
  readonly story: string
}

const PEOPLE = 4
const SPEAKERS_MAX = 2
const MAX_DRAFTS = 500
/** The room in a story that is left free for noise. */
const NOISE_CHARS = 25

/** Draws one or two people whom the question is not about. Each is a liar or honest. */
function speakersOf(random: Random, { asked }: World): Speakers {
  const able = Array.from({ length: PEOPLE }, (_, index) => index).filter((index) => !asked.includes(index))
  const all = random.sample(able, Math.min(able.length, random.int(1, SPEAKERS_MAX)))
  return { all, liars: new Set(all.filter(() => random.int(0, 1) === 0)) }
}

export function drafted(family: Family, random: Random, bank: Bank): Drafted {
  for (let drafts = 0; drafts < MAX_DRAFTS; drafts++) {
    const world = family.world(random, bank)
    const speakers = speakersOf(random, world)
    const plan = planOf(random, world, bank, speakers)
    if (plan === null) continue
    const cast = castOf(random, bank, PEOPLE, [...new Set([...world.asked, ...speakers.all])])
    const addition = additionOf(random, bank, world.scale(random, plan.answer))
    const value = raised(plan.answer, addition)
    if (value === null) continue
    const { answer, closing: format } = family.formatted?.(random, value) ?? { answer: value, closing: world.closing }
    const closing = `${addition.text} ${format}`
    const story = storyText(
      { random, bank, cast, world, plan, speakers },
      MAX_STORY_CHARS - closing.length - NOISE_CHARS
    )
    if (story === null || story.length + closing.length >= MAX_STORY_CHARS) continue
    const prompt = `${withNoise(random, story)} ${closing}`
    if (prompt.length < MIN_STORY_CHARS || prompt.length > MAX_STORY_CHARS) continue
    return { prompt, answer, kind: world.kind, format: family.format, cast, world, plan, addition, value, story }
  }
  throw new Error(`question family ${family.name}: no draft fits`)
}

export function draft(family: Family, random: Random, bank: Bank): Draft {
  const { prompt, answer, kind, format } = drafted(family, random, bank)
  return { prompt, answer, kind, format }
}
