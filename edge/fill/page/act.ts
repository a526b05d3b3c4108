/** Runs in the page: focuses, fills and restores fields, and finds the points to click. */
import type { PageDocument, PageElement, PageWindow } from "./dom.ts"
import { everything, isOpen, isReachable } from "./look.ts"
import { elementAt, isField, known } from "./scan.ts"

declare const document: PageDocument
declare const window: PageWindow
declare const Event: new (type: string, options: object) => object

/** The focused element, also in shadow roots. */
export function focused(): PageElement | null {
  let at: PageElement | null = document.activeElement
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement
  return at
}

export interface State {
  readonly origin: string
  /** True if the field is visible, enabled, and not covered. */
  readonly usable: boolean
  readonly focused: boolean
}

export function stateOf(n: number): State {
  const element = elementAt(n)
  const { origin } = window
  if (element === undefined || !element.isConnected) return { origin, usable: false, focused: false }
  return { origin, usable: isOpen(element) && isReachable(element), focused: focused() === element }
}

/**
 * True if a field has the text. A field may group characters and change case. A list, and a password with other
 * characters than digits, must have exactly the text.
 */
export function holds(n: number, text: string): boolean {
  const element = elementAt(n)
  if (element === undefined || !element.isConnected) return false
  const value = element.value ?? ""
  const isExact = element.matches("select") || (element.type === "password" && /\D/.test(text))
  const bare = (one: string): string => one.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase()
  return value === text || (!isExact && bare(text) !== "" && bare(value) === bare(text))
}

/** Focuses the field and selects its content, so that typing replaces it. */
export function enter(n: number): State {
  const element = elementAt(n)
  if (element?.isConnected) {
    element.focus({ preventScroll: true })
    element.select?.()
  }
  return stateOf(n)
}

interface Touched {
  element: PageElement
  readonly was: string
  text: string
}

const touched: Array<Touched> = []

/** `earlier` is the element that had the field's number before the page replaced it; otherwise, it is `element`. */
function touch(element: PageElement, earlier: PageElement | undefined, text: string): void {
  const before = touched.find((one) => one.element === earlier || one.element === element)
  if (before === undefined) touched.push({ element, was: element.value ?? "", text })
  else Object.assign(before, { element, text })
}

/**
 * Inserts text in one task, so that nothing can change the focus in between. Returns `false` if the field is gone or
 * does not keep the focus. `before` is the text that was inserted already. If the page has replaced the field, the new
 * field gets the whole text.
 */
export function insert(n: number, text: string, before: string): boolean {
  const earlier = known[n]
  const element = elementAt(n)
  if (!element?.isConnected) return false
  const isAnother = element !== earlier
  if (focused() !== element) element.focus({ preventScroll: true })
  if (focused() !== element) return false
  if (isAnother) element.select?.()
  touch(element, earlier, before + text)
  return document.execCommand("insertText", false, isAnother ? before + text : text)
}

/**
 * The elements that have the typed text now: the field, or, if it is gone, new fields of the same kind with the text or
 * its beginning.
 */
function holdersOf({ element, text }: Touched): ReadonlyArray<PageElement> {
  if (element.isConnected) return [element]
  return everything(document).filter((one) => {
    const value = one.value ?? ""
    return (
      isField(one) && !known.includes(one) && one.tagName === element.tagName && value !== "" && text.startsWith(value)
    )
  })
}

/** Gives the fields their former values back if a fill is broken off. */
export function unfill(): void {
  for (const one of touched.splice(0))
    for (const element of holdersOf(one)) {
      if (element.value === one.was) continue
      element.focus({ preventScroll: true })
      element.select?.()
      // Deletes as an editor does, with `input` events, so that the page's scripts notice.
      if (one.was === "" && !element.matches("select") && focused() === element)
        document.execCommand("delete", false, "")
      if (element.value !== one.was) set(element, one.was)
    }
}

function set(element: PageElement, value: string): void {
  element.value = value
  for (const type of ["input", "change"]) element.dispatchEvent(new Event(type, { bubbles: true, composed: true }))
}

export function leave(n: number): State {
  const element = elementAt(n)
  if (focused() === element) element?.blur()
  return stateOf(n)
}

export function choose(n: number, value: string): void {
  const element = elementAt(n)
  if (element?.isConnected) {
    element.focus({ preventScroll: true })
    touch(element, element, value)
    set(element, value)
  }
}

/** The point to click; `null` if the element cannot be clicked. */
export function pointOf(n: number): { readonly x: number; readonly y: number } | null {
  const element = elementAt(n)
  if (element === undefined || !isOpen(element) || !isReachable(element)) return null
  const { left, top, width, height } = element.getBoundingClientRect()
  return { x: left + width / 2, y: top + height / 2 }
}

/** "null" in a sandbox without `allow-same-origin`, whatever the address is. */
export function ownOrigin(): string {
  return window.origin
}

export function isLoaded(): boolean {
  return document.readyState === "complete"
}

export function isVisible(element: PageElement): boolean {
  return isOpen(element) && isReachable(element)
}

/** Translates a point within a frame to this document; `null` if a click there would not reach the frame. */
export function throughFrame(
  element: PageElement,
  x: number,
  y: number
): { readonly x: number; readonly y: number } | null {
  const at = (): { readonly x: number; readonly y: number } => {
    const { left, top } = element.getBoundingClientRect()
    const style = window.getComputedStyle(element)
    const edge = (side: string): number => Number.parseFloat(style[`padding${side}`] ?? "0") || 0
    return {
      x: left + (element.clientLeft ?? 0) + edge("Left") + x,
      y: top + (element.clientTop ?? 0) + edge("Top") + y
    }
  }
  // A rotated or scaled frame has its points elsewhere.
  const { width } = element.getBoundingClientRect()
  if (!isOpen(element) || Math.abs(width - (element.offsetWidth ?? 0)) > 1) return null
  const first = at()
  const inView = first.x >= 0 && first.y >= 0 && first.x < window.innerWidth && first.y < window.innerHeight
  if (!inView)
    window.scrollTo({
      left: window.scrollX,
      top: window.scrollY + first.y - window.innerHeight / 2,
      behavior: "instant"
    })
  const point = at()
  return element.getRootNode().elementFromPoint(point.x, point.y) === element ? point : null
}
