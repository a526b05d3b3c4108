/** Sends a push message, if it is still wanted, and removes a browser that has unsubscribed. */
import { Clock, Effect } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import type { LetterOutcome } from "../../schemas/letter/operations.ts"
import type { PrepareContext } from "../engine/definition.ts"
import type { LetterContent } from "../kit/letter-content.ts"
import { Actors, type Asking } from "../engine/services.ts"
import { pushMessageFrom } from "./message.ts"
import { PUSH_GONE, type Pusher } from "./pusher.ts"

const END_WITHIN_MS = 10_000

/** Removes the browser from the account. If this fails, the next message to this browser tries it again. */
const ending = (human: string, id: number, asking: Pick<Asking, "commandId">): Effect.Effect<void, never, Actors> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const deadline = (yield* Clock.currentTimeMillis) + END_WITHIN_MS
    yield* Effect.ignore(actors.ask({ ...asking, deadline }, "human.end_push", human, { id }))
  })

const isSubscribed = (human: string, id: number, context: PrepareContext): Effect.Effect<boolean, Refusal, Actors> =>
  Effect.flatMap(Actors, (actors) =>
    actors.ask(context, "human.has_push", human, { id }).pipe(
      Effect.as(true),
      Effect.catchIf(
        ({ code }) => code === "not_found",
        () => Effect.succeed(false)
      )
    )
  )

/** Sends the message; `null` if the person has removed that browser meanwhile. */
export const pushSending = (
  pusher: Pusher,
  { human, content }: { readonly human: string; readonly content: LetterContent },
  context: PrepareContext
): Effect.Effect<Effect.Effect<LetterOutcome, never, Actors> | null, Refusal, Actors> =>
  Effect.gen(function* () {
    const { subscription, to, message } = pushMessageFrom(content)
    if (!(yield* isSubscribed(human, subscription, context))) return null
    return Effect.tap(pusher.send(to, message), (outcome) =>
      outcome.type === "final" && outcome.reason === PUSH_GONE ? ending(human, subscription, context) : Effect.void
    )
  })
