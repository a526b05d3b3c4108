/** A directory with an agent of each kind, as a stream of bytes that a verifier reads. */
import { createVerifier, type Fetch, type Verdict, type Verifier } from "../../edge/sdk/verify.ts"
import { HOST, type TestAgent, TestClock, TestHub } from "./verify-hub.ts"

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [name: string]: Json }
export type Document = ReturnType<TestHub["directory"]>
const clock = new TestClock()
export const hub = new TestHub()

const agents: ReadonlyArray<TestAgent> = (() => {
  hub.base = "https://hub.example"
  const made = [
    hub.agent(),
    hub.agent("suspended"),
    hub.agent("banned", 7),
    hub.agent("retired", 999_999),
    hub.agent("active", 1_000_000)
  ]
  made[0]?.rotate()
  made[4]?.rotate()
  made[4]?.rotate()
  return made
})()

/** Bytes as a hub's answer, cut at the given places. */
const answering =
  (bytes: Uint8Array, cuts: ReadonlyArray<number> = [], status = 200): Fetch =>
  () => {
    const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((one, other) => one - other)
    const parts = [...places, bytes.length].map((end, index) =>
      bytes.slice(index === 0 ? 0 : (places[index - 1] as number), end)
    )
    return Promise.resolve(
      new Response(ReadableStream.from(parts) as ReadableStream<Uint8Array>, { status }) as unknown as Awaited<
        ReturnType<Fetch>
      >
    )
  }

export const reading = (text: string | Uint8Array, cuts: ReadonlyArray<number> = []): Verifier =>
  createVerifier({
    hub: "https://hub.example",
    hosts: [HOST],
    now: clock.now,
    fetch: answering(typeof text === "string" ? new TextEncoder().encode(text) : text, cuts)
  })

/** What the verifier knows of each agent, by its keys as well as by its fields. */
export const known = async (verifier: Verifier): Promise<ReadonlyArray<Verdict>> => {
  const verdicts: Array<Verdict> = []
  for (const agent of agents)
    for (const { pair } of agent.keys)
      verdicts.push(await verifier.check(agent.request({ key: pair, nonce: `nonce-of-agent-${agent.number}` })))
  return verdicts
}

export const expected = await known(reading(JSON.stringify(hub.directory())))
