/**
 * Commands of a set of reactions whose actors could not be had. They hold up nobody else.
 *
 * Invariants
 *  - Behind a parked command, all that follows for the same actor is parked as well: the actor hears them in the order
 *    of the log, or not at all.
 *  - A command is parked before the checkpoint passes its commit, and removed once it was carried out, refused, or
 *    recorded as a fault. It may be asked twice, which counts once.
 *  - At most `PARKED_MAX` are parked; one more ends the run, which begins again at its mark.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect } from "effect"
import { attempt } from "../log/attempt.ts"
import { type Aside, asideOf, putAside, takeBack } from "./aside.ts"

const PARKED_MAX = 10_000
/** Between two rounds over all of them. */
const AGAIN_MS = 5000
/** Actors that are asked again abreast. */
const ABREAST = 16

export interface ParkingParts {
  readonly nats: NatsConnection
  /** Of the reactions. */
  readonly name: string
}

export class Parking {
  private readonly parts: ParkingParts
  /** In order, by actor. */
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

  /** Fails when it cannot be kept. */
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

  /** Goes on until it fails. `carry`: whether the command is done with. */
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

/** The actor of a command. */
export const actorOf = ({ kind, actor }: { readonly kind: string; readonly actor: string }): string =>
  `${kind} ${actor}`
