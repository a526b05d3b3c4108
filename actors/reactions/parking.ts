/**
 * Parks commands of a set of reactions whose actors could not be reached, so that they delay no others.
 *
 * Invariants
 *  - After a parked command, all later commands for the same actor are parked as well. So an actor gets its commands in
 *    the order of the log, or not at all.
 *  - A command is parked before the checkpoint passes its commit, and removed once it was carried out, refused, or
 *    recorded as a fault. It may be sent twice, but counts once.
 *  - At most `PARKED_MAX` are parked. One more ends the run, and the next one begins at the mark.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect } from "effect"
import { attempt } from "../log/attempt.ts"
import { type Aside, asideOf, putAside, takeBack } from "./aside.ts"

const PARKED_MAX = 10_000
/** The pause between two rounds over all parked commands. */
const AGAIN_MS = 5000
/** Actors that are asked again in parallel. */
const ABREAST = 16

export interface ParkingParts {
  readonly nats: NatsConnection
  readonly name: string
}

export class Parking {
  private readonly parts: ParkingParts
  /** Parked commands in order, by actor. */
  private readonly parked = new Map<string, Array<Aside>>()
  count = 0

  constructor(parts: ParkingParts) {
    this.parts = parts
  }

  /** Loads the commands that an earlier run parked. Fails when they cannot be read. */
  get load(): Effect.Effect<void, unknown> {
    const { nats, name } = this.parts
    return Effect.map(asideOf(nats, name, "parked"), (all) => {
      for (const one of all) this.add(one)
    })
  }

  has(actor: string): boolean {
    return this.parked.has(actor)
  }

  /** Fails if the command cannot be stored. */
  park(aside: Aside): Effect.Effect<void, unknown> {
    const { nats, name } = this.parts
    if (this.count >= PARKED_MAX) return Effect.fail(`${PARKED_MAX} commands are parked already`)
    return Effect.map(
      attempt(() => putAside(nats, name, "parked", aside)),
      () => this.add(aside)
    )
  }

  private add(aside: Aside): void {
    if (aside.command === undefined) return
    const actor = actorOf(aside.command)
    const line = this.parked.get(actor)
    if (line === undefined) this.parked.set(actor, [aside])
    else line.push(aside)
    this.count++
  }

  /** Retries until it fails. `carry` resolves to whether the command is finished. */
  again<E>(carry: (aside: Aside) => Effect.Effect<boolean, E>): Effect.Effect<never, unknown> {
    const { nats, name } = this.parts
    const inOrder = (actor: string, line: Array<Aside>) =>
      Effect.gen({ self: this }, function* () {
        for (let [first] = line; first !== undefined; [first] = line) {
          const one = first
          if (!(yield* carry(one))) return
          yield* attempt(() => takeBack(nats, name, "parked", one))
          line.shift()
          this.count--
        }
        this.parked.delete(actor)
      })
    const round = Effect.suspend(() =>
      Effect.forEach([...this.parked], ([actor, line]) => inOrder(actor, line), { concurrency: ABREAST, discard: true })
    )
    return Effect.forever(Effect.andThen(Effect.sleep(AGAIN_MS), round))
  }
}

export const actorOf = ({ kind, actor }: { readonly kind: string; readonly actor: string }): string =>
  `${kind} ${actor}`
