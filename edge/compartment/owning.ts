/** Compartments for the pages of people: views and actions (spec 4.10). */
import { Effect } from "effect"
import type { Asker } from "../../schemas/compartment/operations.ts"
import type { SteeringAct } from "../../schemas/compartment/pages.ts"
import {
  type Compartment,
  type CompartmentStats,
  type CompartmentStatus,
  type LogLine,
  RUNTIME_TERMS_VERSION,
  type UsageReading
} from "../../schemas/compartment/records.ts"
import type { Author } from "../../schemas/content/author.ts"
import { refusal } from "../../schemas/errors.ts"
import { FLEET_ID } from "../../schemas/fleet/operations.ts"
import type { Limits } from "../../schemas/limits.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import { NOBODY } from "../../schemas/secret/owner.ts"
import type { Bus } from "../bus/bus.ts"
import { withoutSecrets } from "../content/secrets.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { turns } from "../http/turns.ts"
import { compartmentId, Compartments, type CompartmentLook } from "./compartments.ts"
import { newCompartmentId } from "./new-id.ts"

export const LINES_SHOWN = 100
/** The time that a page waits for the host. Most of a page does not need the host. */
const HOST_MS = 2000
const FLEET_MS = 2000
const NEW_KEY_MS = 4000
/** If a status takes longer, lists show the compartment without it. */
const STATUS_MS = 1500
/**
 * The most compartments that one ask to the fleet returns, and the most agents that it names. A person owns a hundred
 * agents at most.
 */
const PLACES_MAX = 100
const LOOKS_ABREAST = 8

export interface CompartmentView {
  readonly record: Compartment
  readonly agent: Author
  /** `null` if nothing runs, `undefined` if the host does not answer. */
  readonly stats: CompartmentStats | null | undefined
  /** Readings of the last hour, oldest first. */
  readonly history: ReadonlyArray<UsageReading>
  /** The newest lines, oldest first; `undefined` if the host does not answer. */
  readonly lines: ReadonlyArray<LogLine> | undefined
}

export interface ListedCompartment {
  readonly id: string
  readonly name: string
  readonly agent: string
}

/** A compartment in a list with its status, or `null` if its actor does not answer in time. */
export interface StandingCompartment extends ListedCompartment {
  readonly status: CompartmentStatus | null
}

export interface NewCompartmentFields {
  readonly name: string
  readonly command: string
}

const by = (human: string): Asker => ({ type: "human", human })

const unavailable = refuse(
  refusal("runtime_unavailable", "No host of compartments answers at the moment. Try again.", {
    reason: "no host answers"
  })
)

export class OwningCompartments {
  readonly #bus: Bus
  readonly #compartments: Compartments
  readonly #hostMs: number

  constructor(bus: Bus, limits: Limits) {
    this.#bus = bus
    this.#compartments = new Compartments(bus, limits)
    this.#hostMs = Math.min(HOST_MS, limits.service.runtime.host_answer_ms)
  }

  /** Refuses with 404 for anybody who neither made the compartment nor owns its agent. */
  shown(call: Call, human: string, id: string): Effect.Effect<CompartmentView, Refused> {
    return Effect.flatMap(this.#compartments.look(call, id, by(human)), (found) => this.#whole(call, found))
  }

  /** Fails `not_found` if the link can no longer be opened. */
  waits(call: Call, id: string, secret: string): Effect.Effect<unknown, Refused> {
    return this.#bus.read(call, { actor: id, op: "compartment.link_waits", input: { token: secret } })
  }

  /** Assigns the link to this browser, unless another browser has opened it. */
  open(call: Call, id: string, secret: string, browser: string): Effect.Effect<CompartmentLook, Refused> {
    return this.#bus.read(call, { actor: id, op: "compartment.open_link", input: { token: secret, browser } })
  }

  opened(call: Call, id: string, secret: string, browser: string): Effect.Effect<CompartmentView, Refused> {
    return Effect.flatMap(this.open(call, id, secret, browser), (found) => this.#whole(call, found))
  }

  #whole(call: Call, found: CompartmentLook): Effect.Effect<CompartmentView, Refused> {
    const { compartment, host } = found
    const at = { host, compartment: compartment.id }
    const wanted = { ...at, since_id: null, limit: LINES_SHOWN, stream: null, q: null, wait_ms: 0 }
    const usage = this.#bus.query(call, "host_stats", at, this.#hostMs)
    const lines = Effect.map(this.#bus.query(call, "host_logs", wanted, this.#hostMs), (answer) => answer.lines)
    return Effect.map(
      Effect.all(
        {
          records: this.#compartments.records(call, [found]),
          agent: this.#bus.read(call, { actor: compartment.agent, op: "content.author", input: null }),
          usage: Effect.orElseSucceed(usage, () => undefined),
          lines: Effect.orElseSucceed(lines, () => undefined)
        },
        { concurrency: 4 }
      ),
      ({ records: [record], usage: answered, ...rest }) => {
        if (record === undefined) throw new Error("A compartment without a record")
        return { record, stats: answered?.stats, history: answered?.history ?? [], ...rest }
      }
    )
  }

  /** Lists at most `PLACES_MAX` compartments that this person made, and as many of the person's agents. */
  ofPerson(
    call: Call,
    human: string,
    agents: ReadonlyArray<string>
  ): Effect.Effect<ReadonlyArray<ListedCompartment>, Refused> {
    const some = agents.slice(0, PLACES_MAX)
    const both = [this.#places(call, null, human), ...(some.length === 0 ? [] : [this.#places(call, some, null)])]
    return Effect.map(Effect.all(both, { concurrency: 2 }), (found) => [
      ...new Map(found.flat().map((one) => [one.id, one])).values()
    ])
  }

  /** The compartments of `ofPerson`, each with its status. A compartment that was deleted a moment ago is left out. */
  standing(
    call: Call,
    human: string,
    agents: ReadonlyArray<string>
  ): Effect.Effect<ReadonlyArray<StandingCompartment>, Refused> {
    return Effect.flatMap(this.ofPerson(call, human, agents), (placed) => this.#standing(call, human, placed))
  }

  ofAgent(call: Call, human: string, agent: string): Effect.Effect<ReadonlyArray<StandingCompartment>, Refused> {
    return Effect.flatMap(this.#places(call, [agent], null), (placed) => this.#standing(call, human, placed))
  }

  #standing(
    call: Call,
    human: string,
    placed: ReadonlyArray<ListedCompartment>
  ): Effect.Effect<ReadonlyArray<StandingCompartment>> {
    const deadline = wallMs(call.clock) + STATUS_MS
    const standing = (one: ListedCompartment): Effect.Effect<ReadonlyArray<StandingCompartment>> =>
      Effect.match(this.#compartments.look(call, one.id, by(human), deadline), {
        onFailure: ({ refusal: { code } }) => (code === "not_found" ? [] : [{ ...one, status: null }]),
        onSuccess: ({ compartment: { status } }) => [{ ...one, status }]
      })
    return Effect.map(Effect.forEach(placed, standing, { concurrency: LOOKS_ABREAST }), (found) => found.flat())
  }

  offered(call: Call): Effect.Effect<boolean, Refused> {
    const asked = { actor: FLEET_ID, op: "fleet.hosts", input: null, deadline: wallMs(call.clock) + FLEET_MS } as const
    return Effect.map(this.#bus.read(call, asked), (hosts) => hosts.length > 0)
  }

  /** With `human`, returns only compartments that this person made. */
  #places(call: Call, agents: ReadonlyArray<string> | null, human: string | null) {
    const input = { agents, human, page: 1, per_page: PLACES_MAX }
    const asked = {
      actor: FLEET_ID,
      op: "fleet.places",
      input,
      anew: true,
      deadline: wallMs(call.clock) + FLEET_MS
    } as const
    return Effect.map(this.#bus.read(call, asked), ({ items }) =>
      items
        .filter(({ of_human }) => human === null || of_human)
        .map(({ compartment: id, name, agent }): ListedCompartment => ({ id, name, agent }))
    )
  }

  /**
   * Asks a host for a key pair of the agent, whose private key is sealed for hosts alone. Then everything is written in
   * one commit (actors/fleet/for-human.ts), so that a failure in between leaves nothing behind. The id follows from the
   * form, so a form that is sent twice makes one compartment.
   */
  make(call: Call, human: string, { name, command }: NewCompartmentFields): Effect.Effect<string, Refused> {
    const bus = this.#bus
    return Effect.gen({ self: this }, function* () {
      yield* withoutSecrets([{ field: "command", text: command }], NOBODY, turns.next(human))
      const id = newCompartmentId(call)
      // If the form is sent again, the compartment exists already, and no host is asked.
      if (yield* this.#isThere(call, human, id)) return id
      const asked = bus.query(call, "host_new_key", { host: "any", compartment: id }, NEW_KEY_MS)
      const { public_key, box } = yield* Effect.mapError(asked, () => unavailable)
      const input = { id, human, name, command, public_key, hub_key: box, terms: RUNTIME_TERMS_VERSION }
      yield* bus.ask(call, { actor: FLEET_ID, op: "fleet.create_for_human", input })
      return id
    })
  }

  #isThere(call: Call, human: string, id: string): Effect.Effect<boolean, Refused> {
    return Effect.catch(Effect.as(this.#compartments.look(call, id, by(human)), true), (failed) =>
      failed.refusal.code === "not_found" ? Effect.succeed(false) : Effect.fail(failed)
    )
  }

  /** `confirm` is the compartment's name, which is required to delete it. */
  steer(call: Call, human: string, id: string, act: SteeringAct, confirm: string): Effect.Effect<void, Refused> {
    const bus = this.#bus
    return Effect.flatMap(compartmentId(id), (actor) => {
      const input = { by: by(human) }
      if (act === "delete")
        return Effect.asVoid(bus.ask(call, { actor, op: "compartment.delete", input: { ...input, confirm } }))
      return Effect.asVoid(bus.ask(call, { actor, op: `compartment.${act}`, input }))
    })
  }
}
