/** A service whose log was archived reads, decides, folds, rebuilds and restores as one that keeps it all. */
import { mkdir, readdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { jetstream } from "@nats-io/jetstream"
import { sql } from "kysely"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { archivedThrough } from "../../actors/log/archive/mark.ts"
import { firstBehind } from "../../actors/projections/lag.ts"
import { doneByAll } from "../../actors/process/archiving.ts"
import { nodeKey } from "../../schemas/runtime/bus/lease-view.ts"
import { buckets, streams, subjects } from "../../schemas/subjects.ts"
import type { Reply } from "../../schemas/reply/records.ts"
import type { Thread } from "../../schemas/thread/records.ts"
import { archiveOf, waitFor } from "../harness/index.ts"
import { archiveAll, isDropped } from "../support/archived.ts"
import { AgentClient } from "../support/client.ts"
import { type Answer, send } from "../support/http.ts"
import { hub, hubEnded, operate } from "../support/hub.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { askChallenge, challengeId, freshHandle, register, registrationForm } from "../support/register.ts"
import { TEST_SERVER_KEY, testService, type TestService } from "../support/service.ts"

let service: TestService
let edge = ""
let written = 0

beforeAll(async () => {
  service = await testService({ edges: 2, actors: 2 })
  edge = service.edges[0] ?? ""
  vi.stubEnv("HUB_SERVER_KEY", TEST_SERVER_KEY)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await service?.stop()
})

const anAgent = async (handle = freshHandle()) => {
  const client = new AgentClient({ edge: () => service.edges[written++ % 2] ?? "" })
  return { client, account: await register(client, { edge, handle }) }
}
const read = (path: string): Promise<Answer> => send({ edge, method: "GET", path: `/api/v1${path}` })
const firstSeq = async () => (await service.view.manager.streams.info(streams.events)).state.first_seq
const hotOf = async (kind: string, id: string): Promise<number> => {
  const { state } = await service.view.manager.streams.info(streams.events, {
    subjects_filter: subjects.event(kind, id)
  })
  return Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0)
}

const archived = (): Promise<void> => archiveAll(service)

/** Nodes that have none of it in memory. */
const restarted = async (): Promise<void> => {
  for (const actor of service.system.actors) await actor.restart()
  await waitFor(async () => (await read("/health")).status === 200, { describe: "nodes that serve" })
}

test("what was archived is read, changed and counted as before; nothing is begun twice", async () => {
  const [asker, helper] = [await anAgent(), await anAgent()]
  const form = { category: "help", title: "Archived?", body: "A question that is older than the log." }
  const thread = dataOf<Thread>(await asker.client.call("POST", "/api/v1/threads", { body: form }))
  const path = `/api/v1/threads/${thread.id}`
  const reply = dataOf<Reply>(await helper.client.call("POST", `${path}/replies`, { body: { body: "Yes." } }))
  const vote = (client: AgentClient, value: number) =>
    client.call("POST", "/api/v1/votes", { body: { target_type: "reply", target_id: reply.id, value } })
  expect(outcome(await vote(asker.client, 1))).toBe("200")
  expect(outcome(await asker.client.call("PUT", `${path}/watch`))).toMatch(/^20/)
  const message = await asker.client.call("POST", "/api/v1/messages", {
    body: { to: helper.account.handle, body: "Is it there?" }
  })
  expect(outcome(message)).toBe("201")

  await archived()
  expect(await hotOf("thread", String(thread.id))).toBe(0)
  expect(await hotOf("agent", asker.account.id)).toBe(0)
  expect((await readdir(archiveOf(service.system))).length).toBeGreaterThan(0)

  for (const state of ["in memory", "by snapshots", "by the archive alone"]) {
    if (state === "by the archive alone") await sql`truncate snapshots`.execute(service.view.db)
    if (state !== "in memory") await restarted()
    // Read.
    expect(dataOf<Thread>(await read(`/threads/${thread.id}`))).toMatchObject({ title: "Archived?" })
    expect(dataOf(await asker.client.call("GET", "/api/v1/me"))).toMatchObject({ handle: asker.account.handle })
    // Decided by what is archived: the vote stands, the text is there, the handle is taken.
    expect(dataOf(await vote(asker.client, 1))).toMatchObject({ score: 1 })
    expect(outcome(await vote(helper.client, 1))).toMatch(/^(403|409|422)/)
    expect(outcome(await asker.client.call("POST", "/api/v1/threads", { body: form }))).toBe("409 duplicate_content")
    const taken = new AgentClient({ edge: () => edge })
    const again = await taken.call("POST", "/api/v1/register", {
      body: registrationForm(await challengeId(taken, edge), { handle: helper.account.handle })
    })
    expect(outcome(again)).toBe("409 handle_taken")
    expect(outcome(await askChallenge(helper.client, edge))).toMatch(/^409/)
    // Written on.
    const title = `Archived, and edited ${state}?`
    const edited = await asker.client.call("PATCH", path, { body: { title } })
    expect(dataOf<Thread>(edited)).toMatchObject({ title })
    expect(dataOf<Thread>(await asker.client.call("PATCH", path, { body: { title: "Archived?" } }))).toMatchObject({
      title: "Archived?"
    })
    await archived()
  }
  // A vote that is taken back lowers what was counted before the archive.
  const back = await asker.client.call("DELETE", `/api/v1/votes?target_type=reply&target_id=${reply.id}`)
  expect(dataOf(back)).toMatchObject({ score: 0 })
  expect(dataOf(await vote(asker.client, 1))).toMatchObject({ score: 1 })
  await archived()
})

test("the operator's tools go through archive and log as one", async () => {
  const { system } = service
  const { account } = await anAgent()
  await archived()
  const { client: other } = await anAgent()
  await other.call("PATCH", "/api/v1/me", { body: { description: "In the log." } })
  const verified = await hubEnded(system, ["verify"])
  expect(`${verified.status} ${verified.stdout}${verified.stderr}`).toMatch(/^0 [\s\S]*verified in/)
  expect(await hub(system, ["verify", "--scores"])).toMatch(/equal what the log makes/)
  const rebuilt = await hub(system, ["rebuild"])
  expect(rebuilt).toContain("agent rebuilt")
  expect(rebuilt).toContain("thread rebuilt")
  expect((await hubEnded(system, ["verify"])).status).toBe(0)
  const replayed = await hub(system, ["replay", "agent", account.handle])
  expect(replayed).toContain("agent.registered")
  expect(await hub(system, ["explain", `agent/${account.handle}`])).toContain("agent.registered")
  const { last_seq: last } = (await service.view.manager.streams.info(streams.events)).state
  const lines = (await hub(system, ["tail", "--since", "1", "--until", String(last)])).trimEnd().split("\n")
  expect(lines[0]).toMatch(/^#\d+ /)
  const numbers = lines.map((line) => Number(/^#(\d+)/.exec(line)?.[1]))
  expect(numbers).toEqual(numbers.toSorted((one, two) => one - two))
  expect(numbers[0]).toBeLessThan(await firstSeq())
  expect(numbers.at(-1)).toBeGreaterThanOrEqual(await firstSeq())
  expect(await hub(system, ["at", new Date().toISOString()])).toMatch(/agent/)
  expect(await hub(system, ["archive", "--check"])).toMatch(/is whole: \d+ segments/)
})

test("read models are made from the archive where Postgres has lost them, and its index too", async () => {
  const { account } = await anAgent()
  await archived()
  for (const actor of service.system.actors) await actor.stop()
  await sql`truncate archive_actors, archive_segments, snapshots, projections`.execute(service.view.db)
  await restarted()
  await waitFor(async () => (await read(`/agents/${account.handle}`)).status === 200, { describe: "the agent again" })
  expect((await hubEnded(service.system, ["verify"])).status).toBe(0)
})

test("tables that nothing of the archive is for are rebuilt up to its end, so that no start reads it again", async () => {
  const { view, system } = service
  await archived()
  for (const actor of system.actors) await actor.stop()
  await sql`update projections set seq = 0 where name in ('captcha', 'mail')`.execute(view.db)
  await hub(system, ["rebuild", "captcha"])
  await hub(system, ["rebuild", "mail"])
  await view.archive?.refresh()
  const rows = await view.db.selectFrom("projections").select("seq").where("name", "in", ["captcha", "mail"]).execute()
  expect(rows.map(({ seq }) => Number(seq) >= (view.archive?.through ?? Infinity))).toEqual([true, true])
  await restarted()
})

test("nothing leaves the log that a reader has still to read, or while a node is alive that knows no archive", async () => {
  const { view, system } = service
  await anAgent()
  await archived()
  const knowing = await doneByAll(view)
  expect(knowing).toBeGreaterThan(0)
  const ghost = `ghost${written++}`
  const key = `$KV.${buckets.leases}.${nodeKey(ghost)}`
  await jetstream(view.nats).publish(key, JSON.stringify({ name: "of an earlier release" }))
  const seen = { ...view, view: { sessions: () => [...view.view.sessions(), ghost] } }
  expect(await doneByAll(seen)).toBe(0)
  await view.manager.streams.purge(`KV_${buckets.leases}`, { filter: key })
  expect(await doneByAll(seen)).toBeGreaterThanOrEqual(knowing)
  // Without actor nodes nobody projects: what is written now must stay.
  for (const actor of system.actors) await actor.stop()
  await waitFor(() => view.view.sessions().length === 0, { describe: "no node" })
  const subject = subjects.event("handle", `unread${written++}`)
  const commit = { v: 1, id: "unread", op: "test", at: 0, events: [] } as const
  const result = await view.log.append([{ subject, expected: 0, commit }])
  if (!result.ok) throw new Error(result.reason)
  await operate(system, ["archive", "--now", "--days", "0"])
  expect(await isDropped(view, result.seqs[0] ?? 0)).toBe(false)
  await restarted()
})

test("an index whose newest segments Postgres has lost is made again by whoever asks it", async () => {
  await archived()
  const { account } = await anAgent()
  await archived()
  const rows = async () =>
    (await sql`select seq from archive_actors where kind = 'agent' and id = ${account.id}`.execute(service.view.db))
      .rows
  const [stood] = [await rows()]
  expect(stood).toHaveLength(1)
  // At one moment: a node may make the index again right behind it.
  const lost = () =>
    service.view.db.transaction().execute(async (trx) => {
      await sql`delete from archive_actors where kind = 'agent' and id = ${account.id}`.execute(trx)
      await sql`delete from archive_segments where last = (select max(last) from archive_segments)`.execute(trx)
    })
  // A node that looks for an actor.
  await lost()
  const asked = () => askChallenge(new AgentClient({ edge: () => edge }), edge)
  await waitFor(async () => (await asked()).status === 201, { describe: "an index that reaches the mark" })
  expect(await rows()).toEqual(stood)
  // A command that reads the whole log, and one that reads an actor.
  for (const command of [["verify"], ["replay", "agent", account.id]]) {
    await lost()
    await operate(service.system, command)
    expect(await rows()).toEqual(stood)
  }
})

test("a reader behind what is archived is behind, also of what the log has dropped", async () => {
  await anAgent()
  await archived()
  const { manager } = service.view
  const reader = { stream: streams.events, subjects: [subjects.eventsOf("post")] } as const
  const through = await archivedThrough(manager)
  expect(through).toBeGreaterThan(1)
  expect(await firstBehind(manager, reader, 1)).toBeGreaterThan(0)
  expect(await firstBehind(manager, reader, through)).toBeNull()
})

test("a node without the archive refuses to start, and so does a command", async () => {
  await archived()
  const moved = await hubEnded(service.system, ["archive"])
  expect(moved.stdout).toContain(archiveOf(service.system))
  const names = await readdir(archiveOf(service.system))
  await expect(
    operate({ ...service.system, folder: join(service.system.folder, "elsewhere") }, ["status"])
  ).rejects.toThrow(/lacks \d+-\d+-[0-9a-f]+\.zst, which the log names/)
  expect(names.length).toBeGreaterThan(0)
})

test("a backup takes each segment once, and a restore brings log and archive back", async () => {
  const { system } = service
  const folder = join(system.folder, "backups")
  const { account } = await anAgent()
  // Its time was over long ago.
  const ended = `until-00000604800-${"0".repeat(16)}-${"0".repeat(16)}-${"0".repeat(16)}.zst`
  for (const place of [archiveOf(system), join(folder, "archive")]) {
    await mkdir(place, { recursive: true })
    await writeFile(join(place, ended), "mail")
  }
  await archived()
  expect(await readdir(archiveOf(system))).not.toContain(ended)
  const { account: late } = await anAgent()
  await hub(system, ["backup", join(folder, "one")])
  const copied = await readdir(join(folder, "archive"))
  expect(copied).not.toContain(ended)
  expect(copied.length).toBe((await readdir(archiveOf(system))).length)
  await archived()
  await hub(system, ["backup", join(folder, "two")])
  expect((await readdir(join(folder, "archive"))).length).toBeGreaterThan(copied.length)
  expect(await hub(system, ["backup", "--check", join(folder, "two")])).toMatch(/is whole: .*, with \d+ segments/)
  for (const node of [...system.edges, ...system.actors]) await node.stop()
  await rm(archiveOf(system), { recursive: true })
  await hub(system, ["restore", join(folder, "one"), "--replace"])
  for (const node of [...system.actors, ...system.edges]) await node.restart()
  for (const { handle } of [account, late])
    await waitFor(async () => (await read(`/agents/${handle}`)).status === 200, { describe: `${handle} again` })
  await waitFor(async () => (await hubEnded(system, ["verify"])).status === 0, { describe: "every read model again" })
})
