/**
 * Decides a command for an actor with its state at some moment of its history.
 *
 * Invariants
 *  - The kind's `decide` and its `consequences` are called. `prepare`, which collects facts from outside, and the gate
 *    (signature, nonce, rate limits) are not called: facts come from the file, or from ops/replay/facts.ts.
 *  - Nothing is appended, sent or set. Parts that a kind needs for that throw an error if they are used.
 *  - It does not check that companions' subjects are free. The decision is shown as the node would try to append it.
 */
import { Result, Schema, SchemaIssue } from "effect"
import type { Companion, Decision, Timer } from "../../actors/engine/definition.ts"
import type { EventShape, LogEntry } from "../../actors/log/commit.ts"
import { OUR_BANK } from "../../actors/registration/questions/bank/index.ts"
import { NEVER_RESTORED } from "../../actors/log/last-restore.ts"
import { type OperationName, OPERATIONS } from "../../schemas/bus/operations.ts"
import type { Refusal } from "../../schemas/errors.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { asJson, type Difference, differences } from "./difference.ts"
import { defaultFacts } from "./facts.ts"
import { evolved, isBeyond, type Point, type Step } from "./fold.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { shapeOf } from "./shape.ts"
import type { NodeKind, NodeParts } from "../../actors/process/kinds.ts"

/** A problem with the command's file, or a command that is not allowed here. */
export class WhatIfFault extends Error {}

/** The defaults, so that a written test decides the same everywhere. */
export const DEFAULT_CONFIG: NodeParts["config"] = {
  limits: LIMITS,
  env: "development",
  baseUrl: "http://127.0.0.1:8080",
  captchaBypass: null,
  name: "Hub",
  hosts: [],
  mail: null,
  console: { url: "http://127.0.0.1:8081" }
}

export interface WhatIfCommand {
  readonly op: string
  readonly input: unknown
  /** Unix ms. */
  readonly at: number | null
  readonly facts: Readonly<Record<string, unknown>> | null
}

export interface WhatIf {
  readonly op: string
  readonly at: number
  /** The actor's last sequence at that moment; 0 before its first. */
  readonly seq: number
  readonly refused: Refusal | null
  readonly events: ReadonlyArray<EventShape>
  readonly reply: unknown
  /** The companions of the decision. `replay --json` prints them under this name. */
  readonly also: ReadonlyArray<Companion>
  readonly timers: ReadonlyArray<Timer>
  readonly state: unknown
  /** The commit that did follow, and the state it led to; `null` if none followed. */
  readonly really: Step | null
}

/**
 * The differences between the resulting state and the real one. Both states must be masked before, because a difference
 * does not have the names by which secrets are recognized.
 */
export const differsFromReality = ({ state, really }: WhatIf): ReadonlyArray<Difference> =>
  really === null ? [] : differences(asJson(state), asJson(really.state))

export const readWhatIf = (text: string): WhatIfCommand => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new WhatIfFault(`this is no JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new WhatIfFault('a command is an object: {"op", "input", "at"?, "facts"?}')
  const { op, input = null, at = null, facts = null, ...others } = value as Readonly<Record<string, unknown>>
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new WhatIfFault(`\`${unknown}\` is none of op, input, at, facts`)
  if (typeof op !== "string") throw new WhatIfFault("`op` must be the name of an operation")
  if (facts !== null && (typeof facts !== "object" || Array.isArray(facts)))
    throw new WhatIfFault("`facts` must be an object")
  const time = typeof at === "string" ? Date.parse(at) : at
  if (time !== null && (typeof time !== "number" || !Number.isFinite(time)))
    throw new WhatIfFault("`at` must be a time in ISO 8601 or Unix milliseconds")
  return { op, input, at: time, facts: facts as WhatIfCommand["facts"] }
}

export interface Past {
  readonly kind: NodeKind
  readonly id: string
  readonly entries: ReadonlyArray<LogEntry>
  /** The end of the history; `null` for all of it. */
  readonly until: Point | null
}

export interface Moment {
  readonly kind: NodeKind
  readonly id: string
  /** The actor's last sequence; 0 before its first. */
  readonly seq: number
  readonly state: unknown
  /** The commit that did follow, if there is one. */
  readonly next: LogEntry | undefined
}

export const whatIf = (
  { kind, id, entries, until }: Past,
  command: WhatIfCommand,
  config: NodeParts["config"]
): WhatIf => {
  const before = entries.filter((entry) => !isBeyond(entry, until))
  let state: unknown = kind.fold.initial
  for (const entry of before) state = evolved(kind.fold, id, state, entry)
  const seq = before.at(-1)?.seq ?? 0
  return whatIfAt({ kind, id, seq, state, next: entries[before.length] }, command, config)
}

export const whatIfAt = (
  { kind, id, seq, state, next }: Moment,
  command: WhatIfCommand,
  config: NodeParts["config"]
): WhatIf => {
  const { fold } = kind
  const at = command.at ?? next?.commit.at ?? Date.now()
  const decision = decided(kind, command, config, state, { at, id, seq })
  const events = decision.events ?? []
  const after = evolved(fold, id, state, { commit: { v: 1, id: "what-if", op: command.op, at, events } })
  return {
    op: command.op,
    at,
    seq,
    events,
    refused: "refused" in decision ? decision.refused : null,
    reply: "refused" in decision ? undefined : decision.reply,
    also: "refused" in decision ? [] : (decision.companions ?? []),
    timers: "refused" in decision ? [] : (decision.timers ?? []),
    state: after,
    really: next === undefined ? null : { entry: next, state: evolved(fold, id, state, next) }
  }
}

const decided = (
  kind: NodeKind,
  command: WhatIfCommand,
  config: NodeParts["config"],
  state: unknown,
  context: { at: number; id: string; seq: number }
): Decision => {
  const { operation, consequences } = writeOf(kind, command.op, config)
  if (operation.prepare === undefined && command.facts !== null) throw new WhatIfFault(`${command.op} takes no facts`)
  const facts =
    operation.prepare === undefined ? null : asked(command.op, { ...defaultFacts(command.op), ...command.facts })
  try {
    const decision = operation.decide(state, readInput(command), { ...context, facts })
    return consequences(state, decision, context)
  } catch (error) {
    if (error instanceof WhatIfFault) throw error
    throw new WhatIfFault(`${command.op} failed: ${String(error)}`)
  }
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * Decodes the input with the operation's schema. Unknown fields are refused, because a typing error would silently
 * change the decision.
 */
const readInput = ({ op, input }: WhatIfCommand): unknown => {
  const declared = Object.hasOwn(OPERATIONS, op) ? OPERATIONS[op as OperationName].input : null
  if (declared === null) return input
  const result = Schema.decodeUnknownResult(declared as Schema.Codec<unknown>)(input, { onExcessProperty: "error" })
  if (Result.isSuccess(result)) return result.success
  const [first] = format(result.failure.issue).issues
  const path = ["input", ...(first?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part))]
  throw new WhatIfFault(`\`${path.join(".")}\`: ${first?.message ?? "is not valid"}; ${op} takes ${shapeOf(declared)}`)
}

/** The operations of a kind that decide something. */
export const decidingOf = (kind: NodeKind, config: NodeParts["config"]): ReadonlyArray<string> =>
  decidingIn(kind.make(closedParts(config)).operations)

const decidingIn = (operations: ReturnType<NodeKind["make"]>["operations"]): ReadonlyArray<string> =>
  Object.entries(operations).flatMap(([name, one]) => (one.type === "write" ? [name] : []))

const writeOf = (kind: NodeKind, op: string, config: NodeParts["config"]) => {
  const { operations, consequences = (_state: unknown, decision: Decision) => decision } = kind.make(
    closedParts(config)
  )
  const operation = Object.hasOwn(operations, op) ? operations[op] : undefined
  if (operation?.type === "write") return { operation, consequences }
  const deciding = decidingIn(operations)
  const problem = operation === undefined ? `${kind.fold.kind} has no operation ${op}` : `${op} decides nothing`
  throw new WhatIfFault(`${problem}; those that decide: ${deciding.join(", ") || "none"}`)
}

/** Wraps the given facts. If the decision reads a fact that is not among them, a WhatIfFault names it. */
const asked = (op: string, facts: Readonly<Record<string, unknown>>): unknown =>
  new Proxy(facts, {
    get: (given, name) => {
      if (typeof name === "string" && !Object.hasOwn(given, name))
        throw new WhatIfFault(`${op} asks for the fact \`${name}\`: give it under \`facts\``)
      return Reflect.get(given, name) as unknown
    }
  })

/** The parts of a kind without access to the outside. */
const closedParts = (config: NodeParts["config"]): NodeParts => ({
  clock: machineClock,
  config,
  bank: OUR_BANK,
  // A decision does not seal, so it needs no real seed.
  seed: new Uint8Array(32),
  nats: closed("the bus"),
  manager: closed("the bus"),
  log: closed("the log"),
  accounts: closed("the keys of accounts"),
  mail: closed("the keys of mailboxes"),
  letters: closed("the mail server"),
  nonces: closed("the nonces"),
  proofs: closed("the nonces"),
  restored: NEVER_RESTORED,
  stateOf: () => reached("another actor")
})

const reached = (what: string): never => {
  throw new WhatIfFault(`the decision reached for ${what}, which a what-if keeps closed`)
}

const closed = (what: string): never => new Proxy({}, { get: () => reached(what) }) as never
