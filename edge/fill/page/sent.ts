/** Runs in the page: finds obstacles to sending a form, and whether the page has accepted it. */
import type { PageDocument, PageElement } from "./dom.ts"
import { everything, isOpen, isReachable, nearest } from "./look.ts"
import { GROUPS, heirOf, isAlike, isButton, isField, known } from "./scan.ts"
import { focused } from "./act.ts"

declare const document: PageDocument

/** `filled`: fields with a value before the form was sent. `all`: fields that could be filled then. */
const earlier: { filled: ReadonlyArray<PageElement>; all: ReadonlyArray<PageElement> } = { filled: [], all: [] }

export interface Obstacles {
  /** True if it has buttons, and all of them are disabled. */
  readonly disabled: boolean
  /** True if the browser does not send the form, because a field is empty or malformed. */
  readonly invalid: boolean
}

const canBeFilled = (element: PageElement): boolean => isOpen(element) && isReachable(element)
const groupOf = (element: PageElement): PageElement | null => element.form ?? nearest(element, GROUPS)

/**
 * Examines the form before it is sent. `n` is the button that sends it; without one, the form of the focused field is
 * meant.
 */
export function beforeSending(n: number | null): Obstacles {
  const start = n === null ? focused() : (known[n] ?? null)
  const group = start === null ? null : groupOf(start)
  const own = everything(document).filter((element) => groupOf(element) === group)
  const fields = own.filter((element) => isField(element))
  earlier.all = fields.filter(canBeFilled)
  earlier.filled = earlier.all.filter((field) => (field.value ?? "") !== "")
  const buttons = own.filter((element) => isButton(element) && ["submit", "image"].includes(element.type ?? ""))
  const invalid = group !== null && group.matches("form:not([novalidate]):invalid")
  return { disabled: buttons.length > 0 && !buttons.some((button) => isOpen(button)), invalid }
}

/** The filled fields, or those that the page put in their places. */
const filledNow = (): ReadonlyArray<PageElement> =>
  earlier.filled.map((field) => (field.isConnected ? field : (heirOf(field, earlier.all) ?? field)))

/** True if all filled fields are empty again. A page that keeps its form clears it for the next entry. */
export function isEmptied(): boolean {
  return earlier.filled.length > 0 && filledNow().every((field) => (field.value ?? "") === "")
}

/** True if the filled fields are gone, hidden, disabled or emptied, or if the page shows new fields. */
export function hasTaken(): boolean {
  if (earlier.filled.length > 0 && !filledNow().some(canBeFilled)) return true
  if (isEmptied()) return true
  const isNew = (field: PageElement): boolean => !earlier.all.some((one) => one === field || isAlike(one, field))
  return everything(document).some((element) => isField(element) && isNew(element) && canBeFilled(element))
}
