/** What reaches owners by letter, over two edges (spec 6; contract 10, 20). */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { dataOf } from "../support/outcome.ts"
import { lettersTo, tokensTo } from "../support/outbox.ts"
import { newOwner, ownedBy, type OwnerOf } from "../support/owner.ts"
import { type TestService, sharedService } from "../support/service.ts"
import { anAgent } from "../support/sponsorship.ts"
import { waitFor } from "../harness/index.ts"
import type { OwnerMessage } from "../../schemas/owner/records.ts"
import { noticeOf, problemsOf } from "../html/owner/client.ts"

const LETTERS = 3

let service: TestService

beforeAll(async () => {
  service = await sharedService({
    limits: {
      "limits.owner.relay_letters.requests": LETTERS,
      "rate_limits.sponsorship.requests": 1000,
      "rate_limits.message.requests": 1000
    }
  })
})
afterAll(() => service?.stop())

const WHAT = ["owner.asked", "message.received", "captcha.asked"]

const confirmed = async (of: OwnerOf): Promise<OwnerOf> => {
  const [token = ""] = await tokensTo(service, of.owner.client.email, "/owner/verify")
  const page = `/owner/verify?token=${token}`
  const answer = await of.owner.client.fill(page, {}, "/owner/verify")
  expect(answer.status).toBe(303)
  return of
}

const aPair = async (): Promise<OwnerOf> => confirmed(await ownedBy(service.edges, await newOwner(service.edges)))

const choose = async ({ owner }: OwnerOf, boxes: ReadonlyArray<string>): Promise<void> => {
  const sent = await owner.client.change("choose_relay", Object.fromEntries(boxes.map((box) => [box, "on"])))
  expect(problemsOf(sent)).toEqual([])
  expect(noticeOf(await owner.client.follow(sent))).toBe("From now on you hear of what you have chosen.")
}

const ask = async ({ agent }: OwnerOf, text: string): Promise<OwnerMessage> =>
  dataOf(await agent.client.call("POST", "/api/v1/me/owner/message", { body: { text, kind: "question" } }))

const subjectsTo = async ({ owner }: OwnerOf): Promise<ReadonlyArray<string>> =>
  (await lettersTo(service, owner.client.email)).map((letter) => /^Subject: (.*)$/m.exec(letter)?.[1] ?? "")

const letterOf = (of: OwnerOf, part: string): Promise<string> =>
  waitFor(async () => (await lettersTo(service, of.owner.client.email)).find((one) => one.includes(part)) ?? null, {
    describe: `a letter with ${part}`
  })

describe("by letter", () => {
  it("nothing comes by itself; what is chosen does, with what the agent asks, and where to answer", async () => {
    const pair = await aPair()
    const { agent } = pair
    expect((await ask(pair, "Is anybody there?")).delivered_to).toEqual([
      { human_id: pair.owner.id, state: "not_linked" }
    ])
    await choose(pair, ["email:owner.asked"])
    const asked = await ask(pair, "May I pay 12.50?\nSee http://evil.example <b>now</b>")
    expect(asked.delivered_to).toEqual([{ human_id: pair.owner.id, state: "queued" }])
    const letter = await letterOf(pair, "May I pay")
    expect(letter).toContain(`Subject: Your agent ${agent.agent.handle} asks you something`)
    expect(letter).toContain(`/owner/agents/${agent.agent.handle}`)
    expect(letter).not.toContain("http://evil")
    expect(letter).not.toContain("<b>")
    expect(letter).not.toContain("The link holds for")
    const subjects = await subjectsTo(pair)
    expect(subjects.filter((one) => one.includes("asks you something")).length).toBe(1)
  })

  it("notifications of the agent come too, told by what they are and not by what strangers wrote", async () => {
    const pair = await aPair()
    await choose(pair, ["email:message.received"])
    const other = await anAgent(service.edges)
    const text = "a stranger's own words"
    const body = { to: pair.agent.agent.handle, body: text }
    dataOf(await other.client.call("POST", "/api/v1/messages", { body }))
    const letter = await letterOf(pair, "A private message arrived")
    expect(letter).toContain(`Subject: News of your agent ${pair.agent.agent.handle}`)
    expect(letter).not.toContain(text)
  })

  it("is what the settings show as chosen", async () => {
    const pair = await aPair()
    await choose(
      pair,
      WHAT.map((event) => `email:${event}`)
    )
    const { text } = await pair.owner.client.get("/owner/settings")
    const ticked = [...text.matchAll(/<input type="checkbox" name="([^"]+)" checked>/g)].map(([, name]) => name)
    expect(ticked.toSorted()).toEqual(WHAT.map((event) => `email:${event}`).toSorted())
  })

  it("goes to nobody whose address is not confirmed", async () => {
    const pair = await ownedBy(service.edges, await newOwner(service.edges))
    await choose(pair, ["email:owner.asked"])
    expect((await ask(pair, "Hello?")).delivered_to).toEqual([{ human_id: pair.owner.id, state: "not_linked" }])
    expect((await subjectsTo(pair)).filter((one) => one.includes("asks you"))).toEqual([])
  })

  it("never comes in more letters than there may be: the rest is told together", async () => {
    const pair = await aPair()
    await choose(pair, ["email:owner.asked"])
    // The first may be told before the last is asked: there is room for as many letters of that kind.
    for (let n = 0; n < 2 * LETTERS; n++) await ask(pair, `Question ${n}`)
    const together = new RegExp(`${pair.agent.agent.handle}, (\\d) times`)
    await waitFor(
      async () => {
        const letters = await lettersTo(service, pair.owner.client.email)
        const told = letters.filter((letter) => letter.includes("Subject: More news of your agents"))
        return told.reduce((sum, letter) => sum + Number(together.exec(letter)?.[1] ?? 0), 0) === LETTERS
      },
      { describe: "the rest is told together" }
    )
    const asked = async () => (await subjectsTo(pair)).filter((one) => one.includes("asks you something")).length
    // The letters are sent side by side: the last of them may come behind the one that tells of the rest.
    await waitFor(async () => (await asked()) >= LETTERS, { describe: "a letter for each that has room" })
    expect(await asked()).toBe(LETTERS)
  })
})
