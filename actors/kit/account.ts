/** The standing of an agent's account, for actors that make something of the agent's own. */
import { Effect } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import type { PrepareContext } from "../engine/definition.ts"
import { Actors } from "../engine/services.ts"

/**
 * Fails with the refusal that the agent gets if its account is not active. If the account is closed after this answer,
 * the command that reports it reaches the asking actor after this commit. So that command finds what was made.
 */
export const accountRuns = (context: PrepareContext, agent: string): Effect.Effect<void, Refusal, Actors> =>
  Effect.flatMap(Actors, (actors) => Effect.asVoid(actors.ask(context, "agent.runs", agent, null)))
