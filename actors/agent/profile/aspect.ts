/** The agent actor's operations on its account, declared in schemas/agent/operations.ts. */
import { Effect } from "effect"
import type { agentOperations as declared } from "../../../schemas/agent/operations.ts"
import type { AgentPrivate } from "../../../schemas/agent/records.ts"
import type { Refusal } from "../../../schemas/errors.ts"
import { hubIdOf } from "../../../schemas/signing/key.ts"
import { type Answer, type AnswerContext, custom, type PrepareContext, read, write } from "../../engine/definition.ts"
import { existing } from "../../engine/existing.ts"
import { Json } from "../../engine/json.ts"
import { Actors } from "../../engine/services.ts"
import { keyFold } from "../../key/noun.ts"
import type { Operating } from "../../kit/kind.ts"
import type { Answering } from "../../queries/serve.ts"
import { missing } from "../decide.ts"
import { currentKey } from "../identity/state.ts"
import type { AgentParts } from "../parts.ts"
import type { LastSeen } from "../seen/last-seen.ts"
import { decideAdmitted } from "../sponsor/decide.ts"
import { SponsorRecords } from "../sponsor/records.ts"
import { hasSponsors } from "../sponsor/state.ts"
import type { Agent, AgentActor, AgentState } from "../state.ts"
import { decideDelete, decideUpdate } from "./decide.ts"
import { agentsQuery, authorsQuery } from "./queries.ts"
import { privateProfile, profileSource, publicProfile } from "./record.ts"

/**
 * The number of serialized `GET /me` answers that a node caches. An answer changes only with the state, and once a
 * minute with last_seen_at.
 */
const READY_MAX = 5000

interface Ready {
  readonly state: Agent
  readonly seen: number
  readonly json: Json<AgentPrivate>
}

interface Admitted {
  readonly state: "free" | "provisional" | "registered" | "retired"
}

/** Caches the answers to `GET /me` of agents without sponsors. */
const readyProfiles = (lastSeen: LastSeen, baseUrl: string) => {
  const ready = new Map<string, Ready>()
  return (state: Agent, id: string, at: number): Answer<AgentPrivate> => {
    const seen = lastSeen.touch(id, at)
    const kept = ready.get(id)
    if (kept !== undefined && kept.state === state && kept.seen === seen) return kept.json
    const json = new Json(privateProfile(id, state, seen, baseUrl))
    ready.set(id, { state, seen, json })
    if (ready.size > READY_MAX) ready.delete(ready.keys().next().value ?? "")
    return json
  }
}

export const operations = ({
  lastSeen,
  stateOf,
  config: { env, baseUrl }
}: AgentParts): Operating<typeof declared, AgentActor> => {
  const me = readyProfiles(lastSeen, baseUrl)
  const sponsors = new SponsorRecords()
  /** Makes the private profile with the sponsors, whose names come from their own accounts. */
  const sponsoredMe = (state: Agent, context: PrepareContext) =>
    Effect.map(sponsors.of(state.sponsors, context), (shown) =>
      privateProfile(context.id, state, lastSeen.touch(context.id, context.at), baseUrl, shown)
    )
  /** The answer to a change; `null` if the profile has sponsors, because their names are not in the agent's state. */
  const changedMe = (agent: Agent, { id, at }: AnswerContext) =>
    hasSponsors(agent.sponsors) ? null : me(agent, id, at)
  /**
   * Reports whether a key is free for registration. The key of a closed account is retired, and so is a key that a
   * rotation replaced (spec 4.3).
   */
  const admitKey = (state: AgentState, context: PrepareContext): Effect.Effect<Admitted, Refusal, Actors> =>
    Effect.gen(function* () {
      const { id } = context
      if (state !== null) {
        const closed = state.status === "deleted" || state.status === "banned"
        const replaced = hubIdOf(Buffer.from(currentKey(state), "base64")) !== id
        if (closed || replaced) return { state: "retired" }
        return { state: state.provisional ? "provisional" : "registered" }
      }
      const claim = yield* stateOf(keyFold, id)
      if (claim === null) return { state: "free" }
      // No agent has this key's hub id. So an agent has claimed the key by a rotation or as its recovery key, and may
      // have replaced it since.
      const actors = yield* Actors
      const { keys, status, provisional } = yield* actors.ask(context, "identity.record", claim.agent, null)
      const retired =
        status === "retired" || keys.some((key) => key.public_key === claim.public_key && key.status === "retired")
      if (retired) return { state: "retired" }
      return { state: provisional === true ? "provisional" : "registered" }
    })
  return {
    "agent.authenticate": read((state, _input, { id }) =>
      state === null
        ? missing
        : {
            data: {
              id,
              handle: state.handle,
              roles: state.roles,
              status: state.status,
              trust: state.trust,
              reputation: state.reputation
            }
          }
    ),
    "agent.me": read((state, _input, { id, at }) => {
      if (state === null) return missing
      if (!hasSponsors(state.sponsors)) return { data: me(state, id, at) }
      return { later: (context) => sponsoredMe(state, context) }
    }),
    "agent.profile": custom((state, _input, context) => {
      if (state === null || state.status === "banned" || state.status === "deleted") return Effect.fail(missing.refused)
      const { id } = context
      return Effect.gen(function* () {
        const seen = yield* Effect.promise(() => lastSeen.of(id, state.created_at, context.at))
        return publicProfile(id, profileSource(state), seen, baseUrl, yield* sponsors.of(state.sponsors, context))
      })
    }),
    "agent.admit_key": custom((state, _input, context) => admitKey(state, context)),
    "agent.update": write({
      decide: (state, input) => decideUpdate(state, input, env === "production"),
      answer: (state, _reply, context) => changedMe(existing(state), context),
      projected: true
    }),
    "agent.admit": write({
      prepare: (state, input, context) =>
        Effect.gen(function* () {
          const agent = existing(state)
          if (!agent.provisional) return null
          const actors = yield* Actors
          const hub_id = hubIdOf(Buffer.from(currentKey(agent), "base64"))
          return yield* actors.ask(context, "challenge.pass", input.challenge_id, { ...input, hub_id })
        }),
      decide: decideAdmitted,
      answer: (state, _reply, context) => changedMe(existing(state), context),
      projected: true
    }),
    "agent.delete": write({
      decide: decideDelete,
      answer: (_state, _reply, { id }) => ({ deleted: true, id }),
      projected: true
    })
  }
}

export const queries = ({ clock, db, people, searches, config: { baseUrl } }: Answering) => ({
  agents: agentsQuery(clock, db, baseUrl, people, searches),
  authors: authorsQuery(db)
})
