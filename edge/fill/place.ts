/** Finds the place of a fill on a page: its top document, or a frame of a website that the entry allows. */
import type { Fillable } from "./entries.ts"
import type { Outcome, Service } from "./grant.ts"
import type { ButtonFact, Scan } from "./page/dom.ts"
import type { PageDocument } from "./document.ts"
import type { Patience } from "./patience.ts"
import type { Page } from "./page.ts"
import { Refused } from "./refusal.ts"
import { getDomain } from "tldts"
import { isInsecure } from "./forms.ts"
import { type Fill, originsIn, type Sealed } from "./sealed.ts"
import { clickAt, pressEnter } from "./typing.ts"

export interface Filling {
  readonly service: Service
  readonly page: Page
  readonly patience: Patience
}

export interface Filled extends Outcome {
  /** Present if the page had a captcha: who solved it. */
  readonly captcha?: string
  /** The page's origin. */
  readonly site: string
  readonly entry_id: number
}

export interface Place<A> {
  readonly document: PageDocument
  readonly scan: Scan
  readonly found: A
  /** Throws if the entry, as sealed and as stored, does not allow the websites that would get the typed text. */
  readonly allowed: (sealed: Sealed, fill: Pick<Fill, "entry">) => void
}

const FORM_WITHIN_MS = 2_000
const LOOK_AGAIN_MS = 100

const frameRefused = (origin: string): Refused =>
  new Refused("frame_refused", "The form stands in a frame of another website, which the entry does not name.", {
    frame: origin
  })

const siteOf = (origin: string): string | null => getDomain(origin, { allowPrivateDomains: true })

/**
 * Refuses a form, such as an injected one, that would send the typed values to a website that the entry does not name.
 */
const checkTarget = (scan: Scan, form: number, origin: string, names: (one: string) => boolean): void => {
  for (const target of scan.forms.find((one) => one.form === form)?.targets ?? []) {
    const isOwn = target === origin || (siteOf(target) !== null && siteOf(target) === siteOf(origin))
    if (!isOwn && !names(target))
      throw new Refused("origin_mismatch", "The form is sent to another website, which the entry does not name.", {
        target
      })
  }
}

const placeOf = <A extends { readonly form: number }>(
  { origin: site }: Page,
  { document, scan, found }: Omit<Place<A>, "allowed">
): Place<A> => {
  if (isInsecure(scan, found.form)) throw new Refused("page_not_https", "The form is sent without encryption.")
  const { origin } = document
  const allowed: Place<A>["allowed"] = (sealed, { entry }) => {
    const inside = originsIn(sealed) ?? []
    const names = (one: string): boolean => inside.includes(one) && entry.origins.includes(one)
    if (origin !== site && !names(origin)) throw frameRefused(origin)
    const anyShop = entry.kind === "card" && inside.length === 0 && entry.origins.length === 0
    if (!anyShop) checkTarget(scan, found.form, origin, names)
  }
  return { document, scan, found, allowed }
}

const lookIn = async <A extends { readonly form: number }>(
  page: Page,
  find: (scan: Scan) => A | null,
  entry: () => Promise<Fillable | null>
): Promise<Place<A> | null> => {
  const scan = await page.top.scan()
  const found = find(scan)
  if (found !== null) return placeOf(page, { document: page.top, scan, found })
  for (const document of await page.frames()) {
    const within = await document.scan()
    const sought = find(within)
    if (sought === null) continue
    const { origin } = document
    if (origin !== page.origin && !((await entry())?.origins ?? []).includes(origin)) throw frameRefused(origin)
    return placeOf(page, { document, scan: within, found: sought })
  }
  return null
}

/**
 * Runs `find` in the top document, then in its frames. `entry` is fetched only if the form is in a frame of another
 * origin.
 */
export const placeIn = async <A extends { readonly form: number }>(
  page: Page,
  find: (scan: Scan) => A | null,
  entry: () => Promise<Fillable | null>
): Promise<Place<A>> => {
  const until = Date.now() + FORM_WITHIN_MS
  for (;;) {
    const place = await lookIn(page, find, entry)
    if (place !== null) return place
    if (Date.now() > until)
      throw new Refused("form_not_found", "The page has no form for this that a person could see and fill.")
    await new Promise((later) => setTimeout(later, LOOK_AGAIN_MS))
  }
}

/** Runs work on a page. If it fails because the page has navigated, that reason is reported. */
export const attempt = async <A>(page: Page, work: () => Promise<A>): Promise<A> => {
  try {
    return await work()
  } catch (error) {
    throw await page.reason(error)
  }
}

/** Some buttons are enabled only after the fields are filled. */
const BUTTON_WITHIN_MS = 600

export interface Sending {
  readonly document: PageDocument
  readonly find: (scan: Scan) => ButtonFact | null
  readonly button: ButtonFact | null
}

/**
 * Presses the form's button. Without one, presses Enter in the last typed field. Returns the button that was pressed.
 */
export const submitForm = async (page: Page, { document, find, button }: Sending): Promise<ButtonFact | null> => {
  if (button !== null && (await clickAt(page, document, button.n))) return button
  for (const until = Date.now() + BUTTON_WITHIN_MS; Date.now() < until;) {
    const late = find(await document.scan())
    if (late !== null && (await clickAt(page, document, late.n))) return late
    await new Promise((later) => setTimeout(later, LOOK_AGAIN_MS))
  }
  await pressEnter(page)
  return null
}
