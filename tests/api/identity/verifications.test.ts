/** What is counted of an agent's proofs: one counter a website (spec 4.7). */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { waitFor } from "../../harness/index.ts"
import { outcome } from "../../support/outcome.ts"
import { verdictAt, visit, type Visit } from "../../support/proof.ts"
import { service, edge, other, openShared, closeShared, type Subject, subject, hosts } from "./shared.ts"

beforeAll(() => openShared({ processes: true }))
afterAll(closeShared)

const proof = ({ client, agent }: Subject, options = {}): Visit => visit(client.identity, agent.hx_id, options)

describe("counters", () => {
  test("one a website, with first and last time, the latest first, in pages; nothing else is kept", async () => {
    const it = await subject()
    for (const host of ["a.example", "b.example:8443", "a.example", "c.example", "a.example"]) {
      expect(
        await verdictAt(Math.random() < 0.5 ? edge : other, proof(it, { host, path: "/secret-path" }))
      ).toMatchObject({ valid: true })
    }
    const all = await hosts(it)
    expect(all.map(({ host, count }) => [host, count])).toEqual([
      ["a.example", 3],
      ["c.example", 1],
      ["b.example:8443", 1]
    ])
    for (const item of all) expect(Object.keys(item).toSorted()).toEqual(["count", "first_at", "host", "last_at"])
    expect(Date.parse(all[0]?.first_at ?? "")).toBeLessThanOrEqual(Date.parse(all[0]?.last_at ?? ""))
    const page = await it.client.call("GET", "/api/v1/me/id/verifications?per_page=2&page=2")
    expect(page.json).toMatchObject({
      meta: { page: 2, per_page: 2, total: 3, pages: 2 },
      data: [{ host: "b.example:8443" }]
    })
    expect(await hosts(await subject())).toEqual([])
  })

  test("many at once are all counted", async () => {
    const it = await subject()
    const verdicts = await Promise.all(
      Array.from({ length: 60 }, (_, index) => verdictAt(index % 2 === 0 ? edge : other, proof(it)))
    )
    expect(verdicts.every((verdict) => verdict.valid)).toBe(true)
    expect(await hosts(it)).toMatchObject([{ host: "shop.example", count: 60 }])
  })

  test("of a deleted account are forgotten, also where every actor node dies at once", async () => {
    const gone = await Promise.all(Array.from({ length: 5 }, subject))
    const stays = await subject()
    for (const it of [...gone, stays]) expect(await verdictAt(edge, proof(it))).toMatchObject({ valid: true })
    const kept = async ({ agent }: Subject): Promise<number> => {
      const filter = { subjects_filter: subjects.verifiedOf(agent.id) }
      const { state } = await service.view.manager.streams.info(streams.verified, filter)
      return Object.keys(state.subjects ?? {}).length
    }
    expect(await kept(stays)).toBe(1)
    const deleted = await Promise.all(
      gone.map((it) => it.client.call("DELETE", "/api/v1/me", { body: { confirm: it.agent.handle } }))
    )
    expect(deleted.map(outcome)).toEqual(gone.map(() => "200"))
    for (const actor of service.system.actors) await actor.kill()
    for (const actor of service.system.actors) await actor.restart()
    await waitFor(async () => (await Promise.all(gone.map(kept))).every((count) => count === 0), {
      describe: "the websites to be forgotten"
    })
    expect(await kept(stays)).toBe(1)
  })

  test("nonces and counters outlive the death of every actor node", async () => {
    const it = await subject()
    const one = proof(it)
    expect(await verdictAt(edge, one)).toMatchObject({ valid: true })
    for (const actor of service.system.actors) await actor.kill()
    for (const actor of service.system.actors) await actor.restart()
    expect(await verdictAt(other, one)).toMatchObject({ reason: "replayed" })
    expect(await verdictAt(other, proof(it))).toMatchObject({ valid: true })
    expect(await hosts(it)).toMatchObject([{ host: "shop.example", count: 2 }])
  })
})
