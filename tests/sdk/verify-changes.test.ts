/** The verifier reads what changed in the directory, and the whole wherever it cannot trust that. */
import type { ServerResponse } from "node:http"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { BOUNDS, type Verifier } from "../../edge/sdk/verify.ts"
import { agent, closeHub, hub, openHub } from "./verify-each.ts"
import type { Asked, TestAgent } from "./verify-hub.ts"

beforeEach(openHub)
afterEach(closeHub)

const PATH = "/api/v1/id/directory"
/** As the hub's own look. */
const FIRST = '"1-1"'

/** The next read of the directory is due. */
const later = (seconds: number = BOUNDS.directoryMaxAgeSeconds): void => hub.clock.pass(seconds)

interface Told {
  readonly etag?: string
  readonly more?: boolean
  /** Of the whole directory, where it is another than the hub's. */
  readonly count?: number
}

const whole = (response: ServerResponse, etag = FIRST): void => hub.sendJson(response, hub.directory(), { etag })

const changes = (response: ServerResponse, since: string, changed: ReadonlyArray<TestAgent>, told: Told = {}): void => {
  const { data } = hub.directory()
  const agents = Object.fromEntries(changed.map((one) => [one.id, one.entry(hub.base)]))
  const { etag = '"2-2"', more = false, count = data.count } = told
  hub.sendJson(response, { ok: true, data: { ...data, since, more, count, agents } }, { etag })
}

const sinceIn = ({ url }: Asked): string | null => new URL(url, hub.base).searchParams.get("since")

const asks = (): ReadonlyArray<string | null> => hub.asked.filter(({ url }) => url.startsWith(PATH)).map(sinceIn)

/** It has read the whole, and is asked for what comes next. */
const opened = async (answering: (since: string, response: ServerResponse) => void): Promise<Verifier> => {
  hub.answer = (asked, response) => {
    const since = sinceIn(asked)
    return since === null ? whole(response) : answering(since, response)
  }
  const verifier = hub.verifier()
  await verifier.ready()
  return verifier
}

const reasonOf = async (verifier: Verifier, one: TestAgent, parts = {}): Promise<string | null> =>
  (await verifier.check(one.request(parts))).reason

describe("what changed", () => {
  it("takes the place of what was known: keys, standing, newcomers, and nobody else", async () => {
    const [rotated, suspended, retired] = [hub.agent(), hub.agent(), hub.agent()]
    let changed: ReadonlyArray<TestAgent> = []
    const verifier = await opened((since, response) => changes(response, since, changed))
    const before = rotated.key
    rotated.rotate()
    suspended.standing = "suspended"
    retired.standing = "retired"
    const added = hub.agent()
    changed = [rotated, suspended, retired, added]
    later()
    expect(await reasonOf(verifier, rotated)).toBe(null)
    expect(await reasonOf(verifier, rotated, { key: before })).toBe("key_retired")
    expect(await reasonOf(verifier, suspended)).toBe("agent_suspended")
    expect(await reasonOf(verifier, retired)).toBe("agent_retired")
    expect(await reasonOf(verifier, added)).toBe(null)
    expect(await reasonOf(verifier, agent)).toBe(null)
    expect(asks()).toEqual([null, FIRST])
    expect(hub.asked[1]?.headers["if-none-match"]).toBe(FIRST)
    expect(verifier.state()).toMatchObject({ agents: 5, age_seconds: 0 })
    // From there on again.
    changed = []
    later()
    expect(await reasonOf(verifier, added)).toBe(null)
    expect(asks()).toEqual([null, FIRST, '"2-2"'])
  })

  it("comes in as many answers as the hub makes of it, and counts once all are there", async () => {
    const some = Array.from({ length: 3 }, () => hub.agent())
    const verifier = await opened((since, response) => {
      const page = Number(since.slice(1, 2)) - 1
      const one = some[page]
      changes(response, since, one === undefined ? [] : [one], { etag: `"${page + 2}-9"`, more: page < 2 })
    })
    for (const one of some) one.standing = "suspended"
    later()
    for (const one of some) expect(await reasonOf(verifier, one)).toBe("agent_suspended")
    expect(asks()).toEqual([null, FIRST, '"2-9"', '"3-9"'])
  })

  it("is nothing where an answer of several is missing: what was held stays, and the whole comes next", async () => {
    const [one, other] = [hub.agent(), hub.agent()]
    const verifier = await opened((since, response) =>
      since === FIRST ? changes(response, since, [one], { more: true }) : hub.sendJson(response, "{", {}, 200)
    )
    one.standing = "suspended"
    other.standing = "suspended"
    later()
    expect(await reasonOf(verifier, one)).toBe(null)
    later()
    expect([await reasonOf(verifier, one), await reasonOf(verifier, other)]).toEqual([
      "agent_suspended",
      "agent_suspended"
    ])
    expect(asks()).toEqual([null, FIRST, '"2-2"', null])
  })
})

describe("the whole is read", () => {
  const wrong: ReadonlyArray<readonly [string, (since: string, response: ServerResponse) => void]> = [
    ["a count that does not come out", (since, response) => changes(response, since, [], { count: 7 })],
    ["a tag that the hub refuses", (_since, response) => hub.sendJson(response, { ok: false }, {}, 422)],
    ["an answer that is cut off", (_since, response) => hub.sendJson(response, '{"ok":true,"data":{"since":"1-1"')],
    ["changes without an end", (since, response) => changes(response, since, [], { more: true })],
    [
      "changes of another form",
      (_since, response) => hub.sendJson(response, { ok: true, data: { since: 7, agents: {} } })
    ],
    [
      "an agent above the highest number",
      (since, response) => {
        const data = { ...hub.directory().data, since, more: false, max_number: 0 }
        hub.sendJson(response, { ok: true, data: { ...data, agents: { [agent.id]: agent.entry(hub.base) } } })
      }
    ]
  ]

  it.each(wrong)("at the attempt after %s, and until then nothing changes", async (_name, answering) => {
    const verifier = await opened(answering)
    agent.standing = "suspended"
    later()
    expect(await reasonOf(verifier, agent)).toBe(null)
    later()
    expect(await reasonOf(verifier, agent)).toBe("agent_suspended")
    expect([asks().at(0), asks().at(1), asks().at(-1)]).toEqual([null, FIRST, null])
    expect(asks().length).toBeLessThanOrEqual(BOUNDS.changesPages + 2)
  })

  it("at once where the hub answers with the whole", async () => {
    const verifier = await opened((_since, response) => whole(response, '"2-2"'))
    agent.standing = "banned"
    later()
    expect(await reasonOf(verifier, agent)).toBe("agent_banned")
    expect(asks()).toEqual([null, FIRST])
  })

  it("once a day, whatever has changed", async () => {
    const verifier = await opened((since, response) => changes(response, since, [], { etag: FIRST }))
    for (let passed = 0; passed < BOUNDS.wholeReadSeconds - 3600; passed += 3600) {
      later(3600)
      await verifier.ready()
    }
    expect(
      asks()
        .slice(1)
        .every((since) => since === FIRST)
    ).toBe(true)
    later(3600)
    await verifier.ready()
    expect(asks().at(-1)).toBe(null)
  })

  it("where more has changed than is held beside it", async () => {
    let at = 0
    const verifier = await opened((since, response) => {
      const { data } = hub.directory()
      const agents = Object.fromEntries(
        Array.from({ length: 3000 }, () => {
          const one = hub.agent("active", ++at + 1)
          return [one.id, one.entry(hub.base)]
        })
      )
      const count = data.count + 3000
      hub.sendJson(
        response,
        { ok: true, data: { ...data, since, more: false, count, max_number: count, agents } },
        { etag: FIRST }
      )
    })
    for (let read = 0; read < 8; read++) {
      later()
      await verifier.ready()
    }
    expect(asks()).toEqual([null, ...Array.from({ length: 7 }, () => FIRST), null])
    expect(verifier.state().agents).toBe(21_001)
  })
})
