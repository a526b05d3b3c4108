/**
 * Stores the first answers to requests with an Idempotency-Key (contract 13, 20). They are kept in a stream, each
 * sealed for its owner and key. Requests in progress are known only to the owner's activation. The actors of agents
 * (actors/agent/idempotency/) and of people both use this.
 *
 * `begin` reports whether the request is new, in progress, done or in conflict; `finish` stores the answer. If an edge
 * fails between the two, the key is free again after the request's deadline. The request then runs under the same
 * command id, so that nothing is committed twice. An edge repeats a `begin` that is not answered soon, and the repeat
 * counts as the first. After an abandoned request, the key is free immediately for the same body, and at the deadline
 * for another body.
 *
 * The answers of an owner, refusals included, may take a limited number of bytes a day (schemas/idempotency/share.ts).
 * An answer that takes more than an eighth of the remaining bytes is shortened (shortened.ts). A long record that can
 * be made again from the state is not stored. A new request is refused before it is executed if there is no room for a
 * shortened answer to each request in progress. So a retry is never executed twice, and a few owners cannot displace
 * the answers of others.
 *
 * New agents have a separate stream. An agent may have become established since an answer was stored, or the reverse.
 * So both streams are searched.
 *
 * A body is stored as its fingerprint. A body that may contain a password (`guessable`) is stored as a keyed hash of
 * that. The command's id, which stays in the log, is made from a keyed hash too.
 */
import { Clock, Effect } from "effect"
import { headers, type NatsConnection } from "@nats-io/transport-node"
import {
  type IdempotencyBegin,
  type IdempotencyBeginning,
  type IdempotencyEntry,
  type IdempotencyFinish,
  REMADE_STATUS
} from "../../schemas/idempotency/operations.ts"
import { type Refusal, refusal, unavailable } from "../../schemas/errors.ts"
import { answerBytesOf, isNewcomer, type Owner } from "../../schemas/idempotency/share.ts"
import type { RateLimit } from "../../schemas/limit/bucket.ts"
import type { Limits } from "../../schemas/limits.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import type { PrepareContext } from "../engine/definition.ts"
import { type DayBytes, dayBytes, HOLDERS_PART, holdersPart, shareOf } from "../limit/noun.ts"
import { lastMessage } from "../log/last-message.ts"
import { requestStream } from "../log/requests.ts"
import type { Sealer } from "../log/seal.ts"
import { SHORTENED_MAX_BYTES, shortened } from "./shortened.ts"

const TIMEOUT_MS = 3000
const DAY_SECONDS = 86_400
/** The most requests with a key that one owner may have in progress. */
const UNDER_WAY_MAX = 100

const text = new TextDecoder()

/**
 * The size above which an answer of status `REMADE_STATUS` may be dropped if it does not fit: the record can be made
 * again from the state. The answer to a creation may contain a value that is shown once, such as registration's secret.
 * It is stored whatever its size.
 */
export const REMADE_MIN_BYTES = 16_384

/** A request with an Idempotency-Key that is in progress. It ends with its answer or at its deadline. */
export interface UnderWay {
  readonly body: string
  readonly begun: string
  readonly until: number
  /** True if nobody waits for the request any more. The same body may then begin it again. */
  readonly abandoned?: true
  /** True if the request was sent with a token of the agent's vault. */
  readonly holder?: true
}

export interface RequestMemory {
  readonly underWay: Map<string, UnderWay>
  /** The bytes of answers that may still be stored today. Holders of tokens may use only a part. */
  readonly answerBytes: DayBytes
}

interface KeptAnswer {
  readonly body: string
  readonly status: number
  readonly answer: string
}

interface KeptSealed extends KeptAnswer {
  /** True if the answer is not stored, because it can be made again from the state. */
  readonly remade?: true
}

const NOT_LOOKED_UP = unavailable("The Idempotency-Key cannot be looked up at the moment.")
const NOT_KEPT = unavailable("The answer could not be kept under its Idempotency-Key.")
const TOO_MANY: Refusal = {
  code: "overloaded",
  message: "Too many requests are under way under an Idempotency-Key.",
  retryAfter: 1
}

const COMMAND_CHARS = 32

const ANSWER_BYTES = "answer_bytes"
/**
 * The size above which a record is not stored. It can be made again from the state, and a day of such records would
 * displace other answers.
 */
const RECORD_KEPT_MAX_BYTES = 65_536
/**
 * An answer that takes more than this fraction (one eighth) of the remaining bytes is shortened. A long record that can
 * be made again is not stored.
 */
const ROOM_PART = 8
/** Bytes that a stream stores in addition to an answer: subject, header, and the hash of the body. */
const MESSAGE_BYTES = 400
/** The growth of a sealed answer by base64. */
const SEALED_PART = 4 / 3

const spentAnswers = ({ requests, window_seconds }: RateLimit, resetsAt: number, now: number): Refusal => {
  const retryAfter = Math.max(1, Math.ceil((resetsAt - now) / 1000))
  const why = `Your answers under Idempotency-Keys have taken ${requests} bytes today. Try again in ${retryAfter} s. Requests that were never sent before may be sent without a key.`
  const details = { bucket: ANSWER_BYTES, limit: requests, window_seconds, retry_after: retryAfter }
  return { ...refusal("rate_limited", why, details), retryAfter }
}

const bytesOf = (answer: string): number => MESSAGE_BYTES + Math.ceil(Buffer.byteLength(answer) * SEALED_PART)
const SHORTENED_BYTES = MESSAGE_BYTES + Math.ceil(SHORTENED_MAX_BYTES * SEALED_PART)

const CONFLICT: IdempotencyBegin = { state: "conflict" }

type Context = PrepareContext<RequestMemory>

/**
 * The purpose that an answer is sealed for. Answers are sealed because they may contain values that are shown only
 * once, such as a webhook's secret.
 */
const purpose = (owner: string, key: string): string => `idempotency ${owner} ${key}`

export const firstAnswerReply = (first: KeptAnswer, input: IdempotencyEntry): IdempotencyBegin =>
  first.body === input.body ? { state: "done", status: first.status, answer: first.answer } : CONFLICT

/** The kind of owner; `null` for a key without an agent, for which no bytes are counted. */
type MaybeOwner = Owner | null

type By = Pick<IdempotencyEntry, "holder">

/**
 * The number of requests in progress that limit this one: for a token's holder those of all holders, otherwise all
 * requests.
 */
const underWayOf = ({ underWay }: Pick<RequestMemory, "underWay">, { holder }: By): number =>
  holder === true ? [...underWay.values()].filter((one) => one.holder === true).length : underWay.size

const subjectOf = (sort: MaybeOwner) => (isNewcomer(sort) ? subjects.newcomersIdempotency : subjects.idempotency)

export interface FirstAnswers {
  /** `null` if no answer is stored. */
  readonly keptOf: (owner: string, key: string) => Effect.Effect<KeptSealed | null, Refusal>
  /** `refused`: the refusal of a request that was not carried out before; `null` for none. */
  readonly begin: (
    input: IdempotencyBeginning,
    context: Context,
    sort: MaybeOwner,
    refused?: Refusal | null
  ) => Effect.Effect<IdempotencyBegin, Refusal>
  /** Returns the result of `begin`, but begins nothing. An unknown key gives `new`. */
  readonly look: (input: IdempotencyEntry, context: Context) => Effect.Effect<IdempotencyBegin, Refusal>
  /** Ends a request. `ttlSeconds`: how long the answer is kept; `null` if it is not stored. */
  readonly finish: (
    input: IdempotencyFinish,
    context: Context,
    ttlSeconds: number | null,
    sort: MaybeOwner
  ) => Effect.Effect<null, Refusal>
}

interface FirstAnswersParts {
  readonly clock: Clock.Clock
  readonly nats: NatsConnection
  readonly sealer: Sealer
  readonly limits: Limits
}

export const firstAnswers = ({ clock, nats, sealer, limits }: FirstAnswersParts): FirstAnswers => {
  const bytes = dayBytes(clock, nats, ANSWER_BYTES, spentAnswers)

  /**
   * Fails if there is no room for a shortened answer to each request in progress. It only checks, and takes no bytes:
   * bytes taken too early are lost with the activation, and owners have few.
   */
  const admitted = (memory: RequestMemory, id: string, sort: Owner, by: By): Effect.Effect<void, Refusal> =>
    Effect.gen(function* () {
      const bytesPerDay = answerBytesOf(sort, limits)
      const room = yield* bytes.roomOf(memory.answerBytes, id, shareOf(bytesPerDay, by))
      if (room.bytes < SHORTENED_BYTES) {
        const requests = by.holder === true ? holdersPart(bytesPerDay) : bytesPerDay
        const limit: RateLimit = { requests, window_seconds: DAY_SECONDS }
        return yield* Effect.fail(spentAnswers(limit, room.resetsAt, yield* Clock.currentTimeMillis))
      }
      if (room.bytes < SHORTENED_BYTES * underWayOf(memory, by)) yield* Effect.fail(TOO_MANY)
    })

  const keptOf: FirstAnswers["keptOf"] = (owner, key) =>
    Effect.tryPromise({
      try: async () => {
        const both = await Promise.all([
          lastMessage(nats, streams.idempotency, subjects.idempotency(owner, key), TIMEOUT_MS),
          lastMessage(nats, streams.newcomersIdempotency, subjects.newcomersIdempotency(owner, key), TIMEOUT_MS)
        ])
        const last = both.find((one) => one !== null && one.data.length > 0) ?? null
        if (last === null) return null
        const first = JSON.parse(text.decode(last.data)) as KeptSealed
        return first.answer === "" ? first : { ...first, answer: sealer.open(first.answer, purpose(owner, key)) }
      },
      catch: () => NOT_LOOKED_UP
    })

  /** The entry in the form that is stored and compared: a guessable body is replaced by a keyed hash. */
  const marked = <Entry extends IdempotencyEntry>(entry: Entry): Entry =>
    entry.guessable === true ? { ...entry, body: sealer.mark(entry.body, `body ${entry.key}`) } : entry

  const commandOf = ({ guessable, key, body }: IdempotencyEntry): { readonly command?: string } =>
    guessable === true ? { command: sealer.mark(body, `command ${key}`).slice(0, COMMAND_CHARS) } : {}

  const begin: FirstAnswers["begin"] = (entry, { id: owner, commandId, deadline, memory }, sort, refused = null) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const { underWay } = memory
      const input = marked(entry)
      const until = entry.held_ms === undefined ? deadline : now + entry.held_ms
      for (const [key, running] of underWay) if (running.until < now) underWay.delete(key)
      const running = underWay.get(input.key)
      if (running !== undefined && running.begun !== commandId) {
        if (running.body !== input.body) return Effect.succeed(CONFLICT)
        if (running.abandoned !== true) return Effect.succeed({ state: "in_flight" })
      }
      const max = entry.holder === true ? UNDER_WAY_MAX / HOLDERS_PART : UNDER_WAY_MAX
      if (underWayOf(memory, entry) >= max) return Effect.fail(TOO_MANY)
      underWay.set(input.key, {
        body: input.body,
        begun: commandId,
        until,
        ...(entry.holder === true ? { holder: true } : {})
      })
      const found = Effect.flatMap(keptOf(owner, input.key), (first): Effect.Effect<IdempotencyBegin, Refusal> => {
        const begun = { state: "new", begun: commandId, ...commandOf(entry) } as const
        if (first === null && refused !== null) return Effect.fail(refused)
        if (first === null)
          return sort === null ? Effect.succeed(begun) : Effect.as(admitted(memory, owner, sort, entry), begun)
        if (first.remade === true && first.body === input.body)
          return Effect.succeed({ ...begun, again: true, ...(first.answer === "" ? {} : { remake: first.answer }) })
        underWay.delete(input.key)
        return Effect.succeed(firstAnswerReply(first, input))
      })
      return Effect.onError(found, () => Effect.sync(() => underWay.delete(input.key)))
    })

  const look: FirstAnswers["look"] = (entry, { id: owner, memory: { underWay } }) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const input = marked(entry)
      const running = underWay.get(input.key)
      if (running !== undefined && running.abandoned !== true && running.until >= now)
        return Effect.succeed<IdempotencyBegin>(running.body === input.body ? { state: "in_flight" } : CONFLICT)
      return Effect.map(keptOf(owner, input.key), (first): IdempotencyBegin =>
        first === null || first.remade === true ? { state: "new" } : firstAnswerReply(first, input)
      )
    })

  const sealed = (owner: string, key: string, first: KeptSealed): KeptSealed =>
    first.answer === "" ? first : { ...first, answer: sealer.seal(first.answer, purpose(owner, key)) }

  const cut = (first: KeptSealed, max: number): KeptSealed => {
    const { answer, status, remade } = first
    if (remade === true) return first
    const length = Buffer.byteLength(answer)
    const isRecord = status === REMADE_STATUS && length > REMADE_MIN_BYTES
    if (bytesOf(answer) <= max && !(isRecord && length > RECORD_KEPT_MAX_BYTES)) return first
    return isRecord ? { ...first, answer: "", remade: true } : { ...first, answer: shortened(answer) }
  }

  /**
   * Shortens the answer if necessary. There must still be room for a shortened answer to each other request in
   * progress.
   */
  const fitted = (
    owner: string,
    memory: RequestMemory,
    first: KeptSealed,
    bytesPerDay: number,
    by: By
  ): Effect.Effect<KeptSealed, Refusal> =>
    Effect.gen(function* () {
      const share = shareOf(bytesPerDay, by)
      const room = yield* bytes.roomOf(memory.answerBytes, owner, share)
      const free = room.bytes - SHORTENED_BYTES * underWayOf(memory, by)
      const kept = cut(first, Math.max(SHORTENED_BYTES, Math.min(free, room.bytes / ROOM_PART)))
      const size = bytesOf(kept.answer)
      yield* Effect.ignore(bytes.admit(memory.answerBytes, owner, size, share))
      bytes.use(memory.answerBytes, size, share)
      return kept
    })

  const keep = (
    owner: string,
    key: string,
    first: KeptSealed,
    { ttlSeconds, sort }: { readonly ttlSeconds: number; readonly sort: MaybeOwner }
  ): Effect.Effect<void, Refusal> =>
    Effect.tryPromise({
      try: async () => {
        const more = headers()
        more.set("Nats-TTL", `${ttlSeconds}s`)
        const message = JSON.stringify(first)
        const reply = await requestStream(nats, subjectOf(sort)(owner, key), message, {
          headers: more,
          timeout: TIMEOUT_MS
        })
        if (reply.json<{ error?: unknown }>().error !== undefined) throw new Error("not kept")
      },
      catch: () => NOT_KEPT
    })

  const finish: FirstAnswers["finish"] = (input, { id: owner, memory }, ttlSeconds, sort) =>
    Effect.gen(function* () {
      const { underWay } = memory
      const { key, body, status, answer, remade } = marked(input)
      const running = underWay.get(key)
      const another = running !== undefined && running.body !== body
      // Status 0 means that the request ended without an answer to store. It may be sent again.
      if (status !== 0 && !another && ttlSeconds !== null) {
        const first = { body, status, answer, ...(remade === true ? { remade } : {}) }
        const kept =
          sort === null
            ? cut(first, SHORTENED_BYTES)
            : yield* fitted(owner, memory, first, answerBytesOf(sort, limits), input)
        yield* keep(owner, key, sealed(owner, key, kept), { ttlSeconds, sort })
      }
      // A later request may use the key now, so only the request that began the entry may end it.
      const last = underWay.get(key)
      if (last?.body === body && last.begun === (input.begun ?? last.begun)) {
        if (input.abandoned === true) underWay.set(key, { ...last, abandoned: true })
        else underWay.delete(key)
      }
      return null
    })

  return { keptOf, begin, look, finish }
}
