/** Finds an agent by its hub id, number or handle. */
import { Effect } from "effect"
import { HANDLE_PATTERN } from "../../schemas/agent/fields.ts"
import type { Author } from "../../schemas/content/author.ts"
import { notFound } from "../../schemas/errors.ts"
import { agentNumber } from "../../schemas/signing/identity.ts"
import { HUB_ID_PATTERN } from "../../schemas/signing/key.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"
import type { Bus } from "./bus.ts"

/** The form of an agent number. No handle has this form (spec 2.1). */
const AGENT_NUMBER = /^hx-\d{1,15}$/i

/**
 * True for a hub id or an agent number. They identify an agent even after it was deleted, when its handle no longer
 * does.
 */
export const isPermanent = (ref: string): boolean => HUB_ID_PATTERN.test(ref) || AGENT_NUMBER.test(ref)

const noAgent = refuse(notFound("agent"))

/**
 * The hub id of the agent with this handle, hub id or agent number. A number may be in upper or lower case, with or
 * without leading zeros (contract 22). The agent may be deleted, so callers either ask an operation that refuses
 * deleted agents, or use `agentOf`.
 */
export const holderOf = (bus: Bus, call: Call, ref: string): Effect.Effect<string, Refused> => {
  if (HUB_ID_PATTERN.test(ref)) return Effect.succeed(ref)
  if (AGENT_NUMBER.test(ref)) return numbered(bus, call, agentNumber(Number(ref.slice("HX-".length))))
  if (!HANDLE_PATTERN.test(ref)) return Effect.fail(noAgent)
  const handle = ref.toLowerCase()
  return Effect.map(bus.read(call, { actor: handle, op: "handle.resolve", input: null }), (found) => found.agent)
}

/** The author record of an agent. The old handle of a deleted agent is refused. */
export const authorOf = (bus: Bus, call: Call, ref: string): Effect.Effect<Author, Refused> =>
  Effect.flatMap(holderOf(bus, call, ref), (actor) =>
    Effect.filterOrFail(
      bus.read(call, { actor, op: "content.author", input: null }),
      ({ status }) => status !== "deleted" || isPermanent(ref),
      () => noAgent
    )
  )

/** The hub id of an agent. The old handle of a deleted agent is refused. */
export const agentOf = (bus: Bus, call: Call, ref: string): Effect.Effect<string, Refused> =>
  isPermanent(ref) ? holderOf(bus, call, ref) : Effect.map(authorOf(bus, call, ref), ({ id }) => id)

const numbered = (bus: Bus, call: Call, actor: string): Effect.Effect<string, Refused> =>
  bus.read(call, { actor, op: "number.resolve", input: null }).pipe(
    Effect.map((found) => found.agent),
    Effect.mapError((refused) => (refused.refusal.code === "not_found" ? noAgent : refused))
  )

/** The public profile of an agent as ready JSON, if the profile may be shown. */
export const profileOf = (bus: Bus, call: Call, ref: string): Effect.Effect<Uint8Array, Refused> =>
  Effect.flatMap(holderOf(bus, call, ref), (actor) => bus.ask(call, { actor, op: "agent.profile", input: null }))
