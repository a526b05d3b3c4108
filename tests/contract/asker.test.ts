/** An asker that is closed: its connection may be at its end. */
import { expect, test } from "vitest"
import { Asker } from "../../schemas/runtime/bus/asker.ts"
import { standingClock } from "../harness/clock.ts"

const clock = standingClock()

const ask = (id: string) => ({
  id,
  kind: "agent",
  actor: "a",
  op: "agent.me",
  input: null,
  deadline: clock.now() + 5000
})

test("it sends nothing any more, and says so to whoever waits and whoever still comes", async () => {
  const sent: Array<string> = []
  const asker = new Asker(
    clock,
    { publish: (subject) => void sent.push(subject), subscribe: () => undefined },
    { ownerOf: () => "session", onChange: () => undefined },
    { role: "webhooks", name: "w" },
    { maxInFlight: 10, maxFrameBytes: 100_000 }
  )
  const first = asker.ask(ask("1"))
  await clock.pass(10)
  expect(sent).toHaveLength(1)
  const second = asker.ask(ask("2"))
  asker.close()
  const all = [first, second, asker.ask(ask("3"))]
  await clock.pass(10_000)
  expect((await Promise.all(all)).map(({ head }) => head.refused?.code)).toEqual(all.map(() => "unavailable"))
  expect(sent).toHaveLength(1)
})
