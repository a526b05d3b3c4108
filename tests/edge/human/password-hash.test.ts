import { createHook } from "node:async_hooks"
import { Cause, Effect, Exit, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { freshSalt, PasswordHashing } from "../../../edge/human/password-hash.ts"
import type { Refused } from "../../../edge/http/refused.ts"
import { PASSWORD_PARAMETERS, type PasswordParameters } from "../../../schemas/human/password.ts"
import { waitFor } from "../../harness/index.ts"

const SMALL: PasswordParameters = { ...PASSWORD_PARAMETERS, memory_kib: 8192 }
const SALT = Buffer.from("0123456789abcdef").toString("base64")

const hashing = (atOnce = 2, waiting = 32) => new PasswordHashing({ atOnce, waiting })

const hexOf = async (password: string, salt = SALT, parameters = SMALL): Promise<string> =>
  Buffer.from(await Effect.runPromise(hashing().hash(password, salt, parameters))).toString("hex")

const refusalOf = async (hash: Effect.Effect<Uint8Array, Refused>) =>
  (await Effect.runPromise(Effect.flip(hash))).refusal

/** What the thread pool was given, and has not given back. */
class PoolWatch implements Disposable {
  begun = 0
  most = 0
  readonly underWay = new Set<number>()
  private readonly hook = createHook({
    init: (id, type) => {
      if (type !== "ARGON2REQUEST") return
      this.begun++
      this.underWay.add(id)
      this.most = Math.max(this.most, this.underWay.size)
    },
    before: (id) => void this.underWay.delete(id)
  }).enable();

  [Symbol.dispose](): void {
    this.hook.disable()
  }
}

describe("a password's hash", () => {
  it("is what another implementation of argon2id makes of its form in NFKC", async () => {
    // The sign of the unit Ångström, which NFKC makes the letter.
    const expected = "fb87dfaceda8b07f4784feadfac6cda3a8b18293954d4da21dcaf3070a71995a"
    expect(await hexOf("Grüße, \u212b!")).toBe(expected)
    expect(await hexOf("Gru\u0308ße, A\u030a!")).toBe(expected)
  })

  it("depends on each of salt, parameters and password", async () => {
    const all = await Promise.all([
      hexOf("correct horse"),
      hexOf("correct horsf"),
      hexOf("correct horse", freshSalt()),
      hexOf("correct horse", SALT, { ...SMALL, memory_kib: 8200 }),
      hexOf("correct horse", SALT, { ...SMALL, passes: 3 }),
      hexOf("correct horse", SALT, { ...SMALL, parallelism: 2 })
    ])
    expect(new Set(all).size).toBe(all.length)
    expect(all.map((hex) => hex.length)).toEqual(all.map(() => 64))
    expect(await hexOf("correct horse", SALT, { ...SMALL, tag_bytes: 16 })).toHaveLength(32)
  })

  it("has a new salt each time", () => {
    expect(new Set(Array.from({ length: 100 }, freshSalt)).size).toBe(100)
  })

  it("is computed beside the event loop, which goes round meanwhile", async () => {
    let turns = 0
    let over = false
    const turn = (): void => {
      turns++
      if (!over) setImmediate(turn)
    }
    turn()
    await Effect.runPromise(hashing().hash("correct horse", SALT, PASSWORD_PARAMETERS))
    over = true
    expect(turns).toBeGreaterThan(10)
  })

  it("is refused for more than 200 code points, before anything is made of them", async () => {
    using watch = new PoolWatch()
    expect(await refusalOf(hashing().hash("x".repeat(201), SALT, SMALL))).toMatchObject({
      code: "validation_error",
      details: { field: "password", max: 200 }
    })
    await refusalOf(hashing().hash("\u0301".repeat(20_000) + "\u0323".repeat(20_000), SALT, SMALL))
    expect(watch.begun).toBe(0)
    await Effect.runPromise(hashing().hash("😀".repeat(200), SALT, SMALL))
    expect(watch.begun).toBe(1)
  })

  it.each([
    ["memory of 4 GiB", SALT, { ...SMALL, memory_kib: 4 * 1024 * 1024 }],
    ["more work than is bearable", SALT, { ...SMALL, memory_kib: 128 * 1024, passes: 5 }],
    ["too many lanes", SALT, { ...SMALL, parallelism: 64 }],
    ["next to no memory", SALT, { ...SMALL, memory_kib: 64 }],
    ["a salt that is none", "c2FsdA==", SMALL]
  ])("is not computed for a record with %s, and the fault tells nothing", async (_, salt, parameters) => {
    using watch = new PoolWatch()
    const exit = await Effect.runPromiseExit(hashing().hash("correct horse", salt, parameters))
    expect(watch.begun).toBe(0)
    if (Exit.isSuccess(exit)) throw new Error("It was computed")
    expect(Cause.hasDies(exit.cause)).toBe(true)
    expect(Cause.pretty(exit.cause)).not.toMatch(/correct horse|c2FsdA|MDEy/)
  })
})

let clients = 0
/** One that asks for the first time, so that no share but the whole is used up. */
const aClient = () => ({ client: `client ${++clients}`, wide: null })
const placed = (shared: PasswordHashing, password = "correct horse") =>
  Effect.suspend(() => shared.by(aClient(), shared.hash(password, SALT, SMALL)))

describe("many at once", () => {
  it("are computed two at a time, and all of them", async () => {
    using watch = new PoolWatch()
    const shared = hashing(2, 32)
    const each = Array.from({ length: 12 }, (_, n) => placed(shared, `correct horse ${n}`))
    const hashes = await Effect.runPromise(Effect.all(each, { concurrency: "unbounded" }))
    expect(new Set(hashes.map((hash) => Buffer.from(hash).toString("hex"))).size).toBe(12)
    expect([watch.begun, watch.most]).toEqual([12, 2])
  })

  it("are refused beyond those that may wait, with a time to come back; later there is room again", async () => {
    const shared = hashing(1, 1)
    const hash = placed(shared)
    const inside = [Effect.runFork(hash), Effect.runFork(hash)]
    expect(await refusalOf(hash)).toMatchObject({ code: "overloaded", retryAfter: 2 })
    for (const fiber of inside) await Effect.runPromise(Fiber.join(fiber))
    expect(await Effect.runPromise(hash)).toHaveLength(32)
  })

  it("leave the queue when their client is gone", async () => {
    const shared = hashing(1, 1)
    const hash = placed(shared)
    using watch = new PoolWatch()
    const first = Effect.runFork(hash)
    const gone = Effect.runFork(hash)
    expect(await refusalOf(hash)).toMatchObject({ code: "overloaded" })
    await Effect.runPromise(Fiber.interrupt(gone))
    const next = Effect.runFork(hash)
    await Effect.runPromise(Fiber.join(first))
    await Effect.runPromise(Fiber.join(next))
    expect(watch.begun).toBe(2)
  })

  it("begin nothing without a place, such as a try that counts", async () => {
    const shared = hashing(1, 0)
    const inside = Effect.runFork(placed(shared))
    let begun = 0
    const tried = Effect.andThen(
      Effect.sync(() => begun++),
      shared.hash("correct horse", SALT, SMALL)
    )
    expect(await refusalOf(shared.by(aClient(), tried))).toMatchObject({ code: "overloaded" })
    expect(begun).toBe(0)
    await Effect.runPromise(Fiber.join(inside))
    await Effect.runPromise(shared.by(aClient(), tried))
    expect(begun).toBe(1)
  })

  it("keep their place while they are computed, though their client is gone", async () => {
    const shared = hashing(1, 0)
    const hash = placed(shared)
    using watch = new PoolWatch()
    const gone = Effect.runFork(hash)
    await waitFor(() => watch.begun === 1)
    const interrupted = Effect.runPromise(Fiber.interrupt(gone))
    expect(watch.underWay.size).toBe(1)
    expect(await refusalOf(hash)).toMatchObject({ code: "overloaded" })
    await interrupted
    expect(watch.underWay.size).toBe(0)
    expect(await Effect.runPromise(hash)).toHaveLength(32)
  })
})

describe("a client's share", () => {
  it("is used up before there is no place for others, and is whole again behind it", async () => {
    using pool = new PoolWatch()
    const hashes = hashing()
    const by = (client: string, wide: string | null = null) =>
      Effect.runPromise(
        Effect.match(hashes.by({ client, wide }, hashes.hash("correct horse", SALT, SMALL)), {
          onSuccess: () => "hashed",
          onFailure: ({ refusal }) => refusal.code
        })
      )
    const greedy = Array.from({ length: 40 }, () => by("one"))
    const network = Array.from({ length: 40 }, (_, turn) => by(`of many ${turn}`, "wide"))
    const other = by("another")
    expect(await other).toBe("hashed")
    const counted = (answers: ReadonlyArray<string>) => answers.filter((answer) => answer === "hashed").length
    expect(counted(await Promise.all(greedy))).toBe(3)
    expect(counted(await Promise.all(network))).toBe(10)
    expect(pool.begun).toBe(14)
    expect(await by("one")).toBe("hashed")
  })
})
