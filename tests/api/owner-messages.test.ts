/** An agent and its owners write to each other, over two edges (spec 2.12, 4.10; contract 10, 20). */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Home } from "../../schemas/home/records.ts"
import type { OwnerMessage } from "../../schemas/owner/records.ts"
import { waitFor } from "../harness/index.ts"
import { problemsOf } from "../html/owner/client.ts"
import { dataOf, detailsOf, outcome } from "../support/outcome.ts"
import { foundIn } from "../support/planted.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent, type Carried, told } from "../support/sponsorship.ts"
import { newOwner, ownedBy, type OwnerOf, writtenBy } from "../support/owner.ts"

/** Longer than what happens meanwhile takes on a slow machine. */
const HELD_SECONDS = 240

let service: TestService

beforeAll(async () => {
  service = await testService({
    metrics: true,
    edges: 2,
    actors: 2,
    limits: {
      "rate_limits.sponsorship.requests": 1000,
      "rate_limits.message.requests": 1000,
      "limits.owner.held_seconds": HELD_SECONDS
    }
  })
})
afterAll(() => service?.stop())

const MESSAGE = "/api/v1/me/owner/message"
const MESSAGES = "/api/v1/me/owner/messages"

const ONCE = { text: "Only once", kind: "request" }
const TIME = expect.stringMatching(/^\d{4}-.*Z$/)

const write = ({ client }: Carried, body: object, options = {}) => client.call("POST", MESSAGE, { body, ...options })
const ask = (agent: Carried, text: string, more: object = {}) => write(agent, { text, kind: "question", ...more })
const listed = async ({ client }: Carried, query = "") =>
  dataOf<ReadonlyArray<OwnerMessage>>(await client.call("GET", `${MESSAGES}${query}`))

const aPair = async (): Promise<OwnerOf> => ownedBy(service.edges, await newOwner(service.edges))

describe("an agent writes", () => {
  it("to each of its owners, who answers; the answer comes as a notification and in the list, and is read by that", async () => {
    const { agent, owner } = await aPair()
    const sent = await ask(agent, "May I spend 5 EUR?\nIt is for a domain.")
    expect(outcome(sent)).toBe("201")
    const message = dataOf<OwnerMessage>(sent)
    expect(message).toEqual({
      id: expect.any(Number),
      direction: "to_owner",
      owner: null,
      kind: "question",
      text: "May I spend 5 EUR?\nIt is for a domain.",
      options: null,
      in_reply_to: null,
      answer: null,
      waited: false,
      delivered_to: [{ human_id: owner.id, state: "not_linked" }],
      read_at: null,
      created_at: TIME
    })
    await owner.answer(agent, message.id, "Yes, up to 5 EUR.")
    const notice = await told(agent, "owner.message")
    expect(notice.payload).toMatchObject({
      message_id: expect.any(Number),
      owner: { human_id: owner.id, name: owner.client.name },
      text: "Yes, up to 5 EUR.",
      in_reply_to: message.id
    })
    const home = dataOf<Home>(await agent.client.call("GET", "/api/v1/me/home"))
    expect(home.owner_messages).toBe(1)
    const before = await agent.client.call("GET", MESSAGES)
    expect(before.json.meta).toMatchObject({
      total: 2,
      owners: [{ human_id: owner.id, name: owner.client.name, chat_linked: false, events: [] }]
    })
    const [reply, asked] = dataOf<ReadonlyArray<OwnerMessage>>(before)
    expect(reply).toMatchObject({
      direction: "to_agent",
      owner: { human_id: owner.id, name: owner.client.name },
      kind: null,
      text: "Yes, up to 5 EUR.",
      in_reply_to: message.id,
      answer: null
    })
    expect(asked).toMatchObject({ id: message.id, read_at: TIME, answer: { id: reply?.id, text: "Yes, up to 5 EUR." } })
    await waitFor(async () => (await listed(agent))[0]?.read_at !== null)
    await waitFor(async () => dataOf<Home>(await agent.client.call("GET", "/api/v1/me/home")).owner_messages === 0)
    const notices = await agent.client.call("GET", "/api/v1/me/notifications?unread=1")
    expect(dataOf<ReadonlyArray<{ id: number }>>(notices).map(({ id }) => id)).not.toContain(notice.id)
  })

  it("with answers as buttons", async () => {
    const { agent, owner } = await aPair()
    const { id } = dataOf<OwnerMessage>(await ask(agent, "Go on?", { options: ["Yes, go on", "No"] }))
    const page = await owner.client.get(owner.page(agent))
    expect(page.text).toContain('value="Yes, go on"')
    await owner.press(agent, id, "No")
    expect((await listed(agent))[1]).toMatchObject({ options: ["Yes, go on", "No"], answer: { text: "No" } })
  })

  it("nobody, where nobody owns it", async () => {
    const agent = await anAgent(service.edges)
    expect(outcome(await ask(agent, "Anybody?"))).toBe("409 owner_none")
    const { owner } = await aPair()
    expect(outcome(await ask(await owner.asked(await anAgent(service.edges)), "Anybody?"))).toBe("409 owner_none")
  })

  it.each([
    ["text", { kind: "alert" }],
    ["text", { text: "  \n", kind: "alert" }],
    ["text", { text: "x".repeat(4001), kind: "alert" }],
    ["text", { text: 7, kind: "alert" }],
    ["kind", { text: "x" }],
    ["kind", { text: "x", kind: "whim" }],
    ["options", { text: "x", kind: "question", options: ["one"] }],
    ["options", { text: "x", kind: "question", options: ["1", "2", "3", "4", "5", "6", "7"] }],
    ["options", { text: "x", kind: "question", options: ["same", "same"] }],
    ["options.1", { text: "x", kind: "question", options: ["one", "x".repeat(81)] }],
    ["options.0", { text: "x", kind: "question", options: ["", "two"] }],
    ["wait_seconds", { text: "x", kind: "question", wait_seconds: "25" }],
    ["wait_seconds", { text: "x", kind: "question", wait_seconds: null }]
  ])("nothing that is wrong with its %s: %j", async (field, body) => {
    const { agent } = await shared()
    const refused = await write(agent, body)
    expect(outcome(refused)).toBe("422 validation_error")
    expect(detailsOf(refused)).toMatchObject({ field })
  })

  it("no secret, in text or options", async () => {
    const { agent } = await shared()
    const jwt = `eyJ${"a".repeat(20)}.eyJ${"b".repeat(20)}.${"c".repeat(43)}`
    for (const text of [
      jwt,
      "4111 1111 1111 1111",
      "5500-0000-0000-0004",
      "378282246310005",
      `hxh_${randomBytes(44).toString("base64url")}`
    ]) {
      const refused = await ask(agent, `Look: ${text}.`)
      expect(outcome(refused)).toBe("422 owner_message_secret")
      expect(detailsOf(refused)).toMatchObject({ field: "text" })
      expect(refused.text).not.toContain(text)
    }
    const refused = await ask(agent, "Which?", { options: ["4111111111111111", "another"] })
    expect(outcome(refused)).toBe("422 owner_message_secret")
    for (const text of [
      "the code is 12345678",
      "call +49 151 1234 5678 9012",
      crypto.randomUUID(),
      "order 1234567890123"
    ])
      expect(outcome(await ask(agent, text))).toBe("201")
  })
})

describe("a request that is held", () => {
  it("is answered by the owner at another edge", async () => {
    const { agent, owner } = await aPair()
    const held = ask(agent, "Now?", { wait_seconds: HELD_SECONDS })
    const id = await writtenBy(owner, agent)
    const answeredAt = performance.now()
    await owner.answer(agent, id, "Now.")
    const answer = dataOf<OwnerMessage>(await held)
    expect(answer).toMatchObject({ id, waited: true, answer: { text: "Now.", owner: { human_id: owner.id } } })
    // Woken by the answer, not at the end of its time.
    expect(performance.now() - answeredAt).toBeLessThan(HELD_SECONDS * 1000)
  })

  it("is one of an agent: another is answered at once", async () => {
    const { agent, owner } = await aPair()
    const held = ask(agent, "The first", { wait_seconds: 25 })
    const id = await writtenBy(owner, agent)
    const second = dataOf<OwnerMessage>(await ask(agent, "The second", { wait_seconds: 25 }))
    expect(second).toMatchObject({ waited: false, answer: null })
    await owner.answer(agent, id, "To the first")
    expect(dataOf<OwnerMessage>(await held)).toMatchObject({ waited: true, answer: { text: "To the first" } })
    const third = ask(agent, "The third", { wait_seconds: 25 })
    await owner.answer(agent, await writtenBy(owner, agent, "The third"), "To the third")
    expect(dataOf<OwnerMessage>(await third)).toMatchObject({ waited: true, answer: { text: "To the third" } })
  })

  it("is a list too, for whatever comes", async () => {
    const { agent, owner } = await aPair()
    const { id } = dataOf<OwnerMessage>(await ask(agent, "Later?"))
    // A held list may come back empty before its time, and is asked for again: the agent's account has just changed.
    const held = waitFor(async () => {
      const found = await listed(agent, `?since_id=${id}&wait_seconds=25`)
      return found.length > 0 ? found : null
    })
    await owner.write(agent, "By the way")
    expect(await held).toMatchObject([{ direction: "to_agent", text: "By the way", in_reply_to: null }])
  })

  it("is a list that the agent's own messages do not end", async () => {
    const { agent, owner } = await shared()
    const { id } = dataOf<OwnerMessage>(await ask(agent, "The first of two"))
    dataOf<OwnerMessage>(await ask(agent, "The second of two"))
    const held = listed(agent, `?since_id=${id}&wait_seconds=25`)
    await owner.answer(agent, await writtenBy(owner, agent, "The second of two"), "To the second")
    expect((await held).map(({ text }) => text)).toEqual(["To the second", "The second of two"])
  })

  it("comes back with nothing when its time is over", async () => {
    const { agent } = await shared()
    const answer = dataOf<OwnerMessage>(await ask(agent, "Hello?", { wait_seconds: 0.2 }))
    expect(answer).toMatchObject({ waited: true, answer: null })
  })

  it("is the same message however often it is sent under one Idempotency-Key", async () => {
    const { agent, owner } = await aPair()
    const idempotencyKey = crypto.randomUUID()
    const first = dataOf<OwnerMessage>(await write(agent, ONCE, { idempotencyKey }))
    const again = dataOf<OwnerMessage>(await write(agent, ONCE, { idempotencyKey }))
    expect(again).toEqual(first)
    await writtenBy(owner, agent, ONCE.text)
    expect((await listed(agent)).filter(({ text }) => text === ONCE.text)).toHaveLength(1)
  })
})

describe("owners", () => {
  it("two of them: the first answer is the answer, the other's is a message", async () => {
    const first = await newOwner(service.edges)
    const second = await newOwner(service.edges)
    const { agent } = await ownedBy(service.edges, first)
    await second.carries(agent)
    const { id, delivered_to } = dataOf<OwnerMessage>(await ask(agent, "Who?"))
    expect(new Set(delivered_to.map(({ human_id }) => human_id))).toEqual(new Set([first.id, second.id]))
    const form = await first.client.form(first.page(agent), first.page(agent), { message: String(id) })
    await second.answer(agent, id, "I am second's")
    const late = await first.client.post(form.action, { ...form.fields, text: "I am first's" })
    expect(late.status).toBe(303)
    const all = await listed(agent)
    expect(all.map(({ text }) => text)).toEqual(["I am first's", "I am second's", "Who?"])
    expect(all[2]).toMatchObject({ answer: { text: "I am second's", owner: { human_id: second.id } } })
    // What another owner wrote to the agent is between the two.
    const page = (await first.client.get(first.page(agent))).text
    expect(page).toContain("Answered by")
    expect(page).not.toContain("second&#39;s")
    expect(page).not.toContain("I am second")
    expect(page).toContain("I am first")
  })

  it("see and answer their own agents alone", async () => {
    const { agent } = await aPair()
    const stranger = await newOwner(service.edges)
    const { id } = dataOf<OwnerMessage>(await ask(agent, "Psst"))
    expect((await stranger.client.get(stranger.page(agent))).status).toBe(404)
    const mine = await ownedBy(service.edges, stranger)
    const form = await stranger.client.form(stranger.page(mine.agent))
    const sent = await stranger.client.post(stranger.page(agent), { ...form.fields, text: "Hello" })
    expect([403, 404]).toContain(sent.status)
    const another = { ...form.fields, message: String(id), text: "Hello" }
    const foreign = await stranger.client.post(stranger.page(mine.agent), another)
    expect([403, 404]).toContain(foreign.status)
    expect(await listed(agent)).toHaveLength(1)
  })

  it("lose sight of an agent that revokes, and the agent of them", async () => {
    const { agent, owner, sponsorship } = await aPair()
    await ask(agent, "Still there?")
    expect((await owner.client.get(owner.page(agent))).status).toBe(200)
    expect(outcome(await agent.client.call("POST", `/api/v1/me/sponsorships/${sponsorship}/reject`))).toBe("200")
    await waitFor(async () => (await owner.client.get(owner.page(agent))).status === 404)
    expect(outcome(await ask(agent, "Anybody?"))).toBe("409 owner_none")
  })

  it("are told beside the field what they may not send", async () => {
    const { agent, owner } = await aPair()
    for (const text of ["", "x".repeat(4001), "4111 1111 1111 1111"]) {
      const answer = await owner.client.fill(owner.page(agent), { text })
      expect([answer.status, problemsOf(answer).length]).toEqual([422, 1])
    }
    expect(await listed(agent)).toHaveLength(0)
  })

  it("send a form twice, and the agent has it once", async () => {
    const { agent, owner } = await aPair()
    const form = await owner.client.form(owner.page(agent))
    const twice = { ...form.fields, text: "Once is enough" }
    await Promise.all([owner.client.post(form.action, twice), owner.client.post(form.action, twice)])
    await owner.client.post(form.action, twice)
    expect((await listed(agent)).map(({ text }) => text)).toEqual(["Once is enough"])
  })
})

it("what was said stands in the clear nowhere, and with the last account nobody can read it", async () => {
  const { agent, owner } = await aPair()
  const planted = ["walnut-question-7319", "walnut-answer-4821", "walnut-option-1177"] as const
  const { id } = dataOf<OwnerMessage>(await ask(agent, planted[0], { options: [planted[2], "another"] }))
  await owner.answer(agent, id, planted[1])
  await told(agent, "owner.message")
  expect(await foundIn(service, planted)).toEqual([])
  await owner.deleted()
  await waitFor(async () => (await listed(agent)).every(({ text }) => text === null))
  // How people are called is known for two seconds.
  await waitFor(async () => {
    const { payload } = await told(agent, "owner.message")
    expect(payload).toMatchObject({ owner: { human_id: owner.id, name: null }, text: null })
    return true
  })
})

it("a page of the longest messages there can be is a page", async () => {
  const { agent, owner } = await aPair()
  const long = "🦊".repeat(4000)
  for (let count = 0; count < 40; count++) {
    const { id } = dataOf<OwnerMessage>(await ask(agent, long))
    if (count % 4 === 0) await owner.answer(agent, id, long)
  }
  const all = await listed(agent, "?per_page=100")
  expect(all.map(({ text }) => text)).toEqual(Array.from({ length: 50 }, () => long))
  expect((await owner.client.get(owner.page(agent))).status).toBe(200)
})

let both: Promise<OwnerOf> | null = null
/** For what changes nothing. */
const shared = (): Promise<OwnerOf> => (both ??= aPair())
