/** A log belongs to one key of the service: whoever starts with another is told so, and serves nothing. */
import { randomBytes } from "node:crypto"
import { Effect, Exit } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { EventLog } from "../../../actors/log/commit.ts"
import { claimLog, SERVICE_ID } from "../../../actors/service/actor.ts"
import { subjects } from "../../../schemas/subjects.ts"
import { CONFIGURATION_ERROR, refusedStart } from "../../support/refused-start.ts"
import { logOf, sharedService, type TestService } from "../../support/service.ts"
import { ModelLog } from "../engine/simulation.ts"

const logOver = (model: ModelLog): EventLog => ({
  append: async (group) => model.append(group),
  read: async (subject, after, max) => model.read(subject, after, max),
  tip: () => Promise.resolve(null),
  last: () => Promise.resolve(null),
  lastSeq: () => Promise.resolve(0),
  commitsOf: () => Promise.resolve([])
})

let service: TestService
beforeAll(async () => {
  service = await sharedService()
})
afterAll(() => service?.stop())

test("the first node claims it, once", async () => {
  const entries = await logOf(service.view, "service", SERVICE_ID)
  expect(entries.map(({ commit }) => commit.events)).toMatchObject([[{ type: "service.key_claimed", v: 1 }]])
})

test("a node with another key ends before it takes part, in one line", async () => {
  const [status, said] = await refusedStart(service, { HUB_SERVER_KEY: randomBytes(32).toString("base64") })
  expect([status, said]).toEqual([
    CONFIGURATION_ERROR,
    expect.stringMatching(/^this log belongs to the service's key \S+, and HUB_SERVER_KEY .* cannot be opened\n$/)
  ])
  expect(await logOf(service.view, "service", SERVICE_ID)).toHaveLength(1)
})

test("of two that claim a new one at once, one has it, and both know whose it is", async () => {
  const model = new ModelLog()
  const log = logOver(model)
  const [one, other] = [randomBytes(32), randomBytes(32)]
  const claims = await Promise.all([one, other, one].map((seed) => Effect.runPromiseExit(claimLog(log, seed))))
  expect(claims.map(Exit.isSuccess)).toEqual([true, false, true])
  expect(model.subjects.get(subjects.event("service", SERVICE_ID))).toHaveLength(1)
})

test("a log that does not answer is waited for", async () => {
  const model = new ModelLog()
  let silent = 2
  const log: EventLog = {
    ...logOver(model),
    read: async (subject, after, max) => {
      if (silent-- > 0) throw new Error("direct get did not answer in time, or its connection was lost")
      return model.read(subject, after, max)
    }
  }
  await Effect.runPromise(claimLog(log, randomBytes(32)))
  expect(model.subjects.get(subjects.event("service", SERVICE_ID))).toHaveLength(1)
})
