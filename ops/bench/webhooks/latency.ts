/** Measures the time from a write that causes a notification to its arrival, through the whole service. */
import { AgentClient } from "../../../tests/support/client.ts"
import { send } from "../../../tests/support/http.ts"
import { newIdentity } from "../../../tests/support/identity.ts"
import { recoveryBody } from "../../../tests/support/rotation.ts"
import { BYPASS } from "../subjects-under-test.ts"
import { quantile, until } from "./measure.ts"
import { sink } from "./sink.ts"
import { end, startWorker, type World } from "./world.ts"

const WRITES = 400

const registered = async (client: AgentClient, edge: string, webhook: string): Promise<void> => {
  const asked = await send({
    edge,
    method: "POST",
    path: "/api/v1/register/challenge",
    body: JSON.stringify({ public_key: client.identity.publicKey })
  })
  const { id } = asked.json.data as { readonly id: string }
  const body = {
    challenge_id: id,
    handle: "bench-hook",
    name: "Bench",
    answers: {},
    captcha_bypass: BYPASS,
    webhook_url: webhook
  }
  const answer = await client.call("POST", "/api/v1/register", { body })
  if (answer.status !== 201) throw new Error(`not registered: ${answer.text}`)
}

export const latency = async (world: World, say: (line: string) => void): Promise<void> => {
  const receiver = await sink(true)
  const { baseUrl } = world.service
  const client = new AgentClient({ edge: () => baseUrl })
  await registered(client, baseUrl, receiver.url)
  const worker = await startWorker(world)
  const arrivals: Array<number> = []
  const exchanges: Array<number> = []
  let arrivedAt = 0
  receiver.arrived = () => {
    arrivedAt = performance.now()
  }
  for (let write = 0; write < WRITES; write++) {
    const body = recoveryBody(client.hubId, client.identity.publicKey, newIdentity())
    arrivedAt = 0
    const from = performance.now()
    const answer = await client.call("PUT", "/api/v1/me/recovery", { body })
    if (answer.status !== 200) throw new Error(`not written: ${answer.text}`)
    await until("the delivery", () => arrivedAt > 0)
    const asked = performance.now()
    await client.call("GET", "/api/v1/me")
    if (write < WRITES / 10) continue
    arrivals.push(arrivedAt - from)
    exchanges.push(performance.now() - asked)
  }
  await end(worker)
  receiver.close()
  const [p50, p99] = [quantile(arrivals, 0.5), quantile(arrivals, 0.99)]
  const [r50, r99] = [quantile(exchanges, 0.5), quantile(exchanges, 0.99)]
  say(
    `  from the write's request to the webhook's arrival: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; ` +
      `one signed GET /me: p50 ${r50.toFixed(1)} ms, p99 ${r99.toFixed(1)} ms; ` +
      `ratio ${(p50 / r50).toFixed(1)} and ${(p99 / r99).toFixed(1)}`
  )
}
