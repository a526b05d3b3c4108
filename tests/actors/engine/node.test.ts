/** One node, asked directly: what becomes of an ask whose judge fails while its nonce is still on its way. */
import { afterEach, expect, test, vi } from "vitest"
import type { ActorHost } from "../../../actors/engine/host.ts"
import { Node } from "../../../actors/engine/node.ts"
import type { Placement } from "../../../actors/engine/placement.ts"
import { packAsks, type ReplyPart, unpackReplies } from "../../../schemas/bus/frames.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import type { BusTransport } from "../../../schemas/runtime/bus/asker.ts"
import { LeaseView } from "../../../schemas/runtime/bus/lease-view.ts"
import { subjects } from "../../../schemas/subjects.ts"
import { NO_TRACING } from "../../../schemas/runtime/trace/tracing.ts"

const unhandled: Array<unknown> = []
const note = (reason: unknown): void => void unhandled.push(reason)
process.on("unhandledRejection", note)
afterEach(() => process.off("unhandledRejection", note))

test.each([
  ["an answer", true, "internal_error"],
  ["left to the actor's next owner, if this node is none any more", false, "not owner"]
])("a verdict that fails before the nonce is in the log is %s, and ends no process", async (_what, stays, answer) => {
  let isOwner = true
  const recorded = Promise.withResolvers<boolean>()
  const operations = { "noted.note": { type: "custom", run: () => Promise.resolve({ data: null }) } }
  const definition = {
    operations,
    gate: {
      judge: () => ({ verdict: Promise.reject(new Error("the log cannot be read")), recorded: recorded.promise })
    }
  }
  const host = {
    definition: () => definition,
    activation: () => ({ definition, ready: true, state: null, memory: {}, seq: 0 })
  }
  const replies: Array<ReplyPart> = []
  const transport = { publish: (_to: string, frame: Uint8Array) => void replies.push(...unpackReplies(frame)) }
  const node = new Node(
    machineClock,
    transport as unknown as BusTransport,
    host as unknown as ActorHost,
    { serves: () => isOwner } as unknown as Placement,
    new LeaseView(),
    NO_TRACING
  )
  const by = { key: "k", publicKey: "p", nonce: "n" }
  const ask = JSON.stringify({ id: "a", kind: "noted", actor: "x", op: "noted.note", input: null, by })
  const payload = packAsks([{ number: 1, ask, bytes: ask.length, deadline: Date.now() + 10_000 }])
  vi.spyOn(process.stderr, "write").mockReturnValue(true)
  node.receive({ subject: subjects.node("s", "actors"), payload, reply: "to", noResponders: false })
  // A turn of the event loop and more: long enough for Node to find a rejection that nobody handles.
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  isOwner = stays
  recorded.resolve(true)
  const told = () => replies.map(({ head }) => (head.notOwner === undefined ? head.refused?.code : "not owner"))
  await vi.waitFor(() => expect(told()).toEqual([answer]), 60_000)
  expect(unhandled).toEqual([])
})
