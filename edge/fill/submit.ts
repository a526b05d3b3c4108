/**
 * Sends a form, and handles a captcha before it (spec 4.12). A box is ticked first. A puzzle is sent to the agent's
 * owners, as a picture of its area alone.
 *
 * Invariants
 *  - A picture that could show typed text is never sent.
 *  - The same picture is never sent twice in succession.
 */
import { createHash } from "node:crypto"
import { CommandFailed } from "./cdp.ts"
import { type PageDocument, PageMoved } from "./document.ts"
import type { Area, Zone } from "./page/captcha.ts"
import type { ButtonFact, Scan } from "./page/dom.ts"
import type { Obstacles } from "./page/sent.ts"
import type { Page } from "./page.ts"
import { type Filling, type Sending, submitForm } from "./place.ts"
import { type Answer, relayOf, type Relay, unsolved } from "./relay.ts"
import { clickAt, clickOn, typeInto } from "./typing.ts"

type NotSent = "button_disabled" | "form_invalid" | "nothing_sent"

export interface SentForm {
  readonly submitted: boolean
  readonly reason?: NotSent
  readonly captcha?: "solved alone" | "solved by your owner"
}

export const NOT_SENT: SentForm = { submitted: false }

const LOOK_AGAIN_MS = 100
/** The time for a captcha that appears only after the form was sent. */
const APPEARS_WITHIN_MS = 1_000
/** The time that a page has to react to an answer or a tick. */
const SETTLES_WITHIN_MS = 5_000
const TURNS_MAX = 12
const PNG_MAX_CHARS = 1_300_000
const JPEG_QUALITY = 70

const pause = (): Promise<void> => new Promise((later) => setTimeout(later, LOOK_AGAIN_MS))

/** A page may continue by itself once its captcha is solved, so a missing element is no failure. */
const isGone = (error: unknown): boolean => error instanceof PageMoved || error instanceof CommandFailed

/** Looks for a captcha in the filled document. A captcha of the next document belongs to another fill. */
const zoneOn = async (page: Page): Promise<Zone | null> => {
  try {
    page.still()
    return await page.top.call<Zone | null>("captchaZone")
  } catch (error) {
    if (isGone(error)) return null
    throw error
  }
}

const shot = async (page: Page, { x, y, width, height }: Area): Promise<string> => {
  const scroll = await page.top.call<{ readonly x: number; readonly y: number }>("scrolled")
  const clip = { x: x + scroll.x, y: y + scroll.y, width, height, scale: 1 }
  const take = async (format: object): Promise<string> => {
    const { data } = (await page.input("Page.captureScreenshot", { clip, ...format })) as { readonly data: string }
    return data
  }
  const png = await take({ format: "png" })
  return png.length <= PNG_MAX_CHARS ? png : take({ format: "jpeg", quality: JPEG_QUALITY })
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64")

const KINDS = { box: "checkbox", text: "text", taps: "taps" } as const

const apply = async (page: Page, zone: Zone, answer: Answer): Promise<void> => {
  if ("text" in answer) return typeInto(page, page.top, zone.n, answer.text)
  const taps = answer.taps ?? []
  for (const tap of taps) await clickOn(page, zone.n, tap)
  if (taps.length === 0) await clickOn(page, zone.n, null)
  if (zone.confirm !== null) await clickAt(page, page.top, zone.confirm)
}

/** A hash of the captcha's picture; `null` if it is gone. */
const pictureOf = async (page: Page, { area }: Zone): Promise<string | null> => {
  try {
    return hashOf(await shot(page, area))
  } catch (error) {
    if (isGone(error)) return null
    throw error
  }
}

/**
 * Waits until the captcha is gone or another one appears, or until `SETTLES_WITHIN_MS` have passed. Returns the captcha
 * that is there then.
 */
const settled = async (page: Page, before: Zone, seen: string | null): Promise<Zone | null> => {
  const until = Date.now() + SETTLES_WITHIN_MS
  for (;;) {
    const zone = await zoneOn(page)
    if (zone === null || zone.kind !== before.kind || Date.now() > until) return zone
    const now = seen === null ? null : await pictureOf(page, zone)
    if (now !== null && now !== seen) return zone
    await pause()
  }
}

const hasMoved = (page: Page): boolean => {
  try {
    page.still()
    return false
  } catch (error) {
    if (error instanceof PageMoved) return true
    throw error
  }
}

const appeared = async (page: Page): Promise<Zone | null> => {
  for (const until = Date.now() + APPEARS_WITHIN_MS; Date.now() < until; await pause()) {
    const zone = await zoneOn(page)
    if (zone !== null || hasMoved(page)) return zone
  }
  return null
}

const SENDS_WITHIN_MS = 3_000

interface Watched {
  readonly send: () => Promise<void>
  /** `null` if the page has sent or accepted the form. */
  readonly problem: () => Promise<NotSent | null>
}

const reasonFor = ({ disabled, invalid }: Obstacles, pressed: ButtonFact | null): NotSent => {
  if (disabled && pressed === null) return "button_disabled"
  return invalid && (pressed === null || pressed.submits) ? "form_invalid" : "nothing_sent"
}

const watchedSending = async (page: Page, sending: Sending): Promise<Watched> => {
  const { document, button } = sending
  const requested = await page.requested()
  const obstacles = await document.call<Obstacles>("beforeSending", button?.n ?? null)
  let pressed: ButtonFact | null = null
  const isTaken = async (): Promise<boolean> => {
    try {
      return hasMoved(page) || (await document.call<boolean>("hasTaken"))
    } catch (error) {
      if (isGone(error)) return true
      throw error
    }
  }
  return {
    send: async () => {
      pressed = await submitForm(page, sending)
    },
    problem: async () => {
      const reason = reasonFor(obstacles, pressed)
      for (const until = Date.now() + SENDS_WITHIN_MS; ; await pause()) {
        // The form counts as sent if the page has sent data, or has accepted the form.
        if ((reason === "nothing_sent" && requested()) || (await isTaken())) return null
        if (Date.now() > until) return reason
      }
    }
  }
}

/** Some pages send the form by themselves, once their captcha is solved. */
const sendUnlessSent = async (page: Page, { send }: Watched): Promise<void> => {
  if (hasMoved(page)) return
  try {
    await send()
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

const ACCEPTED_WITHIN_MS = 10_000
const GONE_TIMES = 2
type IsForm = (scan: Scan) => boolean

const isEmptied = (document: PageDocument): Promise<boolean> =>
  document.call<boolean>("isEmptied").catch((error: unknown) => {
    if (isGone(error)) return false
    throw error
  })

/** True if the page still shows the form; `null` while another document is loading. */
const shows = async (page: Page, within: PageDocument, isForm: IsForm): Promise<boolean | null> => {
  try {
    const document = within === page.top ? await page.current() : within
    if (document.origin !== within.origin) return false
    if (!(await document.call<boolean>("isLoaded"))) return null
    return isForm(await document.scan()) && !(await isEmptied(within))
  } catch (error) {
    // The form is gone with its frame.
    if (isGone(error)) return within === page.top ? null : false
    throw error
  }
}

/**
 * A page that still shows the form has not accepted it. The form must be missing twice in a row, because pages are
 * built step by step.
 */
export const isTaken = async (page: Page, document: PageDocument, isForm: IsForm): Promise<boolean> => {
  const until = Date.now() + ACCEPTED_WITHIN_MS
  let gone = 0
  while (Date.now() < until && gone < GONE_TIMES) {
    await pause()
    gone = (await shows(page, document, isForm)) === false ? gone + 1 : 0
  }
  return gone === GONE_TIMES
}

const askOwner = async (page: Page, relay: Relay, zone: Zone, seen: string | null): Promise<string> => {
  if (!zone.clean) throw unsolved("The captcha cannot be shown to an owner without what was typed.")
  const image_base64 = await shot(page, zone.area)
  const hash = hashOf(image_base64)
  if (hash === seen) {
    await relay.report("failed")
    throw unsolved("The captcha shows the same picture after it was answered.")
  }
  await apply(page, zone, await relay.ask({ kind: KINDS[zone.kind], image_base64 }))
  return hash
}

/** Sends the typed form, and handles captchas that the page shows before or after that. */
export const sendForm = async (filling: Filling, fill_id: number, sending: Sending): Promise<SentForm> => {
  const { page, patience, service } = filling
  const context = `Before a form at ${page.origin} is sent`
  const relay = relayOf({ hub: service.hub, patience, fill_id, context })
  const watched = await watchedSending(page, sending)
  let captcha: SentForm["captcha"]
  let [ticked, seen] = [false, null as string | null]
  let zone = await zoneOn(page)
  for (let turn = 0; turn < TURNS_MAX; turn++) {
    if (zone === null) {
      await (captcha === undefined ? watched.send() : sendUnlessSent(page, watched))
      zone = await appeared(page)
      if (zone === null) {
        await relay.report("solved")
        const reason = await watched.problem()
        const sent = reason === null ? { submitted: true } : { submitted: false, reason }
        return { ...sent, ...(captcha === undefined ? {} : { captcha }) }
      }
      continue
    }
    const before: Zone = zone
    if (before.kind === "box" && !ticked) {
      ticked = true
      captcha ??= "solved alone"
      await clickOn(page, before.n, null)
    } else {
      seen = await askOwner(page, relay, before, seen)
      captcha = "solved by your owner"
    }
    zone = await settled(page, before, before.kind === "taps" ? seen : null)
  }
  throw unsolved("The page asks for one captcha after the other.")
}
