/** The keys of human accounts. A person's own data is sealed under the key of the account (log/erasable-keys.ts). */
import type { NatsConnection } from "@nats-io/transport-node"
import { Clock, Effect } from "effect"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { ErasableKeys } from "../log/erasable-keys.ts"
import { Sealer } from "../log/seal.ts"

/** The most accounts that are remembered as missing, and for how long. */
const ABSENT_MAX = 1000
const ABSENT_MS = 60_000

export class AccountKeys extends ErasableKeys {
  private readonly absent = new Map<string, number>()

  constructor(nats: NatsConnection, seed: Uint8Array) {
    super(nats, new Sealer(seed, "hub account keys"), {
      stream: streams.people,
      subjectOf: subjects.accountKey,
      purposeOf: (human) => `account ${human}`,
      use: "hub account",
      unreachable: unavailable("This person's data cannot be opened at the moment. It is safe to try again.")
    })
  }

  /**
   * Does the same work for an account that does not exist, so that the time of an answer does not show which accounts
   * do.
   */
  ofNobody(human: string): Effect.Effect<void, Refusal> {
    return Clock.clockWith((clock) => {
      if ((this.absent.get(human) ?? 0) > wallMs(clock)) return Effect.void
      return this.asked(async () => {
        await this.read(human, clock)
        this.absent.delete(human)
        this.absent.set(human, wallMs(clock) + ABSENT_MS)
        if (this.absent.size > ABSENT_MAX) this.absent.delete(this.absent.keys().next().value ?? "")
      })
    })
  }
}
