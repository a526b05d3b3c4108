/** An edge reads an agent's mailboxes while one of them is being closed. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import type { Bus } from "../../../edge/bus/bus.ts"
import type { Call } from "../../../edge/http/call.ts"
import { refuse } from "../../../edge/http/refused.ts"
import { mailReading } from "../../../edge/mail/reading.ts"
import { notFound, type Refusal, unavailable } from "../../../schemas/errors.ts"

const CALL = {} as Call

/** `refused`: the answer of mailbox 2. */
const readingWith = (refused: Refusal) => {
  const read = (_call: Call, { op, actor }: { readonly op: string; readonly actor: string }) => {
    if (op === "mailer.mailboxes") return Effect.succeed([1, 2, 3])
    return actor === "2" ? refuse(refused) : Effect.succeed({ id: Number(actor) })
  }
  return mailReading({ bus: { read } as unknown as Bus, blobs: {} as never })
}

test("a mailbox that was closed a moment ago is left out of the list", async () => {
  const boxes = await Effect.runPromise(readingWith(notFound("mailbox")).boxes(CALL, "hxa"))
  expect(boxes.map(({ id }) => id)).toEqual([1, 3])
})

test("a mailbox that cannot be asked is not taken for a closed one", async () => {
  const boxes = readingWith(unavailable("It does not answer.")).boxes(CALL, "hxa")
  expect(await Effect.runPromise(Effect.flip(boxes))).toMatchObject({ refusal: { code: "unavailable" } })
})
