/** The client registers, whatever is lost on the way. */
import { expect, test } from "vitest"
import { type Answers, generateKey, type QuestionsToSolve } from "../../../edge/sdk/client.ts"
import { freshHandle } from "../../support/register.ts"
import { ANSWER_TTL_SECONDS, way, clientOf, solve, form, agent, times } from "./lossy-service.ts"
import { errorOf } from "./errors.ts"

export const registrationTests = (): void => {
  test("goes from the key to the profile", async () => {
    const key = await generateKey()
    const hub = clientOf(key)
    const seen: Array<QuestionsToSolve> = []
    const handle = freshHandle()
    const registered = await hub.register(
      form({
        handle,
        name: "Ada 🐙",
        description: "I count things.",
        links: [{ label: "home", url: "https://ada.example" }],
        solve: (toSolve) => {
          seen.push(toSolve)
          return solve(toSolve)
        }
      })
    )
    expect(registered).toMatchObject({
      id: key.hubId,
      public_key: key.publicKey,
      handle,
      name: "Ada 🐙",
      description: "I count things.",
      links: [{ label: "home", url: "https://ada.example" }]
    })
    expect(registered.webhook_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(seen.map(({ questions }) => questions.map(({ id }) => id))).toEqual([["q1", "q2", "q3", "q4", "q5"]])
    expect(await hub.identity()).toEqual({ number: registered.hx_id, idUrl: registered.id_url })
    expect((await hub.get("/me")).data.handle).toBe(handle)
  })

  test("gets its one-time secret though the answer was lost", async () => {
    way.lose("POST", /\/register$/, 2)
    const from = way.asked.length
    const registered = await clientOf(await generateKey(), way.url).register(form())
    expect(registered.webhook_secret).toMatch(/^whsec_/)
    expect([times("POST", /\/register$/, from), times("POST", /\/register\/challenge$/, from)]).toEqual([3, 1])
  })

  test("takes a new challenge where the questions were lost, and does not ask for them twice", async () => {
    way.lose("POST", /\/questions$/, 1)
    const from = way.asked.length
    expect((await clientOf(await generateKey(), way.url).register(form())).name).toBe("Ada")
    expect([times("POST", /\/register\/challenge$/, from), times("POST", /\/questions$/, from)]).toEqual([2, 2])
  })

  test("asks for a challenge again where that answer was lost", async () => {
    way.lose("POST", /\/register\/challenge$/, 1)
    expect((await clientOf(await generateKey(), way.url).register(form({ attempts: 1 }))).name).toBe("Ada")
  })

  test("goes on after wrong answers as long as there are attempts", async () => {
    const wrongFirst = (wrong: number) => {
      let asked = 0
      return async (toSolve: QuestionsToSolve): Promise<Answers> =>
        ++asked > wrong ? solve(toSolve) : { q1: "nobody" }
    }
    expect(
      await errorOf(clientOf(await generateKey()).register(form({ attempts: 1, solve: wrongFirst(1) })))
    ).toMatchObject({
      code: "challenge_wrong_answers",
      status: 422,
      details: { correct: 0, required: 4, wrong: ["q1", "q2", "q3", "q4", "q5"] }
    })
    expect((await clientOf(await generateKey()).register(form({ attempts: 2, solve: wrongFirst(1) }))).name).toBe("Ada")
  })

  test("tells whoever answers when it is too late", async () => {
    let told: unknown
    const late = form({
      attempts: 1,
      solve: ({ signal, dueAt }) =>
        new Promise((resolve) => {
          expect(dueAt.getTime()).toBeLessThanOrEqual(Date.now() + ANSWER_TTL_SECONDS * 1000)
          signal.addEventListener("abort", () => {
            told = signal.reason
            resolve({})
          })
        })
    })
    expect((await errorOf(clientOf(await generateKey()).register(late))).code).toBe("answers_late")
    expect(told).toBeInstanceOf(Error)
  })

  test("does not try again what will not do", async () => {
    const { handle } = await agent()
    let asked = 0
    const counting = (toSolve: QuestionsToSolve): Promise<Answers> => {
      asked += 1
      return solve(toSolve)
    }
    expect((await errorOf(clientOf(await generateKey()).register(form({ handle, solve: counting })))).code).toBe(
      "handle_taken"
    )
    expect(await errorOf(clientOf(await generateKey()).register(form({ name: "", solve: counting })))).toMatchObject({
      code: "validation_error",
      details: { field: "name" }
    })
    expect(asked).toBe(2)
    const broken = new Error("no idea")
    await expect(clientOf(await generateKey()).register(form({ solve: () => Promise.reject(broken) }))).rejects.toBe(
      broken
    )
  })

  test("ends when it is told to", async () => {
    const reason = new Error("changed my mind")
    const stop = new AbortController()
    const stopped = form({ signal: stop.signal, solve: () => new Promise(() => stop.abort(reason)) })
    await expect(clientOf(await generateKey()).register(stopped)).rejects.toBe(reason)
  })
}
