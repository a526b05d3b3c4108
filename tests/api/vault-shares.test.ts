/** The limits of an agent that requests with tokens of its vault use up, and that the agent can end a token anyway. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { dataOf, detailsOf, outcome } from "../support/outcome.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { asHolder, filled, sealedEntry, VAULT, withVault } from "../support/vault.ts"

const LOG_BYTES = 200_000
const REQUESTS = 40

let service: TestService
beforeAll(async () => {
  service = await sharedService({
    keeper: true,
    limits: { "limits.log_bytes_per_day": LOG_BYTES, "rate_limits.agent.requests": REQUESTS }
  })
})
afterAll(() => service?.stop())

it("a source uses up its part of the log bytes, and the agent writes on; without bytes it ends tokens", async () => {
  const of = await withVault(service)
  const { client } = of
  const { id, token } = await filled(of, 1)
  const ask = asHolder(service, token)
  const padded = { ...(await sealedEntry(of, { kind: "card" })), padding: "x".repeat(30_000) }
  for (let n = 0; n < 3; n++)
    expect(outcome(await ask("POST", `${VAULT}/entries`, padded))).toBe("403 vault_kind_not_allowed")
  const refused = await ask("POST", `${VAULT}/entries`, padded)
  expect(outcome(refused)).toBe("429 rate_limited")
  expect(detailsOf(refused)).toMatchObject({ bucket: "log_bytes", limit: LOG_BYTES / 2 })
  const write = async (size: number) =>
    outcome(await client.call("PATCH", "/api/v1/me", { body: { transparency: "y".repeat(size) } }))
  expect(await write(30_000)).toBe("200")
  for (let size = 20_000; (await write(size)) === "200"; size--);
  for (let size = 4000; (await write(size)) === "200"; size--);
  const create = () => client.call("POST", `${VAULT}/sources`, { body: { label: "B", kinds: ["login"] } })
  let spent = await create()
  while (spent.status === 201) spent = await create()
  expect(detailsOf(spent)).toMatchObject({ bucket: "log_bytes", limit: LOG_BYTES })
  expect(outcome(await client.call("DELETE", `${VAULT}/sources/${id}`))).toBe("200")
  expect(outcome(await client.call("DELETE", `${VAULT}/sources/${id}`))).toBe("404 not_found")
  expect(outcome(await client.call("DELETE", `${VAULT}/entries/1`))).toBe("200")
  expect(outcome(await ask("GET", `${VAULT}/source`))).toBe("401 token_invalid")
  const revoke = () => client.call("POST", `${VAULT}/revoke`, { body: { confirm: "revoke" } })
  const first = dataOf(await revoke())
  expect(dataOf(await revoke())).toEqual(first)
})

it("a source uses up its own requests, and none of the agent's", async () => {
  const of = await withVault(service)
  const { id, token } = await filled(of, 1)
  const ask = asHolder(service, token)
  let answer = await ask("GET", `${VAULT}/source`)
  for (let n = 1; n < REQUESTS && answer.status === 200; n++) answer = await ask("GET", `${VAULT}/source`)
  expect(outcome(answer)).toBe("429 rate_limited")
  expect(detailsOf(answer)).toMatchObject({ bucket: "vault_sources", limit: REQUESTS / 2 })
  const ended = await of.client.call("DELETE", `${VAULT}/sources/${id}`)
  expect(outcome(ended)).toBe("200")
})
