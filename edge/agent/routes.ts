/** Agents: the caller's own profile, the directory, public profiles and score histories (spec 4.4, 4.5). */
import { Effect, Schema } from "effect"
import { AdmitMe, AgentApi, UPDATABLE_FIELDS, UpdateMe } from "../../schemas/agent/api.ts"
import type { ScoreHistoryPrivate } from "../../schemas/agent/records.ts"
import { webhookAddressProblem } from "../../schemas/agent/fields.ts"
import type { Operations } from "../../schemas/bus/operations.ts"
import { invalidField, refusal } from "../../schemas/errors.ts"
import { profileOf } from "../bus/agent.ts"
import { type Bus, parse } from "../bus/bus.ts"
import { withoutSecrets } from "../content/secrets.ts"
import { profileTexts } from "../content/texts.ts"
import { nothingToUpdate } from "../content/writing.ts"
import type { Call } from "../http/call.ts"
import { bodyDecoder, isRecord, parseJson, valueDecoder } from "../http/json.ts"
import { clamped, pageMeta, pageOf } from "../http/query.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { turnFor } from "../http/turns.ts"
import { dataBytes, dataItems, dataValue } from "../http/respond.ts"
import { author, own } from "../bus/own.ts"
import { CHALLENGE_ID, unknownChallenge } from "../registration/index.ts"
import { routesOf } from "../http/handlers.ts"
import { wideHomeOf } from "../http/limits.ts"
import type { EdgeParts } from "../kit/parts.ts"

type Entry = (typeof ScoreHistoryPrivate.Type)["entries"][number]

const decodeUpdate = valueDecoder(UpdateMe)
const decodeAdmission = bodyDecoder(AdmitMe)
const decodeConfirm = bodyDecoder(Schema.Struct({ confirm: Schema.optionalKey(Schema.String) }))

const ENTRY_ID = /^[1-9]\d{0,14}$/
const wrongEntry = refuse(invalidField("before_id", "before_id must be the id of an entry."))

const scoresOf = (bus: Bus, call: Call, profile: Uint8Array, limit: number, beforeId: string | undefined) =>
  Effect.gen(function* () {
    if (beforeId !== undefined && !ENTRY_ID.test(beforeId)) return yield* Effect.fail(wrongEntry)
    const { id, scores, status } = parse<Operations["agent.profile"]["output"]>(profile)
    const before = beforeId === undefined ? null : Number(beforeId)
    const entries = yield* bus.query(call, "scores", { agent: id, limit, before })
    return { ...scores, status, entries }
  })

const withoutTargets = ({ id, at, score, delta, value, reason }: Entry) => ({ id, at, score, delta, value, reason })

const NO_FIELDS = Buffer.from("{}")
const NULL = Buffer.from("null")

const isNull = (json: Uint8Array): boolean => NULL.equals(json)

const unconfirmed = refusal("confirmation_required", "Deleting the account needs `confirm`: your own handle.", {
  field: "confirm"
})

const changesNothing = (value: unknown): boolean =>
  !isRecord(value) || !UPDATABLE_FIELDS.some((field) => Object.hasOwn(value, field))

const readUpdate = (call: Call, production: boolean): Effect.Effect<UpdateMe, Refused> => {
  if (call.body.length === 0) return Effect.fail(refuse(nothingToUpdate(null, UPDATABLE_FIELDS)))
  const parsed = parseJson(call.body)
  if (!parsed.ok) return Effect.fail(refuse(parsed.refusal))
  if (changesNothing(parsed.value)) return Effect.fail(refuse(nothingToUpdate(parsed.value, UPDATABLE_FIELDS)))
  return Effect.flatMap(decodeUpdate(call, parsed.value), (update) => {
    const problem =
      typeof update.webhook_url === "string" ? webhookAddressProblem(update.webhook_url, production) : null
    return problem === null
      ? Effect.succeed(update)
      : Effect.fail(refuse(invalidField("webhook_url", `webhook_url ${problem}.`)))
  })
}

export const agentRoutes = ({ bus, lists, config: { hub } }: EdgeParts) => {
  const { limits } = hub.limits
  return routesOf(AgentApi, {
    getMe: (call) => Effect.map(own(bus, call, "agent.me", null), (me) => dataBytes(me)),
    updateMe: (call) =>
      Effect.gen(function* () {
        const update = yield* readUpdate(call, hub.env === "production")
        yield* withoutSecrets(profileTexts(update), author(call), turnFor(call))
        const updated = yield* own(bus, call, "agent.update", update)
        return dataBytes(isNull(updated) ? yield* own(bus, call, "agent.me", null) : updated)
      }),
    deleteMe: (call) =>
      Effect.gen(function* () {
        const { confirm } = yield* decodeConfirm(call, call.body.length === 0 ? NO_FIELDS : call.body)
        if (confirm === undefined) return yield* refuse(unconfirmed)
        return dataBytes(yield* own(bus, call, "agent.delete", { confirm }))
      }),
    admitMe: (call) =>
      Effect.gen(function* () {
        const attempt = yield* decodeAdmission(call)
        if (!CHALLENGE_ID.test(attempt.challenge_id)) return yield* refuse(unknownChallenge)
        const admitted = yield* own(bus, call, "agent.admit", {
          ...attempt,
          origin: call.client,
          wide_home: wideHomeOf("register", call)
        })
        return dataBytes(isNull(admitted) ? yield* own(bus, call, "agent.me", null) : admitted)
      }),
    getMyScores: (call, { query }) =>
      Effect.gen(function* () {
        const me = yield* own(bus, call, "agent.me", null)
        const limit = clamped(query.limit, 1, limits.scores_limit_max, limits.scores_limit_default)
        return dataValue(yield* scoresOf(bus, call, me, limit, query.before_id))
      }),
    listAgents: (call, { query }) =>
      Effect.gen(function* () {
        const page = pageOf(query, hub.limits)
        const found = yield* lists.page(call, "agents", {
          ...page,
          sort: query.sort ?? "reputation",
          q: query.q ?? null
        })
        return dataItems(found.items, pageMeta(page, found.total))
      }),
    getAgent: (call, { params }) => Effect.map(profileOf(bus, call, params.ref), (profile) => dataBytes(profile)),
    getAgentScores: (call, { params, query }) =>
      Effect.gen(function* () {
        const profile = yield* profileOf(bus, call, params.ref)
        const limit = clamped(query.limit, 1, limits.public_scores_limit_max, limits.public_scores_limit_default)
        const history = yield* scoresOf(bus, call, profile, limit, query.before_id)
        return dataValue({ ...history, entries: history.entries.map(withoutTargets) })
      })
  })
}
