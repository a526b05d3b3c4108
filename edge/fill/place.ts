/** Where on a page a fill belongs: in its top document, or in a frame that the entry itself allows. */
import type { Fillable } from "./entries.ts"
import type { Outcome, Service } from "./grant.ts"
import type { ButtonFact, Scan } from "./page/dom.ts"
import type { PageDocument } from "./document.ts"
import type { Page } from "./page.ts"
import { Refused } from "./refusal.ts"
import { type Fill, originsIn, type Sealed } from "./sealed.ts"
import { click, pressEnter } from "./typing.ts"

export interface Filling {
  readonly service: Service
  readonly page: Page
}

export interface Filled extends Outcome {
  /** The origin. */
  readonly site: string
  readonly entry_id: number
}

export interface Place<A> {
  readonly document: PageDocument
  readonly scan: Scan
  readonly found: A
  /** Throws where what is sealed inside does not name the frame's origin. */
  readonly allowed: (sealed: Sealed, fill: Fill) => void
}

const frameRefused = (origin: string): Refused =>
  new Refused("frame_refused", "The form stands in a frame of another website, which the entry does not name.", {
    frame: origin
  })

/** `find` in the top document, then in its frames; `entry` is asked for only where a frame has what is sought. */
export const placeIn = async <A>(
  page: Page,
  find: (scan: Scan) => A | null,
  entry: () => Promise<Fillable | null>
): Promise<Place<A>> => {
  const scan = await page.top.scan()
  const found = find(scan)
  if (found !== null) return { document: page.top, scan, found, allowed: () => undefined }
  for (const document of await page.frames()) {
    const within = await document.scan()
    const sought = find(within)
    if (sought === null) continue
    const { origin } = document
    const names = (origins: ReadonlyArray<string>): boolean => origin === page.origin || origins.includes(origin)
    if (!names((await entry())?.origins ?? [])) throw frameRefused(origin)
    const allowed = (sealed: Sealed, fill: Fill): void => {
      if (!names(originsIn(sealed) ?? []) || !names(fill.entry.origins)) throw frameRefused(origin)
    }
    return { document, scan: within, found: sought, allowed }
  }
  throw new Refused("form_not_found", "The page has no form for this that a person could see and fill.")
}

/** What breaks off because the page went elsewhere says so. */
export const attempt = async <A>(page: Page, work: () => Promise<A>): Promise<A> => {
  try {
    return await work()
  } catch (error) {
    throw await page.reason(error)
  }
}

/** By its button; without one, by Enter in the field that was typed last. */
export const submitForm = async (page: Page, document: PageDocument, button: ButtonFact | null): Promise<boolean> => {
  if (button !== null && (await click(page, document, button.n))) return true
  await pressEnter(page)
  return true
}
