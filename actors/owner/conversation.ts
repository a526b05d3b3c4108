/**
 * The conversation of an agent and its owners, one page at a time: rows of the read models with opened contents.
 * Processes with the keys answer it as a query, because a page may be larger than one message of the bus.
 */
import { Clock, type Context, Effect } from "effect"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Refusal } from "../../schemas/errors.ts"
import type { OwnerAnswer } from "../../schemas/owner/records.ts"
import type { AccountKeys } from "../kit/account-keys.ts"
import { QueryRefused } from "../queries/refused.ts"
import { type ActorServices, type Asking, Views } from "../engine/services.ts"
import { ownerMessageRecords } from "./records.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"

type ConversationQuery = Queries["owner_conversation"]["input"]
type Conversation = Queries["owner_conversation"]["output"]

/** Shorter than the time limit of a query. */
const DEADLINE_MS = 4000

/** Only the agent and the answering owner may read the answer. Other owners see only that there is one. */
const shownTo = (human: string | null, answer: OwnerAnswer | undefined): OwnerAnswer | null => {
  if (answer === undefined) return null
  return human === null || answer.owner?.human_id === human ? answer : { ...answer, text: null, options: null }
}

const conversation = (
  accounts: AccountKeys,
  wanted: ConversationQuery,
  asking: Asking
): Effect.Effect<Conversation, Refusal, ActorServices> =>
  Effect.gen(function* () {
    const views = yield* Views
    const { items, total } = yield* views.query(asking, "owner_messages", wanted)
    const rows = items.flatMap(({ answer, ...row }) => (answer === null ? [row] : [row, answer]))
    const shown = yield* ownerMessageRecords(accounts, rows, asking)
    let at = 0
    const messages = items.flatMap(({ answer }) => {
      const message = shown[at++]
      const answered = answer === null ? undefined : shown[at++]
      return message === undefined ? [] : [{ ...message, answer: shownTo(wanted.human, answered) }]
    })
    return { items: messages, total }
  })

export const conversationQuery =
  (clock: Clock.Clock, accounts: AccountKeys, services: Context.Context<ActorServices>, newId: () => string) =>
  async (wanted: ConversationQuery): Promise<Conversation> => {
    const asking = { commandId: newId(), deadline: wallMs(clock) + DEADLINE_MS }
    const found = await Effect.runPromise(
      Effect.result(
        conversation(accounts, wanted, asking).pipe(Effect.provide(services), Effect.provideService(Clock.Clock, clock))
      )
    )
    if (found._tag === "Failure") throw new QueryRefused(found.failure)
    return found.success
  }
