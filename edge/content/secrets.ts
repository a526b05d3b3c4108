/** Fails where a secret stands in what an author sends (schemas/secret/). Each step waits for its client's turn. */
import { Effect } from "effect"
import { type Author, searched, secretRefusal, type TextField } from "../../schemas/secret/secrets.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { turns } from "../http/turns.ts"

/** `client`: whose turns it takes, see `turnOf`. */
export const withoutSecrets = (
  fields: Iterable<TextField>,
  author: Author,
  client: string
): Effect.Effect<void, Refused> =>
  Effect.gen(function* () {
    const steps = searched(fields, author)
    for (;;) {
      const { done, value } = steps.next()
      if (done === true) return value === null ? undefined : yield* refuse(secretRefusal(value))
      yield* turns.next(client)
    }
  })
