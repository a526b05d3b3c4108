/**
 * `Idempotency-Key` on requests that change something and are signed, or have the token of a person or a vault
 * (contract 13, 17, 20).
 *
 * Invariants
 *  - The actor of the signer's agent, of the person, or of the vault's agent keeps the first answer. The edge asks it
 *    before the operation, and gives it the answer after the operation, before the client gets it.
 *  - The operation's command id is derived from key, method, path, Idempotency-Key and body, and also from the query,
 *    the type of a file, and compared entity tags. So a request that is repeated because an edge or its connection
 *    failed is the same command in the log, which gives its first answer again. If the body may contain a password, the
 *    actor that stores the answer makes the id, with a key that no edge has.
 *  - A record belongs to the key that signed. No other key gets its answer, not even the same agent's next key
 *    (contract 21). A person's record belongs to the account, for all of its tokens. The record of a request that ends
 *    its own session belongs to that token: its repeat has no session any more, and still gets the first answer.
 *  - If the client of a request disconnects, the key is free at once for the same body. The work continues, and a
 *    repeat is the same command, which finds the first in the actor's mailbox or its commit in the log. Another body is
 *    a conflict for as long as the first may be under way. Asks about the key are never interrupted, or the key would
 *    stay taken.
 *  - Answers that a retry may change are not stored, and the key is free again: 401, 429, 5xx, and refusals that may
 *    end with time or after another action (schemas/errors.ts). The same holds for answers above `ANSWER_MAX_BYTES`
 *    that cannot be made again.
 *  - A large answer that shows the current state of a record is not stored if it takes too much of the day's bytes. It
 *    is made again for a repeated request (`again`). Above `ANSWER_MAX_BYTES` only the fact that it was given, and the
 *    body's hash, are sent to the actor. An answer that must not be copied is made again from the data that is stored
 *    in its place (`remake`), however old its command is. If the present state refuses that, the refusal is not marked as
 *    replayed, and the first answer stays.
 *  - Kept answers are sealed, so an answer with a secret (that of a registration) may be kept like any other. Data of a
 *    person's account is not kept: an owner's name and words are left out (`Response.kept`).
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { type Bus, parse } from "../bus/bus.ts"
import {
  type IdempotencyBegin,
  type IdempotencyBeginning,
  type IdempotencyEntry,
  type IdempotencyFinish,
  REMADE_STATUS,
  type Signer
} from "../../schemas/idempotency/operations.ts"
import { aboveMax, belowMin, invalidField, isPassing, type Refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { Bearer } from "../http/person.ts"
import type { Call } from "../http/call.ts"
import { memberOf } from "../http/json-member.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { storedAnswer, type Response } from "../http/respond.ts"

const ANSWER_MAX_BYTES = 524_288
const IN_FLIGHT_RETRY_SECONDS = 1
const COMMAND_CHARS = 32
/** Added to the wait of a held request, for its last read. */
const HELD_SLACK_MS = 5000
const METHODS: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"])
const PRINTABLE = /^[\x20-\x7e\u0080-\u00ff]+$/

type AnswerEffect<E, R> = Effect.Effect<Response, E, R>

export const idempotent = <R>(
  bus: Bus,
  call: Call,
  limits: Limits,
  run: AnswerEffect<never, R>
): AnswerEffect<Refused, R> => {
  const keeper = keeperOf(bus, call)
  const text = keyIn(call)
  if (text === null || keeper === null) return run
  const max = limits.limits.idempotency_key_max_chars
  if (!isKey(text, max)) {
    return Effect.fail(refuse(keyRefusal(text, max)))
  }
  const entry = entryOf(call, keeper, text)
  const { key: name, body } = entry
  return Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      Effect.map(keeper.begin({ ...entry, ...heldOf(call, limits) }), parse<IdempotencyBegin>),
      (begun): AnswerEffect<Refused, R> => {
        if (begun.state === "done") {
          return Effect.succeed(replayed(storedAnswer(begun.answer, begun.status)))
        }
        if (begun.state !== "new") return Effect.fail(refuse(begun.state === "conflict" ? CONFLICT : IN_FLIGHT))
        call.command = begun.command ?? sha256(`${name}\n${body}`).slice(0, COMMAND_CHARS)
        if (begun.again === true) {
          call.again = true
          call.remake = begun.remake ?? null
        }
        const end = (kept: KeptAnswer) => finish(keeper, { ...entry, ...kept, ...begunBy(begun) })
        // The client has disconnected. A repetition need not wait for the deadline of this request.
        const answered = Effect.onInterrupt(restore(run), () => end({ ...NOTHING_KEPT, abandoned: true }))
        const ended = Effect.tap(answered, (response) =>
          end(isKept(call) ? keptOf(response, begun.begun !== undefined) : NOTHING_KEPT)
        )
        return Effect.map(ended, (response) => (call.again && call.refusal === null ? replayed(response) : response))
      }
    )
  )
}

/** The Idempotency-Key; `null` if there is none, or if it has no effect on this request. */
const keyIn = ({ request, method }: Call): string | null => {
  const key = request.headers["idempotency-key"]
  if (key === undefined || !METHODS.has(method)) return null
  return Array.isArray(key) ? key.join(",") : key
}

const keyRefusal = (text: string, max: number): Refusal => {
  const field = "Idempotency-Key"
  const message = `${field} must be 1 to ${max} printable characters.`
  if (text.length > max) return aboveMax(field, message, max)
  return text.length === 0 ? belowMin(field, message, 1) : invalidField(field, message)
}

const isKey = (text: string, max: number): boolean => text.length > 0 && text.length <= max && PRINTABLE.test(text)

/**
 * The name of the record, and the fingerprint of the request. `token` is the caller's, if the answer belongs to that
 * token alone.
 */
const entryOf = (
  call: Call,
  { owner, signer, token }: Pick<Keeper, "owner" | "signer" | "token">,
  text: string
): IdempotencyEntry => {
  const asked = `${owner}\n${call.method}\n${call.path}\n${text}`
  const key = sha256(token === null ? asked : `${asked}\n${token}`)
  return { key, body: fingerprintOf(call), signer, ...guessableOf(call) }
}

/**
 * The first answer to a request that has ended its own session, for its repetition; `null` if there is none. It is
 * found only with the token of that session.
 */
export const answeredBefore = (
  bus: Bus,
  call: Call,
  limits: Limits,
  { human: actor, token }: Bearer
): Effect.Effect<Response | null, Refused> => {
  const text = keyIn(call)
  if (text === null || call.endpoint?.endsSession !== true) return Effect.succeed(null)
  if (!isKey(text, limits.limits.idempotency_key_max_chars)) return Effect.succeed(null)
  const input = entryOf(call, { owner: actor, signer: "person", token }, text)
  return Effect.flatMap(bus.read(call, { actor, op: "human.look_request", input }), (first) => {
    if (first.state === "new") return Effect.succeed(null)
    if (first.state !== "done") return Effect.fail(refuse(first.state === "conflict" ? CONFLICT : IN_FLIGHT))
    return Effect.succeed(replayed(storedAnswer(first.answer, first.status)))
  })
}

/** The body of a person's request may contain a password, which could be guessed from the body's hash. */
const guessableOf = ({ endpoint }: Call): Pick<IdempotencyEntry, "guessable"> =>
  endpoint?.guessable === true ? { guessable: true } : {}

/**
 * A request that is held counts as under way for the time that it waits, and for its last read after that. It does not
 * count for longer, because a client that repeats it after its edge died waits just as long.
 */
const heldOf = ({ endpoint, body }: Call, { limits }: Limits): Pick<IdempotencyBeginning, "held_ms"> => {
  if (endpoint?.held !== true) return {}
  const member = memberOf(body, "wait_seconds")
  const wanted = member === null ? 0 : Number(body.subarray(member.from, member.to).toString("latin1"))
  const seconds = Math.min(limits.owner.held_seconds, Number.isFinite(wanted) ? wanted : 0)
  return seconds > 0 ? { held_ms: seconds * 1000 + HELD_SLACK_MS } : {}
}

/** The fingerprint of a request under a key: its body, query, declared type and conditions, if they have an effect. */
const fingerprintOf = (call: Call): string => {
  const { bodySha256, search, endpoint, request } = call
  const conditions = endpoint?.comparesTags === true ? conditionsIn(call) : ""
  if (endpoint?.body === "file")
    return sha256(`${bodySha256}\n${search}\n${request.headers["content-type"] ?? ""}${conditions}`)
  return search === "" && conditions === "" ? bodySha256 : sha256(`${bodySha256}\n${search}${conditions}`)
}

const CONDITIONS = ["if-match", "if-none-match"] as const

/** Empty without conditions, so that edges of an earlier release make the same fingerprint. */
const conditionsIn = (call: Call): string =>
  CONDITIONS.flatMap((name) => {
    const condition = call.header(name)
    return condition === undefined ? [] : [`\n${name}: ${condition}`]
  }).join("")

const CONFLICT: Refusal = {
  code: "idempotency_conflict",
  message: "This Idempotency-Key was used with another body, query or condition.",
  details: { header: "Idempotency-Key" }
}

const IN_FLIGHT: Refusal = {
  code: "idempotency_in_flight",
  message: "The first request under this Idempotency-Key is still under way.",
  details: { header: "Idempotency-Key" },
  retryAfter: IN_FLIGHT_RETRY_SECONDS
}

/** The actor that stores the answers of a request. */
interface Keeper {
  /** The namespace of the caller's keys. */
  readonly owner: string
  readonly signer: Signer
  /** The hash of the token that the answer belongs to; `null` if it belongs to the owner as a whole. */
  readonly token: string | null
  readonly begin: (entry: IdempotencyBeginning) => Effect.Effect<Uint8Array, Refused>
  readonly finish: (input: IdempotencyFinish) => Effect.Effect<Uint8Array, Refused>
}

/** `null` for a request without a caller or without an endpoint. */
const keeperOf = (bus: Bus, call: Call): Keeper | null => {
  const { ticket, person, holder, endpoint } = call
  if (endpoint === null) return null
  if (person !== null) {
    const { human: actor, token } = person
    return {
      owner: actor,
      signer: "person",
      token: endpoint.endsSession ? token : null,
      begin: (input) => bus.ask(call, { actor, op: "human.begin_request", input }),
      finish: (input) => bus.ask(call, { actor, op: "human.finish_request", input })
    }
  }
  if (holder !== null) {
    const { agent: actor, hash } = holder
    return {
      owner: `${actor} ${hash}`,
      signer: endpoint.signer,
      token: hash,
      begin: (input) => bus.ask(call, { actor, op: "idempotency.begin", input: { ...input, holder: true } }),
      finish: (input) => bus.ask(call, { actor, op: "idempotency.finish", input: { ...input, holder: true } })
    }
  }
  if (ticket === null) return null
  return {
    owner: ticket.hubId,
    signer: endpoint.signer,
    token: null,
    begin: (input) =>
      bus.askSigned(call, {
        actor: ticket.home,
        op: "idempotency.begin",
        // A suspended agent may sign what anybody may ask.
        input: { ...input, closed: endpoint.auth === "signed" && !endpoint.openToSuspended }
      }),
    finish: (input) => bus.askSigned(call, { actor: ticket.home, op: "idempotency.finish", input })
  }
}

type KeptAnswer = Pick<IdempotencyFinish, "status" | "answer" | "abandoned" | "remade">

const begunBy = ({ begun }: { readonly begun?: string }): Pick<IdempotencyFinish, "begun"> =>
  begun === undefined ? {} : { begun }

const NOTHING_KEPT: KeptAnswer = { status: 0, answer: "" }

/**
 * `remakes` is false if the actor may be on a node of an earlier release, which would store a missing answer as an
 * empty one.
 */
const keptOf = ({ status, body: said, kept, remake }: Response, remakes: boolean): KeptAnswer => {
  if (remake !== undefined) return remakes ? { status, answer: remake, remade: true } : NOTHING_KEPT
  const body = kept ?? said
  if (status === 401 || status === 429 || status >= 500 || typeof body !== "string") return NOTHING_KEPT
  if (Buffer.byteLength(body) <= ANSWER_MAX_BYTES) return { status, answer: body }
  return remakes && status === REMADE_STATUS ? { status, answer: "", remade: true } : NOTHING_KEPT
}

/**
 * False for a refusal that may end. False for any refusal of a request that was carried out before: it is not the first
 * answer, and would replace it.
 */
const isKept = ({ refusal, again }: Call): boolean => refusal === null || !(again || isPassing(refusal.code))

/** Marks the first answer, as it was stored or as it was made again. A refusal in its place has no mark. */
const replayed = (response: Response): Response => {
  response.headers["idempotent-replayed"] = "true"
  return response
}

/** A failure here is not reported to the client. The operation is done, and its command id makes a repeat safe. */
const finish = (keeper: Keeper, input: IdempotencyFinish): Effect.Effect<void> => Effect.ignore(keeper.finish(input))

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex")
