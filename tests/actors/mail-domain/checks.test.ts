/** Looks at domains: bounded in number, and a token for each who claims one. */
import { Deferred, Effect, Exit, Fiber } from "effect"
import { describe, expect, test } from "vitest"
import type { ProviderStatus } from "../../../actors/mail-domain/provider.ts"
import type { DnsRecord } from "../../../schemas/mail-domain/records.ts"
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
  const looked = checkedBy(
    { dns, provider: { check, again: check } },
    { domain: "a.example", records },
    { domain_check_ms: 100 }
  )
  expect(await Effect.runPromise(looked)).toEqual({ found: [true, null, false], provider: null })
})

describe("where the provider", () => {
  const PROOF = proofOf(new Sealer(new Uint8Array(32), "tests"), "a.example", "ada")
  const wanted = (...tokens: ReadonlyArray<string>): ReadonlyArray<DnsRecord> => [
    { type: "MX", name: "a.example", value: "mx.provider.example", required: true, purpose: "mx" },
    ...tokens.map((token): DnsRecord => ({
      type: "CNAME",
      name: `${token}._domainkey.a.example`,
      value: `${token}.dkim.provider.example`,
      required: true,
      purpose: "dkim"
    }))
  ]
  /** `said`: at first, and when it is to look again. */
  const looked = async (
    said: ReadonlyArray<readonly [ProviderStatus, ReadonlyArray<DnsRecord>]>,
    { absent = "" } = {}
  ) => {
    const records = [PROOF, ...wanted("a", "b")]
    const asked: Array<string> = []
    const look = (how: string) => () =>
      Effect.suspend(() => {
        const [status, needed] = said[asked.push(how) - 1] ?? ["SUCCESS", []]
        return Effect.succeed({ status, records: needed })
      })
    const dns = {
      ask: async (name: string) => [
        records.filter((one) => one.name === name && name !== absent).map(({ value }) => value)
      ]
    }
    const provider = { check: look("check"), again: look("again") }
    const checked = await Effect.runPromise(
      checkedBy({ dns, provider }, { domain: "a.example", records }, { domain_check_ms: 60_000 })
    )
    return { asked, checked }
  }

  test("has given up a domain whose records are all there, it looks again", async () => {
    const { asked, checked } = await looked([
      ["FAILED", wanted("a", "b")],
      ["PENDING", wanted("a", "b")]
    ])
    expect(asked).toEqual(["check", "again"])
    expect(checked).toEqual({ found: [true, true, true, true], provider: "PENDING" })
  })

  test("has given up one that lacks a record, it is right", async () => {
    const { asked, checked } = await looked([["FAILED", wanted("a", "b")]], { absent: "a._domainkey.a.example" })
    expect(asked).toEqual(["check"])
    expect(checked).toEqual({ found: [true, true, false, true], provider: "FAILED" })
  })

  test.each([
    ["at once", [["PENDING", wanted("b", "c")]]],
    [
      "after a new look",
      [
        ["FAILED", wanted("a", "b")],
        ["PENDING", wanted("b", "c")]
      ]
    ]
  ] as const)("has other keys, these are needed, and the new ones not there: %s", async (_when, said) => {
    const { checked } = await looked(said)
    expect(checked).toEqual({
      provider: "PENDING",
      records: [PROOF, ...wanted("b", "c")],
      found: [true, true, true, false]
    })
  })

  test("does not say what it needs, nothing else is needed", async () => {
    expect((await looked([["SUCCESS", []]])).checked).toEqual({ found: [true, true, true, true], provider: "SUCCESS" })
  })
})
