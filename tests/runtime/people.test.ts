/**
 * A person's compartments in real containers (spec 4.10, 4.11): made at a form, run with the key of an agent that nobody
 * else has, looked at, stopped, deleted, and gone with the account.
 */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { KnownCompartment } from "../../schemas/compartment/operations.ts"
import type { AgentPublic } from "../../schemas/agent/records.ts"
import { waitFor } from "../harness/index.ts"
import { formsOf, OwnerClient } from "../html/owner/client.ts"
import { madeBy, pathOf, steered, WANTED } from "../html/owner/compartments.ts"
import { send } from "../support/http.ts"
import { tokensTo } from "../support/outbox.ts"
import { dataOf } from "../support/outcome.ts"
import { newOwner, type TestOwner } from "../support/owner.ts"
import { type Hosted, sharedHosted } from "./hosted.ts"

const SETTLED_MS = 240_000

let service: Hosted
beforeAll(async () => {
  service = await sharedHosted()
})
afterAll(() => service?.stop())

const person = async (): Promise<TestOwner> => {
  const owner = await newOwner(service.edges)
  const [token] = await tokensTo(service, owner.client.email, "/owner/verify")
  dataOf(await owner.person.call("POST", "/humans/verify-email", { token }))
  return owner
}

const recordOf = async ({ id: human }: TestOwner, id: string): Promise<KnownCompartment> => {
  const by = { type: "human", human } as const
  return (await service.view.command("compartment.look", id, { by })).compartment
}

const until = (owner: TestOwner, id: string, status: KnownCompartment["status"]) =>
  waitFor(async () => ((await recordOf(owner, id)).status === status ? true : null), {
    describe: `a compartment that is ${status}`,
    deadlineMs: SETTLED_MS
  })

/** Its page, once that holds this. */
const pageWith = ({ client }: TestOwner, id: string, wanted: RegExp): Promise<string> =>
  waitFor(
    async () => {
      const page = (await client.get(pathOf(id))).text
      return wanted.test(page) ? page : null
    },
    { describe: `a page with ${wanted.source}`, deadlineMs: SETTLED_MS }
  )

const get = async <T>(path: string): Promise<T> =>
  dataOf<T>(await send({ edge: service.edges[0] ?? "", method: "GET", path: `/api/v1${path}` }))

/** What is kept of a compartment on this machine. */
const isKept = (id: string): boolean => {
  const folder = join(service.folder, "compartments")
  return existsSync(folder) && readdirSync(folder).some((name) => name.includes(id))
}

it("the polite member signs as its agent, may not say hello before it is admitted, and is read on its page", async () => {
  const owner = await person()
  const id = await madeBy(owner, { ...WANTED, program: "polite-member", name: "polite" })
  const { agent } = await recordOf(owner, id)
  await until(owner, id, "running")
  const page = await pageWith(owner, id, /: \d+ notifications, \d+ messages/)
  expect(page).toContain("Processor")
  expect(page).toContain("not admitted yet")
  expect(await get<ReadonlyArray<unknown>>(`/threads?author=${agent}`)).toEqual([])
  const { sponsors } = await get<AgentPublic>(`/agents/${agent}`)
  expect(sponsors.map(({ human_id }) => human_id)).toEqual([owner.id])
  await owner.deleted()
  await waitFor(() => Promise.resolve(!isKept(id)), { describe: "a folder that is gone", deadlineMs: SETTLED_MS })
  await expect(service.container(id).inspect()).rejects.toMatchObject({ statusCode: 404 })
})

it("a command of one's own runs, is stopped, started and deleted by buttons, and what it writes is text", async () => {
  const owner = await person()
  const command = `printf '\\033[31m<b>red</b>\\n'; echo "key \${#HUB_KEY}"; exec sleep infinity`
  const id = await madeBy(owner, { ...WANTED, program: "own", command, name: "own" })
  await until(owner, id, "running")
  const page = await pageWith(owner, id, /key 44/)
  expect(page).toContain("\\u001b[31m&lt;b&gt;red&lt;/b&gt;")
  expect((await steered(owner, id, "stop")).status).toBe(303)
  await until(owner, id, "stopped")
  expect((await steered(owner, id, "start")).status).toBe(303)
  await until(owner, id, "running")
  expect((await steered(owner, id, "restart")).status).toBe(303)
  await waitFor(async () => {
    const { status, events } = await recordOf(owner, id)
    return status === "running" && events.filter(({ type }) => type === "started").length === 3 ? true : null
  })
  expect((await steered(owner, id, "delete", { confirm: "own" })).headers.location).toBe("/owner")
  await waitFor(() => Promise.resolve(!isKept(id)), { describe: "a folder that is gone", deadlineMs: SETTLED_MS })
  // The host tells the service after the folder is gone.
  await waitFor(async () => (await owner.client.get(pathOf(id))).status === 404, { describe: "a page that is gone" })
})

it("a link that its program asks for shows it to one browser", async () => {
  const owner = await person()
  const command = `hub-agent call post "/compartments/$HUB_COMPARTMENT/web-link" --json; exec sleep infinity`
  const id = await madeBy(owner, { ...WANTED, program: "own", command, name: "shown" })
  const page = await pageWith(owner, id, /\/owner\/links\//)
  const [, secret = ""] = new RegExp(`/owner/links/${id}\\.([\\w-]{32})`).exec(page) ?? []
  const path = `/owner/links/${id}.${secret}`
  const [first, second] = [0, 1].map((edge) => new OwnerClient(() => service.edges[edge] ?? ""))
  expect((await first?.fill(path, {}))?.status).toBe(303)
  const opened = await first?.get(path)
  expect([opened?.status, opened?.text.includes("What it uses"), formsOf(opened?.text ?? "")]).toEqual([200, true, []])
  expect([(await second?.get(path))?.status, (await first?.get(path))?.status]).toEqual([404, 200])
  expect((await steered(owner, id, "delete", { confirm: "shown" })).status).toBe(303)
})
