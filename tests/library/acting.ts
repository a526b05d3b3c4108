/** What agents and websites do: proving identity, the proof of work, safe retries, rotation, small tools. */
import { existsSync, renameSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { operate } from "../support/hub.ts"
import { send } from "../support/http.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { verdictAt, visit, type VisitOptions } from "../support/proof.ts"
import { startReceiver } from "../support/receiver.ts"
import { askChallenge } from "../support/register.ts"
import { AgentClient } from "../support/client.ts"
import { type Agent, anAgent, edge, file, folder, run, said, serve, service, type Serving } from "./programs.ts"

const SITE = "shop.example"
/** Its answer to nobody in particular. */
const stranger = (reason: string) => ({ hello: "whoever you are", reason })

const websites: ReadonlyArray<readonly [string, () => ReadonlyArray<string>, boolean]> = [
  ["by asking", () => [file("visitor.mts")], true],
  ["without asking", () => [file("offline.mts")], false]
]

const visited = async (site: Serving, agent: Agent, options: VisitOptions = {}, path?: string): Promise<unknown> => {
  const request = visit(agent.client.identity, agent.registered.hx_id, { host: SITE, ...options })
  return (await fetch(site.url + (path ?? request.path), { headers: request.headers })).json()
}

const pow: ReadonlyArray<readonly [string, () => readonly [string, string]]> = [
  ["TypeScript", () => [process.execPath, file("pow.mts")]],
  ["Python", () => ["python3", file("pow.py")]]
]

const SHARED = { timestamp: String(Math.floor(Date.now() / 1000) - 400), nonce: "used-twice-0001" }

export const actingSamples = (): void => {
  test.each(websites)("a website knows its visitors, %s", async (_way, program, named) => {
    const [agent, flagged] = [await anAgent(), await anAgent()]
    await operate(service.system, ["agent", "suspend", flagged.registered.handle, "--reason", "a test"])
    const site = await serve(process.execPath, program(), { SITE_HOST: SITE })
    try {
      const { handle, hx_id: id } = agent.registered
      expect(await visited(site, agent)).toMatchObject({ hello: handle, id, ...(named ? { trust: 10 } : {}) })
      const { nonce } = SHARED
      expect(await visited(site, agent, { nonce })).toMatchObject({ hello: handle })
      expect(await visited(site, agent, { nonce })).toEqual(stranger("replayed"))
      expect(await visited(site, agent, {}, "/elsewhere")).toEqual(stranger("bad_signature"))
      expect(await visited(site, agent, { host: "other.example" })).toEqual(stranger("bad_signature"))
      expect(await visited(site, agent, SHARED)).toEqual(stranger("timestamp_expired"))
      expect(await visited(site, flagged)).toEqual(stranger("agent_suspended"))
      expect(await (await fetch(site.url)).json()).toEqual(stranger("headers_missing"))
      const nobody = { ...agent, registered: { ...agent.registered, hx_id: "HX-999999" } }
      expect(await visited(site, nobody)).toEqual(stranger("id_unknown"))
    } finally {
      await site.stop()
    }
  })

  test("a visit is announced, and proved to the website that is called", async () => {
    const { env, registered } = await anAgent()
    const website = await startReceiver()
    try {
      const path = "/offers?page=2&q=%2f+x"
      file("signed.py")
      expect(await said("python3", [file("visit.py"), website.url + path], env)).toMatch(/^204 /)
      const [came] = website.received
      const report = { method: "GET", host: new URL(website.url).host, path: came?.path ?? "", headers: came?.headers }
      expect(await verdictAt(edge, report)).toMatchObject({ valid: true, id: registered.hx_id })
      expect(came?.headers["user-agent"]).toContain(`(${registered.hx_id}; +http`)
      const announced = { ...report, headers: { "User-Agent": came?.headers["user-agent"] } }
      expect(await verdictAt(edge, announced)).toMatchObject({ reason: "announced_only", id: registered.hx_id })
    } finally {
      await website.stop()
    }
  })

  test.each(pow)("the proof of work is taken: %s", async (_language, program) => {
    const client = new AgentClient({ edge: () => edge })
    const { id, pow } = dataOf<{ id: string; pow: { prefix: string; difficulty: number } }>(
      await askChallenge(client, edge)
    )
    const [runner, name] = program()
    const nonce = (await said(runner, [name, pow.prefix, String(pow.difficulty)])).trim()
    const path = `/api/v1/register/challenge/${id}/questions`
    const answer = await send({ edge, method: "POST", path, body: JSON.stringify({ pow_nonce: nonce }) })
    expect(outcome(answer)).toBe("200")
  })

  test("an intention is carried out once, however often it is sent", async () => {
    const { env, client } = await anAgent()
    const once = async (description: string) => {
      const words = ["describe-me", "PATCH", "/api/v1/me", JSON.stringify({ description })]
      return JSON.parse(await said(process.execPath, [file("once.mts"), ...words], env)) as unknown
    }
    expect(await once("one")).toEqual({ status: 200, replayed: false, ok: true })
    expect(await once("one")).toEqual({ status: 200, replayed: true, ok: true })
    expect(await once("two")).toMatchObject({ status: 422, ok: false })
    expect(dataOf(await client.call("GET", "/api/v1/me"))).toMatchObject({ description: "one" })
  })

  test("a key is replaced, also where the answer was lost on its way", async () => {
    const { client, env } = await anAgent()
    const rotate = async () => (await said(process.execPath, [file("rotate.mts")], env)).trim()
    const me = (key: string) => said(process.execPath, [file("call.mts")], { HUB_KEY: key })
    const key = env["HUB_KEY"] ?? ""
    const next = await rotate()
    expect(await me(key)).toContain(`"public_key": "${next}"`)
    expect(outcome(await client.call("GET", "/api/v1/me"))).toBe("401 key_retired")
    renameSync(join(folder, key), join(folder, `${key}.next`))
    renameSync(join(folder, `${key}.retired`), join(folder, key))
    expect(await rotate()).toBe(next)
    expect([await me(key), existsSync(join(folder, `${key}.next`))]).toEqual([expect.stringContaining(next), false])
    const last = await rotate()
    expect(last).not.toBe(next)
    expect(await me(key)).toContain(`"public_key": "${last}"`)
  })

  test("a clock is compared, and one that is off is told by the status", async () => {
    const { status, stdout } = await run("sh", [file("clock.sh")])
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^this clock is -?\d+ s ahead/)])
    expect((await run("sh", [file("clock.sh")], { MOST: "-1" })).status).toBe(1)
  })

  test("an agent is found by its number", async () => {
    const { registered, client } = await anAgent()
    const who = (...words: ReadonlyArray<string>) => run("sh", [file("who.sh"), ...words])
    const { stdout } = await who(registered.hx_id.toLowerCase())
    expect(stdout.split("\n").slice(0, 3)).toEqual([
      `handle\t${registered.handle}`,
      "status\tactive",
      `public_key\t${client.identity.publicKey}`
    ])
    expect([(await who("HX-999999")).status, (await who("ada")).status]).toEqual([1, 2])
  })
}
