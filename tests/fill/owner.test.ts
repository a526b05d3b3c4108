/** Fills that need a person: an owner allows one, or solves the captcha before it (spec 4.12; contract 9, 17). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Captcha } from "../../schemas/captcha/records.ts"
import { waitFor } from "../harness/index.ts"
import { type FillBench, openBench, told } from "../support/fill.ts"
import { ownedBy, provenOwner, type TestOwner } from "../support/owner.ts"
import { openVault } from "../support/vault.ts"

const SHOP = "https://shop.example"
const BANK = "https://bank.example"
const LONELY = "https://lonely.example"
const USER = "ada"
const PASSWORD = "Correct-Horse 7"
const FIELDS = { username: USER, password: PASSWORD }

let bench: FillBench
/** Whose agent nobody carries any more. */
let alone: FillBench
let former: TestOwner
let owner: TestOwner
beforeAll(async () => {
  bench = await openBench(["*.example"], {
    agent: async (service) => {
      const pair = await ownedBy(service.edges, await provenOwner(service))
      owner = pair.owner
      return openVault(pair.agent)
    }
  })
  alone = await openBench(["*.example"], {
    agent: async (service) => {
      const pair = await ownedBy(service.edges, await provenOwner(service))
      former = pair.owner
      return openVault(pair.agent)
    }
  })
  await bench.write({ fields: FIELDS })
  await bench.write({ origins: [BANK], fields: { ...FIELDS, consent: "owner" } }, { consent: "owner" })
  await alone.write({ origins: [LONELY], fields: FIELDS })
  await alone.write({ origins: [BANK], fields: { ...FIELDS, consent: "owner" } }, { consent: "owner" })
  await former.leaves(alone.of)
})
afterAll(() => Promise.all([bench?.stop(), alone?.stop()]))
beforeEach(() => {
  bench.websites.sent.length = 0
  alone.websites.sent.length = 0
})

const sent = () => waitFor(() => bench.lastSent(), { describe: "the page has sent it" })

describe("an entry that an owner has to allow", () => {
  /** Whatever waits in the owner's space. */
  const says = async (act: "allow" | "decline"): Promise<void> => {
    const page = owner.page(bench.of)
    await waitFor(async () => (await owner.client.get(page)).text.includes("It needs your consent"))
    expect((await owner.client.fill(page, { act }, `${page}/consents`)).status).toBe(303)
  }

  it("is typed once he has", async () => {
    await bench.open(`${BANK}/single`)
    const answer = bench.post("/login")
    await says("allow")
    expect(told(await answer)).toBe("200 done")
    expect(await sent()).toEqual({ email: USER, password: PASSWORD })
  })

  it("goes into no page that came meanwhile", async () => {
    await bench.open(`${BANK}/single`)
    const answer = bench.post("/login")
    await waitFor(async () => (await owner.client.get(owner.page(bench.of))).text.includes("It needs your consent"))
    await bench.open("https://thief.example/greedy")
    await says("allow")
    expect(told(await answer)).toBe("403 origin_mismatch")
    expect(bench.websites.sent).toEqual([])
  })

  it("is not typed where he declines, or where there is none", async () => {
    await bench.open(`${BANK}/single`)
    const answer = bench.post("/login")
    await says("decline")
    expect(told(await answer)).toBe("403 owner_declined")
    await alone.open(`${BANK}/single`)
    expect(told(await alone.post("/login"))).toBe("409 owner_none")
    expect([...bench.websites.sent, ...alone.websites.sent]).toEqual([])
  })
})

describe("a captcha before a form", () => {
  /** The one that waits; then what the owner is shown of it, and does. */
  const waiting = (after: number): Promise<number> =>
    waitFor(async () => {
      const { text } = await owner.client.get("/owner")
      const ids = [...text.matchAll(/\/owner\/captcha\/(\d{1,9})/g)].map(([, id]) => Number(id))
      return ids.find((id) => id > after) ?? null
    })

  const solves = async (id: number, answer: Readonly<Record<string, string>>): Promise<void> => {
    expect((await owner.client.fill(`/owner/captcha/${id}`, answer)).status).toBe(303)
  }

  it("whose box is ticked is solved alone", async () => {
    for (const page of ["captcha-tick", "captcha-frame"]) {
      await bench.open(`${SHOP}/${page}`)
      expect((await bench.post("/login")).json).toMatchObject({ submitted: true, captcha: "solved alone" })
      expect(await sent()).toMatchObject({ user: USER, pass: PASSWORD })
      bench.websites.sent.length = 0
    }
  })

  it("that is a picture goes to the owner, round by round", async () => {
    await bench.open(`${SHOP}/captcha-text`)
    const answer = bench.post("/login")
    const first = await waiting(0)
    const picture = await owner.client.get(`/owner/captcha/${first}/image`)
    expect(picture.status).toBe(200)
    await solves(first, { text: "FIRST" })
    const second = await waiting(first)
    await solves(second, { text: "SECOND" })
    expect((await answer).json).toMatchObject({ status: "done", submitted: true, captcha: "solved by your owner" })
    expect(await sent()).toEqual({ user: USER, pass: PASSWORD, captcha: "SECOND" })
    const record = await bench.of.client.call("GET", `/api/v1/me/captcha/${first}`)
    expect((JSON.parse(record.text) as { readonly data: Captcha }).data).toMatchObject({
      state: "failed",
      origin: SHOP
    })
  })

  it("that is tapped comes after the form was sent", async () => {
    await bench.open(`${SHOP}/captcha-taps`)
    const answer = bench.post("/login")
    const id = await waiting(0)
    await solves(id, { taps: "0.1,0.3125 0.9,0.625", act: "done" })
    expect((await answer).json).toMatchObject({ status: "done", captcha: "solved by your owner" })
    expect(await sent()).toEqual({ user: USER, pass: PASSWORD })
  })

  it("is refused at once where nobody can be asked", async () => {
    await alone.open(`${LONELY}/captcha-text`)
    expect(told(await alone.post("/login"))).toBe("409 captcha_needs_human")
    const failed = await waitFor(async () => (await alone.journal()).find(({ status }) => status === "failed"))
    expect(failed.code).toBe("captcha_needs_human")
  })

  it("is not shown to anybody together with what was typed", async () => {
    await bench.open(`${SHOP}/captcha-nosy`)
    expect(told(await bench.post("/login"))).toBe("409 captcha_unsolved")
    expect(bench.websites.sent).toEqual([])
  })

  it("is left to the agent where the form is", async () => {
    await bench.open(`${SHOP}/captcha-text`)
    expect((await bench.post("/login", { submit: false })).json).toMatchObject({ status: "done", submitted: false })
  })
})
