/** Records of compartments: the actor's data, with the parts that only the host or the people's accounts know. */
import { Effect, Result } from "effect"
import type { Operations } from "../../schemas/bus/operations.ts"
import { COMPARTMENT_ID } from "../../schemas/compartment/fields.ts"
import type { Asker, KnownCompartment } from "../../schemas/compartment/operations.ts"
import type { Compartment } from "../../schemas/compartment/records.ts"
import { notFound } from "../../schemas/errors.ts"
import { FLEET_ID, type HostSeen } from "../../schemas/fleet/operations.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"

export type CompartmentLook = Operations["compartment.look"]["output"]

const noCompartment = refuse(notFound("compartment"))

/** Usage is optional, so records do not wait longer for a host. */
const USAGE_MS = 1000

export const compartmentId = (text: string): Effect.Effect<string, Refused> =>
  COMPARTMENT_ID.test(text) ? Effect.succeed(text) : Effect.fail(noCompartment)

export class Compartments {
  readonly #bus: Bus
  readonly #answerMs: number

  constructor(bus: Bus, { service }: Limits) {
    this.#bus = bus
    this.#answerMs = service.runtime.host_answer_ms
  }

  /** `deadline` is in Unix ms. */
  look(call: Call, id: string, by: Asker, deadline = call.deadline): Effect.Effect<CompartmentLook, Refused> {
    return Effect.flatMap(compartmentId(id), (actor) =>
      this.#bus.read(call, { actor, op: "compartment.look", input: { by }, anew: true, deadline })
    )
  }

  hosts(call: Call): Effect.Effect<ReadonlyArray<HostSeen>, Refused> {
    return this.#bus.read(call, { actor: FLEET_ID, op: "fleet.hosts", input: null, anew: true })
  }

  record(call: Call, id: string, by: Asker): Effect.Effect<Compartment, Refused> {
    return Effect.flatMap(this.look(call, id, by), (found) =>
      Effect.flatMap(this.records(call, [found]), ([record]) =>
        record === undefined ? Effect.fail(noCompartment) : Effect.succeed(record)
      )
    )
  }

  records(call: Call, found: ReadonlyArray<CompartmentLook>): Effect.Effect<ReadonlyArray<Compartment>, Refused> {
    const owners = [...new Set(found.flatMap(({ compartment: { owner } }) => (owner === null ? [] : [owner])))]
    return Effect.map(
      Effect.all(
        [
          Effect.result(this.hosts(call)),
          owners.length === 0
            ? Effect.succeed([])
            : Effect.orElseSucceed(this.#bus.query(call, "people", { ids: owners }), () => []),
          Effect.forEach(found, (one) => this.#diskMb(call, one), { concurrency: 8 })
        ],
        { concurrency: 3 }
      ),
      ([hosts, people, disks]) => {
        const known = Result.isSuccess(hosts) ? hosts.success : []
        const names = new Map(people.map(({ id, name }) => [id, name]))
        return found.map(({ compartment, host }, index) =>
          wholeOf(compartment, {
            host: known.find((one) => one.host === host),
            names,
            disk_mb: disks[index] ?? null
          })
        )
      }
    )
  }

  #diskMb(call: Call, { compartment: { id, status }, host }: CompartmentLook): Effect.Effect<number | null> {
    if (status === "creating" || status === "deleting") return Effect.succeed(null)
    const asked = this.#bus.query(call, "host_stats", { host, compartment: id }, Math.min(USAGE_MS, this.#answerMs))
    return Effect.match(asked, { onSuccess: ({ disk_mb }) => disk_mb, onFailure: () => null })
  }
}

interface Besides {
  readonly host: HostSeen | undefined
  readonly names: ReadonlyMap<string, string>
  readonly disk_mb: number | null
}

const HOST_AWAY = "Its host is not heard of at the moment: what runs there runs on, as far as it can."

const wholeOf = (known: KnownCompartment, { host, names, disk_mb }: Besides): Compartment => {
  const { owner, last_error, ...rest } = known
  const isAway = host === undefined || host.away
  return {
    ...rest,
    owner: owner === null ? null : { human_id: owner, name: names.get(owner) ?? "" },
    isolation: isAway ? null : host.isolation,
    usage: { disk_mb },
    last_error: isAway ? HOST_AWAY : last_error
  }
}
