/**
 * Typing into a field, as keys (contract 17).
 *
 * Invariants
 *  - Right before the first key of each field the document is asked whether it is still the one that was granted, and the
 *    field whether it is seen, not covered, and has the focus.
 *  - While keys go out no frame of the page may take the focus, and the first sign of another document ends them.
 *  - Whether a field took what was typed is told by how much stands in it, never by what.
 */
import type { State } from "./page/act.ts"
import type { Page, PageDocument } from "./page.ts"
import { Refused } from "./refusal.ts"

/** Longer texts are put in at once. */
const KEYS_MAX = 60
const ASCII = /^[\x20-\x7e]$/

const codeOf = (key: string): { readonly code: string; readonly windowsVirtualKeyCode: number } => {
  if (/^[a-z]$/i.test(key))
    return { code: `Key${key.toUpperCase()}`, windowsVirtualKeyCode: key.toUpperCase().charCodeAt(0) }
  if (/^\d$/.test(key)) return { code: `Digit${key}`, windowsVirtualKeyCode: key.charCodeAt(0) }
  return key === " " ? { code: "Space", windowsVirtualKeyCode: 32 } : { code: "", windowsVirtualKeyCode: 0 }
}

const press = async ({ input }: Page, key: string): Promise<void> => {
  if (!ASCII.test(key)) {
    await input("Input.insertText", { text: key })
    return
  }
  const code = codeOf(key)
  await Promise.all([
    input("Input.dispatchKeyEvent", { type: "keyDown", key, text: key, unmodifiedText: key, ...code }),
    input("Input.dispatchKeyEvent", { type: "keyUp", key, ...code })
  ])
}

const entered = async (page: Page, document: PageDocument, n: number): Promise<void> => {
  await page.check()
  const state = await document.call<State>("enter", n)
  if (state.origin !== document.origin) throw new Refused("origin_mismatch", "The page belongs to another website now.")
  if (!state.usable || !state.focused)
    throw new Refused("field_not_found", "The field is covered, hidden or gone, or takes no focus.")
}

const keyed = async (page: Page, text: string): Promise<void> => {
  const characters = [...text]
  if (characters.length > KEYS_MAX || /\p{Cc}/u.test(text)) {
    page.still()
    await page.input("Input.insertText", { text })
    return
  }
  for (const character of characters) {
    page.still()
    await press(page, character)
  }
  page.still()
}

const took = ({ length, dense }: State, text: string): boolean =>
  length === [...text].length || (dense > 0 && dense === [...text.replace(/[^\p{L}\p{N}]/gu, "")].length)

/** Quiet, so that what is typed stays in this document. */
const undisturbed = async <A>(page: Page, document: PageDocument, work: () => Promise<A>): Promise<A> => {
  if (document !== page.top) return work()
  await document.call("hush")
  try {
    return await work()
  } finally {
    await document.call("unhush").catch(() => undefined)
  }
}

export const typeInto = (page: Page, document: PageDocument, n: number, text: string): Promise<void> =>
  undisturbed(page, document, async () => {
    await entered(page, document, n)
    await keyed(page, text)
    if (took(await document.call<State>("stateOf", n), text)) return
    // Where a page meddled with the keys, its field is given the whole at once.
    await entered(page, document, n)
    page.still()
    await page.input("Input.insertText", { text })
    if (!took(await document.call<State>("stateOf", n), text))
      throw new Refused("field_not_found", "The field does not take what is typed.")
  })

export const chooseIn = async (page: Page, document: PageDocument, n: number, value: string): Promise<void> => {
  await page.check()
  const state = await document.call<State>("choose", n, value)
  if (state.length !== [...value].length) throw new Refused("field_not_found", "The list does not take the choice.")
}

export const click = async (page: Page, document: PageDocument, n: number): Promise<boolean> => {
  await page.check()
  const point = await document.call<{ readonly x: number; readonly y: number } | null>("pointOf", n)
  if (point === null) return false
  page.still()
  const event = { ...point, button: "left", clickCount: 1 }
  await Promise.all([
    page.input("Input.dispatchMouseEvent", { type: "mousePressed", ...event }),
    page.input("Input.dispatchMouseEvent", { type: "mouseReleased", ...event })
  ])
  return true
}

export const pressEnter = async (page: Page): Promise<void> => {
  await page.check()
  const key = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13 }
  await Promise.all([
    page.input("Input.dispatchKeyEvent", { type: "keyDown", text: "\r", ...key }),
    page.input("Input.dispatchKeyEvent", { type: "keyUp", ...key })
  ])
}
