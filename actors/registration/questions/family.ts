/**
 * A family is one kind of question: the world it is about and what is asked of it. How it is told is the same for all.
 *
 * - A world is plain facts and the moves that are possible; `answer` computes the one right answer from the moves that
 *   count.
 * - The plan decides by which detours they are told (`story/plan.ts`), the telling puts it into words
 *   (`story/tell.ts`).
 * - A draft that is too long, too short or in which too little matters is drawn anew, at most `MAX_DRAFTS` times.
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
  /** Questions of one way to reckon: a challenge mixes them all. */
  readonly engine: Engine
  readonly format: FormatRule | null
  readonly world: (random: Random, bank: Bank) => World
  /** Answer and closing words where the family asks for a format. */
  readonly formatted: ((random: Random, answer: string) => { readonly answer: string; readonly closing: string }) | null
}

export interface Draft {
  readonly prompt: string
  readonly answer: string
  readonly kind: AnswerKind
  readonly format: FormatRule | null
}

/** A draft with all that it was made of: for tests. */
export interface Drafted extends Draft {
  readonly cast: Cast
  readonly world: World
  readonly plan: Plan
  /** The counts that are added to the plan's answer. */
  readonly addition: Addition
  /** The answer before it is put into a format. */
  readonly value: string
  /** Without noise. */
  readonly story: string
}

const PEOPLE = 4
const SPEAKERS_MAX = 2
const MAX_DRAFTS = 500
/** By how much noise may make a story longer. */
const NOISE_CHARS = 25

/** One or two of those whom the question is not about; each is a liar or honest. */
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
