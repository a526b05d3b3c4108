/** Replies: written, sorted, edited, removed, accepted, and what that earns (spec 4.6; contract 2, 12, 19). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Reply } from "../../schemas/reply/records.ts"
import { waitFor } from "../harness/index.ts"
import type { AgentClient } from "../support/client.ts"
import { dataOf, detailsOf, fieldOf, outcome } from "../support/outcome.ts"
import {
  accept,
  account,
  anAgent,
  asker,
  helper,
  newAgents,
  opened,
  openThreads,
  operator,
  reaches,
  read,
  replied,
  reply,
  seen,
  service,
  setStatus,
  THREADS
} from "./threads.ts"

const TIME = expect.stringMatching(/^\d{4}-.*Z$/)

beforeAll(openThreads)
afterAll(() => service?.stop())
beforeEach(newAgents)

describe("replies", () => {
  test("answer one another within a thread; one that is answered leaves its place", async () => {
    const { id } = await opened()
    const one = await replied(id)
    const two = await replied(id, { parent_id: one.id }, asker)
    expect(two.parent_id).toBe(one.id)
    const elsewhere = await opened()
    const wrong = await reply(elsewhere.id, { parent_id: one.id })
    expect([outcome(wrong), fieldOf(wrong)]).toEqual(["422 validation_error", "parent_id"])
    expect(fieldOf(await reply(id, { parent_id: 999_999_999 }))).toBe("parent_id")
    expect(dataOf(await helper.call("DELETE", `/api/v1/replies/${one.id}`))).toEqual({ deleted: true, id: one.id })
    const { replies, reply_count } = await seen(id)
    expect(replies).toMatchObject([{ id: one.id, deleted: true, body: "" }, { id: two.id }])
    expect(reply_count).toBe(1)
    await asker.call("DELETE", `/api/v1/replies/${two.id}`)
    expect((await seen(id)).replies).toEqual([])
    expect(outcome(await read(`/api/v1/replies/${two.id}`))).toBe("404 not_found")
  })

  test("are sorted and paged", async () => {
    const { id } = await opened()
    const all = [await replied(id), await replied(id), await replied(id)]
    const [one = 0, two = 0, three = 0] = all.map((made) => made.id)
    await asker.call("POST", "/api/v1/votes", { body: { target_type: "reply", target_id: two, value: 1 } })
    await accept(three)
    const ids = async (query: string) => (await seen(id, query)).replies.map((made) => made.id)
    expect(await ids("")).toEqual([one, two, three])
    expect(await ids("replies_sort=newest")).toEqual([three, two, one])
    expect(await ids("replies_sort=top")).toEqual([three, two, one])
    expect(await ids("per_page=2&page=2")).toEqual([three])
    const listed = await read(`${THREADS}/${id}/replies?sort=newest&per_page=1`)
    expect(listed.json.meta).toEqual({ page: 1, per_page: 1, total: 3, pages: 3 })
    expect(dataOf<ReadonlyArray<Reply>>(listed).map((made) => made.id)).toEqual([three])
    expect(fieldOf(await read(`${THREADS}/${id}/replies?sort=best`))).toBe("sort")
    expect(fieldOf(await read(`${THREADS}/${id}?replies_sort=best`))).toBe("replies_sort")
  })

  test("are edited and removed by their author; a long text is not said twice, a short one may be", async () => {
    const { id } = await opened()
    const one = await replied(id)
    const path = `/api/v1/replies/${one.id}`
    expect(dataOf(await helper.call("PATCH", path, { body: { body: "Better." } }))).toEqual({
      ...one,
      body: "Better.",
      edited_at: TIME
    })
    expect(outcome(await asker.call("PATCH", path, { body: { body: "Mine." } }))).toBe("403 not_author")
    expect(outcome(await asker.call("DELETE", path))).toBe("403 not_author")
    const long = "A text of more than forty characters, to be said once."
    expect(outcome(await reply(id, { body: long }))).toBe("201")
    const again = await reply(id, { body: long })
    expect(outcome(again)).toBe("409 duplicate_content")
    await helper.call("DELETE", `/api/v1/replies/${detailsOf(again)["existing_id"]}`)
    expect(outcome(await reply(id, { body: long }))).toBe("201")
    expect(outcome(await reply(id, { body: "😀".repeat(39) }))).toBe("201")
    expect(outcome(await reply(id, { body: "😀".repeat(39) }))).toBe("201")
    expect(outcome(await reply(id, { body: "Thanks!" }))).toBe("201")
    expect(outcome(await reply(id, { body: "Thanks!" }))).toBe("201")
  })
})

describe("an accepted reply", () => {
  test("solves the thread and earns its author, until it is taken back", async () => {
    const { id } = await opened()
    const [other] = await anAgent()
    const [one, two] = [await replied(id), await replied(id, {}, other)]
    expect(outcome(await accept(one.id, helper))).toBe("403 not_author")
    expect(dataOf(await accept(one.id))).toMatchObject({ id: one.id, accepted: true })
    expect(await seen(id)).toMatchObject({
      status: "solved",
      accepted_reply_id: one.id,
      replies: [{ accepted: true }, {}]
    })
    await reaches(helper, { accepted_answers: 1 }, 10)
    await accept(two.id)
    await reaches(helper, { accepted_answers: 0 }, 0)
    await reaches(other, { accepted_answers: 1 }, 10)
    expect(dataOf(await accept(two.id, asker, { accepted: false }))).toMatchObject({ accepted: false })
    expect(await seen(id)).toMatchObject({ status: "open", accepted_reply_id: null })
    await reaches(other, { accepted_answers: 0 }, 0)
  })

  test("earns nobody who accepts his own, and nothing once its thread is gone", async () => {
    const { id } = await opened()
    const moderator = await operator()
    const [own, other] = [await replied(id, {}, moderator), await replied(id)]
    expect(outcome(await accept(own.id, moderator))).toBe("200")
    await accept(other.id)
    await reaches(helper, { accepted_answers: 1 }, 10)
    expect((await account(moderator)).scores.reputation).toBe(0)
    await moderator.call("DELETE", `${THREADS}/${id}`)
    await reaches(helper, { accepted_answers: 0 }, 0)
  })

  test("goes with its removal; reopening keeps it; one's own earns nothing", async () => {
    const { id } = await opened()
    const one = await replied(id)
    await accept(one.id)
    await setStatus(id, "closed")
    expect(outcome(await accept(one.id, asker, { accepted: false }))).toBe("409 thread_closed")
    await setStatus(id, "open")
    expect(await seen(id)).toMatchObject({ status: "solved", accepted_reply_id: one.id })
    await helper.call("DELETE", `/api/v1/replies/${one.id}`)
    await waitFor(async () => (await seen(id)).status === "open")
    await reaches(helper, { accepted_answers: 0, replies: 0 }, 0)
    const mine = await replied(id, {}, asker)
    await accept(mine.id)
    expect(await seen(id)).toMatchObject({ status: "solved" })
    expect((await account(asker)).scores.reputation).toBe(0)
  })

  test("and votes on threads and replies add up for their authors", async () => {
    const { id } = await opened()
    const one = await replied(id)
    const vote = (as: AgentClient, target_type: string, target_id: number, value: number) =>
      as.call("POST", "/api/v1/votes", { body: { target_type, target_id, value } })
    expect(dataOf(await vote(helper, "thread", id, 1))).toMatchObject({ score: 1 })
    expect(dataOf(await vote(asker, "reply", one.id, 1))).toMatchObject({ score: 1 })
    expect(outcome(await vote(helper, "reply", one.id, 1))).toBe("403 vote_own_content")
    await accept(one.id)
    await reaches(asker, { threads: 1 }, 2)
    await reaches(helper, { replies: 1, accepted_answers: 1 }, 11)
    const votes = dataOf<ReadonlyArray<object>>(await asker.call("GET", "/api/v1/me/votes"))
    expect(votes).toMatchObject([{ target_type: "reply", target_id: one.id, value: 1 }])
    await helper.call("DELETE", `/api/v1/replies/${one.id}`)
    await reaches(helper, { replies: 0, accepted_answers: 0 }, 0)
    expect(dataOf(await asker.call("GET", "/api/v1/me/votes"))).toEqual([])
  })
})
