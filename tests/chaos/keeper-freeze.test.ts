/** The keeper stands still while it is asked for a token, and goes on after the asker was told that it failed. */
import { Effect } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { viewsOver } from "../../actors/engine/services.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { type TestService, testService } from "../support/service.ts"
import { asHolder, issueToken, oneTimeKey, VAULT, withVault } from "../support/vault.ts"

const PATIENCE_MS = 1500
/** More than changes of a list of tokens are tried. */
const MANY = 12

let service: TestService
beforeAll(async () => {
  service = await testService({ processes: true, keeper: true })
})
afterAll(() => service?.stop())

test("a thawed keeper ends no token for an asker that has given up, and spends none", async () => {
  const { keeper } = service.system
  const [of, other] = [await withVault(service), await withVault(service)]
  const token = await issueToken(service, of.agent.id)
  const views = viewsOver(machineClock, service.view.nats)
  const impatient = () => ({ commandId: "", deadline: Date.now() + PATIENCE_MS })
  const { ephemeral_public_key } = await oneTimeKey()
  keeper?.freeze()
  const failed = await Promise.all([
    Effect.runPromise(
      Effect.flip(views.query(impatient(), "keeper_issue", { agent: of.agent.id, place: "operator", request: "late" }))
    ),
    Effect.runPromise(
      Effect.flip(views.query(impatient(), "keeper_key", { agent: of.agent.id, token, ephemeral_public_key }))
    )
  ])
  expect(failed.map(({ code }) => code)).toEqual(["unavailable", "unavailable"])
  keeper?.thaw()
  // The same steps for another agent, which the keeper receives after the late ones.
  const last = await issueToken(service, other.agent.id)
  expect((await asHolder(service, last)("GET", `${VAULT}/service/entries`)).status).toBe(200)
  expect((await asHolder(service, token)("GET", `${VAULT}/service/entries`)).status).toBe(200)
  const { ephemeral_public_key: fresh } = await oneTimeKey()
  const key = await asHolder(service, token)("POST", `${VAULT}/service/key`, { ephemeral_public_key: fresh })
  expect([key.status, key.code]).toEqual([200, ""])
})

test("of many requests that a thawed keeper finds at once, the one that is answered last has a token that works", async () => {
  const { keeper } = service.system
  const [of, other] = [await withVault(service), await withVault(service)]
  const views = viewsOver(machineClock, service.view.nats)
  keeper?.freeze()
  const given: Array<string> = []
  const all = Array.from({ length: MANY }, () =>
    issueToken(service, of.agent.id).then(
      (token) => void given.push(token),
      () => undefined
    )
  )
  // The requests have been tried several times when another one of the same time has failed.
  const impatient = { commandId: "", deadline: Date.now() + PATIENCE_MS }
  await Effect.runPromise(
    Effect.flip(views.query(impatient, "keeper_issue", { agent: other.agent.id, place: "operator", request: "late" }))
  )
  keeper?.thaw()
  await Promise.all(all)
  const last = given.at(-1) ?? ""
  expect((await asHolder(service, last)("GET", `${VAULT}/service/entries`)).status).toBe(200)
  const { ephemeral_public_key } = await oneTimeKey()
  const key = await asHolder(service, last)("POST", `${VAULT}/service/key`, { ephemeral_public_key })
  expect([key.status, key.code]).toEqual([200, ""])
})
