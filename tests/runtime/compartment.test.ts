/** Programs of agents in real containers: what they are started with, how they end, what commands do. */
import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { asking } from "../../actors/kit/worker/asks.ts"
import { askedBy } from "../../actors/runtime/asked.ts"
import { boxesOf } from "../../actors/runtime/boxes.ts"
import { newCommand } from "../../actors/runtime/reconciler.ts"
import type { Compartment } from "../../schemas/compartment/records.ts"
import { waitFor } from "../harness/index.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { logOf } from "../support/service.ts"
import {
  ask,
  COMPARTMENTS,
  create,
  handsOf,
  type Hosted,
  lineWith,
  linesOf,
  look,
  member,
  sharedHosted,
  until
} from "./hosted.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"

const CANARY = "canary-9f2c71e0d4b8"

let service: Hosted
beforeAll(async () => {
  service = await sharedHosted()
})
afterAll(() => service?.stop())

const { made, moved, removed, told } = handsOf(() => service)

describe("a program", () => {
  it("runs as a login shell in /data/work, as nobody special, with its secrets and the service's names", async () => {
    const command =
      'echo "$(id -u) $PWD $0 $- $HUB_ID $HUB_COMPARTMENT $TOKEN"; shopt -q login_shell && echo login; sleep 600'
    const [one, record] = await made(command, { secrets: { TOKEN: CANARY } })
    expect(record).toMatchObject({ status: "creating", desired: "running", secrets: ["TOKEN"], created_by: "agent" })
    expect(record.environment).toMatchObject({ HUB_ID: one.me.hx_id, HUB_COMPARTMENT: record.id, HUB_KEY: "not set" })
    expect(await lineWith(one, record.id, CANARY)).toMatchObject({ stream: "stdout" })
    const lines = await linesOf(one, record.id)
    expect(lines.map(({ line }) => line)).toEqual([
      expect.stringMatching(`^1000 /data/work .* ${one.me.hx_id} ${record.id} ${CANARY}$`),
      "login"
    ])
    const running = await until(one, record.id, "running")
    expect(running).toMatchObject({ isolation: "runc", restart_count: 0, last_error: null })
    expect(Date.parse(running.started_at ?? "")).toBeGreaterThan(Date.parse(running.created_at) - 1000)
    await removed(one, record)
  })

  it("tells its secrets to nobody: no answer, no log, no event, no engine", async () => {
    const [one, record] = await made('echo "${#TOKEN}"; sleep 600', { secrets: { TOKEN: CANARY } })
    await lineWith(one, record.id, String(CANARY.length))
    const container = await service.container(record.id).inspect()
    const events = await logOf(service.view, "compartment", record.id)
    const answers = [await look(one, record.id), (await ask(one, "GET", COMPARTMENTS)).text]
    const everything = JSON.stringify([container, events, answers]) + service.system.logs.text()
    expect(everything).toContain(record.id)
    expect(everything).not.toContain(CANARY)
    const found = await promisify(execFile)("grep", ["-rl", CANARY, service.folder]).catch(() => ({ stdout: "" }))
    expect(found.stdout).toBe("")
    await removed(one, record)
  })

  it("reaches the service by HUB_URL, and may sign with the key that was shared", async () => {
    const one = await member(service)
    const hub_key = Buffer.from(one.client.identity.privateKey.export({ format: "jwk" }).d ?? "", "base64url").toString(
      "base64"
    )
    const command = 'curl -sS "$HUB_URL/api/v1/time" | head -c 12; echo; echo "key ${#HUB_KEY}"; sleep 600'
    const record = dataOf<Compartment>(await create(one, command, { hub_key }))
    expect(record.environment.HUB_KEY).toBe("set, never shown")
    await lineWith(one, record.id, '{"ok":true')
    await lineWith(one, record.id, "key 44")
    await removed(one, record)
  })

  it("is started again, later and later, and its agent is told how it ended", async () => {
    const [one, record] = await made("echo again; exit 3")
    const first = await until(one, record.id, "backoff")
    expect(first).toMatchObject({ exit_code: 3, oom_killed: false, desired: "running" })
    expect((await told(one, "runtime.exited")).payload).toMatchObject({
      compartment_id: record.id,
      name: "one",
      exit_code: 3,
      oom_killed: false
    })
    const later = await waitFor(async () => {
      const found = await look(one, record.id)
      return found.restart_count >= 2 && found.status === "backoff" ? found : null
    })
    const waitMs = Date.parse(later.next_restart_at ?? "") - Date.parse(later.stopped_at ?? "")
    expect(waitMs).toBeGreaterThan(3000)
    const lines = await linesOf(one, record.id)
    expect(lines.filter(({ line }) => line === "again").length).toBeGreaterThanOrEqual(2)
    expect(lines.some(({ stream, line }) => stream === "system" && line.includes("exit code 3"))).toBe(true)
    expect(await moved(one, record.id, "stop")).toBe("202")
    expect((await until(one, record.id, "stopped")).next_restart_at).toBeNull()
    await removed(one, record)
  })

  it("that is killed has exit code 128 + n; for want of memory it says so", async () => {
    const [one, record] = await made("kill -9 $$")
    expect(await until(one, record.id, "backoff")).toMatchObject({ exit_code: 137, oom_killed: false })
    const greedy = { command: "python3 -c 'b = bytearray(500_000_000)'" }
    expect(outcome(await ask(one, "PATCH", `${COMPARTMENTS}/${record.id}`, { body: greedy }))).toBe("200")
    await waitFor(async () => (await look(one, record.id)).oom_killed, { describe: "a program that wants too much" })
    await removed(one, record)
  })
})

describe("commands", () => {
  it("stop, start and restart it; what is there already stays as it is", async () => {
    const [one, { id, ...record }] = await made('trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.1; done')
    await lineWith(one, id, "up")
    await until(one, id, "running")
    expect(await moved(one, id, "start")).toBe("202")
    expect(await moved(one, id, "stop")).toBe("202")
    expect(await until(one, id, "stopped")).toMatchObject({ desired: "stopped", exit_code: 0 })
    await lineWith(one, id, "bye")
    expect(await moved(one, id, "stop")).toBe("202")
    expect(await moved(one, id, "start")).toBe("202")
    await until(one, id, "running")
    expect(await moved(one, id, "restart")).toBe("202")
    await waitFor(async () => (await linesOf(one, id)).filter(({ line }) => line === "up").length === 3)
    const types = (await until(one, id, "running")).events.map(({ type }) => type)
    expect(types.filter((type) => type === "started")).toHaveLength(3)
    await removed(one, { id, ...record })
  })

  it("change it from its next start on; a secret that is null goes", async () => {
    const secrets = { A: "first", B: "second" }
    const [one, { id, ...record }] = await made('echo "A=$A B=$B C=$C"; sleep 600', { secrets })
    await lineWith(one, id, "A=first B=second C=")
    await until(one, id, "running")
    const body = { name: "two", command: 'echo "now A=$A B=$B C=$C"; sleep 600', secrets: { A: null, C: "third" } }
    const changed = await ask(one, "PATCH", `${COMPARTMENTS}/${id}`, { body })
    expect(dataOf<Compartment>(changed)).toMatchObject({ name: "two", secrets: ["B", "C"] })
    expect(await moved(one, id, "restart")).toBe("202")
    await lineWith(one, id, "now A= B=second C=third")
    await removed(one, { id, ...record, name: "two" })
  })

  it("start nothing whose secret no host can open, until it is set again", async () => {
    const [one, { id, ...record }] = await made('echo "A=$A"; sleep 600', { secrets: { A: "first" } })
    await until(one, id, "running")
    const asked = askedBy(asking(machineClock, (ask, span) => service.view.asker.ask(ask, span)))
    const by = { type: "agent", agent: one.me.id, operator: false } as const
    const box = (await boxesOf(randomBytes(32))).seal("of another service", id, "A")
    const change = { by, name: null, command: null, set: [{ name: "A", box, bytes: 18 }], removed: [] }
    await asked(newCommand(), "compartment.change", id, change)
    expect(await moved(one, id, "restart")).toBe("202")
    const failed = await until(one, id, "failed")
    expect(failed).toMatchObject({ desired: "running", next_restart_at: null })
    expect(failed.last_error).toMatch(/secret A does not open/)
    expect((await told(one, "runtime.exited")).payload).toMatchObject({ compartment_id: id, restart_at: null })
    const again = { body: { secrets: { A: "second" } } }
    expect(outcome(await ask(one, "PATCH", `${COMPARTMENTS}/${id}`, again))).toBe("200")
    expect(await moved(one, id, "start")).toBe("202")
    await lineWith(one, id, "A=second")
    const { image, last_error } = await until(one, id, "running")
    expect({ image, last_error }).toEqual({ image: service.engine.image, last_error: null })
    await removed(one, { id, ...record })
  })

  it("keep /data over stops, and take it away with the compartment", async () => {
    const [one, record] = await made("echo $(($(cat count 2>/dev/null || echo 0) + 1)) >count; cat count; sleep 600")
    await lineWith(one, record.id, "1")
    await until(one, record.id, "running")
    expect(await moved(one, record.id, "restart")).toBe("202")
    await lineWith(one, record.id, "2")
    // Unknown until its host has looked for the first time.
    await waitFor(async () => (await look(one, record.id)).usage.disk_mb !== null, { describe: "what it takes" })
    expect((await look(one, record.id)).usage.disk_mb).toBeGreaterThanOrEqual(0)
    await removed(one, record)
    await expect(service.container(record.id).inspect()).rejects.toMatchObject({ statusCode: 404 })
    await expect(readdir(join(service.folder, "compartments", record.id))).rejects.toMatchObject({ code: "ENOENT" })
  })
})

it("answers many at once, and its host goes on", async () => {
  const [one, { id, ...record }] = await made("sleep 600")
  await until(one, id, "running")
  const paths = Array.from({ length: 120 }, (_, index) => `${COMPARTMENTS}/${id}${index % 2 === 0 ? "" : "/stats"}`)
  const answers = await Promise.all(paths.map((path) => ask(one, "GET", path)))
  expect(new Set(answers.map(outcome))).toEqual(new Set(["200"]))
  expect(await moved(one, id, "stop")).toBe("202")
  await until(one, id, "stopped")
  await removed(one, { id, ...record })
})
