/** Held requests for an owner's answer at an edge alone: what was found is told, whatever becomes of the slot. */
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { waitFor } from "../../harness/index.ts"
import { openWorld, playActors, type World } from "../edge.ts"

const AT = "2026-01-01T00:00:00.000Z"
const ANSWER = {
  id: 8,
  direction: "to_agent",
  owner: { human_id: "hum_aaaaaaaaaaaaaaaa", name: "Ada" },
  kind: null,
  text: "Yes.",
  options: null,
  in_reply_to: 7,
  waited: false,
  delivered_to: [],
  read_at: null,
  created_at: AT,
  answer: null
}
/** An ask of an actor that is silent ends after twice as long. */
const DEADLINE_MS = 600_000

let world: World
beforeAll(async () => {
  world = await openWorld({ limits: { "service.request_deadline_ms": DEADLINE_MS } })
})
afterAll(() => world?.stop())
beforeEach(() => {
  const { node } = world
  playActors(node)
  node.forget()
  node.on("owner.send", () => ({ data: { id: 7, delivered_to: [], created_at: AT } }))
  node.on("owner.wait", () => ({ data: { held: true } }))
  node.on("owner.answered", () => ({ data: ANSWER }))
  node.on("owner.leave", () => ({ data: null }))
})

const ask = () =>
  world.edge.call("/api/v1/me/owner/message", {
    method: "POST",
    body: JSON.stringify({ text: "May I?", kind: "question", wait_seconds: 25 }),
    signed: world.agent
  })

it("the slot is given back before the answer is out", async () => {
  expect((await ask()).json.data).toMatchObject({ waited: false, answer: { text: "Yes." } })
  const [taken, left] = [world.node.asked("owner.wait"), world.node.asked("owner.leave")]
  const tokens = taken.map(({ input }) => (input as { token: string }).token)
  expect(left.map(({ input }) => input)).toEqual(tokens.map((token) => ({ purpose: "message", token })))
})

it("an answer that is there does not wait for an actor that is silent; the slot is asked for behind it", async () => {
  let silent = true
  let left = 0
  world.node.on("owner.leave", () => {
    if (silent) return "silence"
    left++
    return { data: null }
  })
  const began = performance.now()
  expect((await ask()).json.data).toMatchObject({ waited: false, answer: { text: "Yes." } })
  expect(performance.now() - began).toBeLessThan(DEADLINE_MS)
  silent = false
  await waitFor(() => left > 0, { describe: "the slot given back" })
})
