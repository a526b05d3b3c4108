/** Votes (spec 4.4, 4.6; contract 3). The actor of the target answers them. */
import { Effect } from "effect"
import { invalidField } from "../../schemas/errors.ts"
import { CastVote, VoteApi, WithdrawVote } from "../../schemas/vote/api.ts"
import type { Voted, VoteTarget } from "../../schemas/vote/records.ts"
import { admitted } from "../content/writing.ts"
import type { Call } from "../http/call.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder, valueDecoder } from "../http/json.ts"
import { pageMeta, pageOf } from "../http/query.ts"
import { namedBy, type Refused, refuse } from "../http/refused.ts"
import { dataItems, dataValue } from "../http/respond.ts"
import { signer } from "../bus/own.ts"
import type { EdgeParts } from "../kit/parts.ts"

const decodeCast = bodyDecoder(CastVote)
const decodeWithdrawn = bodyDecoder(WithdrawVote)
const decodeQuery = valueDecoder(WithdrawVote)

const NUMBER = /^[1-9]\d{0,14}$/

interface Target {
  readonly target_type: VoteTarget
  readonly target_id: number
}

interface VoteQuery {
  readonly target_type?: VoteTarget
  readonly target_id?: string
}

/** The target in the query, or in the body if the query names none. The query has its id as a text. */
const targetIn = (call: Call, { target_type, target_id }: VoteQuery): Effect.Effect<Target, Refused> => {
  const isInQuery = target_type !== undefined || target_id !== undefined
  if (!isInQuery && call.body.length === 0) return Effect.fail(noTarget)
  return !isInQuery
    ? decodeWithdrawn(call)
    : decodeQuery(call, {
        ...(target_type === undefined ? {} : { target_type }),
        ...(target_id === undefined ? {} : { target_id: NUMBER.test(target_id) ? Number(target_id) : target_id })
      })
}

const noTarget = refuse(
  invalidField("target_type", "Name the target, as ?target_type=&target_id= or in a JSON body.", { rule: "required" })
)
const wrongId = refuse(invalidField("target_id", "target_id must be the id of the target."))

export const routes = ({ bus, lists, config: { hub } }: EdgeParts) => {
  const vote = (call: Call, { target_type, target_id }: Target, value: Voted["value"]) =>
    Effect.gen(function* () {
      const by = yield* admitted(bus, call)
      const { score } = yield* bus
        .read(call, { actor: String(target_id), op: `${target_type}.vote`, input: { by, value } })
        .pipe(namedBy("target_id", target_type))
      return dataValue({ target_type, target_id, value, score })
    })

  return routesOf(VoteApi, {
    castVote: (call) => Effect.flatMap(decodeCast(call), ({ value, ...target }) => vote(call, target, value)),
    withdrawVote: (call, { query }) => Effect.flatMap(targetIn(call, query), (target) => vote(call, target, null)),
    listMyVotes: (call, { query: { target_type = null, target_id, ...paging } }) =>
      Effect.gen(function* () {
        if (target_id !== undefined && !NUMBER.test(target_id)) return yield* Effect.fail(wrongId)
        const { id: voter } = yield* signer(bus, call)
        const page = pageOf(paging, hub.limits)
        const target = { target_type, target_id: target_id === undefined ? null : Number(target_id) }
        const { items, total } = yield* lists.page(call, "votes", { ...page, voter, ...target })
        return dataItems(items, pageMeta(page, total))
      })
  })
}
