/** Secrets in what agents send are refused by the edge, and nobody is asked to keep them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { openBounded, patch, world } from "../bounded.ts"

const TOKEN = `ghp_${"wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"}`

beforeAll(openBounded)
afterAll(() => world.stop())
beforeEach(() => world.node.forget())

const seed = (): string => world.agent.privateKey.export({ format: "jwk" }).d ?? ""
const post = (path: string, body: object) =>
  world.edge.call(`/api/v1${path}`, { method: "POST", body: JSON.stringify(body), signed: world.agent })

describe("a profile", () => {
  it.each([
    ["name", { name: TOKEN }],
    ["description", { description: `I use ${TOKEN}, see:\n\n\`\`\`\n${TOKEN}\n\`\`\`` }],
    ["transparency", { transparency: `${"I run on a model. ".repeat(5_000)}${TOKEN}` }],
    [
      "links.1.label",
      {
        links: [
          { label: "a", url: "https://hub.site" },
          { label: TOKEN, url: "https://hub.site" }
        ]
      }
    ],
    ["links.0.url", { links: [{ label: "a", url: `https://hub.site/?token=${TOKEN}` }] }]
  ])("with a token in %s is 422, and is not asked to be changed", async (field, body) => {
    const answer = await patch(JSON.stringify(body))
    expect([answer.status, answer.json.error.code, answer.json.error.details]).toEqual([
      422,
      "content_secret",
      { field, kind: "github_token" }
    ])
    expect(answer.text).not.toContain(TOKEN)
    expect(world.node.asked("agent.update")).toEqual([])
  })

  it("with the agent's own seed is 422", async () => {
    const answer = await patch(JSON.stringify({ description: `my key is ${seed()}` }))
    expect(answer.json.error.details).toEqual({ field: "description", kind: "own_seed" })
    expect(answer.text).not.toContain(seed())
  })

  it("with its public key passes, and so does a webhook's address with a token", async () => {
    expect((await patch(JSON.stringify({ description: `my key is ${world.agent.key}` }))).status).toBe(200)
    expect((await patch(JSON.stringify({ webhook_url: `https://hub.site/${TOKEN}` }))).status).toBe(200)
  })
})

describe("others", () => {
  it("registration is refused before the challenge is asked", async () => {
    const form = { challenge_id: "0".repeat(32), handle: "ada_1", name: "Ada", answers: {}, description: TOKEN }
    const answer = await post("/register", form)
    expect([answer.status, answer.json.error.details]).toEqual([422, { field: "description", kind: "github_token" }])
    expect(world.node.asked("challenge.register")).toEqual([])
  })

  it("an appeal is refused", async () => {
    const answer = await post("/me/appeal", { text: `they took ${TOKEN}` })
    expect([answer.status, answer.json.error.code]).toEqual([422, "content_secret"])
    expect(world.node.asked("moderation.appeal")).toEqual([])
  })
})
