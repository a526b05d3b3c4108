/**
 * Limits the number of archives that are checked at once, because each takes seconds of a core and holds its bytes. The
 * places to wait are divided among agents and clients (edge/http/shares.ts).
 */
import { Effect, Semaphore } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { Call } from "../http/call.ts"
import { inPlace } from "../http/in-place.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { Shares } from "../http/shares.ts"
import { turnOf } from "../http/turns.ts"
import { type ArchiveSize, judgeArchive } from "./archive.ts"

const busy: Refusal = {
  code: "overloaded",
  message: "Too many archives are being looked at. Try again.",
  retryAfter: 2
}

export class Judging {
  readonly #limits: Limits
  readonly #room: Semaphore.Semaphore
  readonly #shares: Shares

  constructor(limits: Limits) {
    const { archives_at_once, archives_waiting_max } = limits.service.runtime
    this.#limits = limits
    this.#room = Semaphore.makeUnsafe(archives_at_once)
    this.#shares = Shares.ofPlaces(archives_waiting_max)
  }

  judged(call: Call, body: Uint8Array): Effect.Effect<ArchiveSize, Refused> {
    const judged = Effect.flatMap(
      // A check that has begun goes on, so its place is not free before its end.
      Effect.uninterruptible(Effect.promise(() => judgeArchive(body, this.#limits.runtime))),
      (found): Effect.Effect<ArchiveSize, Refused> =>
        "refused" in found ? Effect.fail(refuse(found.refused)) : Effect.succeed(found)
    )
    return this.#shares.within(
      { client: turnOf(call), wide: call.client },
      busy,
      inPlace(call, this.#room, busy, judged)
    )
  }
}
