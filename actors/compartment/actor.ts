/** The actor of a compartment. Its operations are declared in schemas/compartment/operations.ts. */
import { createHash, randomBytes } from "node:crypto"
import { Effect } from "effect"
import { compartmentOperations } from "../../schemas/compartment/operations.ts"
import { quotasRecord } from "../../schemas/compartment/limits.ts"
import type { Refusal } from "../../schemas/errors.ts"
import { subjects } from "../../schemas/subjects.ts"
import { blobsAt, naming } from "../blob/noun.ts"
import { custom, type DecideContext, type PrepareContext, read, write } from "../engine/definition.ts"
import { type Fold, kind } from "../kit/kind.ts"
import { Sealer } from "../log/seal.ts"
import { Actors } from "../engine/services.ts"
import { askedBy } from "./asked.ts"
import {
  belongsTo,
  decideChange,
  decideDelete,
  type Decided,
  decideEnd,
  decideLift,
  decideMove,
  decideReported,
  decideRestart,
  decideStart,
  decideStop,
  decideSuspend
} from "./decide.ts"
import {
  blobsIn,
  decideLink,
  decideOpenLink,
  decideQueueFiles,
  type LinkOwner,
  linkWaits,
  NO_LINK
} from "./decide-besides.ts"
import { decideDue, decideReport, RESTART_TIMER } from "./decide-reports.ts"
import { evolveCompartment } from "./evolve.ts"
import { desiredOf, knownRecord, noteRecord, type Shape } from "./record.ts"
import { NO_COMPARTMENT } from "./refusals.ts"
import { seenSince } from "./since-restore.ts"
import {
  type CompartmentActor,
  CompartmentEvent,
  type CompartmentMemory,
  CompartmentState,
  type CompartmentValue,
  isThere
} from "./state.ts"

const fold: Fold<CompartmentActor> = {
  kind: "compartment",
  state: CompartmentState,
  initial: null,
  events: CompartmentEvent,
  evolve: evolveCompartment
}

const TOKEN_BYTES = 24
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

export const compartmentKind = kind(fold, compartmentOperations, ({ log, nats, seed, config: { limits, baseUrl } }) => {
  const sealer = new Sealer(seed, "hub compartment links")
  const quotas = quotasRecord(limits.runtime.quotas)
  const shapeOf = (
    state: CompartmentValue,
    context: PrepareContext<CompartmentMemory>
  ): Effect.Effect<Shape, Refusal, Actors> =>
    Effect.all({
      baseUrl: Effect.succeed(baseUrl),
      quotas: Effect.succeed(quotas),
      hx_id: numberOf(state, context),
      owner: presentOwnerOf(state, context)
    })
  const graceMs = limits.service.blob_grace_seconds * 1000
  const linkMs = limits.runtime.web_link_seconds * 1000
  const linkOf = (id: string): string => `link of ${id}`

  /** Tells the host to check the compartment now. Without that, it would do so at its next beat. */
  const tell = (id: string, state: CompartmentState): Effect.Effect<void> =>
    Effect.sync(() => {
      if (isThere(state)) nats.publish(subjects.compartmentChanged(state.host, id))
    })
  /** Adds to the decision the changed references to blobs: archives that wait to be unpacked. */
  const named = (state: CompartmentState, decision: Decided, context: DecideContext<Blobs>): Decided => {
    if ("refused" in decision) return decision
    const next = decision.events.reduce<CompartmentState>((one, event) => evolveCompartment(one, event, context), state)
    const [before, names] = [blobsIn(state), blobsIn(next)]
    return naming(decision, { before, after: names, blobs: context.facts, at: context.at, graceMs })
  }
  const blobsNamed = (state: CompartmentState) => blobsAt(log, blobsIn(state))

  return {
    memory: () => ({ hx_id: null }),
    onTimer: { [RESTART_TIMER]: "compartment.timer" },
    seenSince: seenSince(linkMs),
    operations: {
      "compartment.look": custom((state, { by }, context) =>
        Effect.gen(function* () {
          yield* askedBy(state, { by }, context)
          const isOperator = by.type === "agent" && by.operator
          if (!isThere(state) || (!belongsTo(state, by) && !isOperator))
            return yield* Effect.fail(NO_COMPARTMENT.refused)
          return { compartment: knownRecord(context.id, state, yield* shapeOf(state, context)), host: state.host }
        })
      ),
      "compartment.start": write({
        prepare: askedBy,
        decide: decideStart,
        answer: () => null,
        after: (_input, { id }, { state }) => tell(id, state)
      }),
      "compartment.stop": write({
        prepare: askedBy,
        decide: decideStop,
        answer: () => null,
        after: (_input, { id }, { state }) => tell(id, state)
      }),
      "compartment.restart": write({
        prepare: askedBy,
        decide: decideRestart,
        answer: () => null,
        after: (_input, { id }, { state }) => tell(id, state)
      }),
      "compartment.change": write({
        prepare: (state, input, context) =>
          Effect.gen(function* () {
            const { name } = input
            yield* askedBy(state, input, context)
            // A refused change leaves the name in the fleet as it is.
            const decision = decideChange(state, input, limits.runtime)
            if ("refused" in decision) return yield* Effect.fail(decision.refused)
            if (!isThere(state)) return yield* Effect.fail(NO_COMPARTMENT.refused)
            if (name === null || name === state.name) return null
            const actors = yield* Actors
            return yield* actors.ask(context, "fleet.rename", FLEET, { compartment: context.id, name })
          }),
        decide: (state, input) => decideChange(state, input, limits.runtime),
        answer: () => null,
        projected: true
      }),
      "compartment.delete": write({
        prepare: (state, input, context) => Effect.andThen(askedBy(state, input, context), blobsNamed(state)),
        decide: (state, input, context) => named(state, decideDelete(state, input), context),
        answer: () => null,
        after: (_input, { id }, { state }) => tell(id, state),
        projected: true
      }),
      "compartment.queue_files": write({
        prepare: (state, input, context) =>
          Effect.andThen(askedBy(state, input, context), blobsAt(log, [...blobsIn(state), input.blob])),
        decide: (state, input, context) => named(state, decideQueueFiles(state, input), context),
        answer: () => null,
        after: (_input, { id }, { state }) => tell(id, state)
      }),
      "compartment.link": write({
        prepare: (state, input, context) =>
          Effect.gen(function* () {
            yield* askedBy(state, input, context)
            if (!isThere(state)) return yield* Effect.fail(NO_COMPARTMENT.refused)
            return { ...(yield* drawn(linkMs, context)), ...(yield* ownerOf(state, context)) }
          }),
        decide: (state, input, { facts, id }) => {
          const decision = decideLink(state, input, facts)
          if ("refused" in decision) return decision
          return { ...decision, reply: { sealed: sealer.seal(facts.token, linkOf(id)), until: facts.until } }
        },
        answer: (_state, { sealed, until }, { id }) => ({
          url: `${baseUrl}/owner/links/${id}.${sealer.open(sealed, linkOf(id))}`,
          expires_at: new Date(until).toISOString()
        })
      }),
      "compartment.link_waits": read((state, { token }, { at }) =>
        linkWaits(state, sha256(token), at) ? { data: null } : NO_LINK
      ),
      "compartment.open_link": write({
        prepare: (state, _input, context) =>
          isThere(state)
            ? Effect.all({ shape: shapeOf(state, context), owner: ownerOf(state, context) })
            : Effect.fail(NO_COMPARTMENT.refused),
        decide: (state, { token, browser }, { at, facts: { shape, owner } }) => {
          const decision = decideOpenLink(state, { hash: sha256(token), browser: sha256(browser) }, { at, owner })
          return "refused" in decision ? decision : { ...decision, reply: shape }
        },
        answer: (state, shape, { id }) => {
          if (!isThere(state)) throw new Error("A link was opened of a compartment that is not there")
          return { compartment: knownRecord(id, state, shape), host: state.host }
        }
      }),
      "compartment.events": custom((state, { by, page, per_page }, context) =>
        Effect.gen(function* () {
          yield* askedBy(state, { by }, context)
          const isOperator = by.type === "agent" && by.operator
          if (!isThere(state) || (!belongsTo(state, by) && !isOperator))
            return yield* Effect.fail(NO_COMPARTMENT.refused)
          const newest = state.notes.toReversed()
          const items = newest.slice((page - 1) * per_page, page * per_page).map(noteRecord)
          return { items, total: newest.length }
        })
      ),
      "compartment.runs_for": read((state, { agent }) => {
        const desired = isThere(state) && state.agent === agent ? desiredOf(state) : null
        const isStopping = desired?.status === "stopping" || desired?.status === "deleting"
        return {
          data: {
            runs: desired?.goal === "running",
            ...(desired === null ? {} : { run: desired.run }),
            ...(isStopping ? { stopping: true } : {})
          }
        }
      }),
      "compartment.desired": custom((state, { host }, context) => {
        if (!isThere(state) || state.host !== host) return Effect.fail(NO_COMPARTMENT.refused)
        const desired = desiredOf(state)
        // Stopping needs no other actor.
        if (desired.goal !== "running") return Effect.succeed(desired)
        return Effect.map(numberOf(state, context), (hx_id) => ({ ...desired, hx_id }))
      }),
      "compartment.report": write({
        prepare: (state) => blobsNamed(state),
        decide: (state, input, context) => named(state, decideReport(state, input, context, limits.runtime), context),
        answer: () => null
      }),
      "compartment.suspend": write({
        decide: decideSuspend,
        answer: () => null,
        after: (_input, { id }, { state }) => tell(id, state)
      }),
      "compartment.lift": write({
        decide: decideLift,
        answer: () => null,
        after: (_input, { id }, { state }) => tell(id, state)
      }),
      "compartment.end": write({
        prepare: (state) => blobsNamed(state),
        decide: (state, _input, context) => named(state, decideEnd(state), context),
        answer: () => null,
        after: (_input, { id }, { state }) => tell(id, state)
      }),
      "compartment.reported": write({
        prepare: (state, { reporter }, context) =>
          Effect.gen(function* () {
            if (!isThere(state)) return "none"
            const actors = yield* Actors
            return (yield* actors.ask(context, "agent.weight", reporter, null)).weight
          }),
        decide: (state, input, { facts: weight }) => decideReported(state, input, weight),
        answer: () => null,
        after: (_input, { id }, { state }) => tell(id, state)
      }),
      "compartment.move": write({
        decide: decideMove,
        answer: () => null,
        after: (_input, { id }, { state }) => tell(id, state)
      }),
      "compartment.timer": write({
        decide: decideDue,
        answer: () => null,
        after: (_input, { id }, { state }) => tell(id, state)
      })
    }
  }
})

/** The agent's number. It never changes, so the agent is asked once in the life of an activation. */
const numberOf = (
  { agent }: CompartmentValue,
  context: PrepareContext<CompartmentMemory>
): Effect.Effect<string, Refusal, Actors> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    context.memory.hx_id ??= (yield* actors.ask(context, "identity.record", agent, null)).id
    return context.memory.hx_id
  })

const presentOwnerOf = (
  { agent, human }: CompartmentValue,
  context: PrepareContext<CompartmentMemory>
): Effect.Effect<string | null, Refusal, Actors> =>
  human === null
    ? Effect.flatMap(Actors, (actors) =>
        Effect.map(actors.ask(context, "owner.proven", agent, null), ({ by = null }) => by)
      )
    : Effect.succeed(human)

const ownerOf = (
  { agent }: CompartmentValue,
  context: PrepareContext<CompartmentMemory>
): Effect.Effect<LinkOwner, Refusal, Actors> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const { public_key: key, moderation } = yield* actors.ask(context, "identity.record", agent, null)
    return { key, moderation }
  })

const FLEET = "own"

type Blobs = Effect.Success<ReturnType<typeof blobsAt>>

const drawn = (linkMs: number, { at }: PrepareContext) =>
  Effect.sync(() => {
    const token = randomBytes(TOKEN_BYTES).toString("base64url")
    return { token, hash: sha256(token), until: at + linkMs }
  })
