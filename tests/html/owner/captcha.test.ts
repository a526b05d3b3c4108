/** An owner solves captchas in a real browser at 360 px, by pointer and by keyboard; the agent's held request hears of it. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { violations } from "../accessible.ts"
import type { Captcha, CaptchaAnswer } from "../../../schemas/captcha/records.ts"
import { waitFor } from "../../harness/index.ts"
import { openBrowser, type TestBrowser, type Visit } from "../../support/browser.ts"
import { dataOf } from "../../support/outcome.ts"
import { newOwner, ownedBy, type OwnerOf } from "../../support/owner.ts"
import { png } from "../../support/pictures.ts"
import { sharedService, type TestService } from "../../support/service.ts"
import { overflow } from "../in-page.ts"

const NARROW = { width: 360, height: 740 }
/** A pixel of the screen, and what rounding adds, of a picture shown 320 by 160. */
const NEAR = 0.01

let service: TestService
let browser: TestBrowser
let pair: OwnerOf
beforeAll(async () => {
  service = await sharedService()
  browser = await openBrowser()
  pair = await ownedBy(service.edges, await newOwner(service.edges))
})
afterAll(async () => {
  await browser?.stop()
  await service?.stop()
})

const looksWell = async ({ page }: Visit): Promise<void> => {
  expect(await violations({ page })).toEqual([])
  expect(await page.evaluate(overflow)).toBe(0)
}

/** The owner's browser, logged in. */
const entered = async (colorScheme: "light" | "dark" = "light"): Promise<Visit> => {
  const url = `${service.edges[0]}/owner/login`
  const visit = await browser.visit(url, { viewport: NARROW, colorScheme, bypassCSP: true })
  await visit.page.getByLabel("E-mail address").fill(pair.owner.client.email)
  await visit.page.getByLabel("Password", { exact: true }).fill(pair.owner.client.password)
  await visit.page.getByRole("button", { name: "Log in", exact: true }).click()
  await visit.page.getByRole("heading", { level: 1, name: "Your agents" }).waitFor()
  return visit
}

const held = async (kind: string, width = 1280, height = 640): Promise<Captcha> =>
  dataOf(
    await pair.agent.client.call("POST", "/api/v1/me/captcha", {
      body: {
        image_base64: (await png(width, height)).toString("base64"),
        kind,
        context: "It wants <b>all</b> of the bicycles.",
        origin: "https://forum.example",
        wait_seconds: 25
      }
    })
  )

/** From the list of those that wait. */
const opened = async (visit: Visit): Promise<void> => {
  const link = visit.page.locator('main a[href*="/owner/captcha/"]')
  await waitFor(
    async () => {
      await visit.to(`${service.edges[0]}/owner`)
      return (await link.count()) > 0
    },
    { describe: "the captcha in the owner's space" }
  )
  await looksWell(visit)
  await link.first().click()
  await visit.page.getByRole("heading", { level: 1, name: "A captcha" }).waitFor()
}

const tapsOf = (answer: CaptchaAnswer | null) => (answer !== null && "taps" in answer ? (answer.taps ?? []) : [])

const picture = ({ page }: Visit) => page.getByRole("button", { name: "The captcha: tap it" })
const press = ({ page }: Visit, name: string) => page.getByRole("button", { name, exact: true }).click()
const says = ({ page }: Visit, text: string) => page.getByText(text).waitFor()

it("of places: two are tapped, one taken back, another tapped, and done", async () => {
  const visit = await entered()
  const answer = held("taps")
  await opened(visit)
  expect(await visit.page.getByText("It wants <b>all</b> of the bicycles.").isVisible()).toBe(true)
  expect(await picture(visit).boundingBox()).toMatchObject({ width: 320, height: 160 })
  await looksWell(visit)
  await press(visit, "Done")
  await says(visit, "Tap the picture first.")
  await picture(visit).click({ position: { x: 80, y: 40 } })
  await says(visit, "1 tap of 20")
  await picture(visit).click({ position: { x: 10, y: 150 } })
  await says(visit, "2 taps of 20")
  await looksWell(visit)
  // Each is shown where it was.
  const dots = await visit.page.locator(".dots circle").all()
  const at = await Promise.all(dots.map(async (dot) => [await dot.getAttribute("cx"), await dot.getAttribute("cy")]))
  expect(at.map((one) => one.map(Number))).toEqual([
    [expect.closeTo(80, -0.5), expect.closeTo(40, -0.5)],
    [expect.closeTo(10, -0.5), expect.closeTo(150, -0.5)]
  ])
  await press(visit, "Take the last one back")
  await says(visit, "1 tap of 20")
  // On a dot that is there, too.
  await picture(visit).click({ position: { x: 84, y: 44 } })
  await says(visit, "2 taps of 20")
  await picture(visit).click({ position: { x: 300, y: 120 } })
  await says(visit, "3 taps of 20")
  await press(visit, "Done")
  await says(visit, "It is answered.")
  await looksWell(visit)
  const captcha = await answer
  expect(captcha).toMatchObject({ state: "answered", waited: true, answered_by: pair.owner.id })
  const clicked = [
    [80, 40],
    [84, 44],
    [300, 120]
  ] as const
  const taps = tapsOf(captcha.answer)
  expect(taps).toHaveLength(clicked.length)
  for (const [index, [x, y]] of clicked.entries()) {
    const off = [(taps[index]?.x ?? NaN) - x / 320, (taps[index]?.y ?? NaN) - y / 160].map(Math.abs)
    expect(Math.max(...off)).toBeLessThan(NEAR)
  }
  expect(visit.complaints).toEqual([expect.stringContaining("422")])
  await visit.close()
})

it("of places, by keyboard alone", async () => {
  const visit = await entered("dark")
  const { keyboard } = visit.page
  const answer = held("taps")
  await opened(visit)
  // The picture is reached, and a key on it taps nothing: the field for places opens.
  const focused = visit.page.locator(":focus")
  const tabTo = async (name: RegExp): Promise<void> => {
    for (let count = 0; count < 30; count++) {
      await keyboard.press("Tab")
      const [text = ""] = await focused.evaluateAll(([one]) =>
        one === undefined ? [] : [one.getAttribute("alt") ?? one.textContent ?? ""]
      )
      if (name.test(text)) return
    }
    throw new Error(`no way by keyboard to ${name}`)
  }
  await tabTo(/tap it/)
  await keyboard.press("Enter")
  await says(visit, "Two parts of a hundred")
  await looksWell(visit)
  expect(await focused.getAttribute("name")).toBe("place")
  await keyboard.type("25 40")
  await keyboard.press("Enter")
  await says(visit, "1 tap of 20")
  await tabTo(/Without a pointer/)
  await keyboard.press("Enter")
  await keyboard.press("Tab")
  await keyboard.type("99, 1.5")
  await looksWell(visit)
  await tabTo(/Tap there/)
  await keyboard.press("Enter")
  await says(visit, "2 taps of 20")
  await tabTo(/^Done$/)
  await keyboard.press("Space")
  await says(visit, "It is answered.")
  expect((await answer).answer).toEqual({
    taps: [
      { x: 0.25, y: 0.4 },
      { x: 0.99, y: 0.015 }
    ]
  })
  await visit.close()
})

it("of letters: typed, and sent by a key", async () => {
  const visit = await entered()
  const answer = held("text")
  await opened(visit)
  await looksWell(visit)
  const image = visit.page.getByRole("img", { name: "The captcha" })
  await waitFor(async () => (await image.evaluate((one) => "naturalWidth" in one && one.naturalWidth)) === 1280, {
    describe: "the picture itself"
  })
  await visit.page.getByLabel("What it shows").fill("x".repeat(201))
  await visit.page.getByLabel("What it shows").press("Enter")
  await says(visit, "in at most 200 characters")
  await looksWell(visit)
  await visit.page.getByLabel("What it shows").fill("XK7 <b>")
  await visit.page.keyboard.press("Enter")
  await says(visit, "It is answered.")
  expect(await answer).toMatchObject({ waited: true, answer: { text: "XK7 <b>" } })
  await visit.close()
})

it("of a box: said to be ticked by a key, or tapped", async () => {
  const visit = await entered()
  const ticked = held("checkbox")
  await opened(visit)
  await looksWell(visit)
  await visit.page.getByRole("button", { name: "It is ticked" }).press("Enter")
  await says(visit, "It is answered.")
  expect((await ticked).answer).toEqual({ checked: true })
  const tapped = held("checkbox", 200, 80)
  await opened(visit)
  await picture(visit).click({ position: { x: 50, y: 20 } })
  await says(visit, "It is answered.")
  const [tap] = tapsOf((await tapped).answer)
  expect([tap?.x, tap?.y]).toEqual([expect.closeTo(0.25, 1), expect.closeTo(0.25, 1)])
  expect(visit.complaints).toEqual([])
  await visit.close()
})
