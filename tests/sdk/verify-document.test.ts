/**
 * Reading the directory's document as it arrives: whatever the order of its members, its white space and the places
 * where the stream is cut, the same directory.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { BOUNDS, type Verdict } from "../../edge/sdk/verify.ts"
import { TestHub } from "./verify-hub.ts"
import { type Json, hub, reading, known, expected } from "./verify-documents.ts"

describe("a directory", () => {
  it("is read as it is meant", () => {
    expect(expected.map(({ reason }) => reason)).toEqual([
      "key_retired",
      null,
      "agent_suspended",
      "agent_banned",
      "agent_retired",
      "key_retired",
      "key_retired",
      null
    ])
    const [, first] = expected
    const { id, handle, status, moderation, trust, reputation, profile_url, id_url } =
      hub.directory().data.agents["HX-000001"] ?? {}
    expect(first).toEqual({
      valid: true,
      reason: null,
      scheme: "hub-id",
      name: null,
      id,
      handle,
      status,
      moderation,
      trust,
      reputation,
      profile_url,
      id_url
    })
  })

  /** Any members in any order, with members that nobody knows in between, and white space wherever JSON has it. */
  const written: fc.Arbitrary<string> = fc.infiniteStream(fc.nat({ max: 1000 })).map((random) => {
    const draw = (below: number): number => random.next().value % below
    const blank = (): string => [" ", "\n", "\t", "\r", "", "", "", ""][draw(8)] ?? ""
    const unknown: ReadonlyArray<Json> = [
      null,
      true,
      -1.5e-7,
      'ü \u{1f600} "\\\n',
      [[{}], [], "}"],
      { a: { b: [1, { agents: "x" }] } },
      "x".repeat(3000)
    ]
    const text = (value: string): string => {
      const json = JSON.stringify(value)
      return draw(3) === 0
        ? json
            .replaceAll("/", "\\/")
            .replace(/[a-z](?=[^\\]*$)/, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)
        : json
    }
    const write = (value: Json, depth = 0): string => {
      if (typeof value === "string") return text(value)
      if (Array.isArray(value))
        return `[${blank()}${value.map((one: Json) => write(one, depth + 1)).join(`${blank()},${blank()}`)}${blank()}]`
      if (typeof value !== "object" || value === null) return JSON.stringify(value)
      const isDirectory = Object.hasOwn(value, "HX-000001")
      const members = Object.entries(value).toSorted(() => draw(3) - 1)
      const more =
        isDirectory || depth > 8
          ? members
          : members.toSpliced(draw(members.length + 1), 0, [
              `unknown-${draw(9)}`,
              unknown[draw(unknown.length)] ?? null
            ])
      const parts = more.map(([name, one]) => `${text(name)}${blank()}:${blank()}${write(one as Json, depth + 1)}`)
      return `{${blank()}${parts.join(`${blank()},${blank()}`)}${blank()}}`
    }
    return `${blank()}${write(hub.directory() as unknown as Json)}${blank()}`
  })

  it("says the same however it is written and cut", async () => {
    await fc.assert(
      fc.asyncProperty(fc.noShrink(written), fc.array(fc.nat(), { maxLength: 40 }), async (text, cuts) => {
        expect(JSON.parse(text)).toMatchObject({ ok: true })
        expect(await known(reading(text, cuts))).toEqual(expected)
      }),
      { numRuns: 60 }
    )
  })

  it("may come a byte at a time", async () => {
    const text = JSON.stringify(hub.directory())
    expect(
      await known(
        reading(
          text,
          Array.from({ length: text.length }, (_, at) => at)
        )
      )
    ).toEqual(expected)
  })

  it("may hold nobody", async () => {
    const verifier = reading(
      '{"ok":true,"data":{"generated_at":"2026-11-21T12:00:00Z","max_number":0,"count":0,"agents":{}}}'
    )
    expect(await verifier.ready()).toBe(true)
    expect(verifier.state()).toMatchObject({ agents: 0, generated_at: "2026-11-21T12:00:00.000Z" })
  })

  it("of an agent that rotated more often than is kept knows the newest keys", async () => {
    const busy = new TestHub()
    busy.base = "https://hub.example"
    const agent = busy.agent()
    for (let time = 0; time < 20; time++) agent.rotate()
    const document = busy.directory()
    const keys = document.data.agents[agent.id]?.["keys"] as Array<unknown>
    for (const order of [keys, keys.toReversed()]) {
      Object.assign(document.data.agents[agent.id] ?? {}, { keys: order })
      const verifier = reading(JSON.stringify(document))
      const reasons: Array<Verdict["reason"]> = []
      for (const { pair } of agent.keys) reasons.push((await verifier.check(agent.request({ key: pair }))).reason)
      expect(reasons).toEqual([
        ...Array.from({ length: 20 - BOUNDS.retiredKeysPerAgent }, () => "bad_signature"),
        ...Array.from({ length: BOUNDS.retiredKeysPerAgent }, () => "key_retired"),
        null
      ])
    }
  })

  it("may name addresses of any form, and as many beginnings as it likes", async () => {
    const many = new TestHub()
    many.base = "https://hub.example"
    for (let index = 0; index < 80; index++) many.agent()
    const document = many.directory()
    const address = (number: number): string =>
      number % 2 === 0
        ? `https://h${number}.example/agents/agent-${number}`
        : `http://x.example/?${"q".repeat(number * 20)}`
    for (const agent of many.agents)
      Object.assign(document.data.agents[agent.id] ?? {}, {
        profile_url: address(agent.number),
        id_url: `${address(agent.number)}/id`
      })
    const verifier = reading(JSON.stringify(document))
    for (const agent of many.agents) {
      expect(await verifier.check(agent.request())).toMatchObject({
        valid: true,
        profile_url: address(agent.number),
        id_url: `${address(agent.number)}/id`
      })
    }
  })
})
