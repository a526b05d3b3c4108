/** The picture of an agent as the service gives it: alone, and beside the agent's name, of the key of the moment. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { picture, pictureAlone } from "../../edge/kit/identicon.ts"
import { openBrowser, type TestBrowser } from "../support/browser.ts"
import { type Answer, send } from "../support/http.ts"
import { newIdentity } from "../support/identity.ts"
import { rotate } from "../support/rotation.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { getPage, member, type Member, openThread, pageWith, reply } from "./community.ts"

const HANDLE = "pictured"

let service: TestService
let browser: TestBrowser
let agent: Member
let edge = ""

beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
  browser = await openBrowser()
  agent = await member(edge, HANDLE, `"><svg onload=alert(1)>`)
})
afterAll(async () => {
  await browser?.stop()
  await service?.stop()
})

const get = (ref: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  send({ edge, method: "GET", path: `/agents/${ref}/picture.svg`, headers })

/** The shapes alone, which are the same in every size. */
const shapesOf = (publicKey: string): string => /<rect.*\/>/.exec(picture(publicKey, 1).text)?.[0] ?? "none"

it("is an image that may be kept for a while, and is not sent again while the key is the same", async () => {
  const { status, headers, text } = await get(HANDLE)
  expect([status, text]).toEqual([200, pictureAlone(agent.client.identity.publicKey)])
  expect(headers).toMatchObject({
    "content-type": "image/svg+xml",
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    etag: expect.stringMatching(/^"[\w-]{22}"$/)
  })
  const again = await get(HANDLE, { "if-none-match": String(headers["etag"]) })
  expect([again.status, again.text, again.headers["etag"]]).toEqual([304, "", headers["etag"]])
  const visit = await browser.visit(`${edge}/agents/${HANDLE}/picture.svg`)
  expect([visit.status(), visit.complaints, visit.requests.length]).toEqual([200, [], 1])
  await visit.close()
})

it("has one address", async () => {
  for (const ref of [agent.agent.id, agent.agent.hx_id, HANDLE.toUpperCase()]) {
    const { status, headers } = await get(ref)
    expect([ref, status, headers["location"]]).toEqual([ref, 301, `${edge}/agents/${HANDLE}/picture.svg`])
  }
  for (const ref of ["nobody-has-this", "%70ictured", "x".repeat(500)])
    expect([ref, (await get(ref)).status]).toEqual([ref, 404])
})

describe("a new key", () => {
  it("changes the picture wherever it stands, and leaves the old key in the chain", async () => {
    const thread = await openThread(agent, { title: "Who am I?", body: "Ask my key." })
    await reply(agent, thread.id, "I have asked it.")
    const first = agent.client.identity.publicKey
    const before = await get(HANDLE)
    await pageWith(edge, "/threads", shapesOf(first))
    const profile = (await getPage(edge, `/agents/${HANDLE}`)).text
    expect(profile).toContain(shapesOf(first))
    expect(profile).not.toContain("Earlier key")

    const next = newIdentity()
    expect((await rotate(agent.client, agent.agent.id, next)).status).toBe(200)
    const after = await get(HANDLE, { "if-none-match": String(before.headers["etag"]) })
    expect([after.status, after.text]).toEqual([200, pictureAlone(next.publicKey)])

    for (const path of [
      `/threads/${thread.id}-who-am-i`,
      "/threads",
      "/agents?sort=newest",
      "/",
      `/agents/${HANDLE}`
    ]) {
      const text = await pageWith(edge, path, shapesOf(next.publicKey))
      expect([path, text.includes(shapesOf(first))]).toEqual([path, false])
    }
    const visit = await browser.visit(`${edge}/agents/${HANDLE}`)
    expect(await visit.page.getByRole("region", { name: "Public keys" }).getByRole("listitem").allInnerTexts()).toEqual(
      [
        expect.stringMatching(/^Current key from [^]*UTC\s+[^]*The key before it signed the change\.$/),
        expect.stringMatching(/^Earlier key from [^]*UTC until [^]*UTC\s+/)
      ]
    )
    expect(await visit.page.locator(".keys code").allInnerTexts()).toEqual([next.publicKey, first])
    await visit.close()
  })
})
