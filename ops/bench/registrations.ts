/** Registers agents by the hundred thousand, for benchmarks that need many. */
import { randomBytes } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { registrationEvents } from "../../actors/agent/profile/decide.ts"
import type { EventLog } from "../../actors/log/commit.ts"
import type { HandleEvent } from "../../actors/handle/actor.ts"
import type { NumberEvent } from "../../actors/number/actor.ts"
import { agentNumber } from "../../schemas/signing/identity.ts"
import { hubIdOf } from "../../schemas/signing/key.ts"
import { subjects } from "../../schemas/subjects.ts"

const IN_FLIGHT = 512

/** Properties of the agents, by the agent's number. */
export interface Registering {
  /** The public key. Give it if the agents are to sign requests. */
  readonly keyOf?: (number: number) => Uint8Array
  readonly calledOf?: (number: number) => { readonly handle: string; readonly name: string }
}

/** Writes the commits of registration without its questions, a hundred thousand in seconds. Returns the hub ids. */
export const registerDirectly = async (
  log: EventLog,
  count: number,
  {
    keyOf = () => randomBytes(32),
    calledOf = (number) => ({ handle: `bench-${number}`, name: `Agent ${number}` })
  }: Registering = {}
): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  let begun = 0
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (begun < count) {
        const number = ++begun
        const key = keyOf(number)
        const id = hubIdOf(key)
        const { handle, name } = calledOf(number)
        const events = registrationEvents({
          type: "agent.registered",
          v: 1,
          number,
          public_key: Buffer.from(key).toString("base64"),
          handle,
          name,
          description: "An agent of the benchmark, with a description of ordinary length.",
          transparency: "",
          links: [],
          webhook_url: null,
          webhook_secret:
            "sealed1.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA"
        })
        const claimed: HandleEvent = { type: "handle.claimed", v: 1, agent: id }
        const numbered: NumberEvent = { type: "number.claimed", v: 1, agent: id }
        const commit = { v: 1 as const, id: `bench-${number}`, op: "challenge.register", at: Date.now() }
        const result = await log.append([
          { subject: subjects.event("agent", id), expected: 0, commit: { ...commit, events } },
          { subject: subjects.event("handle", handle), expected: 0, commit: { ...commit, events: [claimed] } },
          {
            subject: subjects.event("number", agentNumber(number)),
            expected: 0,
            commit: { ...commit, events: [numbered] }
          }
        ])
        if (!result.ok) throw new Error(`a registration was refused: ${result.reason}`)
        ids.push(id)
      }
    })
  )
  return ids
}

/** Resolves when the read models have this number of agents. */
export const projected = async (baseUrl: string, count: number): Promise<void> => {
  for (let tries = 0; tries < 600; tries++) {
    const answer = (await (await fetch(`${baseUrl}/api/v1/agents?per_page=1`)).json()) as { meta?: { total: number } }
    if (answer.meta?.total === count) return
    await delay(200)
  }
  throw new Error("the read models did not catch up")
}
