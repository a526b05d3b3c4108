/** Holders of a vault's tokens use a part of the agent's answers under Idempotency-Keys, and no more. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { LIMITS } from "../../schemas/limits.ts"
import { streams } from "../../schemas/subjects.ts"
import { dataOf, detailsOf, outcome } from "../support/outcome.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { asHolder, VAULT, type WithVault, withVault } from "../support/vault.ts"

const BYTES = 32_768
const WRITES_MAX = 60

let service: TestService
let of: WithVault
beforeAll(async () => {
  service = await sharedService({
    keeper: true,
    limits: { "limits.answer_bytes_per_day": BYTES * LIMITS.service.answer_new_agent_parts }
  })
  of = await withVault(service)
})
afterAll(() => service?.stop())

test("a source's refused writes use up its part, and the agent's own keys go on", async () => {
  const wanted = { body: { label: "Shop", kinds: ["login"] } }
  const { token } = dataOf<{ readonly token: string }>(await of.client.call("POST", `${VAULT}/sources`, wanted))
  const refused = (n: number) =>
    asHolder(service, token)("POST", `${VAULT}/entries`, { uid: `nonsense ${n}` }, { "idempotency-key": `write-${n}` })
  let [asked, last] = [0, await refused(0)]
  const first = last.text
  while (last.status === 422 && asked < WRITES_MAX) last = await refused(++asked)
  expect([outcome(last), detailsOf(last)["bucket"], detailsOf(last)["limit"]]).toEqual([
    "429 rate_limited",
    "answer_bytes",
    BYTES / 2
  ])
  expect(asked).toBeGreaterThan(3)
  expect((await refused(0)).text).toBe(first)
  // One window counts the part and the whole: a second one would be a second write for each slice.
  const { subjects } = (await service.view.manager.streams.info(streams.limits, { subjects_filter: ">" })).state
  expect(Object.keys(subjects ?? {}).filter((subject) => subject.includes("holders"))).toEqual([])
  const own = await of.client.call("PATCH", "/api/v1/me", { body: { description: "x" }, idempotencyKey: "mine" })
  expect(own.status).toBe(200)
})
