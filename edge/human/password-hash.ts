/**
 * Hashes passwords with argon2id on the thread pool, never on the event loop.
 *
 * Invariants
 *  - At most `atOnce` computations run, and `waiting` more wait. Further ones are refused at once.
 *  - A client has a share of the places to run and to wait (edge/http/shares.ts), so a client that asks for many is
 *    refused before others are.
 *  - A waiting computation is dropped if its client disconnects. A running one keeps its place until it ends, even if
 *    its client has disconnected. A thread cannot be stopped, and a place that is freed early would let such clients
 *    fill the pool.
 *  - Errors contain nothing of a password or a salt. The bytes of a password are overwritten after use.
 */
import { argon2, randomBytes } from "node:crypto"
import { Effect, Schema, Semaphore } from "effect"
import { invalidField, type Refusal } from "../../schemas/errors.ts"
import {
  PASSWORD_MAX_CODE_POINTS,
  PASSWORD_PARAMETERS,
  PASSWORD_SALT_BYTES,
  passwordLength,
  PasswordParameters,
  PasswordSalt
} from "../../schemas/human/password.ts"
import type { Network } from "../http/address.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { Shares } from "../http/shares.ts"

export interface HashingBounds {
  /** The number of hashes at once, of the pool's four threads. The pool also reads files and resolves names. */
  readonly atOnce: number
  readonly waiting: number
  /** The parameters of new hashes. */
  readonly parameters?: PasswordParameters
}

const tooMany: Refusal = {
  code: "overloaded",
  message: "Many passwords are being checked at the moment. Try again in a little while.",
  retryAfter: 2
}

const tooLong: Refusal = invalidField("password", `password must be at most ${PASSWORD_MAX_CODE_POINTS} characters.`, {
  rule: "length",
  max: PASSWORD_MAX_CODE_POINTS
})

const isParameters = Schema.is(PasswordParameters)
const isSalt = Schema.is(PasswordSalt)

export const freshSalt = (): string => randomBytes(PASSWORD_SALT_BYTES).toString("base64")

/**
 * Normalizes equivalent input of different keyboards to one form (NFKC, NIST SP 800-63B). The time grows with the
 * square of the length, a second for 64 KB of accents, so callers check the length first.
 */
const bytesOf = (password: string): Buffer => Buffer.from(password.normalize("NFKC"), "utf8")

const computed = (password: string, salt: string, parameters: PasswordParameters): Effect.Effect<Uint8Array> =>
  Effect.callback<Uint8Array>((resume) => {
    const message = bytesOf(password)
    const { algorithm, memory_kib, passes, parallelism, tag_bytes } = parameters
    const given = {
      message,
      nonce: Buffer.from(salt, "base64"),
      parallelism,
      tagLength: tag_bytes,
      memory: memory_kib,
      passes
    }
    argon2(algorithm, given, (failed, hash) => {
      message.fill(0)
      resume(failed === null ? Effect.succeed(hash) : Effect.die(new Error("argon2 failed")))
    })
  })

export class PasswordHashing {
  private readonly places: Semaphore.Semaphore
  private readonly room: number
  private readonly shares: Shares
  private inside = 0
  /** The parameters of new hashes. A stored hash with weaker ones is renewed at the next login. */
  readonly wanted: PasswordParameters

  constructor({ atOnce, waiting, parameters = PASSWORD_PARAMETERS }: HashingBounds) {
    this.wanted = parameters
    this.places = Semaphore.makeUnsafe(atOnce)
    this.room = atOnce + waiting
    this.shares = Shares.ofPlaces(this.room)
  }

  /**
   * Runs `hashed` with a place of the client's share. Without a free place it is refused before it starts, so that a
   * refusal does not count as a try of the password.
   */
  by<A>(client: Network, hashed: Effect.Effect<A, Refused>): Effect.Effect<A, Refused> {
    const placed = Effect.acquireUseRelease(
      this.enter,
      () => hashed,
      () => this.leave
    )
    return this.shares.within(client, tooMany, placed)
  }

  /**
   * Call it within `by`, which takes a place for it. Salt and parameters come from the service's own records, so values
   * out of bounds are the service's fault.
   */
  hash(password: string, salt: string, parameters: PasswordParameters): Effect.Effect<Uint8Array, Refused> {
    if (passwordLength(password) > PASSWORD_MAX_CODE_POINTS) return Effect.fail(refuse(tooLong))
    if (!isParameters(parameters) || !isSalt(salt)) return Effect.die(new Error("A password's record is out of bounds"))
    return Semaphore.withPermit(this.places, Effect.uninterruptible(computed(password, salt, parameters)))
  }

  private readonly enter = Effect.suspend(() => {
    if (this.inside >= this.room) return Effect.fail(refuse(tooMany))
    this.inside++
    return Effect.void
  })

  private readonly leave = Effect.sync(() => void this.inside--)
}
