/**
 * `Idempotency-Key` on requests that change something, signed, or with a person's token or a vault's (contract 13, 17,
 * 20).
 *
 * Invariants
 *  - The actor of the signing key, or of the person, keeps the first answer: asked before the operation, told after it,
 *    before the answer leaves.
 *  - The operation's command id is made of key, method, path, Idempotency-Key and body. The other parts of the question
 *    count too: the query; the type of a file; tags that are compared. So a request that is repeated because an edge or
 *    its line died in between is the same command in the log, which gives its first answer again. If the body may hold
 *    a password, the actor that keeps the answer makes the id, under a key that no edge has.
 *  - A record belongs to the key that signed: no other key, nor the same agent's next one, hears of it (contract 21). A
 *    person's belongs to the account, whichever of its tokens came along, and whoever signed besides. That of a request
 *    which ends its own session belongs to its token: who repeats it has no session any more, and hears its first
 *    answer.
 *  - A request whose client is gone frees its key at once, for the same body. Its work goes on, and the same command
 *    made again meets it in the actor's mailbox, or its commit in the log. Another body is a conflict for as long as
 *    the first may be under way. Asks about the key are never cut off in the middle, or nobody would free it.
 *  - Answers that a retry may change are not kept, and the key is free: 401, 429, 5xx, and refusals that time or
 *    another act lifts (schemas/errors.ts). So are answers above `ANSWER_MAX_BYTES` that cannot be made anew.
 *  - A large answer that shows a record as it stands is not kept if it takes too much of the day's bytes. A repeated
 *    request gets it made anew (`again`). Above `ANSWER_MAX_BYTES` it does not even go along; that it was given, and to
 *    which body, does. One that may stand in no copy is made anew of what is kept in its place (`remake`), however long
 *    ago its command was.
 *  - Kept answers are sealed there, so that an answer with a secret (registration's) may be kept like any other. Data
 *    of a person's account is not: an owner's name and words are left out of it (`Response.kept`).
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
import { keptAnswer, type Response } from "../http/respond.ts"

const ANSWER_MAX_BYTES = 524_288
const IN_FLIGHT_RETRY_SECONDS = 1
const COMMAND_CHARS = 32
/** Behind what a request waits for. */
const HELD_SLACK_MS = 5000
const METHODS: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"])
const PRINTABLE = /^[\x20-\x7e\u0080-\u00ff]+$/

type Answered<E, R> = Effect.Effect<Response, E, R>

export const idempotent = <R>(bus: Bus, call: Call, limits: Limits, run: Answered<never, R>): Answered<Refused, R> => {
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
      (begun): Answered<Refused, R> => {
        if (begun.state === "done") {
          call.headers["idempotent-replayed"] = "true"
          return Effect.succeed(keptAnswer(begun.answer, begun.status))
        }
        if (begun.state !== "new") return Effect.fail(refuse(begun.state === "conflict" ? CONFLICT : IN_FLIGHT))
        call.command = begun.command ?? sha256(`${name}\n${body}`).slice(0, COMMAND_CHARS)
        if (begun.again === true) {
          call.again = true
          call.headers["idempotent-replayed"] = "true"
          call.remake = begun.remake ?? null
        }
        const end = (kept: KeptAnswer) => finish(keeper, { ...entry, ...kept, ...begunBy(begun) })
        // Its client is gone: who asks again need not wait for the deadline of a request that nobody waits for.
        const answered = Effect.onInterrupt(restore(run), () => end({ ...NOTHING_KEPT, abandoned: true }))
        return Effect.tap(answered, (response) =>
          end(maySucceedLater(call) ? NOTHING_KEPT : keptOf(response, begun.begun !== undefined))
        )
      }
    )
  )
}

/** `null` if none came, or means nothing. */
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

/** Under which name what is asked is known, and what it is. `token`: of who asks, where the answer is for that alone. */
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
 * The first answer to a request that has ended its own session, for who repeats it; `null` if there is none. Nobody
 * finds it without that token.
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
    call.headers["idempotent-replayed"] = "true"
    return Effect.succeed(keptAnswer(first.answer, first.status))
  })
}

/** People's requests may hold their password. */
const guessableOf = ({ endpoint }: Call): Pick<IdempotencyEntry, "guessable"> =>
  endpoint?.guessable === true ? { guessable: true } : {}

/**
 * One that waits is under way for what it waits, and for the last look behind that. No longer: whoever sends it again when
 * its edge has died waits for as long.
 */
const heldOf = ({ endpoint, body }: Call, { limits }: Limits): Pick<IdempotencyBeginning, "held_ms"> => {
  if (endpoint?.held !== true) return {}
  const member = memberOf(body, "wait_seconds")
  const wanted = member === null ? 0 : Number(body.subarray(member.from, member.to).toString("latin1"))
  const seconds = Math.min(limits.owner.held_seconds, Number.isFinite(wanted) ? wanted : 0)
  return seconds > 0 ? { held_ms: seconds * 1000 + HELD_SLACK_MS } : {}
}

/**
 * The fingerprint of a request under a key: the body, the query, and the declared type and conditions if they are part
 * of it.
 */
const fingerprintOf = (call: Call): string => {
  const { bodySha256, search, endpoint, request } = call
  const conditions = endpoint?.comparesTags === true ? conditionsIn(call) : ""
  if (endpoint?.body === "file")
    return sha256(`${bodySha256}\n${search}\n${request.headers["content-type"] ?? ""}${conditions}`)
  return search === "" && conditions === "" ? bodySha256 : sha256(`${bodySha256}\n${search}${conditions}`)
}

const CONDITIONS = ["if-match", "if-none-match"] as const

/** Empty without conditions, so that nodes of a release before make the same fingerprint. */
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

/** The keeper of a request's answers. */
interface Keeper {
  /** The owner of a name space of keys. */
  readonly owner: string
  readonly signer: Signer
  /** Hash of the token to which the answer belongs, if that is not its owner's altogether. */
  readonly token: string | null
  readonly begin: (entry: IdempotencyBeginning) => Effect.Effect<Uint8Array, Refused>
  readonly finish: (input: IdempotencyFinish) => Effect.Effect<Uint8Array, Refused>
}

/** `null` of a request by nobody. */
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
      begin: (input) => bus.ask(call, { actor, op: "idempotency.begin", input }),
      finish: (input) => bus.ask(call, { actor, op: "idempotency.finish", input })
    }
  }
  if (ticket === null) return null
  return {
    owner: ticket.hubId,
    signer: endpoint.signer,
    token: null,
    begin: (input) => bus.askSigned(call, { actor: ticket.home, op: "idempotency.begin", input }),
    finish: (input) => bus.askSigned(call, { actor: ticket.home, op: "idempotency.finish", input })
  }
}

type KeptAnswer = Pick<IdempotencyFinish, "status" | "answer" | "abandoned" | "remade">

const begunBy = ({ begun }: { readonly begun?: string }): Pick<IdempotencyFinish, "begun"> =>
  begun === undefined ? {} : { begun }

const NOTHING_KEPT: KeptAnswer = { status: 0, answer: "" }

/** `remakes`: a node of a release before would keep an answer that does not come along as an empty one. */
const keptOf = ({ status, body: said, kept, remake }: Response, remakes: boolean): KeptAnswer => {
  if (remake !== undefined) return remakes ? { status, answer: remake, remade: true } : NOTHING_KEPT
  const body = kept ?? said
  if (status === 401 || status === 429 || status >= 500 || typeof body !== "string") return NOTHING_KEPT
  if (Buffer.byteLength(body) <= ANSWER_MAX_BYTES) return { status, answer: body }
  return remakes && status === REMADE_STATUS ? { status, answer: "", remade: true } : NOTHING_KEPT
}

const maySucceedLater = ({ refusal }: Call): boolean => refusal !== null && isPassing(refusal.code)

/** A failure here is not told to the client: the operation is done, and repeating it is safe by its command id. */
const finish = (keeper: Keeper, input: IdempotencyFinish): Effect.Effect<void> => Effect.ignore(keeper.finish(input))

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex")
