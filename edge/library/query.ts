/** Finding an entry of the library by its slug. */
import { Effect } from "effect"
import { notFound } from "../../schemas/errors.ts"
import { SLUG_PATTERN } from "../../schemas/library/fields.ts"
import type { LibraryEntry } from "../../schemas/library/records.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"
import type { Bus } from "../bus/bus.ts"

const NO_ENTRY = refuse(notFound("library entry"))

export const entryOf = (bus: Bus, call: Call, slug: string): Effect.Effect<LibraryEntry, Refused> =>
  SLUG_PATTERN.test(slug)
    ? Effect.flatMap(bus.query(call, "library_entry", { slug }), (entry) =>
        entry === null ? Effect.fail(NO_ENTRY) : Effect.succeed(entry)
      )
    : Effect.fail(NO_ENTRY)
