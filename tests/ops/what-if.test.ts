/** `hub replay` of what might have been. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { streams } from "../../schemas/subjects.ts"
import { dataOf } from "../support/outcome.ts"
import { logOf } from "../support/service.ts"
import { solve } from "../api/steps.ts"
import { service, past, openPast, replay, entries, command } from "./past.ts"

const NEW_CHALLENGE = "0123456789abcdef0123456789abcdef"

beforeAll(openPast)
afterAll(() => service?.stop())

describe("what if", () => {
  test("a command had come: the events it would have made, and what really came instead", async () => {
    const [registered, described] = await entries()
    const file = await command("suspend", { op: "agent.suspend", input: { reason: "a test" } })
    const head = (await service.view.manager.streams.info(streams.events)).state.last_seq
    const text = await replay("agent", past.handle, { "what-if": file, to: `#${registered?.seq}` })
    expect(text).toContain(
      `with the actor at #${registered?.seq}\n    agent.suspended v1 {"reason":"a test","trust_withheld":10}\n`
    )
    expect(text).toContain(`what really followed: #${described?.seq} `)
    const differing = text
      .split("what if → really):\n")[1]
      ?.split("\n")
      .map((line) => line.trim().split(" ")[0])
    expect(differing).toEqual([
      "unread[0]",
      "stirred_at",
      "status",
      "trust_withheld",
      "standing.since",
      "standing.reason",
      "active_time.from",
      "active_time.carried",
      "description",
      "trust",
      "trust_sum",
      "entries",
      "nothing"
    ])
    expect(text.endsWith("nothing was written")).toBe(true)
    expect((await service.view.manager.streams.info(streams.events)).state.last_seq).toBe(head)
    expect(await entries()).toHaveLength(4)
  })

  test("an edit of content is judged without facts of files", async () => {
    const { id } = dataOf<{ id: number }>(
      await past.client.call("POST", "/api/v1/posts", { body: { title: "On counting", body: "One, two, three." } })
    )
    const by = { agent: "hx0123456789abcdef01234567", operator: false }
    const input = { by, change: { title: "Mine" }, mentions: [] }
    const file = await command("edit", { op: "post.edit", input })
    expect(await replay("post", String(id), { "what-if": file })).toContain("refused: 403 not_author")
  })

  test("the command that really came is put again, it leads to the same state", async () => {
    const [registered] = await entries()
    const file = await command("again", { op: "agent.update", input: { description: "I count things." } })
    expect(await replay("agent", past.handle, { "what-if": file, to: `#${registered?.seq}` })).toContain(
      "and led to the same state"
    )
  })

  test("a misspelt field is named, with what the operation takes", async () => {
    const file = await command("misspelt", { op: "agent.suspend", input: { reason: "a test", untill: 5 } })
    await expect(replay("agent", past.handle, { "what-if": file })).rejects.toThrow(
      /misspelt\.json: `input\.untill`: .*agent\.suspend takes \{reason: string, /
    )
    const missing = await command("missing", { op: "agent.suspend", input: {} })
    await expect(replay("agent", past.handle, { "what-if": missing })).rejects.toThrow("`input.reason`: Missing key")
  })

  test("a command is refused, the refusal is told as a client would hear it", async () => {
    const file = await command("delete", { op: "agent.delete", input: { confirm: "somebody else" } })
    expect(await replay("agent", past.handle, { "what-if": file })).toMatch(
      / {4}refused: 422 confirmation_required: .*\n[\s\S]*nothing really followed/
    )
  })

  test("facts of the world are needed, they come from the file or are fixed ones", async () => {
    const create = {
      op: "challenge.create",
      input: { public_key: past.firstKey, hub_id: past.id, origin: "somewhere" },
      at: "2026-11-21T12:00:00Z"
    }
    const put = async (name: string, more: object) =>
      replay("challenge", NEW_CHALLENGE, { "what-if": await command(name, { ...create, ...more }) })
    expect(await put("fixed", {})).toMatch(/"prefix":"0{32}","difficulty":\d+\}/)
    expect(await put("given", { facts: { prefix: "abc" } })).toContain('"prefix":"abc"')
    expect(await put("registered", { facts: { key: "registered" } })).toContain("refused: 409 key_already_registered: ")
  })

  test("questions had been served: the same ones at every run, without their answers", async () => {
    const [created] = await logOf(service.view, "challenge", past.challenge)
    if (created === undefined) throw new Error("the challenge is not in the log")
    const { prefix, difficulty } = created.commit.events[0] as unknown as { prefix: string; difficulty: number }
    const file = await command("serve", { op: "challenge.serve", input: { pow_nonce: solve(prefix, difficulty) } })
    const put = () => replay("challenge", past.challenge, { "what-if": file, to: `#${created.seq}`, json: true })
    const { events, state } = JSON.parse(await put()) as {
      events: ReadonlyArray<{ type: string }>
      state: { questions: ReadonlyArray<{ answer: string }> }
    }
    expect(events.map((event) => event.type)).toEqual(["challenge.served"])
    expect(state.questions.map((question) => /^\[secret \d\]$/.test(question.answer))).toEqual([
      true,
      true,
      true,
      true,
      true
    ])
    expect(await put()).toBe(await put())
  })

  test.each<[string, unknown, string]>([
    ["no JSON", "{", "this is no JSON"],
    ["a list", [], "a command is an object"],
    ["a stranger", { op: "agent.update", inputs: {} }, "`inputs` is none of op, input, at, facts"],
    ["an unknown operation", { op: "agent.fly" }, "agent has no operation agent.fly; those that decide: block.add, "],
    ["a read", { op: "agent.me" }, "agent.me decides nothing; those that decide: "],
    ["facts that nobody asks for", { op: "agent.ban", input: {}, facts: { a: 1 } }, "agent.ban takes no facts"],
    ["an input of the wrong shape", { op: "agent.update", input: null }, "`input`: Expected object"],
    ["a time that is none", { op: "agent.ban", at: "noon" }, "`at` must be a time"]
  ])("%s is told, with the file's name", async (name, content, message) => {
    const file = await command(`bad-${name.replaceAll(" ", "-")}`, content)
    await expect(replay("agent", past.handle, { "what-if": file })).rejects.toThrow(`${file}: ${message}`)
  })
})
