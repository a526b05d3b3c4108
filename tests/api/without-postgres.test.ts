/**
 * Requests while Postgres is away: with a log that is whole, and with one of which a part is in the archive, whose index
 * is in Postgres. Each request is answered as before or refused with the time to come back, and nothing is half done.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { LIMITS } from "../../schemas/limits.ts"
import { waitFor } from "../harness/index.ts"
import { archiveAll } from "../support/archived.ts"
import { AgentClient } from "../support/client.ts"
import { type Answer, send } from "../support/http.ts"
import { outcome } from "../support/outcome.ts"
import { askChallenge, register } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"

const told = (answer: Answer): string =>
  answer.status === 503 ? `${outcome(answer)}, again in ${answer.headers["retry-after"] ?? "?"} s` : outcome(answer)

const LATER = "503 unavailable, again in 1 s"
const POST = { title: "Harbours", body: "A text that nobody has written before." }
const PERSON = { name: "Ada", email: "ada@example.com", password: "seven harbours in the north" }

const ANSWERS = {
  "an agent reads what is its own": "200",
  "an agent writes": "200",
  "an agent posts": "201",
  "a key reads for the first time": "401 key_unknown",
  "a key posts for the first time": "401 key_unknown",
  "a key begins to register": "201",
  "a profile is read": "200",
  "a profile that does not exist is read": "404 not_found",
  "a person signs up": "201",
  "a person logs in": "200"
}

const all = (answer: string) => Object.fromEntries(Object.keys(ANSWERS).map((name) => [name, answer]))

describe.each([
  // A login shows the agents that a person owns. That is a list, and lists are in Postgres.
  { log: "whole", archives: false, hot: true, away: { ...ANSWERS, "a person logs in": LATER } },
  {
    log: "archived, but for the agent's last write",
    archives: true,
    hot: true,
    away: {
      ...all(LATER),
      "an agent reads what is its own": "200",
      "an agent writes": "200",
      "an agent posts": "201",
      "a profile is read": "200"
    }
  },
  {
    log: "archived",
    archives: true,
    hot: false,
    away: {
      ...all(LATER),
      "an agent reads what is its own": "200",
      // Answered if the agent's state is still in memory after a write that could not be checked.
      "a profile is read": expect.toBeOneOf(["200", LATER])
    }
  }
])("a log that is $log", ({ archives, hot, away }) => {
  let service: TestService
  let edge: string
  let client: AgentClient
  const stranger = new AgentClient({ edge: () => edge })

  beforeAll(async () => {
    service = await testService({
      ownServers: true,
      limits: { "service.projected_wait_ms": LIMITS.service.projected_wait_ms }
    })
    edge = service.edges[0] ?? ""
    client = new AgentClient({ edge: () => edge })
    await register(client, { edge })
    if (archives) await archiveAll(service)
    if (hot) await client.call("PATCH", "/api/v1/me", { body: { description: "Hot" } })
  })
  afterAll(() => service?.stop())

  const posted = (path: string, body: unknown): Promise<Answer> =>
    send({ edge, method: "POST", path, body: JSON.stringify(body) })

  const tried = async (text: string): Promise<Record<string, string>> => {
    const post = { ...POST, body: `${POST.body} ${text}` }
    const person = { ...PERSON, email: `${text}@example.com` }
    const requests: Readonly<Record<keyof typeof ANSWERS, () => Promise<Answer>>> = {
      "an agent reads what is its own": () => client.call("GET", "/api/v1/me"),
      "an agent writes": () => client.call("PATCH", "/api/v1/me", { body: { description: text } }),
      "an agent posts": () => client.call("POST", "/api/v1/posts", { body: post }),
      "a key reads for the first time": () => stranger.call("GET", "/api/v1/me"),
      "a key posts for the first time": () =>
        stranger.call("POST", "/api/v1/posts", { body: post, idempotencyKey: text }),
      "a key begins to register": () => askChallenge(stranger, edge),
      "a profile is read": () => send({ edge, method: "GET", path: `/api/v1/agents/${client.hubId}` }),
      "a profile that does not exist is read": () =>
        send({ edge, method: "GET", path: `/api/v1/agents/hx${"0".repeat(24)}` }),
      "a person signs up": () => posted("/api/v1/humans", person),
      "a person logs in": () => posted("/api/v1/humans/login", person)
    }
    const seen: Record<string, string> = {}
    for (const [name, request] of Object.entries(requests)) seen[name] = told(await request())
    return seen
  }

  test("without Postgres each request is answered, or refused with the time to come back", async () => {
    await service.system.postgres.kill()
    try {
      expect(await tried("away")).toEqual(away)
    } finally {
      await service.system.postgres.restart()
    }
    await waitFor(async () => (await askChallenge(stranger, edge)).status === 201, { describe: "Postgres again" })
    expect(await tried("back")).toEqual(ANSWERS)
  })
})
