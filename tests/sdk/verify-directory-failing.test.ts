/** What the verifier takes of a directory, and what it does while the hub fails. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { ServerResponse } from "node:http"
import { BOUNDS, type Fetch } from "../../edge/sdk/verify.ts"
import { waitFor } from "../harness/wait.ts"
import { agent, closeHub, hub, openHub } from "./verify-each.ts"
import { TestHub } from "./verify-hub.ts"

/** Longer than anything takes here on a slow machine. */
const PATIENT_MS = 600_000

beforeEach(openHub)
afterEach(closeHub)
const unavailable = (response: ServerResponse): void => hub.sendJson(response, { ok: false }, {}, 503)

describe("while the hub fails", () => {
  it("the last directory serves for an hour, then nothing is said", async () => {
    const verifier = hub.verifier()
    await verifier.ready()
    hub.answer = (_asked, response) => unavailable(response)
    for (let minute = 0; minute < 60; minute++) {
      hub.clock.pass(60)
      expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
    }
    hub.clock.pass(1)
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "hub_unreachable", id: null })
    expect(
      await verifier.check({
        method: "GET",
        path: "/",
        headers: { "user-agent": `HubAgent/1 (${agent.id}; +https://hub.example)` }
      })
    ).toMatchObject({ reason: "announced_only", id: null })
    hub.answer = null
    hub.clock.pass(60)
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
  })

  it("nobody waits longer than he must, and a slow answer still comes to use", async () => {
    const held: Array<() => void> = []
    hub.answer = (asked, response) => void held.push(() => hub.honest(asked, response))
    const verifier = hub.verifier({ waitMs: 50 })
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "hub_unreachable" })
    await waitFor(() => held.length === 1)
    held[0]?.()
    await verifier.settled()
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
    expect(hub.directoryReads).toBe(1)
  })

  it("a hub that drips is given up after its time, and not counted as an answer", async () => {
    const open: Array<NodeJS.Timeout> = []
    hub.answer = (_asked, response) => {
      response.writeHead(200, { "content-type": "application/json" })
      response.write('{"ok":true,"data":{')
      open.push(setInterval(() => response.write(" "), 5))
      response.on("close", () => clearInterval(open[0]))
    }
    const verifier = hub.verifier({ fetchTimeoutMs: 200, waitMs: PATIENT_MS })
    const began = performance.now()
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "hub_unreachable" })
    expect(performance.now() - began).toBeLessThan(PATIENT_MS)
    await verifier.settled()
    expect(verifier.state().agents).toBeNull()
  })

  it("a fetch that never comes back does not stop the next one", async () => {
    let calls = 0
    const fetch: Fetch = (url, init) =>
      ++calls === 1 ? new Promise(() => undefined) : (globalThis.fetch as unknown as Fetch)(url, init)
    const verifier = hub.verifier({ fetch, waitMs: 20 })
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "hub_unreachable" })
    hub.clock.pass(61)
    await waitFor(() => verifier.ready(), { describe: "the second fetch" })
    expect(calls).toBe(2)
  })

  it("an answer that comes after it was given up changes nothing", async () => {
    let late: () => void = () => undefined
    let calls = 0
    const stale = new Response(JSON.stringify({ ...hub.directory(), ok: true }))
    const fetch: Fetch = (url, init) =>
      ++calls === 1
        ? new Promise((resolve) => (late = () => resolve(stale as never)))
        : (globalThis.fetch as unknown as Fetch)(url, init)
    const verifier = hub.verifier({ fetch, waitMs: 20, fetchTimeoutMs: 30_000 })
    await verifier.ready()
    agent.rotate()
    hub.clock.pass(61)
    await waitFor(() => verifier.ready(), { describe: "the second fetch" })
    late()
    await verifier.settled()
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
  })

  it("a hub that is gone is no error of the website", async () => {
    const verifier = hub.verifier({ hub: "http://127.0.0.1:1" })
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "hub_unreachable" })
  })

  it("a closed verifier asks no more and says what it knows", async () => {
    const verifier = hub.verifier()
    await verifier.ready()
    verifier.close()
    hub.clock.pass(600)
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
    hub.clock.pass(3600)
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "hub_unreachable" })
    expect(hub.directoryReads).toBe(1)
  })

  it("more waiting checks than the bound are answered at once", async () => {
    const held: Array<() => void> = []
    hub.answer = (asked, response) => void held.push(() => hub.honest(asked, response))
    const verifier = hub.verifier()
    const waiting = Array.from({ length: BOUNDS.waitingChecks }, () => verifier.check(agent.request()))
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "hub_unreachable" })
    await waitFor(() => held.length === 1)
    held[0]?.()
    expect((await Promise.all(waiting)).every(({ valid }) => valid)).toBe(true)
  })
})

describe("a hub that is not to be trusted with everything", () => {
  it.each([301, 302, 303, 307, 308])("a redirect (%i) is not followed", async (status) => {
    const elsewhere = await TestHub.start()
    try {
      elsewhere.agents.push(agent)
      hub.answer = (_asked, response) => {
        response.writeHead(status, { location: `${elsewhere.base}/api/v1/id/directory` })
        response.end()
      }
      expect(await hub.verifier().check(agent.request())).toMatchObject({ reason: "hub_unreachable" })
      expect(elsewhere.asked).toHaveLength(0)
    } finally {
      await elsewhere.stop()
    }
  })

  it("a directory much older than the one held is a cache's, and is refused", async () => {
    const verifier = hub.verifier()
    const before = hub.directory()
    const old = agent.key
    hub.clock.pass(3600)
    agent.rotate()
    await verifier.ready()
    hub.clock.pass(300)
    hub.answer = (_asked, response) => hub.sendJson(response, before)
    expect(await verifier.check(agent.request({ key: old }))).toMatchObject({ reason: "key_retired" })
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
    expect(hub.directoryReads).toBe(2)
    expect(verifier.state().age_seconds).toBe(300)
    // A hub that was put back on purpose is believed once nothing else is held.
    hub.clock.pass(3600)
    expect(await verifier.check(agent.request({ key: old }))).toMatchObject({ valid: true })
  })

  it("a directory as old as caches may keep it is taken", async () => {
    const verifier = hub.verifier()
    const before = hub.directory()
    hub.clock.pass(BOUNDS.rollbackSeconds)
    await verifier.ready()
    hub.clock.pass(300)
    hub.answer = (_asked, response) => hub.sendJson(response, before)
    await verifier.ready()
    expect(verifier.state()).toMatchObject({ age_seconds: 0, generated_at: before.data.generated_at })
  })

  it("more bytes than the bound are not read, announced or not", async () => {
    for (const announced of [true, false]) {
      const body = JSON.stringify({ ...hub.directory(), padding: "p".repeat(10_000) })
      let cut = false
      hub.answer = (_asked, response) => {
        response.writeHead(200, announced ? { "content-length": String(body.length) } : {})
        response.on("close", () => (cut ||= !response.writableFinished))
        response.write(body.slice(0, 5000))
        response.write(body.slice(5000, 9000))
      }
      const verifier = hub.verifier({ maxDirectoryBytes: 4096 })
      expect(await verifier.ready()).toBe(false)
      await waitFor(() => cut, { describe: "the line was cut" })
    }
  })

  it("more agents than the bound are not kept", async () => {
    for (let index = 0; index < 5; index++) hub.agent()
    expect(await hub.verifier({ maxAgents: 5 }).ready()).toBe(false)
    expect(await hub.verifier({ maxAgents: 6 }).ready()).toBe(true)
  })
})
