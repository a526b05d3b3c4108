/** Memory: what an idle resident actor takes, and what one actor process takes with many registered and resident. */
import { randomBytes } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { connect } from "@nats-io/transport-node"
import { jetstreamManager } from "@nats-io/jetstream"
import { registrationEvents } from "../../actors/agent/decide.ts"
import { JetStreamLog } from "../../actors/engine/event-log.ts"
import type { HandleEvent } from "../../actors/handle/actor.ts"
import { KvLeases } from "../../actors/engine/leases.ts"
import { Asker } from "../../schemas/bus/asker.ts"
import { LeaseView } from "../../schemas/bus/lease-view.ts"
import { transportOver } from "../../schemas/bus/transport.ts"
import { LIMITS, type Limits } from "../../schemas/limits.ts"
import { hubIdOf } from "../../schemas/signing/key.ts"
import { subjects } from "../../schemas/subjects.ts"
import { residentBytes } from "./cpu.ts"
import { startService } from "./subjects-under-test.ts"

const REGISTERED = 100_000
const FIRST = 1000
const RESIDENT = 10_000
const IN_FLIGHT = 200
const SETTLE_MS = 3000

export const memoryCases = async (say: (line: string) => void): Promise<void> => {
  const service = await startService(1, 1)
  const nats = await connect({ servers: service.stack.nats.url })
  const limits: Limits["service"] = LIMITS.service
  try {
    const log = new JetStreamLog(nats, { batchMax: limits.commit_batch_max, queueMax: limits.commit_queue_max })
    const ids = await registerDirectly(log)
    await projected(service.baseUrl)
    const view = new LeaseView()
    await new KvLeases(nats, view).watch(await jetstreamManager(nats))
    const asker = new Asker(transportOver(nats, () => undefined), view, `bench-${randomBytes(4).toString("hex")}`, { maxInFlight: limits.max_asks_in_flight, maxFrameBytes: limits.max_frame_bytes })
    const pid = service.stack.actors[0]?.pid ?? 0
    await activate(asker, ids.slice(0, FIRST))
    await delay(SETTLE_MS)
    const few = residentBytes(pid)
    await activate(asker, ids.slice(FIRST, RESIDENT))
    await delay(SETTLE_MS)
    const many = residentBytes(pid)
    const each = (many - few) / (RESIDENT - FIRST)
    say(`\nmemory, ${REGISTERED} registered, ${RESIDENT} resident in one actor process: ${(many / 1e6).toFixed(0)} MB resident set; ${(each / 1024).toFixed(2)} KB more for each idle actor`)
    asker.close()
  } finally {
    await nats.close()
    await service.stop()
  }
}

/** The same commits that registration makes, without its questions: a hundred thousand of them in seconds. */
const registerDirectly = async (log: JetStreamLog): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  let begun = 0
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (begun < REGISTERED) {
        const number = ++begun
        const key = randomBytes(32)
        const id = hubIdOf(key)
        const handle = `memory-${number}`
        const events = registrationEvents({
          type: "agent.registered",
          v: 1,
          number,
          public_key: key.toString("base64"),
          handle,
          name: `Agent ${number}`,
          description: "An agent of the memory benchmark, with a description of ordinary length.",
          transparency: "",
          links: [],
          webhook_url: null,
          webhook_secret: "sealed1.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA"
        })
        const claimed: HandleEvent = { type: "handle.claimed", v: 1, agent: id }
        const commit = { v: 1 as const, id: `memory-${number}`, op: "challenge.register", at: Date.now() }
        const result = await log.append([
          { subject: subjects.event("agent", id), expected: 0, commit: { ...commit, events } },
          { subject: subjects.event("handle", handle), expected: 0, commit: { ...commit, events: [claimed] } }
        ])
        if (!result.ok) throw new Error(`a registration was refused: ${result.reason}`)
        ids.push(id)
      }
    })
  )
  return ids
}

const projected = async (baseUrl: string): Promise<void> => {
  for (let tries = 0; tries < 600; tries++) {
    const answer = (await (await fetch(`${baseUrl}/api/v1/agents?per_page=1`)).json()) as { meta?: { total: number } }
    if (answer.meta?.total === REGISTERED) return
    await delay(200)
  }
  throw new Error("the read models did not catch up")
}

const activate = async (asker: Asker, ids: ReadonlyArray<string>): Promise<void> => {
  let next = 0
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (next < ids.length) {
        const actor = ids[next++] ?? ""
        const answer = await asker.ask({ id: randomBytes(8).toString("hex"), kind: "agent", actor, op: "agent.profile", input: null, deadline: Date.now() + 10_000 })
        if (answer.head.refused !== undefined) throw new Error(answer.head.refused.message)
      }
    })
  )
}
