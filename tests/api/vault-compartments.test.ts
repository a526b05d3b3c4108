/** The tokens of fill services in compartments: each belongs to one run and ends with it (spec 5.4). */
import { randomUUID } from "node:crypto"
import { Effect, Result } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { viewsOver } from "../../actors/engine/services.ts"
import type { Compartment } from "../../schemas/compartment/records.ts"
import { FLEET_ID } from "../../schemas/fleet/operations.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { VAULT_SERVICE_LIMITS } from "../../schemas/vault/limits.ts"
import { waitFor } from "../harness/index.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { PlayedHost } from "../support/played-host.ts"
import { type TestService, testService } from "../support/service.ts"
import { asHolder, issueToken, sealedEntry, VAULT, withVault, type WithVault } from "../support/vault.ts"

let service: TestService
let host: PlayedHost

beforeAll(async () => {
  service = await testService({ edges: 1, actors: 2, keeper: true, limits: { "runtime.per_owner": 100 } })
  host = await PlayedHost.start(service, 100)
})
afterAll(async () => {
  host?.stop()
  await service?.stop()
})

type Issued = { readonly token: string } | { readonly code: string }

/** Asks the keeper like a host. */
const issueInside = async (of: WithVault, compartment: string, run?: number): Promise<Issued> => {
  const asking = { commandId: "", deadline: Date.now() + 30_000 }
  const input = { agent: of.agent.id, compartment, request: randomUUID(), ...(run === undefined ? {} : { run }) }
  const view = viewsOver(machineClock, service.view.nats)
  const issued = await Effect.runPromise(Effect.result(view.query(asking, "keeper_issue_inside", input)))
  return Result.isSuccess(issued) ? issued.success : { code: issued.failure.code }
}

const tokenInside = async (of: WithVault, compartment: string, run?: number): Promise<string> => {
  const issued = await issueInside(of, compartment, run)
  if ("code" in issued) throw new Error(issued.code)
  return issued.token
}

const made = async ({ client }: WithVault, name = "one"): Promise<Compartment> =>
  dataOf(await client.call("POST", "/api/v1/compartments", { body: { name, command: "true", accept_terms: true } }))

const running = ({ id, image }: Compartment, run: number, at = host): Promise<void> =>
  at.tells(id, { type: "running", run, at: Date.now(), image })

const exited = ({ id }: Compartment, run: number, why: "program" | "stopped" | "lost"): Promise<void> =>
  host.tells(id, { type: "exited", run, exit_code: 1, oom_killed: false, why, at: Date.now() })

const listed = async (token: string): Promise<string> =>
  outcome(await asHolder(service, token)("GET", `${VAULT}/service/entries`))

const hasEnded = (token: string): Promise<unknown> =>
  waitFor(async () => (await listed(token)) === "401 token_invalid", { describe: "the token has ended" })

const act = async ({ client }: WithVault, { id }: Compartment, verb: "start" | "stop" | "restart"): Promise<void> => {
  dataOf(await client.call("POST", `/api/v1/compartments/${id}/${verb}`, { body: {} }))
}

const deleted = async ({ client }: WithVault, { id, name }: Compartment): Promise<void> => {
  dataOf(await client.call("DELETE", `/api/v1/compartments/${id}`, { body: { confirm: name } }))
}

type End = (of: WithVault, compartment: Compartment) => Promise<unknown>
const ENDS: ReadonlyArray<readonly [string, End]> = [
  [
    "its agent has stopped it",
    async (of, compartment) => {
      await act(of, compartment, "stop")
      await exited(compartment, 1, "stopped")
    }
  ],
  ["its agent stops it, while its host is silent", (of, compartment) => act(of, compartment, "stop")],
  ["its agent restarts it, while its host is silent", (of, compartment) => act(of, compartment, "restart")],
  ["its program has ended", (_of, compartment) => exited(compartment, 1, "program")],
  ["its run is lost", (_of, compartment) => exited(compartment, 1, "lost")],
  [
    "an operator has suspended it",
    (_of, { id }) => service.view.command("compartment.suspend", id, { by: "operator", reason: "stolen" })
  ],
  ["its agent deletes it", deleted],
  [
    "its agent restarts it",
    async (of, compartment) => {
      await act(of, compartment, "restart")
      await exited(compartment, 1, "stopped")
    }
  ]
]

test.each(ENDS)("the token of a compartment works until %s", async (_words, end) => {
  const of = await withVault(service)
  const { id } = dataOf<{ readonly id: number }>(
    await of.client.call("POST", `${VAULT}/entries`, { body: await sealedEntry(of) })
  )
  const compartment = await made(of)
  await running(compartment, 1)
  const token = await tokenInside(of, compartment.id, 1)
  const operators = await issueToken(service, of.agent.id)
  const wanted = { entry_id: id, action: "login", origin: "https://shop.example" }
  const fill = async (): Promise<string> =>
    outcome(await asHolder(service, token)("POST", `${VAULT}/service/fill`, wanted))
  expect([await listed(token), await fill()]).toEqual(["200", "200"])
  await end(of, compartment)
  await hasEnded(token)
  expect(await fill()).toBe("401 token_invalid")
  expect(await listed(operators)).toBe("200")
})

test("the token ends when the compartment moves from a host that is gone", async () => {
  const of = await withVault(service)
  const gone = await PlayedHost.start(service, 200)
  const compartment = await made(of)
  await running(compartment, 1, gone)
  const token = await tokenInside(of, compartment.id, 1)
  gone.stop()
  await service.view.command("fleet.forget", FLEET_ID, { host: gone.id })
  await hasEnded(token)
})

test("a late report of the run before leaves the token of the next run, and a late request of it gets none", async () => {
  const of = await withVault(service)
  const compartment = await made(of)
  await running(compartment, 1)
  const first = await tokenInside(of, compartment.id, 1)
  await act(of, compartment, "restart")
  await exited(compartment, 1, "stopped")
  await running(compartment, 2)
  const second = await tokenInside(of, compartment.id, 2)
  await hasEnded(first)
  await exited(compartment, 1, "stopped")
  await service.view.command("vault.check_service", of.agent.id, { place: compartment.id })
  expect(await issueInside(of, compartment.id, 1)).toEqual({ code: "not_found" })
  expect(await listed(second)).toBe("200")
})

test("a host of an older release does not name the run, and its token ends with the present one", async () => {
  const of = await withVault(service)
  const compartment = await made(of)
  await running(compartment, 1)
  const token = await tokenInside(of, compartment.id)
  await act(of, compartment, "restart")
  await exited(compartment, 1, "stopped")
  await running(compartment, 2)
  await hasEnded(token)
})

test("more compartments than a vault has places get tokens, one after the other", async () => {
  const of = await withVault(service)
  const tokens: Array<string> = []
  for (let n = 0; n <= VAULT_SERVICE_LIMITS.tokens_max; n++) {
    const compartment = await made(of)
    await running(compartment, 1)
    tokens.push(await tokenInside(of, compartment.id, 1))
    await deleted(of, compartment)
    await host.tells(compartment.id, { type: "removed" })
  }
  for (const token of tokens) await hasEnded(token)
})

test("no token is left that was issued while its compartment was deleted", async () => {
  const of = await withVault(service)
  for (let n = 0; n < 8; n++) {
    const compartment = await made(of, `n${n}`)
    await running(compartment, 1)
    const [issued] = await Promise.all([issueInside(of, compartment.id, 1), deleted(of, compartment)])
    if ("token" in issued) await hasEnded(issued.token)
    else expect(issued.code).toBe("not_found")
  }
})
