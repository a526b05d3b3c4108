/**
 * What is a person's own stands nowhere in the clear; and with the account's end its key is gone, so that it opens for
 * nobody. Looked for byte by byte in a running system.
 */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { streams, subjects } from "../../schemas/subjects.ts"
import { waitFor } from "../harness/index.ts"
import { type Collector, startCollector } from "../support/collector.ts"
import { send } from "../support/http.ts"
import { outcome } from "../support/outcome.ts"
import { PersonClient } from "../support/person.ts"
import { foundIn } from "../support/planted.ts"
import { logOf, testService, type TestService } from "../support/service.ts"

let service: TestService
let collector: Collector

beforeAll(async () => {
  collector = await startCollector()
  service = await testService({
    processes: true,
    edges: 2,
    actors: 2,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  })
})
afterAll(async () => {
  await service?.stop()
  await collector?.stop()
})

let turn = 0
const person = (name: string): PersonClient =>
  new PersonClient({ edge: () => service.edges[turn++ % service.edges.length] ?? "", name })

const keyOf = async (human: string): Promise<string | null> => {
  const kept = await service.view.manager.streams.getMessage(streams.people, {
    last_by_subj: subjects.accountKey(human)
  })
  return kept === null ? null : kept.string()
}

test("nothing of a person stands in the clear while the account lives, and its key nowhere after its end", async () => {
  const ada = person("Zephyrine Quillfeather")
  expect(outcome(await ada.signUp())).toBe("201")
  expect(outcome(await ada.logIn("a guess that is wrong"))).toBe("401 login_failed")
  expect(outcome(await ada.logIn())).toBe("200")
  const first = ada.token
  await ada.call("POST", "/humans/logout")
  expect(outcome(await ada.logIn())).toBe("200")
  await ada.call("POST", "/humans/me/verify-email")
  const { email, password, token } = ada
  const link = `link${randomBytes(20).toString("hex")}`
  const opened = await send({
    edge: service.edges[0] ?? "",
    method: "GET",
    path: `/owner/verify?token=${link}`,
    headers: {}
  })
  expect(opened.status).toBe(400)
  const secrets = [link, email, password, "a guess that is wrong", first, token, token.slice(-43)]
  expect(await foundIn(service, secrets)).toEqual([])
  const traced = await waitFor(
    () => {
      const text = collector.raw.join("\n")
      return text.includes("/owner/verify") && text.includes("humans/login") ? text : null
    },
    { describe: "traces of what was done" }
  )
  expect(secrets.filter((secret) => traced.includes(secret))).toEqual([])
  // What must be there is found: so would be what must not.
  expect((await foundIn(service, [ada.id])).length).toBeGreaterThan(0)
  const key = await keyOf(ada.id)
  expect(key).toMatch(/^sealed1\./)
  expect((await foundIn(service, [key ?? ""])).length).toBeGreaterThan(0)

  expect(outcome(await ada.call("DELETE", "/humans/me", { password, confirm: email }))).toBe("200")
  await waitFor(async () => (await keyOf(ada.id)) === null)
  expect(await foundIn(service, [...secrets, key ?? ""])).toEqual([])
  const log = await logOf(service.view, "human", ada.id)
  expect(log.length).toBeGreaterThan(3)
})

const restartActors = async (): Promise<void> => {
  for (const actor of service.system.actors) {
    await actor.kill()
    await actor.restart()
  }
}

test("an account whose key is lost, as in a backup made while it was deleted, keeps its address from nobody", async () => {
  const ada = person("Ottoline Marchbanks")
  await ada.signUp()
  const { streams: kept } = service.view.manager
  const key = await kept.getMessage(streams.people, { last_by_subj: subjects.accountKey(ada.id) })
  await kept.deleteMessage(streams.people, key?.seq ?? 0)
  await restartActors()
  expect(outcome(await ada.logIn())).toBe("401 login_failed")
  expect(outcome(await ada.call("GET", `/humans/${ada.id}`))).toBe("404 not_found")
  const lost = ada.id
  expect(outcome(await ada.signUp())).toBe("201")
  expect(ada.id).not.toBe(lost)
  expect(outcome(await ada.logIn())).toBe("200")
  expect(outcome(await ada.signUp())).toBe("409 human_email_taken")
})

test("what is left of an account that was erased folds after a restart, and nobody comes in", async () => {
  const ada = person("Quincy Thistlewood")
  await ada.signUp()
  await ada.logIn()
  const { password, email } = ada
  await ada.call("DELETE", "/humans/me", { password, confirm: email })
  await waitFor(async () => (await keyOf(ada.id)) === null)
  await restartActors()
  expect(outcome(await ada.call("GET", `/humans/${ada.id}`))).toBe("404 not_found")
  expect(outcome(await ada.logIn())).toBe("401 login_failed")
  expect(outcome(await ada.signUp())).toBe("201")
})

// The last one: it takes the keys away.
test("while keys cannot be read, a login tells not who has an account", async () => {
  const [ada, nobody] = [person("Wilhelmina Ashgrove"), person("Peregrine Nightingale")]
  await ada.signUp()
  await restartActors()
  await service.view.manager.streams.delete(streams.people)
  for (const one of [ada, nobody]) expect(outcome(await one.logIn())).toBe("503 unavailable")
})
