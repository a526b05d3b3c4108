/**
 * Types text into a field (contract 17).
 *
 * Invariants
 *  - Two checks come right before the first key of each field: the document is still the one that was granted, and the
 *    field is visible, not covered, and focused.
 *  - Keys go to the focused element, which may be a foreign frame that took the focus between two keys. So a key event
 *    only says that something is typed. The character itself is inserted from within the document, in one task with a
 *    check of the focus. Another document or another field cannot get it.
 *  - A page may replace a field by another one at any time. If the new field is of the same kind and cannot be confused
 *    with another, typing continues there, and it gets the whole text again.
 *  - A fill that fails before the form is sent gives its fields their former values back.
 *  - Typed text is compared within the page. No value of a field is read out.
 */
import type { State } from "./page/act.ts"
import type { PageDocument, Point } from "./document.ts"
import type { Page } from "./page.ts"
import { Refused } from "./refusal.ts"

/** The most characters that are typed one by one. Longer texts are inserted at once. */
const KEYS_MAX = 60
/** The event that touch keyboards and input methods send. The page reads the character from its field. */
const KEY = { key: "Unidentified", code: "", windowsVirtualKeyCode: 229 } as const

const NO_FOCUS = "The field is gone, or does not keep the focus."

/** `before`: the text that the field has already. */
const put = async (
  page: Page,
  document: PageDocument,
  { n, text, before }: { readonly n: number; readonly text: string; readonly before: string }
): Promise<void> => {
  page.still()
  if (!(await document.call<boolean>("insert", n, text, before))) throw new Refused("field_not_found", NO_FOCUS)
}

const press = async (page: Page, put: () => Promise<void>): Promise<void> => {
  await Promise.all([
    page.input("Input.dispatchKeyEvent", { type: "rawKeyDown", ...KEY }),
    put(),
    page.input("Input.dispatchKeyEvent", { type: "keyUp", ...KEY })
  ])
}

/** The element's point in the tab; `null` if a person could not click it. */
const pointIn = async (document: PageDocument, n: number): Promise<Point | null> => {
  const point = await document.call<Point | null>("pointOf", n)
  return point === null ? null : document.inTab(point)
}

const entered = async (page: Page, document: PageDocument, n: number): Promise<void> => {
  await page.check()
  const state = await document.call<State>("enter", n)
  if (state.origin !== document.origin) throw new Refused("origin_mismatch", "The page belongs to another website now.")
  if (!state.usable || !state.focused || (await pointIn(document, n)) === null)
    throw new Refused("field_not_found", "The field is covered, hidden or gone, or takes no focus.")
}

const keyed = async (page: Page, document: PageDocument, n: number, text: string): Promise<void> => {
  const characters = [...text]
  if (characters.length > KEYS_MAX || /\p{Cc}/u.test(text)) return put(page, document, { n, text, before: "" })
  let before = ""
  for (const character of characters) {
    await press(page, () => put(page, document, { n, text: character, before }))
    before += character
  }
}

const NOT_HELD = "The field does not take what is typed."

export const typeInto = async (page: Page, document: PageDocument, n: number, text: string): Promise<void> => {
  await entered(page, document, n)
  await keyed(page, document, n, text)
  if (await document.call<boolean>("holds", n, text)) return
  // Some pages change the effect of keys. Their field gets the whole text at once.
  await entered(page, document, n)
  await put(page, document, { n, text, before: "" })
  if (!(await document.call<boolean>("holds", n, text))) throw new Refused("field_not_found", NOT_HELD)
}

export const chooseIn = async (page: Page, document: PageDocument, n: number, value: string): Promise<void> => {
  await page.check()
  await document.call("choose", n, value)
  if (!(await document.call<boolean>("holds", n, value)))
    throw new Refused("field_not_found", "The list does not take the choice.")
}

/** Runs work that types into a document. If it fails, the fields get their former values back. */
export const typing = async <A>(document: PageDocument, work: () => Promise<A>): Promise<A> => {
  try {
    return await work()
  } catch (error) {
    // If the page is gone, its fields are gone too.
    await document.call("unfill").catch(() => undefined)
    throw error
  }
}

/** The time in which a page may still reformat typed text. */
const HELD_WITHIN_MS = 1_000
const LOOK_AGAIN_MS = 50

/** Checks that a field still has its text after others were typed. */
export const checkHeld = async (
  document: PageDocument,
  { name, n, text }: { readonly name: string; readonly n: number; readonly text: string }
): Promise<void> => {
  for (const until = Date.now() + HELD_WITHIN_MS; !(await document.call<boolean>("holds", n, text));) {
    if (Date.now() > until)
      throw new Refused("field_not_found", `The field for the ${name} does not hold what was typed. Nothing was sent.`)
    await new Promise((later) => setTimeout(later, LOOK_AGAIN_MS))
  }
}

const pressAt = async (page: Page, point: Point): Promise<void> => {
  page.still()
  const event = { ...point, button: "left", clickCount: 1 }
  await Promise.all([
    page.input("Input.dispatchMouseEvent", { type: "mousePressed", ...event }),
    page.input("Input.dispatchMouseEvent", { type: "mouseReleased", ...event })
  ])
}

export const clickAt = async (page: Page, document: PageDocument, n: number): Promise<boolean> => {
  await page.check()
  const point = await pointIn(document, n)
  if (point === null) return false
  await pressAt(page, point)
  return true
}

/** Clicks on a captcha of the top document: at `part` of its area, or at its box if `part` is `null`. */
export const clickOn = async (page: Page, n: number, part: Point | null): Promise<void> => {
  await page.check()
  const point = await page.top.call<Point | null>("zonePoint", n, part)
  if (point !== null) await pressAt(page, point)
}

export const pressEnter = async (page: Page): Promise<void> => {
  await page.check()
  const key = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13 }
  await Promise.all([
    page.input("Input.dispatchKeyEvent", { type: "keyDown", text: "\r", ...key }),
    page.input("Input.dispatchKeyEvent", { type: "keyUp", ...key })
  ])
}
