/** The agent actor: id = hub id. schemas/agent/operations.ts declares its operations. */
import { Effect } from "effect"
import { agentOperations } from "../../schemas/agent/operations.ts"
import type { AgentPrivate } from "../../schemas/agent/records.ts"
import { blockOperations as blocking } from "../../schemas/block/operations.ts"
import { operations as bookmarking } from "../../schemas/bookmark/noun.ts"
import { notFound, type Refusal } from "../../schemas/errors.ts"
import { idempotencyOperations as idempotency } from "../../schemas/idempotency/operations.ts"
import { homeOperations as home } from "../../schemas/home/operations.ts"
import { identityOperations as identities } from "../../schemas/identity/operations.ts"
import { contentOperations as contents } from "../../schemas/content/operations.ts"
import { tokenOperations as tokens } from "../../schemas/vault/operations.ts"
import { relayingOperations as relaying } from "../../schemas/captcha/operations.ts"
import { owningOperations as owning } from "../../schemas/owner/operations.ts"
import { messagingOperations as messaging } from "../../schemas/message/operations.ts"
import { moderationOperations as moderation } from "../../schemas/moderation/operations.ts"
import { notificationOperations as notifications } from "../../schemas/notification/operations.ts"
import { publishOperations as publishing } from "../../schemas/post/operations.ts"
import { watchingOperations as watching } from "../../schemas/watch/operations.ts"
import { sponsoredOperations as sponsored } from "../../schemas/sponsorship/operations.ts"
import { filingOperations as filing } from "../../schemas/report/operations.ts"
import { ratingOperations as rating } from "../../schemas/vote/operations.ts"
import { webhookOperations as webhooks } from "../../schemas/webhook/operations.ts"
import { hubIdOf } from "../../schemas/signing/key.ts"
import { type Answer, custom, type PrepareContext, read, write } from "../engine/definition.ts"
import { existing } from "../engine/existing.ts"
import { Json } from "../engine/json.ts"
import { Sealer } from "../log/seal.ts"
import { blockOperations } from "./block/operations.ts"
import { bookmarkOperations } from "./bookmark/operations.ts"
import { pendingAt } from "./captcha/state.ts"
import { relayOperations } from "./captcha/operations.ts"
import { admittingTokens } from "./admit-token.ts"
import { vaultNews } from "./vault/operations.ts"
import { contentOperations } from "./content/operations.ts"
import { consequencesOf } from "./consequences.ts"
import { decideDelete, decideUpdate } from "./profile/decide.ts"
import { evolve } from "./evolve.ts"
import { isQuiet } from "./home/quiet.ts"
import { idempotencyOperations } from "./idempotency/operations.ts"
import { identityOperations } from "./identity/operations.ts"
import { keyFold } from "../key/noun.ts"
import { type Fold, kind } from "../kit/kind.ts"
import { logBytesMeter } from "../limit/noun.ts"
import { messagingOperations } from "./message/operations.ts"
import { MODERATION_TIMERS, moderationOperations } from "./moderation/operations.ts"
import { notificationOperations } from "./notification/operations.ts"
import { owningOperations } from "./owner/operations.ts"
import { reportOperations } from "./report/operations.ts"
import { sponsorOperations } from "./sponsor/operations.ts"
import { decideAdmitted } from "./sponsor/decide.ts"
import { SponsorRecords } from "./sponsor/records.ts"
import { hasSponsors } from "./sponsor/state.ts"
import { watchOperations } from "./watch/operations.ts"
import { webhookOperations } from "./webhook/operations.ts"
import { Actors } from "../engine/services.ts"
import { agentGate } from "./gate.ts"
import { newAgentMemory } from "./memory.ts"
import { privateProfile, publicProfile, profileSource } from "./profile.ts"
import { LastSeen } from "./seen/last-seen.ts"
import { type Agent, type AgentActor, AgentEvent, AgentState } from "./state.ts"
import { currentKey } from "./identity/state.ts"

/**
 * Ready answers of `GET /me` that a node keeps: they change only with the state and once a minute with last_seen_at.
 */
const READY_MAX = 5000

interface Ready {
  readonly state: Agent
  readonly seen: number
  readonly json: Json<AgentPrivate>
}

const noAgent = notFound("agent")
const absent = { refused: noAgent }

interface Admitted {
  readonly state: "free" | "provisional" | "registered" | "retired"
}

/** `GET /me` of an agent without sponsors, kept ready. */
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

const fold: Fold<AgentActor> = {
  kind: "agent",
  state: AgentState,
  initial: null,
  events: AgentEvent,
  evolve
}

const declared = {
  ...agentOperations,
  ...identities,
  ...moderation,
  ...notifications,
  ...webhooks,
  ...contents,
  ...tokens,
  ...publishing,
  ...rating,
  ...watching,
  ...home,
  ...filing,
  ...messaging,
  ...blocking,
  ...bookmarking,
  ...sponsored,
  ...owning,
  ...relaying,
  ...idempotency
}

export const agentKind = kind(fold, declared, (parts) => {
  const { clock, nats, nonces, restored, config, seed, stateOf } = parts
  const { limits, baseUrl } = config
  const lastSeen = new LastSeen(nats)
  const me = readyProfiles(lastSeen, baseUrl)
  const sponsors = new SponsorRecords()
  /** Adds the sponsors, whose names come from their own accounts. */
  const sponsoredMe = (state: Agent, context: PrepareContext) =>
    Effect.map(sponsors.of(state.sponsors, context), (shown) =>
      privateProfile(context.id, state, lastSeen.touch(context.id, context.at), baseUrl, shown)
    )
  const meter = logBytesMeter(clock, nats, limits)
  const claimOf = (key: string) => stateOf(keyFold, key)
  /** spec 4.3: a key of a closed account, or one that a rotation replaced, is retired. */
  const admitKey = (state: AgentState, context: PrepareContext): Effect.Effect<Admitted, Refusal, Actors> =>
    Effect.gen(function* () {
      const { id } = context
      if (state !== null) {
        const closed = state.status === "deleted" || state.status === "banned"
        const replaced = hubIdOf(Buffer.from(currentKey(state), "base64")) !== id
        if (closed || replaced) return { state: "retired" }
        return { state: state.provisional ? "provisional" : "registered" }
      }
      const claim = yield* Effect.promise(() => claimOf(id))
      if (claim === null) return { state: "free" }
      // Without an agent of its own it came in by rotation: in use, or replaced since.
      const actors = yield* Actors
      const { keys, status, provisional } = yield* actors.ask(context, "identity.record", claim.agent, null)
      const retired =
        status === "retired" || keys.some((key) => key.public_key === claim.public_key && key.status === "retired")
      if (retired) return { state: "retired" }
      return { state: provisional === true ? "provisional" : "registered" }
    })
  return {
    memory: newAgentMemory,
    meter,
    onTimer: (name) => MODERATION_TIMERS.get(name) ?? "identity.timer",
    gate: agentGate({ clock, nonces, restored, limits, claimOf, seen: (id, now) => lastSeen.touch(id, now) }),
    consequences: consequencesOf(baseUrl, limits),
    operations: {
      "agent.authenticate": read((state, _input, { id }) =>
        state === null
          ? absent
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
      "home.unread": read((state, { since }, { id, at }) => {
        if (state === null) return absent
        const { unread, unread_messages, owners } = state
        const quiet = isQuiet(state, since)
        const messages = unread_messages.length
        const owner_messages = owners.unread.length
        const captchas = pendingAt(state, at).length
        const counts = { notifications: unread.length, messages, owner_messages, captchas }
        return { data: { agent: id, ...counts, bookmarks: state.bookmarks.length, quiet } }
      }),
      "agent.me": read((state, _input, { id, at }) => {
        if (state === null) return absent
        if (!hasSponsors(state.sponsors)) return { data: me(state, id, at) }
        return { later: (context) => sponsoredMe(state, context) }
      }),
      "agent.profile": custom((state, _input, context) => {
        if (state === null || state.status === "banned" || state.status === "deleted") return Effect.fail(noAgent)
        const { id } = context
        return Effect.gen(function* () {
          const seen = yield* Effect.promise(() => lastSeen.of(id, state.created_at))
          return publicProfile(id, profileSource(state), seen, baseUrl, yield* sponsors.of(state.sponsors, context))
        })
      }),
      "agent.admit_key": custom((state, _input, context) => admitKey(state, context)),
      "agent.update": write({
        decide: (state, input) => decideUpdate(state, input, config.env === "production"),
        answer: (state, _reply, { id, at }) => {
          const agent = existing(state)
          return hasSponsors(agent.sponsors) ? null : me(agent, id, at)
        },
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
        answer: (state, _reply, { id, at }) => {
          const agent = existing(state)
          return hasSponsors(agent.sponsors) ? null : me(agent, id, at)
        },
        projected: true
      }),
      "agent.delete": write({
        decide: decideDelete,
        answer: (_state, _reply, { id }) => ({ deleted: true, id }),
        projected: true
      }),
      ...identityOperations(parts),
      ...moderationOperations(parts),
      ...notificationOperations,
      ...watchOperations,
      ...reportOperations(parts),
      ...sponsorOperations(parts),
      ...owningOperations(parts),
      ...relayOperations(parts),
      ...webhookOperations(parts),
      ...contentOperations(parts, meter),
      ...admittingTokens(limits),
      ...vaultNews,
      ...messagingOperations(parts),
      ...blockOperations(parts),
      ...bookmarkOperations(parts),
      ...idempotencyOperations({ clock, nats, limits, sealer: new Sealer(seed) })
    }
  }
})
