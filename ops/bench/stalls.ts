/**
 * Measures the most costly inputs beside their bounds: processor time of the thread that reads them, and memory.
 *
 * Tests read the same inputs, but only check the results, and that no work hangs or grows with the square of its input.
 * A figure is the least of a few tries, because other work on the machine can only make a try slower. Work that yields
 * to other work is measured by its longest uninterrupted part.
 */
import { writeFileSync } from "node:fs"
import { AgentMarkdown } from "../../edge/kit/agent-markdown.ts"
import type { ReplyView } from "../../edge/thread/view.ts"
import { type Costly, cpuMsOf, leastOf, longestStretch, STALL_MAX_MS } from "../../tests/support/cost.ts"
import { gradeAllGiven } from "../../tests/support/costly/answers.ts"
import { MESSAGES, NESTED } from "../../tests/support/costly/codes.ts"
import { BODIES } from "../../tests/support/costly/data.ts"
import * as decoding from "../../tests/support/costly/decoding.ts"
import { FEEDS } from "../../tests/support/costly/feeds.ts"
import { MARKDOWN } from "../../tests/support/costly/markdown.ts"
import { pageOf, PAGES, TEXTS } from "../../tests/support/costly/pages.ts"
import * as passwords from "../../tests/support/costly/passwords.ts"
import { BOMBS } from "../../tests/support/costly/pictures.ts"
import { SECRETS } from "../../tests/support/costly/secrets.ts"
import { FIELDS } from "../../tests/support/costly/signatures.ts"
import { peakBytes } from "./cpu.ts"

const TRIES = 5
/** The bound for the check of one address. */
const ADDRESS_MAX_MS = 1
const PASSWORD_MAX_MS = 5
/** Messages are read in the mail process, so they do not delay edges. */
const MESSAGE_MAX_MS = 300
const NESTED_MAX_MS = 1000
const ANSWERS_MAX_MS = 250
const BOMBS_MAX_MS = 500
const BOMBS_MAX_BYTES = 50e6

type Say = (line: string) => void

interface Case {
  readonly name: string
  readonly prepare: () => () => unknown
}

interface Group {
  readonly title: string
  readonly maxMs: number
  /** True to count the processor time of all threads. */
  readonly inAll?: boolean
  readonly cases: ReadonlyArray<Case>
}

const whole = ({ name, length, prepare }: Costly): Case => ({ name, prepare: () => prepare(length) })

const texts = TEXTS.map(([name, text]): Case => ({ name, prepare: () => () => new AgentMarkdown().render(text) }))

const layouts = async (): Promise<ReadonlyArray<Case>> => {
  const cases: Array<Case> = []
  for (const { name, length, prepare } of PAGES) {
    const replies = (await prepare(length)()) as ReadonlyArray<ReplyView>
    cases.push({ name, prepare: () => () => pageOf(replies) })
  }
  return cases
}

const groups = async (): Promise<ReadonlyArray<Group>> => [
  { title: "one text of markdown", maxMs: STALL_MAX_MS, cases: [...MARKDOWN.map(whole), ...texts] },
  { title: "fifty replies of 100,000 characters", maxMs: STALL_MAX_MS, cases: PAGES.map(whole) },
  { title: "the page around them", maxMs: STALL_MAX_MS, cases: await layouts() },
  { title: "a feed of fifty texts", maxMs: STALL_MAX_MS, cases: FEEDS.map(whole) },
  { title: "a body of links", maxMs: STALL_MAX_MS, cases: [decoding.LONG_HOSTS, decoding.MANY_LINKS].map(whole) },
  {
    title: "addresses",
    maxMs: ADDRESS_MAX_MS * decoding.JUDGEMENTS,
    cases: decoding.ADDRESSES.map(decoding.judging).map(whole)
  },
  { title: "a header field of 200,000 characters", maxMs: STALL_MAX_MS, cases: FIELDS.map(whole) },
  { title: "`data` in a body of 2 MB", maxMs: STALL_MAX_MS, cases: BODIES.map(whole) },
  { title: "secrets in a text of 900 KB", maxMs: STALL_MAX_MS, cases: SECRETS.map(whole) },
  { title: "a message of 256 KB", maxMs: MESSAGE_MAX_MS, cases: MESSAGES.map(whole) },
  { title: "a message of 1.1 MB", maxMs: NESTED_MAX_MS, cases: [whole(NESTED)] },
  {
    title: "answers to questions, all of them",
    maxMs: ANSWERS_MAX_MS,
    cases: [{ name: "worst", prepare: () => gradeAllGiven }]
  },
  {
    title: "passwords",
    maxMs: PASSWORD_MAX_MS * passwords.JUDGEMENTS,
    cases: passwords.HARD.map(passwords.judging).map(whole)
  },
  { title: "a password that is too long", maxMs: STALL_MAX_MS, cases: [whole(passwords.TOO_LONG)] },
  { title: "ten refusals of a picture", maxMs: BOMBS_MAX_MS, inAll: true, cases: Object.values(BOMBS).map(whole) }
]

/** The peak of resident memory, minus that before the work. */
const growthBy = async (work: () => unknown): Promise<number> => {
  // This makes Linux reset the peak.
  writeFileSync("/proc/self/clear_refs", "5")
  const before = peakBytes(process.pid)
  await work()
  return peakBytes(process.pid) - before
}

export const stallCases = async (say: Say): Promise<void> => {
  let over = 0
  const row = (name: string, figure: number, max: number, unit: string): void => {
    const isOver = figure >= max
    if (isOver) over++
    const shown = JSON.stringify(name).slice(1, -1).slice(0, 60).padEnd(60)
    say(`  ${shown} ${figure.toFixed(1).padStart(8)} of ${max} ${unit}${isOver ? "  OVER" : ""}`)
  }
  for (const { title, maxMs, inAll = false, cases } of await groups()) {
    say(`\n${title}: ${inAll ? "all of the time" : "the longest stretch"}, least of ${TRIES}`)
    for (const { name, prepare } of cases) {
      const work = prepare()
      row(name, await leastOf(TRIES, () => (inAll ? cpuMsOf(work) : longestStretch(work))), maxMs, "ms")
    }
  }
  say("\nten refusals of a picture: memory at the peak")
  for (const { name, length, prepare } of Object.values(BOMBS))
    row(name, (await growthBy(prepare(length))) / 1e6, BOMBS_MAX_BYTES / 1e6, "MB")
  say(`\nstalls: ${over === 0 ? "all within what is promised" : `${over} over what is promised`}`)
}
