/** Stories in a log that is too long to be read at once. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { storyPage } from "../../ops/console/explain/story.ts"
import { storyOf } from "../../ops/explain/story.ts"
import { subjects, streams } from "../../schemas/subjects.ts"
import { type History, liveThrough } from "../ops/history.ts"
import { dataOf } from "../support/outcome.ts"
import { testService, type TestService } from "../support/service.ts"

/** More than the end of the log that is read first, and what lies between a request's own commits. */
const LENGTH = 64_000
const AT_ONCE = 4000
const PATIENT_MS = 120_000

let service: TestService
let past: History
let old: string
let fresh: string
const renamed = async (name: string): Promise<string> => {
  const answer = await past.client.call("PATCH", "/api/v1/me", { body: { name } })
  dataOf(answer)
  return String(answer.headers["x-request-id"])
}
const appended = async (id: string): Promise<void> => {
  const events = [{ type: "handle.claimed", v: 1, agent: "hx0" }]
  const commit = { v: 1 as const, id: `of-a-test-${id}`, op: "test.claim", at: 1_700_000_000_000, events }
  const done = await service.view.log.append([{ subject: subjects.event("handle", id), expected: 0, commit }])
  if (!done.ok) throw new Error(done.reason)
}
beforeAll(async () => {
  service = await testService()
  past = await liveThrough(service)
  old = await renamed("Old")
  for (let base = 0; base < LENGTH; base += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => appended(`far${base + index}`)))
  fresh = await renamed("New")
})
afterAll(() => service?.stop())

const last = async () => (await service.view.manager.streams.info(streams.events)).state.last_seq

test("reading that is cut short gives the story up to there", async () => {
  const parts = { request: old, from: 1, progress: () => undefined, signal: new AbortController().signal }
  const cut = await storyOf(service.view, { ...parts, enough: () => true })
  expect(cut.commits.map(({ op }) => op)).toContain("agent.update")
  expect(cut.read_to).toBeLessThan(await last())
  expect((await storyOf(service.view, parts)).read_to).toBe(await last())
})

test("a request of the end of the log is found there", async () => {
  const { story } = await storyPage(service.view, fresh, "", PATIENT_MS)
  expect(story.commits.map(({ op }) => op)).toContain("agent.update")
  expect(story.read_to).toBeGreaterThan(LENGTH)
})

test("an older request is found in all of it", async () => {
  const { story } = await storyPage(service.view, old, "", PATIENT_MS)
  expect(story.commits.map(({ op }) => op)).toContain("agent.update")
  await expect(storyPage(service.view, "of-nobody", "", 0)).rejects.toThrow(
    /^It was not found in the part of the log that could be read in time, which ended at #\d+ of #\d+\./
  )
})

test("an older request is found with the point since when to read", async () => {
  const { story } = await storyPage(service.view, old, "#1", PATIENT_MS)
  expect(story.commits.map(({ op }) => op)).toContain("agent.update")
})
