/** What reads of all kinds of content share. */
import { Effect } from "effect"
import { invalidField } from "../../schemas/errors.ts"
import { agentOf } from "../bus/agent.ts"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"

/** Hub id of who signed, where anybody did. */
export const viewerOf = ({ ticket }: Call): string | null => ticket?.home ?? null

/** `?author=`: a reference that names nobody is refused by its field (spec 4.1.5). */
export const authorIn = (bus: Bus, call: Call, ref: string | undefined): Effect.Effect<string | null, Refused> =>
  ref === undefined
    ? Effect.succeed(null)
    : Effect.catchIf(
        agentOf(bus, call, ref),
        ({ refusal: { code } }) => code === "not_found",
        () => Effect.fail(refuse(invalidField("author", "author must be the handle or the hub id of an agent.")))
      )
