/** Archives are judged a few at a time: each takes seconds of a core at most, and the bytes that it came in. */
import { Effect, Semaphore } from "effect"
import type { Limits } from "../../schemas/limits.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { type Judged, judgeArchive } from "./archive.ts"

const busy = refuse({ code: "overloaded", message: "Too many archives are being looked at. Try again.", retryAfter: 2 })

export class Judging {
  readonly #limits: Limits
  readonly #room: Semaphore.Semaphore
  #waiting = 0

  constructor(limits: Limits) {
    this.#limits = limits
    this.#room = Semaphore.makeUnsafe(limits.service.runtime.archives_at_once)
  }

  judged(body: Uint8Array): Effect.Effect<Judged, Refused> {
    const { runtime, service } = this.#limits
    return Effect.suspend((): Effect.Effect<Judged, Refused> => {
      if (this.#waiting >= service.runtime.archives_waiting_max) return Effect.fail(busy)
      this.#waiting++
      const judged = Effect.flatMap(
        Effect.promise(() => judgeArchive(body, runtime)),
        (found): Effect.Effect<Judged, Refused> =>
          "refused" in found ? Effect.fail(refuse(found.refused)) : Effect.succeed(found)
      )
      return Effect.ensuring(
        this.#room.withPermits(1)(judged),
        Effect.sync(() => void this.#waiting--)
      )
    })
  }
}
