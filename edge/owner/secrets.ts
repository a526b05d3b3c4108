/** Refuses what an agent and its owner write to each other where a secret stands in it (schemas/secret/owner.ts). */
import { Effect } from "effect"
import { ownerSecretIn } from "../../schemas/secret/owner.ts"
import type { Author, TextField } from "../../schemas/secret/secrets.ts"
import { type Refused, refuse } from "../http/refused.ts"

export const withoutOwnerSecrets = (fields: ReadonlyArray<TextField>, author: Author): Effect.Effect<void, Refused> =>
  Effect.suspend(() => {
    const refused = ownerSecretIn(fields, author)
    return refused === null ? Effect.void : Effect.fail(refuse(refused))
  })
