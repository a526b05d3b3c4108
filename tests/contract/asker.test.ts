/** An asker that is closed: its connection may be at its end. */
import { afterEach, expect, test, vi } from "vitest"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { Asker } from "../../schemas/runtime/bus/asker.ts"

afterEach(() => void vi.useRealTimers())

const ask = (id: string) => ({
  id,
  kind: "agent",
  actor: "a",
  op: "agent.me",
  input: null,
  deadline: Date.now() + 5000
})

test("it sends nothing any more, and says so to whoever waits and whoever still comes", async () => {
  vi.useFakeTimers()
  const sent: Array<string> = []
  const asker = new Asker(
    machineClock,
    { publish: (subject) => void sent.push(subject), subscribe: () => undefined },
    { ownerOf: () => "session", onChange: () => undefined },
    { role: "webhooks", name: "w" },
    { maxInFlight: 10, maxFrameBytes: 100_000 }
  )
  const first = asker.ask(ask("1"))
  await vi.advanceTimersByTimeAsync(10)
  expect(sent).toHaveLength(1)
  const second = asker.ask(ask("2"))
  asker.close()
  const all = [first, second, asker.ask(ask("3"))]
  await vi.advanceTimersByTimeAsync(10_000)
  expect((await Promise.all(all)).map(({ head }) => head.refused?.code)).toEqual(all.map(() => "unavailable"))
  expect(sent).toHaveLength(1)
})
