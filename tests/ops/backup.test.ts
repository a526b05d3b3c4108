/**
 * The drill: a service under writes is backed up, goes on, loses the disk of its JetStream, and is restored. What was
 * acknowledged before the backup began is there, and nothing is given or taken a second time.
 */
import { randomBytes } from "node:crypto"
import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { type Answer, type Exchange, send } from "../support/http.ts"
import { operated, refusal } from "../support/operator.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { answering, healthy } from "../support/receiver.ts"
import { register } from "../support/register.ts"
import { setRecovery } from "../support/rotation.ts"
import {
  type Writer,
  desk,
  receiver,
  folder,
  numbers,
  edge,
  numberOf,
  newAgent,
  write,
  profile,
  deliveries,
  traffic,
  stopNodes,
  startNodes,
  loseDisk,
  verified,
  openDrill,
  closeDrill
} from "./drill.ts"

const WRITERS = 8

/** The suspension lasts so long, and as long as this many of the operator's commands take. */
const SUSPENDED_SECONDS = 5

/** Behind its end, which is the further off the slower this machine is. */
const SETTLED_WITHIN_MS = 120_000

const COMMANDS = 12

beforeAll(openDrill)
afterAll(closeDrill)

describe("the drill", () => {
  const writers: Array<Writer> = []
  let keyed: { readonly body: Record<string, unknown>; readonly first: Answer; readonly writer: Writer }
  let used: Exchange
  /** Signed and used after the backup, so that the restored log does not know its nonce. */
  let usedSince: Exchange
  let waiting: Writer
  let suspended: Writer
  let until = 0
  let standing: ReadonlyArray<{ readonly writer: Writer; readonly acknowledged: number }> = []
  let highest = 0
  /** The delivery that had failed so often when the backup was made, as its receiver knows it. */
  let delivery = ""
  let failures = 0
  let post = 0
  const file = randomBytes(300_000)
  const filed = ({ client }: Writer, bytes: Uint8Array) =>
    client.call("PUT", `/api/v1/posts/${post}/file?filename=a.bin`, { body: bytes })
  const attempts = () => receiver.received.filter(({ id }) => id === delivery)

  /** Until a time that waits for its own timer: behind the backup and the restore, on this machine as it is now. */
  async function suspend(): Promise<void> {
    const began = performance.now()
    await operated(desk, ["agent", "show", suspended.agent.handle])
    until = Date.now() + SUSPENDED_SECONDS * 1000 + COMMANDS * (performance.now() - began)
    await operated(desk, ["agent", "suspend", suspended.agent.handle, "--until", new Date(until).toISOString()])
  }

  /**
   * With a delivery in it that failed and waits for its timer. Where that was sooner than the backup, again: it waits
   * longer each time.
   */
  async function backedUpBetweenAttempts(): Promise<string> {
    expect(outcome(await setRecovery(waiting.client))).toBe("200")
    delivery = await waitFor(() => receiver.received[0]?.id, { describe: "the first attempt" })
    for (;;) {
      await waitFor(
        async () =>
          (await deliveries(waiting)).some(
            ({ id, attempts: made }) => `ntf_${id}` === delivery && made === attempts().length
          ),
        { describe: "the attempt's report" }
      )
      failures = attempts().length
      const said = await operated(desk, ["backup", folder])
      if (attempts().length === failures) return said
      await rm(folder, { recursive: true })
    }
  }

  test("a backup under writes", async () => {
    for (let count = 0; count < WRITERS; count++) writers.push(await newAgent())
    receiver.behave(answering(500))
    waiting = await newAgent({ webhook_url: `${receiver.url}/in` })
    suspended = await newAgent()
    const end = traffic(writers)
    await waitFor(() => writers.every(({ acknowledged }) => acknowledged > 20))
    const quiet = await newAgent()
    keyed = {
      writer: quiet,
      body: { description: "Under a key." },
      first: await quiet.client.call("PATCH", "/api/v1/me", {
        body: { description: "Under a key." },
        idempotencyKey: "a-key-of-the-drill"
      })
    }
    expect(outcome(keyed.first)).toBe("200")
    await quiet.client.call("PATCH", "/api/v1/me", { body: { name: "Quiet" } })
    used = quiet.client.last as Exchange
    post = dataOf<{ id: number }>(
      await quiet.client.call("POST", "/api/v1/posts", { body: { title: "One", body: "Text", data: [1] } })
    ).id
    expect(outcome(await filed(quiet, file))).toBe("200")
    await suspend()
    standing = writers.map((writer) => ({ writer, acknowledged: writer.acknowledged }))
    const said = await backedUpBetweenAttempts()
    expect(said).toMatch(
      /first: \d+ streams, \d+ commits up to #\d+ of 20[\d:.TZ-]+, [\d.]+ MB, in [\d.]+ s\nneeds keys that are not in it: [^\n]+\n$/
    )
    const count = writers[0]?.acknowledged ?? 0
    await waitFor(() => (writers[0]?.acknowledged ?? 0) > count + 20)
    await end()
    expect(outcome(await quiet.client.call("GET", "/api/v1/me"))).toBe("200")
    usedSince = quiet.client.last as Exchange
    for (let after = 0; after < 3; after++) await newAgent()
    expect(outcome(await filed(quiet, randomBytes(300_000)))).toBe("200")
    await waitFor(() => attempts().length > failures, { describe: "the next attempt, which will be forgotten" })
    highest = Math.max(...[...numbers].map(numberOf))
    expect(await operated(desk, ["backup", "--check", folder])).toMatch(
      /first is whole: \d+ streams, [^\n]*\nneeds keys that are not in it: HUB_SERVER_KEY, (?:HUB_\w+, )*and HUB_RUNTIME_KEY /
    )
  })

  test("is for its owner alone, and its folder is taken", async () => {
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
    const beside = await readdir(join(folder, ".."))
    expect(beside.filter((name) => name !== "archive")).toEqual(["first"])
    expect(await refusal(desk, ["backup", folder])).toBe(`${folder} already holds something: name a new folder`)
  })

  test("is not restored while a node is alive, nor over what is there", async () => {
    expect(await refusal(desk, ["restore", folder, "--replace"])).toBe(
      "2 actor nodes are alive: stop every actor node and edge first"
    )
    await stopNodes()
    expect(await refusal(desk, ["restore", folder])).toMatch(
      /^JetStream holds HUB_ASIDE, .*: restore into an empty one, or give --replace to have them deleted$/
    )
    await loseDisk()
    expect(await refusal(desk, ["restore", folder])).toBe(
      "Postgres holds read models of another log: name an empty database, or give --replace to have them deleted"
    )
  })

  test("is restored, and the nodes start on it", async () => {
    expect(await operated(desk, ["restore", folder, "--replace"])).toMatch(
      /restored in [\d.]+ s, \d+ commits up to #\d+\nthe log goes on at #\d+, each counter 10000 numbers further; Postgres is empty\n/
    )
    receiver.behave(healthy)
    await startNodes()
    await waitFor(async () => (await keyed.writer.client.call("GET", "/api/v1/me")).status === 200, {
      describe: "the service to answer"
    })
  })

  test("every write that was acknowledged before is there, and none that was never made", async () => {
    for (const { writer, acknowledged } of standing) {
      const { description, hx_id, handle } = await profile(writer)
      expect(Number(description)).toBeGreaterThanOrEqual(acknowledged)
      expect(Number(description)).toBeLessThanOrEqual(writer.sent)
      expect({ hx_id, handle }).toEqual({ hx_id: writer.agent.hx_id, handle: writer.agent.handle })
    }
  })

  test("a file is there again with its data, the one that was replaced since", async () => {
    const at = (what: string) => send({ edge: edge(), method: "GET", path: `/api/v1/posts/${post}/${what}` })
    await waitFor(async () => (await at("file")).status === 200, { describe: "the post's row" })
    expect((await at("file")).bytes.equals(file)).toBe(true)
    expect((await at("data")).text).toBe("[1]")
  })

  test("a nonce that was used before is refused, and an answer under a key is the first one", async () => {
    expect(outcome(await send(used))).toBe("401 auth_nonce_reused")
    expect(outcome(await send(usedSince))).toBe("401 auth_timestamp_skew")
    const again = await keyed.writer.client.call("PATCH", "/api/v1/me", {
      body: keyed.body,
      idempotencyKey: "a-key-of-the-drill"
    })
    expect(again.json.data).toEqual(keyed.first.json.data)
    expect((await profile(keyed.writer))["name"]).toBe("Quiet")
  })

  test("a number that was ever given is not given again, and the handles that are left are taken", async () => {
    const fresh = await newAgent()
    expect(numberOf(fresh.agent.hx_id)).toBeGreaterThan(highest)
    await expect(
      register(new AgentClient({ edge }), { edge: edge(), handle: keyed.writer.agent.handle })
    ).rejects.toThrow("handle_taken")
  })

  test("the delivery that waited for its timer is made, and new ones are", async () => {
    const seen = receiver.received.length
    await waitFor(
      async () =>
        (await deliveries(waiting)).some(({ id, status }) => `ntf_${id}` === delivery && status === "delivered"),
      { describe: "the delivery to be made" }
    )
    expect(attempts().length).toBeGreaterThan(failures + 1)
    expect(outcome(await setRecovery(waiting.client))).toBe("200")
    const old = new Set(receiver.received.slice(0, seen).map(({ id }) => id))
    await waitFor(() => receiver.received.some(({ id }) => id !== delivery && !old.has(id)), {
      describe: "a new delivery"
    })
  })

  test("the suspension ends at its time", async () => {
    const status = async () => (await profile(suspended))["status"]
    const seen = await status()
    // Looked at before its time, it was there; a machine that was slower comes too late for that.
    if (Date.now() < until) expect(seen).toBe("suspended")
    await waitFor(async () => (await status()) === "active", {
      describe: "the end of the suspension",
      deadlineMs: Math.max(0, until - Date.now()) + SETTLED_WITHIN_MS
    })
    expect(Date.now()).toBeGreaterThanOrEqual(until)
  })

  test("verify finds all equal", async () => {
    expect(await waitFor(verified, { describe: "read models as the log makes them" })).toMatch(
      /verified in [\d.]+ s\n$/
    )
    await Promise.all(writers.map(write))
  })
})
