/**
 * Puts a plan into words as running text: its utterances and the introductions of people. They are told again in other
 * words until they fit the length.
 */
import type { Bank } from "../bank/bank.ts"
import { quantity } from "../language/quantity.ts"
import { running } from "../language/text.ts"
import type { Random } from "../random.ts"
import { described, exchanged, introduced, mentioned } from "./cast.ts"
import type { Cast } from "./cast.ts"
import { pick, type Telling } from "./clause.ts"
import type { Plan, Speakers } from "./plan.ts"
import { sentenceOf } from "./utterance.ts"
import type { World } from "./world.ts"

const MAX_RETOLD = 24
/** A text that exceeds the budget by this factor is not shortened, because telling it again would hardly help. */
const HOPELESS = 1.2
/** The average number of characters between two clauses. */
const JOINT_CHARS = 2
const SIGNS = [
  "a whistle blew",
  "the noon bell rang",
  "a glass broke",
  "the lights went out",
  "a shot was heard",
  "thunder rolled",
  "the gong sounded",
  "a door slammed",
  "a rooster crowed",
  "the telephone rang",
  "the curtain fell",
  "somebody sneezed",
  "a train hooted",
  "it began to hail",
  "a piano tuner knocked",
  "the soup boiled over"
]

const signsOf = ({ wording }: Bank): ReadonlyArray<string> => {
  const own = wording.remarks.get("sign") ?? []
  return own.length < 2 ? SIGNS : own
}

/** Clauses that tell the marks of people. Two marks may be exchanged and corrected. */
function introductions(random: Random, { people }: Cast): ReadonlyArray<() => string> {
  const marked = people.flatMap((person) => (person.mark === null ? [] : [{ person, mark: person.mark }]))
  const one = random.pick(marked)
  const other = marked.find(({ person, mark }) => person !== one.person && mark.relation === one.mark.relation)
  const rest =
    random.int(0, 2) > 0 || other === undefined ? marked : marked.filter((item) => item !== one && item !== other)
  const alone = rest.map(
    ({ person, mark }) =>
      () =>
        introduced(random, person, mark)
  )
  return other === undefined || rest === marked
    ? alone
    : [...alone, () => exchanged(random, one.person, other.person, one.mark, other.mark)]
}

type Say = () => ReadonlyArray<string>

const length = (texts: ReadonlyArray<string>): number => texts.reduce((sum, text) => sum + text.length + JOINT_CHARS, 0)

/**
 * Tells the blocks within the budget. While the text is too long, the longest block is told again in other words. Null
 * if that does not help.
 */
function within(budget: number, blocks: ReadonlyArray<Say>): ReadonlyArray<ReadonlyArray<string>> | null {
  const texts = blocks.map((say) => say())
  let total = texts.reduce((sum, block) => sum + length(block), 0)
  if (total > budget * HOPELESS) return null
  for (let retold = 0; total > budget; retold++) {
    if (retold === MAX_RETOLD) return null
    const longest = texts.reduce((most, block, index) => (length(block) > length(texts[most] ?? []) ? index : most), 0)
    // Every second time another block is told again, because the longest may be as short as it can be.
    const index = retold % 2 === 1 ? (longest + retold) % texts.length : longest
    const other = pick(blocks, index)()
    const saved = length(pick(texts, index)) - length(other)
    if (saved <= 0) continue
    total -= saved
    texts[index] = other
  }
  return texts
}

interface Story {
  readonly random: Random
  readonly bank: Bank
  readonly cast: Cast
  readonly world: World
  readonly plan: Plan
  readonly speakers: Speakers
}

/** The whole text without noise, of at most `maxChars`. Null if the plan needs more. */
export function storyText({ random, bank, cast, world, plan, speakers }: Story, maxChars: number): string | null {
  const telling: Telling = {
    random,
    bank,
    cast,
    world,
    speakers,
    languages: new Map(),
    frames: new Map(),
    recalled: new Set(
      plan.blocks
        .flat()
        .flatMap((one) =>
          one.type === "restate" || ((one.type === "amend" || one.type === "cancel") && one.late) ? [one.of] : []
        )
    ),
    signs: random.sample(signsOf(bank), 2) as [string, string],
    worded: (telling, ours, slots) => {
      const own = bank.wording.tellings.get(telling) ?? []
      return random
        .pick(own.length > 0 ? own : ours)
        .replace(/\{(\w)\}/g, (_, slot: string) => (slots[slot] ?? slots["p"])?.() ?? "")
    },
    isWorded: (telling, slot) => (bank.wording.tellings.get(telling) ?? []).some((text) => text.includes(slot)),
    person: (index) => mentioned(random, pick(cast.people, index)),
    // A deployment's own measures are not used here: the size of a move would reveal how large a measure is.
    count: (n, noun = world.noun) => quantity(random, n, noun, bank.own.has("measures") ? [] : bank.measures)
  }
  const question = world.question({ ...telling, person: (index) => described(random, pick(cast.people, index)) })
  const blocks: Array<Say> = plan.blocks.map(
    (block) => () => block.map((utterance) => sentenceOf(telling, utterance, block))
  )
  for (const introduction of introductions(random, cast))
    blocks.splice(random.int(0, blocks.length), 0, () => [introduction()])
  blocks.splice(random.int(0, 1) === 0 ? 0 : random.int(0, blocks.length), 0, () => world.setting(telling))
  const texts = within(maxChars - question.length, blocks)
  if (texts === null) return null
  const body = running(random, texts.flat())
  return random.int(0, 1) === 0 ? `${question} ${body}` : `${body} ${question}`
}
