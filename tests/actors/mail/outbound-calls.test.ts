/** A commit of a sending is work for this release, work for none, or left to the release that wrote it. */
import { expect, test } from "vitest"
import { outboundWorker } from "../../../actors/mail/outbound/worker.ts"
import type { Message } from "../../../actors/kit/worker/message.ts"
import { Effect } from "effect"
import { LIMITS } from "../../../schemas/limits.ts"
import { waitFor } from "../../harness/index.ts"

const NEWER = { type: "mail_sending.hurried", v: 1 }

const outcomeOf = async (data: string): Promise<string> => {
  const seen: Array<string> = []
  const message: Message = {
    seq: 1,
    delivery: "1",
    data: new TextEncoder().encode(data),
    given: 1,
    ack: () => void seen.push("acknowledged"),
    nak: () => void seen.push("given back"),
    working: () => undefined
  }
  const messages = [message]
  const source = {
    fetch: (_max: number, receive: (message: Message) => void) =>
      Effect.suspend(() => {
        const [one] = messages.splice(0)
        if (one === undefined) return Effect.never
        receive(one)
        return Effect.void
      })
  }
  const worker = outboundWorker({
    source,
    ask: () => {
      seen.push("begun")
      return Effect.never
    },
    route: () => Effect.never,
    made: () => Effect.never,
    bounds: LIMITS.service.mail
  })
  const settled = Effect.promise(() => waitFor(() => seen[0], { describe: "the message to be settled or begun" }))
  return Effect.runPromise(Effect.scoped(Effect.andThen(worker, settled)))
}

const commit = (...events: ReadonlyArray<{ readonly type: string; readonly v: number }>): string =>
  JSON.stringify({ v: 1, id: "c", op: "o", at: 1, events })

test.each([
  ["queued", commit({ type: "mail_sending.queued", v: 1 }), "begun"],
  ["due", commit({ type: "mail_sending.due", v: 1 }), "begun"],
  ["in a newer form, which the actor judges", commit({ type: "mail_sending.due", v: 2 }), "begun"],
  ["settled", commit({ type: "mail_sending.settled", v: 1 }), "acknowledged"],
  ["erased", "", "acknowledged"],
  ["what only a newer release knows", commit(NEWER), "given back"],
  ["that beside something known", commit({ type: "mail_sending.due", v: 1 }, NEWER), "given back"]
])("a message that is %s", async (_what, data, outcome) => {
  expect(await outcomeOf(data)).toBe(outcome)
})
