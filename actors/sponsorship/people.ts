/**
 * People's names for lists, because the read models contain only their ids. Processes that answer queries have no keys,
 * so they ask processes that have them (`people`), and those ask the accounts. People without an account are left out.
 *
 * Invariant: the answer of an account is used for at most twice `SHOWN_MS`.
 */
import { type Clock, Effect } from "effect"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Ask } from "../../schemas/bus/frames.ts"
import type { Refusal } from "../../schemas/errors.ts"
import { wallMs, monotonicMs } from "../../schemas/runtime/clock.ts"
import type { Answer } from "../../schemas/runtime/bus/asker.ts"
import { PEOPLE_ASKED_MAX, type PersonRecord } from "../../schemas/sponsorship/operations.ts"
import { Recent } from "../engine/recent.ts"
import { QueryRefused } from "../queries/refused.ts"
import type { People } from "../queries/serve.ts"

const SHOWN_MS = 1000
const SHOWN_MAX = 10_000
const ABREAST = 16
const ASK_DEADLINE_MS = 3000

const decoder = new TextDecoder()

/** The name in one account; `null` if the account does not exist. Throws `QueryRefused` if it cannot be asked. */
const askedOf =
  (clock: Clock.Clock, ask: (ask: Ask) => Promise<Answer>, newId: () => string) =>
  async (human: string): Promise<PersonRecord | null> => {
    const deadline = wallMs(clock) + ASK_DEADLINE_MS
    const asked = { id: newId(), kind: "human", actor: human, op: "human.shown", input: null, deadline }
    const { head, body } = await ask(asked)
    if (head.refused?.code === "not_found") return null
    if (head.refused !== undefined) throw new QueryRefused(head.refused)
    const { id, name, verification }: PersonRecord = JSON.parse(decoder.decode(body))
    return { id, name, verification }
  }

/** The query `people`, answered by nodes that may ask accounts. */
export const peopleQuery = (
  clock: Clock.Clock,
  ask: (ask: Ask) => Promise<Answer>,
  newId: () => string
): ((input: Queries["people"]["input"]) => Promise<Queries["people"]["output"]>) => {
  const shown = new Recent<PersonRecord | null>(SHOWN_MS, SHOWN_MAX)
  const lookUp = askedOf(clock, ask, newId)
  const personOf = async (human: string): Promise<ReadonlyArray<PersonRecord>> => {
    const known = shown.get(human, monotonicMs(clock))
    const person = known === undefined ? await lookUp(human) : known
    if (known === undefined) shown.set(human, person, monotonicMs(clock))
    return person === null ? [] : [person]
  }
  return async ({ ids }) => {
    const wanted = [...new Set(ids)].slice(0, PEOPLE_ASKED_MAX)
    const people: Array<PersonRecord> = []
    for (let from = 0; from < wanted.length; from += ABREAST)
      people.push(...(await Promise.all(wanted.slice(from, from + ABREAST).map(personOf))).flat())
    return people
  }
}

type AskPeople = (ids: ReadonlyArray<string>) => Effect.Effect<Queries["people"]["output"], Refusal>

/** Asks for at most PEOPLE_ASKED_MAX people at a time. Rejects with `QueryRefused`. */
export const peopleBy =
  (ask: AskPeople): People =>
  async (ids) => {
    const wanted = [...new Set(ids)]
    const known = new Map<string, PersonRecord>()
    for (let from = 0; from < wanted.length; from += PEOPLE_ASKED_MAX) {
      const asked = ask(wanted.slice(from, from + PEOPLE_ASKED_MAX))
      const people = await Effect.runPromise(Effect.result(asked))
      if (people._tag === "Failure") throw new QueryRefused(people.failure)
      for (const person of people.success) known.set(person.id, person)
    }
    return known
  }
