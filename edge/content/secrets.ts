/** Fails where a secret stands in what an author sends (schemas/secret/): the event loop goes round meanwhile. */
import { Effect } from "effect"
import { type Author, searched, secretRefusal, type TextField } from "../../schemas/secret/secrets.ts"
import { type Refused, refuse } from "../http/refused.ts"

export const withoutSecrets = (fields: Iterable<TextField>, author: Author): Effect.Effect<void, Refused> =>
  Effect.gen(function* () {
    const steps = searched(fields, author)
    for (;;) {
      const { done, value } = steps.next()
      if (done === true) return value === null ? undefined : yield* refuse(secretRefusal(value))
      yield* Effect.yieldNow
    }
  })
