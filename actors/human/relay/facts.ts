/** Facts for notifying an owner by letter, chat or push. */
import { Effect } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import { CAPTCHA_ASKED, OWNER_CONFIRMED } from "../../../schemas/relay/events.ts"
import type { PrepareContext } from "../../engine/definition.ts"
import { Actors } from "../../engine/services.ts"

const NOTHING_SAID = "It says nothing that could be shown here."

/** The path at which an owner reads on. */
export const ownerPageOf = (event: string, handle: string, number: number): string => {
  if (event === CAPTCHA_ASKED) return `/owner/captcha/${number}`
  const page = `/owner/agents/${handle}`
  return event === OWNER_CONFIRMED ? `${page}/owners/${number}` : page
}

/** The agent's handle; `null` if the agent has none any more. */
export const handleOf = (agent: string, context: PrepareContext): Effect.Effect<string | null, Refusal, Actors> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const asking = { ...context, commandId: `${context.commandId}-${agent}` }
    return (yield* actors.ask(asking, "content.author", agent, null)).handle
  })

/** The text and the options of an agent's message to its owners. */
export const wordsOf = (
  message: number,
  context: PrepareContext
): Effect.Effect<{ readonly text: string; readonly options: ReadonlyArray<string> }, Refusal, Actors> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const { text, options } = yield* actors.ask(context, "owner_message.words", String(message), null)
    return { text: text ?? NOTHING_SAID, options: options ?? [] }
  })
