/** Letters that report events of agents to an owner. */
import { Effect } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import {
  CAPTCHA_ASKED,
  CONSENT_ASKED,
  DIGEST,
  OWNER_ASKED,
  OWNER_CONFIRMED,
  relayedEvent
} from "../../../schemas/relay/events.ts"
import type { Relayed } from "../../../schemas/relay/operations.ts"
import type { PrepareContext } from "../../engine/definition.ts"
import { letterIdOf, subjectValues } from "../../letter/noun.ts"
import type { Actors } from "../../engine/services.ts"
import type { Posted } from "../decide.ts"
import type { OpenedAccount, Opening } from "../opening.ts"
import { heldCount, heldFirst, type RelayState } from "./state.ts"
import { handleOf, ownerPageOf, wordsOf } from "./facts.ts"

const ABREAST = 8

export const relayLetter = (
  told: Opening["told"],
  account: OpenedAccount,
  { agent, event, number }: Relayed,
  handle: string,
  context: PrepareContext
): Effect.Effect<Posted, Refusal, Actors> =>
  Effect.gen(function* () {
    const values = { agent: handle, path: ownerPageOf(event, handle, number), ...subjectValues({ agent, event }) }
    if (event === CAPTCHA_ASKED) return told("relayed_captcha", account, context, values)
    if (event === CONSENT_ASKED) return told("relayed_consent", account, context, values)
    if (event === OWNER_CONFIRMED) return told("owner_confirmed", account, context, values)
    if (event !== OWNER_ASKED)
      return told("relayed_event", account, context, { ...values, what: relayedEvent(event)?.description ?? event })
    const { text, options } = yield* wordsOf(number, context)
    const offered = options.length === 0 ? "It waits for what you write." : `It offers: ${options.join(", ")}.`
    return told("relayed_words", account, context, { ...values, words: text, offered })
  })

/**
 * Names a summary letter by the state that it ends. A summary that waited at a backup may have been sent since, and is
 * sent again after the restore. It then has the same id, and so the same Message-ID.
 */
const digestId = ({ sealer }: OpenedAccount, { due, letters }: RelayState): string =>
  letterIdOf(sealer.mark(`${due} ${letters.at(-1) ?? 0}`, "summary letter"))

/**
 * The summary letter, with the number of held events by agent and kind. Beyond `max` events only new kinds are added
 * (decide.ts).
 */
export const digestLetter = (
  told: Opening["told"],
  account: OpenedAccount,
  relay: RelayState,
  max: number,
  context: PrepareContext
): Effect.Effect<Posted, Refusal, Actors> =>
  Effect.gen(function* () {
    const { held } = relay
    const agents = [...new Set(held.map(({ agent }) => agent))].filter((agent) => agent !== "")
    const named = yield* Effect.forEach(
      agents,
      (agent) => Effect.map(handleOf(agent, context), (handle) => [agent, handle] as const),
      { concurrency: ABREAST }
    )
    const handles = new Map(named)
    const least = heldCount(held) >= max ? "at least " : ""
    const lines = heldFirst(held).map(({ agent, event, count }) =>
      agent === ""
        ? `Other things, ${least}${count} times`
        : `${handles.get(agent) ?? "An agent"}, ${least}${count} times: ${relayedEvent(event)?.description ?? event}`
    )
    const values = { lines: lines.join("\n"), ...subjectValues(DIGEST) }
    return told("relayed_digest", account, context, values, digestId(account, relay))
  })
