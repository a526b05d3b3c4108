/** Refuses texts that contain a key or a password before they enter the log (schemas/secret/). */
import { Effect } from "effect"
import { ownerSecretIn } from "../../schemas/secret/owner.ts"
import { type Author, searched, secretRefusal, type TextField } from "../../schemas/secret/secrets.ts"
import { type Refused, refuse } from "../http/refused.ts"

/** Refuses texts with a secret. `turn`: waited for after each step of the search (edge/http/turns.ts). */
export const withoutSecrets = (
  fields: Iterable<TextField | null>,
  author: Author,
  turn: Effect.Effect<void, Refused>
): Effect.Effect<void, Refused> =>
  Effect.gen(function* () {
    const steps = searched(fields, author)
    for (;;) {
      const { done, value } = steps.next()
      if (done === true) return value === null ? undefined : yield* refuse(secretRefusal(value))
      yield* turn
    }
  })

/**
 * Refuses texts between an agent and its owner that contain a secret. Bearer tokens and card numbers count here too.
 */
export const withoutOwnerSecrets = (fields: ReadonlyArray<TextField>, author: Author): Effect.Effect<void, Refused> =>
  Effect.suspend(() => {
    const refused = ownerSecretIn(fields, author)
    return refused === null ? Effect.void : Effect.fail(refuse(refused))
  })
