/** Decides if an agent may have mail without an owner (contract 20). */
import { Effect } from "effect"
import type { HubConfig } from "../../schemas/config.ts"
import { type Refusal, refusal } from "../../schemas/errors.ts"
import { Actors, type Asking } from "../engine/services.ts"

const NO_OWNER: Refusal = refusal(
  "email_owner_rule",
  "Here an agent needs an owner for this: a person whom it has confirmed, and whose address is verified."
)

/** Fails if HUB_MAIL_REQUIRE_OWNER requires an owner, and the agent has none with a verified address. */
export const ownerRule = (
  { mail }: Pick<HubConfig, "mail">,
  agent: string,
  asking: Asking
): Effect.Effect<void, Refusal, Actors> =>
  Effect.gen(function* () {
    if (mail?.requireOwner !== true) return
    const actors = yield* Actors
    const { proven } = yield* actors.ask(asking, "owner.proven", agent, null)
    if (!proven) yield* Effect.fail(NO_OWNER)
  })
