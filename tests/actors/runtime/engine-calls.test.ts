/** What many calls at once cost a host: they share looks, and none is written out for a log that nobody reads. */
import { request } from "node:http"
import { inspect } from "node:util"
import fc from "fast-check"
import { expect, test } from "vitest"
import { bounded, hostQueries } from "../../../actors/runtime/host-queries.ts"
import { QuietAgent } from "../../../actors/runtime/host/docker.ts"
import { SharedLook } from "../../../actors/runtime/host/shared-look.ts"

const CALLS = 50

test("an agent with calls under way is a word to whoever writes options out", () => {
  const agent = new QuietAgent({ keepAlive: false })
  const calls = Array.from({ length: CALLS }, () =>
    request({ socketPath: "/nowhere.sock", agent }).on("error", () => undefined)
  )
  const options = { path: "/containers/json", agent, headers: {} }
  // As the client's library does it, at each call.
  expect(inspect(options, { showHidden: true, depth: null }).length).toBeLessThan(200)
  for (const call of calls) call.destroy()
})

test("whoever asks gets what was seen after it had asked; one looks at a time", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("ask", "end", "fail"), { minLength: 1, maxLength: 40 }),
      async (steps) => {
        let now = 0
        let under = 0
        const looks: Array<{ begun: number; end: (failed: boolean) => void }> = []
        const shared = new SharedLook(() => {
          expect(++under).toBe(1)
          const begun = ++now
          return new Promise<number>((resolve, reject) =>
            looks.push({
              begun,
              end: (failed) => {
                under--
                if (failed) reject(new Error("no answer"))
                else resolve(begun)
              }
            })
          )
        })
        const asked: Array<Promise<void>> = []
        const turn = () => new Promise((resolve) => setImmediate(resolve))
        for (const step of steps) {
          if (step === "ask") {
            const at = ++now
            asked.push(
              shared.next().then(
                (begun) => expect(begun).toBeGreaterThan(at),
                (error: Error) => expect(error.message).toBe("no answer")
              )
            )
          } else looks.shift()?.end(step === "fail")
          await turn()
        }
        while (looks.length > 0) {
          looks.shift()?.end(false)
          await turn()
        }
        await Promise.all(asked)
        expect(under).toBe(0)
      }
    ),
    { numRuns: 200 }
  )
})

test("an answer's lines fit as JSON, whatever they are of; the first goes however long it is", () => {
  const zeros = { id: 1, line: "\0".repeat(8000) }
  const lines = Array.from({ length: 1000 }, (_, id) => ({ ...zeros, id }))
  const fit = bounded(lines)
  expect(fit.length).toBeGreaterThan(50)
  expect(JSON.stringify(fit).length).toBeLessThanOrEqual(4_000_002)
  expect(bounded([{ id: 1, line: "\0".repeat(1_000_000) }])).toHaveLength(1)
  expect(bounded([])).toEqual([])
})

test("a host says that lines did not fit: of the newest ones the oldest, and after an id the newest", async () => {
  const all = Array.from({ length: 1000 }, (_, id) => ({
    id,
    at: 0,
    stream: "stdout" as const,
    line: "\0".repeat(8000)
  }))
  const asked = (lines: typeof all, since_id: number | null) => {
    const machine = { logs: () => Promise.resolve({ lines }) } as never
    const wanted = { host: "h", compartment: "c", since_id, limit: 1000, stream: null, q: null, wait_ms: 0 }
    return hostQueries(machine, null as never, null as never).host_logs(wanted)
  }
  const [newest, after, few] = [await asked(all, null), await asked(all, 0), await asked(all.slice(0, 2), null)]
  expect([newest.cut, newest.lines.at(-1)?.id]).toEqual([true, 999])
  expect([after.cut, after.lines[0]?.id]).toEqual([true, 0])
  expect([few.cut, few.lines.length]).toEqual([undefined, 2])
})
