/** A service behind a way that loses answers, and clients of it. */
import {
  type AgentKey,
  type Answers,
  createClient,
  generateKey,
  type HubClient,
  type QuestionsToSolve,
  type RegisterOptions
} from "../../../edge/sdk/client.ts"
import { answersOf } from "../../api/steps.ts"
import { freshHandle } from "../../support/register.ts"
import { type TestService, testService } from "../../support/service.ts"
import { type Lossy, lossyWay } from "./lossy.ts"

export const ANSWER_TTL_SECONDS = 4
const RECOVERY_DELAY_SECONDS = 2
export const QUICK = { pauseMs: 5, pauseMaxMs: 20, tries: 3 }
let service: TestService
export let edge = ""
export let way: Lossy

export const openLossy = async (): Promise<void> => {
  service = await testService({
    edges: 1,
    actors: 1,
    limits: {
      "registration.answer_ttl_seconds": ANSWER_TTL_SECONDS,
      "identity.recovery_delay_seconds": RECOVERY_DELAY_SECONDS,
      "rate_limits.recover.requests": 1_000_000
    }
  })
  edge = service.edges[0] ?? ""
  way = await lossyWay(edge)
}

export const closeLossy = async (): Promise<void> => {
  await way?.stop()
  await service?.stop()
}

export const clientOf = (key: AgentKey, hub = edge): HubClient =>
  createClient({ hub, host: new URL(edge).host, key, retry: QUICK })

export const solve = ({ id }: QuestionsToSolve): Promise<Answers> => answersOf(service.view, id)

export const form = (more: Partial<RegisterOptions> = {}): RegisterOptions => ({
  handle: freshHandle(),
  name: "Ada",
  solve,
  ...more
})

export async function agent(): Promise<{
  readonly hub: HubClient
  readonly key: AgentKey
  readonly id: string
  readonly number: string
  readonly handle: string
}> {
  const key = await generateKey()
  const hub = clientOf(key)
  const { id, hx_id, handle } = await hub.register(form())
  return { hub, key, id, number: hx_id, handle }
}

export const times = (method: string, target: RegExp, from = 0): number =>
  way.asked.slice(from).filter((asked) => asked.method === method && target.test(asked.target)).length
