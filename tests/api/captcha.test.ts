/** An agent has its owner solve a captcha, over two edges (spec 2.12, 3.7, 4.10; contract 10, 20). */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Captcha } from "../../schemas/captcha/records.ts"
import type { Home } from "../../schemas/home/records.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { waitFor, movableClock } from "../harness/index.ts"
import { problemsOf } from "../html/owner/client.ts"
import { dataOf, detailsOf, outcome } from "../support/outcome.ts"
import { CAPTCHA_PATH as PATH, captchaSent as sent, sendCaptcha as send } from "../support/captcha.ts"
import { newOwner, ownedBy, type OwnerOf, type TestOwner } from "../support/owner.ts"
import { png } from "../support/pictures.ts"
import { foundIn } from "../support/planted.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent, type Carried, told } from "../support/sponsorship.ts"

const clock = movableClock()
let service: TestService
/** Where captchas end soon, and their pictures go. */
let hasty: TestService

beforeAll(async () => {
  const limits = { "rate_limits.sponsorship.requests": 1000 }
  service = await testService({ metrics: true, edges: 2, actors: 2, limits, clock })
  hasty = await testService({
    edges: 1,
    actors: 1,
    limits: {
      ...limits,
      "limits.owner.captcha_seconds": 3,
      "limits.owner.captcha_image_seconds": 2,
      "service.blob_grace_seconds": 1
    }
  })
})
afterAll(() => Promise.all([service?.stop(), hasty?.stop()]))

const TIME = expect.stringMatching(/^\d{4}-.*Z$/)

const look = async ({ client }: Carried, id: number, query = ""): Promise<Captcha> =>
  dataOf(await client.call("GET", `${PATH}/${id}${query}`))
const pageOf = (id: number): string => `/owner/captcha/${id}`
const solve = async (owner: TestOwner, id: number, fields: Readonly<Record<string, string>>) =>
  owner.client.fill(pageOf(id), fields)
const aPair = async (of = service): Promise<OwnerOf> => ownedBy(of.edges, await newOwner(of.edges))

describe("a captcha", () => {
  it("of letters is typed by the owner; the agent hears of it, reads it and says how it went", async () => {
    const { agent, owner } = await aPair()
    const captcha = await sent(agent, { context: "Sign-up at the forum", origin: "https://forum.example" })
    expect(captcha).toEqual({
      id: expect.any(Number),
      state: "pending",
      kind: "text",
      context: "Sign-up at the forum",
      origin: "https://forum.example",
      created_at: TIME,
      expires_at: TIME,
      answered_at: null,
      answer: null,
      answered_by: null,
      result: null,
      waited: false
    })
    expect(Date.parse(captcha.expires_at) - Date.parse(captcha.created_at)).toBe(600_000)
    expect(dataOf<Home>(await agent.client.call("GET", "/api/v1/me/home")).captchas).toBe(1)
    const list = await owner.client.get("/owner")
    expect(list.text).toContain(`href="${pageOf(captcha.id)}"`)
    expect((await owner.client.get(owner.page(agent))).text).toContain(`href="${pageOf(captcha.id)}"`)
    const page = (await owner.client.get(pageOf(captcha.id))).text
    expect(page).toContain("Sign-up at the forum")
    expect(page).toContain(`src="${pageOf(captcha.id)}/image" width="300" height="150"`)
    const image = await owner.client.get(`${pageOf(captcha.id)}/image`)
    expect([image.status, image.headers["content-type"], image.headers["cache-control"]]).toEqual([
      200,
      "image/png",
      "no-store"
    ])
    expect(image.headers["x-content-type-options"]).toBe("nosniff")
    expect((await solve(owner, captcha.id, { text: " XK7 PQ " })).status).toBe(303)
    const notice = await told(agent, "captcha.answered")
    expect(notice.payload).toMatchObject({ captcha_id: captcha.id, state: "answered", kind: "text", answered_at: TIME })
    expect(JSON.stringify(notice)).not.toContain("XK7")
    expect(await look(agent, captcha.id)).toMatchObject({
      state: "answered",
      answer: { text: "XK7 PQ" },
      answered_by: owner.id,
      answered_at: TIME,
      result: null
    })
    expect(dataOf<Home>(await agent.client.call("GET", "/api/v1/me/home")).captchas).toBe(0)
    const report = { body: { result: "solved" } }
    const reported = dataOf<Captcha>(await agent.client.call("POST", `${PATH}/${captcha.id}/result`, report))
    expect(reported).toMatchObject({ state: "solved", result: "solved", answer: { text: "XK7 PQ" } })
    expect(outcome(await agent.client.call("POST", `${PATH}/${captcha.id}/result`, report))).toBe("200")
    const other = await agent.client.call("POST", `${PATH}/${captcha.id}/result`, { body: { result: "failed" } })
    expect([outcome(other), detailsOf(other)]).toEqual(["409 captcha_not_answered", { state: "solved" }])
    expect(outcome(await agent.client.call("DELETE", `${PATH}/${captcha.id}`))).toBe("409 captcha_not_pending")
  })

  it("of a box is ticked, or tapped", async () => {
    const { agent, owner } = await aPair()
    const ticked = await sent(agent, { kind: "checkbox" })
    await solve(owner, ticked.id, { act: "check" })
    expect((await look(agent, ticked.id)).answer).toEqual({ checked: true })
    const tapped = await sent(agent, { kind: "checkbox" })
    await solve(owner, tapped.id, { "tap.x": "75", "tap.y": "30" })
    expect((await look(agent, tapped.id)).answer).toEqual({ checked: true, taps: [{ x: 0.25, y: 0.2 }] })
  })

  it("of places is tapped on a picture that is wider than a phone, one after the other; the last can be taken back", async () => {
    const { agent, owner } = await aPair()
    const { id } = await sent(agent, { kind: "taps", image_base64: (await png(1280, 640)).toString("base64") })
    expect((await owner.client.get(pageOf(id))).text).toContain('width="320" height="160"')
    const form = await owner.client.form(pageOf(id))
    const none = await owner.client.post(form.action, { ...form.fields, act: "done" })
    expect([none.status, problemsOf(none).length]).toEqual([422, 1])
    let taps = ""
    for (const [x, y] of [
      [160, 80],
      [320, 160],
      [0, 16],
      [16, 16]
    ] as const) {
      const page = await owner.client.post(form.action, {
        ...form.fields,
        taps,
        "tap.x": String(x),
        "tap.y": String(y)
      })
      taps = /name="taps" value="([^"]*)"/.exec(page.text)?.[1] ?? ""
    }
    expect(taps).toBe("0.5,0.5 1,1 0,0.1 0.05,0.1")
    const undone = await owner.client.post(form.action, { ...form.fields, taps, act: "undo" })
    taps = /name="taps" value="([^"]*)"/.exec(undone.text)?.[1] ?? ""
    for (const [x, y] of [
      ["400", "10"],
      ["10", "161"],
      ["-1", "5"],
      ["1e2", "5"]
    ] as const) {
      const beside = await owner.client.post(form.action, { ...form.fields, taps, "tap.x": x, "tap.y": y, act: "undo" })
      expect(/name="taps" value="([^"]*)"/.exec(beside.text)?.[1]).toBe("0.5,0.5 1,1")
    }
    const done = { ...form.fields, taps: `${taps} 7,7 x,y 0.1`, act: "done" }
    expect((await owner.client.post(form.action, done)).status).toBe(303)
    expect((await look(agent, id)).answer).toEqual({
      taps: [
        { x: 0.5, y: 0.5 },
        { x: 1, y: 1 },
        { x: 0, y: 0.1 }
      ]
    })
  })

  it("of places is solved without a pointer, and a key that presses the picture taps no corner of it", async () => {
    const { agent, owner } = await aPair()
    const { id } = await sent(agent, { kind: "taps" })
    const form = await owner.client.form(pageOf(id))
    const send = (fields: Readonly<Record<string, string>>) =>
      owner.client.post(form.action, { ...form.fields, ...fields })
    const pressed = await send({ "tap.x": "0", "tap.y": "0" })
    expect([pressed.status, problemsOf(pressed)]).toEqual([422, [expect.stringContaining("such as 25 40")]])
    expect(pressed.text).toContain("<details open>")
    for (const place of ["25", "101 3", "-1 5", "1e1 5", "a b", "1 2 3"])
      expect((await send({ place, act: "done" })).status).toBe(422)
    expect((await send({ place: "25 40", "tap.x": "0", "tap.y": "0" })).text).toContain('value="0.25,0.4"')
    const full = Array.from({ length: 20 }, () => "0.5,0.5").join(" ")
    expect((await send({ taps: full, place: "25 40", act: "done" })).status).toBe(422)
    expect((await send({ taps: "0.25,0.4", place: "99.5%, 0", act: "done" })).status).toBe(303)
    const places = [
      { x: 0.25, y: 0.4 },
      { x: 0.995, y: 0 }
    ]
    expect((await look(agent, id)).answer).toEqual({ taps: places })
    const box = await sent(agent, { kind: "checkbox" })
    await solve(owner, box.id, { "tap.x": "0", "tap.y": "0" })
    expect((await look(agent, box.id)).answer).toEqual({ checked: true })
  })

  it("is taken back, and then answered by nobody", async () => {
    const { agent, owner } = await aPair()
    const { id } = await sent(agent)
    const form = await owner.client.form(pageOf(id))
    expect(dataOf<Captcha>(await agent.client.call("DELETE", `${PATH}/${id}`))).toMatchObject({ state: "cancelled" })
    expect((await owner.client.post(form.action, { ...form.fields, text: "late" })).status).toBe(303)
    expect((await owner.client.get(pageOf(id))).text).toContain("The agent has taken it back.")
    expect(await look(agent, id)).toMatchObject({ state: "cancelled", answer: null })
    const early = await agent.client.call("POST", `${PATH}/${id}/result`, { body: { result: "solved" } })
    expect(outcome(early)).toBe("409 captcha_not_answered")
  })

  it("is answered once, by whoever is first of two owners", async () => {
    const [one, two] = [await newOwner(service.edges), await newOwner(service.edges)]
    const { agent } = await ownedBy(service.edges, one)
    await two.carries(agent)
    const { id } = await sent(agent)
    const forms = await Promise.all([one, two].map((owner) => owner.client.form(pageOf(id))))
    const [first, second] = await Promise.all(
      [one, two].map((owner, index) =>
        owner.client.post(pageOf(id), { ...forms[index]?.fields, text: `answer ${index}` })
      )
    )
    expect([first?.status, second?.status]).toEqual([303, 303])
    const { answer, answered_by } = await look(agent, id)
    const winner = answered_by === one.id ? 0 : 1
    expect(answer).toEqual({ text: `answer ${winner}` })
    const loser = [one, two][1 - winner]
    expect((await loser?.client.get(pageOf(id)))?.text).toContain("It is answered.")
    expect((await loser?.client.get(pageOf(id)))?.text).not.toContain("answer ")
  })

  it("is held until it is answered at another edge, beside a message that is held too", async () => {
    const { agent, owner } = await aPair()
    const held = sent(agent, { wait_seconds: 25 })
    const id = await waitFor(
      async () => Number(/href="\/owner\/captcha\/(\d+)"/.exec((await owner.client.get("/owner")).text)?.[1] ?? 0),
      { describe: "the captcha at its owner's" }
    )
    const second = await look(agent, id, "?wait_seconds=25")
    expect(second).toMatchObject({ state: "pending", waited: false })
    await solve(owner, id, { text: "now" })
    expect(await held).toMatchObject({ id, state: "answered", answer: { text: "now" }, waited: true })
    const again = look(agent, (await sent(agent)).id, "?wait_seconds=0")
    expect(await again).toMatchObject({ state: "pending", waited: false })
  })

  it("needs a person who owns the agent", async () => {
    expect(outcome(await send(await anAgent(service.edges)))).toBe("409 captcha_needs_human")
  })

  it("is to no stranger, and no more to an owner who is none any longer", async () => {
    const { agent, owner, sponsorship } = await aPair()
    const { id } = await sent(agent)
    const stranger = await newOwner(service.edges)
    const other = await anAgent(service.edges)
    for (const path of [pageOf(id), `${pageOf(id)}/image`, pageOf(99_999_999), "/owner/captcha/x"])
      expect((await stranger.client.get(path)).status).toBe(404)
    expect(outcome(await other.client.call("GET", `${PATH}/${id}`))).toBe("404 not_found")
    expect(outcome(await other.client.call("DELETE", `${PATH}/${id}`))).toBe("404 not_found")
    expect(outcome(await other.client.call("POST", `${PATH}/${id}/result`, { body: { result: "solved" } }))).toBe(
      "404 not_found"
    )
    const form = await owner.client.form(pageOf(id))
    const forged = await stranger.client.post(pageOf(id), { ...form.fields, text: "mine" })
    expect([403, 404]).toContain(forged.status)
    dataOf(await agent.client.call("POST", `/api/v1/me/sponsorships/${sponsorship}/reject`))
    await waitFor(async () => (await owner.client.get(pageOf(id))).status === 404)
    expect((await owner.client.post(form.action, { ...form.fields, text: "late" })).status).toBe(404)
    expect((await look(agent, id)).state).toBe("pending")
  })

  it("is one of so many that wait", async () => {
    const { agent } = await aPair()
    for (let count = 0; count < 10; count++) await sent(agent)
    const refused = await send(agent)
    expect(outcome(refused)).toBe("429 rate_limited")
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0)
  })
})

describe("where its time is short", () => {
  it("it expires, its owner is told so, and its picture goes", async () => {
    const { agent, owner } = await aPair(hasty)
    const { id } = await sent(agent)
    expect((await owner.client.get(`${pageOf(id)}/image`)).status).toBe(200)
    const piecesLeft = async (): Promise<number> => {
      const info = await hasty.view.manager.streams.info(streams.blobs, { subjects_filter: subjects.blobOf("*") })
      return Object.keys(info.state.subjects ?? {}).length
    }
    expect(await piecesLeft()).toBeGreaterThan(0)
    expect((await look(agent, id, "?wait_seconds=10")).state).toBe("expired")
    await waitFor(async () => (await owner.client.get(pageOf(id))).text.includes("Its time is over."))
    await waitFor(async () => (await owner.client.get(`${pageOf(id)}/image`)).status === 404)
    await waitFor(async () => (await piecesLeft()) === 0, { describe: "no bytes of the picture" })
  })
})

/** A node keeps a key in memory for so long. */
const KEY_KEPT_MS = 60_000

// The last one: timers of the bus go by the time of the machine.
it("what it says and what is answered stands in the clear nowhere", async () => {
  const { agent, owner } = await aPair()
  const planted = ["juniper-context-9021", "juniper-answer-3377", "juniper.example"] as const
  const { id } = await sent(agent, { context: planted[0], origin: `https://${planted[2]}` })
  await solve(owner, id, { text: planted[1] })
  await told(agent, "captcha.answered")
  expect(await foundIn(service, planted)).toEqual([])
  await owner.deleted()
  clock.move(KEY_KEPT_MS + 1)
  await waitFor(async () => (await look(agent, id)).answer === null)
  expect(await look(agent, id)).toMatchObject({ state: "answered", context: null, origin: null, answer: null })
})
