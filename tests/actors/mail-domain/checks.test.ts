/** Looks at domains: bounded in number, and a token for each who claims one. */
import { Deferred, Effect, Exit, Fiber } from "effect"
import { expect, test } from "vitest"
import { Sealer } from "../../../actors/log/seal.ts"
import { checkedBy, Looks, proofOf } from "../../../actors/mail-domain/checks.ts"

test("so many are looked at at once, and one more once another is done", async () => {
  const looks = new Looks(2)
  const outcomes = await Effect.runPromise(
    Effect.gen(function* () {
      const end = yield* Deferred.make<string>()
      const first = yield* Effect.forkChild(looks.one(Deferred.await(end)), { startImmediately: true })
      const second = yield* Effect.forkChild(looks.one(Deferred.await(end)), { startImmediately: true })
      const third = yield* Effect.exit(looks.one(Effect.succeed("third")))
      yield* Fiber.interrupt(second)
      const fourth = yield* Effect.exit(looks.one(Effect.succeed("fourth")))
      yield* Deferred.succeed(end, "first")
      return [Exit.isFailure(third), fourth, yield* Fiber.join(first)]
    })
  )
  expect(outcomes).toEqual([true, Exit.succeed("fourth"), "first"])
})

test("each who claims a domain has a token of its own there, the same each time", () => {
  const sealer = new Sealer(new Uint8Array(32).fill(1), "tests")
  const of = (domain: string, agent: string) => proofOf(sealer, domain, agent).value
  const tokens = [of("a.example", "ada"), of("a.example", "bob"), of("b.example", "ada")]
  expect(new Set(tokens).size).toBe(3)
  expect(of("a.example", "ada")).toBe(tokens[0])
  expect(proofOf(sealer, "a.example", "ada")).toMatchObject({ type: "TXT", name: "_hub-verification.a.example" })
})

test("whoever is silent keeps nobody else's answer back", async () => {
  const proof = proofOf(new Sealer(new Uint8Array(32), "tests"), "a.example", "ada")
  const records = [proof, { ...proof, name: "silent.a.example" }, { ...proof, name: "absent.a.example" }]
  const answers = new Map([
    [proof.name, [[proof.value]]],
    ["absent.a.example", [[]]]
  ])
  const dns = { ask: (name: string) => Promise.resolve(answers.get(name) ?? null) }
  const check = () => Effect.never
  const looked = checkedBy({ dns, provider: { check } }, { domain: "a.example", records }, { domain_check_ms: 100 })
  expect(await Effect.runPromise(looked)).toEqual({ found: [true, null, false], provider: null })
})
