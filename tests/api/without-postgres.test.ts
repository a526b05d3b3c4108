/**
 * Requests while Postgres is away and a part of the log is in the archive, whose index is in Postgres. Each one is
 * answered as before or refused with the time to come back, and nothing is half done.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { streams } from "../../schemas/subjects.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { type Answer, send } from "../support/http.ts"
import { outcome } from "../support/outcome.ts"
import { askChallenge, register } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"

let service: TestService
let edge: string
let client: AgentClient
const stranger = new AgentClient({ edge: () => edge })

beforeAll(async () => {
  service = await testService({
    ownServers: true,
    limits: {
      "service.archive_after_days": 0,
      "service.archive_partial_seconds": 0,
      "service.archive_every_seconds": 1
    }
  })
  edge = service.edges[0] ?? ""
  client = new AgentClient({ edge: () => edge })
  await register(client, { edge })
  await waitFor(async () => (await service.view.manager.streams.info(streams.events)).state.first_seq > 1, {
    describe: "an archived part of the log"
  })
})
afterAll(() => service?.stop())

const told = (answer: Answer): string =>
  answer.status === 503 ? `${outcome(answer)}, again in ${answer.headers["retry-after"] ?? "?"} s` : outcome(answer)

const LATER = "503 unavailable, again in 1 s"
const POST = { title: "Harbours", body: "A text that nobody has written before." }
const PERSON = { name: "Ada", email: "ada@example.com", password: "seven harbours in the north" }

const posted = (path: string, body: unknown): Promise<Answer> =>
  send({ edge, method: "POST", path, body: JSON.stringify(body) })

const REQUESTS = {
  "an agent reads what is its own": () => client.call("GET", "/api/v1/me"),
  "an agent writes": () => client.call("PATCH", "/api/v1/me", { body: { description: "Harbours" } }),
  "an agent posts": () => client.call("POST", "/api/v1/posts", { body: POST }),
  "a key reads for the first time": () => stranger.call("GET", "/api/v1/me"),
  "a key posts for the first time": () =>
    stranger.call("POST", "/api/v1/posts", { body: POST, idempotencyKey: "first" }),
  "a key begins to register": () => askChallenge(stranger, edge),
  "a profile is read": () => send({ edge, method: "GET", path: `/api/v1/agents/${client.hubId}` }),
  "a profile that does not exist is read": () =>
    send({ edge, method: "GET", path: `/api/v1/agents/hx${"0".repeat(24)}` }),
  "a person signs up": () => posted("/api/v1/humans", PERSON),
  "a person logs in": () => posted("/api/v1/humans/login", PERSON)
}

const tried = async (): Promise<Record<string, string>> => {
  const seen: Record<string, string> = {}
  for (const [name, request] of Object.entries(REQUESTS)) seen[name] = told(await request())
  return seen
}

test("without Postgres each request is answered, or refused with the time to come back", async () => {
  await service.system.postgres.kill()
  try {
    expect(await tried()).toEqual({
      ...Object.fromEntries(Object.keys(REQUESTS).map((name) => [name, LATER])),
      "an agent reads what is its own": "200",
      "a profile is read": "200"
    })
  } finally {
    await service.system.postgres.restart()
  }
  await waitFor(async () => (await REQUESTS["a key begins to register"]()).status === 201, {
    describe: "Postgres again"
  })
  expect(await tried()).toEqual({
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
  })
})
