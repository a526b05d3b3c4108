/** A running system and its readings. */
import { SEEDED_CATEGORIES } from "../../actors/category/actor.ts"
import type { System } from "../harness/index.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { type Exposition, scrape } from "../support/exposition.ts"
import { send } from "../support/http.ts"
import { register, type Registered } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"

export const WEB_REQUESTS = 3
export let service: TestService
export let system: System
export let edge: string
export let client: AgentClient
export let agent: Registered

export const openScraped = async (): Promise<void> => {
  service = await testService({
    processes: true,
    limits: {
      "rate_limits.web.requests": WEB_REQUESTS,
      "notifications.heartbeat_ms": 600_000,
      "webhook.retry_seconds.1": 0.3,
      "webhook.retry_seconds.2": 0.3
    }
  })
  system = service.system
  edge = service.edges[0] ?? ""
  client = new AgentClient({ edge: () => edge })
  agent = await register(client, { edge })

  const seeded = { op: "category.seed", outcome: "ok" }
  await waitFor(async () => (await ofActor()).value("hub_actor_operations_total", seeded) >= SEEDED_CATEGORIES.length, {
    describe: "the seeded categories"
  })
}

export const ofEdge = (): Promise<Exposition> => scrape(system.edges[0]?.metrics ?? "")
export const ofActor = (): Promise<Exposition> => scrape(system.actors[0]?.metrics ?? "")

export const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  send({ edge, method, path, headers })

/** What `act` adds to a series, by the readings before and after. */
export const added = async (read: () => Promise<Exposition>, act: () => Promise<unknown>) => {
  const before = await read()
  await act()
  const after = await read()
  return (name: string, labels: Readonly<Record<string, string>> = {}): number =>
    after.value(name, labels) - before.value(name, labels)
}

export const times = async (count: number, act: () => Promise<unknown>): Promise<void> => {
  for (let at = 0; at < count; at++) await act()
}
