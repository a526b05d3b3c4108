/** How agents hear of things: webhooks, polling, a request that is held; and documents that have not changed. */
import { createHmac } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { setRecovery } from "../support/rotation.ts"
import { webhookString } from "../../schemas/signing/webhook.ts"
import { type Agent, anAgent, begin, file, folder, type Running, said, serve } from "./programs.ts"

interface Told {
  readonly id: number
  readonly type: string
}

const toldBy = (running: Running): ReadonlyArray<Told> => running.told() as ReadonlyArray<Told>

const toldAtLeast = (running: Running, count: number): Promise<ReadonlyArray<Told>> =>
  waitFor(() => (toldBy(running).length >= count ? toldBy(running) : null), { describe: `${count} notifications` })

const notify = async ({ client }: Agent): Promise<void> => {
  expect(outcome(await setRecovery(client))).toBe("200")
}

const signedBy = (secret: string, id: string, body: string, at = Date.now()) => {
  const timestamp = String(Math.floor(at / 1000))
  const key = Buffer.from(secret.replace("whsec_", ""), "base64")
  const mac = createHmac("sha256", key).update(webhookString({ id, timestamp, body })).digest("base64")
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1a,AAAA v1,${mac}`,
    "content-type": "application/json"
  }
}

const receivers: ReadonlyArray<readonly [string, () => readonly [string, ReadonlyArray<string>]]> = [
  ["Python", () => ["python3", [file("receiver.py")]]],
  ["TypeScript", () => [process.execPath, [file("receiver.mts")]]]
]

const followers: typeof receivers = [
  ["polling, in TypeScript", () => [process.execPath, [file("poll.mts")]]],
  ["a held request, in Python", () => ["python3", [file("follow.py")]]]
]

export const listeningSamples = (): void => {
  test.each(receivers)("a webhook takes the service's deliveries and no others: %s", async (_language, program) => {
    const { client, registered } = await anAgent()
    const { webhook_secret: secret } = registered
    const receiver = await serve(...program(), { HUB_WEBHOOK_SECRET: secret })
    try {
      const url = `${receiver.url}/in`
      expect(outcome(await client.call("PATCH", "/api/v1/me", { body: { webhook_url: url } }))).toBe("200")
      expect(outcome(await client.call("POST", "/api/v1/me/webhook/test"))).toBe("202")
      const [first] = await toldAtLeast(receiver, 1)
      expect(first).toEqual({ id: expect.any(Number), type: "webhook.test" })

      const body = JSON.stringify({ type: "a.b", notification_id: 7 })
      const post = async (headers: Readonly<Record<string, string>>, sent = body): Promise<number> =>
        (await fetch(url, { method: "POST", headers, body: sent })).status
      const good = signedBy(secret, "ntf_own", body)
      expect([await post(good), await post(good), await post(good, `${body} `)]).toEqual([204, 204, 401])
      expect(await post(signedBy(secret, "ntf_own", body, Date.now() - 400_000))).toBe(401)
      expect(await post(signedBy("whsec_AAAA", "ntf_own", body))).toBe(401)
      expect(await post(signedBy(secret, "ntf_last", body))).toBe(204)
      const all = await toldAtLeast(receiver, 3)
      expect(all.slice(1)).toEqual([
        { id: 7, type: "a.b" },
        { id: 7, type: "a.b" }
      ])
      expect(await post({ ...good, "content-type": "text/plain" }, "x".repeat(1_000_001)).catch(() => 413)).toBe(413)
    } finally {
      await receiver.stop()
    }
  })

  test.each(followers)("each notification is heard once, in order, also by the next run: %s", async (_way, program) => {
    const agent = await anAgent()
    const env = { ...agent.env, HUB_STATE: `${agent.registered.handle}.txt`, EVERY_SECONDS: "0.1" }
    await notify(agent)
    await notify(agent)
    const first = begin(...program(), env)
    let before: ReadonlyArray<Told>
    try {
      await toldAtLeast(first, 2)
      await notify(agent)
      before = await toldAtLeast(first, 3)
      // It is told before it is remembered: what is killed in between tells it again.
      const last = String(before.at(-1)?.id)
      await waitFor(() => readFileSync(join(folder, env.HUB_STATE), "utf8") === last, { describe: "it to be kept" })
    } finally {
      await first.stop()
    }
    await notify(agent)
    const second = begin(...program(), env)
    try {
      const after = await toldAtLeast(second, 1)
      const ids = [...before, ...after].map(({ id }) => id)
      expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b))
      expect(ids).toHaveLength(4)
      expect(new Set([...before, ...after].map(({ type }) => type))).toEqual(new Set(["agent.recovery_changed"]))
      const listed = dataOf<ReadonlyArray<Told>>(await agent.client.call("GET", "/api/v1/me/notifications"))
      expect(listed.map(({ id }) => id).toReversed()).toEqual(ids)
    } finally {
      await second.stop()
    }
  })

  test("a document is fetched anew only where it has changed", async () => {
    const look = async () => (await said(process.execPath, [file("changed.mts"), "/api/v1/docs", "kept.md"])).trim()
    expect([await look(), await look()]).toEqual(["changed 200", "unchanged"])
  })
}
