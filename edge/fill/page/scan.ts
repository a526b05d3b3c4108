/** Runs in the page: describes fields, buttons and forms by their texts and attributes. */
import type { ButtonFact, Fact, FormFact, PageDocument, PageElement, PageOption, PageWindow, Scan } from "./dom.ts"
import { around, everything, isOpen, isReachable, nearest } from "./look.ts"

declare const document: PageDocument
declare const window: PageWindow

const TEXT_MAX = 200
const FIELDS_MAX = 120
const BUTTONS_MAX = 120
const OPTIONS_MAX = 300
const LEVELS_UP = 3
const TYPES = ["", "text", "email", "tel", "password", "number", "search", "url"]
export const GROUPS = 'form, dialog, [role="form"], [role="dialog"]'

/** The reported elements, by their numbers. */
export const known: Array<PageElement> = []
/** The origins that each field was to be sent to when it was reported. */
const sentTo = new WeakMap<PageElement, ReadonlyArray<string>>()

function clean(text: string | null | undefined, max = TEXT_MAX): string {
  return (text ?? "").replace(/\s+/g, " ").trim().slice(0, max)
}

function pointedAt(element: PageElement, attribute: string): string {
  const ids = (element.getAttribute(attribute) ?? "").split(" ").filter((id) => id !== "")
  return ids.map((id) => clean(element.getRootNode().getElementById(id)?.textContent)).join(" ")
}

/** The text before a field, which labels it if no label is bound to it. */
function before(element: PageElement): string {
  let at: PageElement | null = element
  for (let up = 0; at !== null && up < LEVELS_UP; up++) {
    const previous = at.previousElementSibling
    if (previous !== null) {
      const isField =
        previous.matches("input, select, textarea") || previous.querySelectorAll("input, select").length > 0
      return isField ? "" : clean(previous.textContent, 80)
    }
    if (at.matches(GROUPS)) return ""
    at = around(at)
  }
  return ""
}

export function labelOf(element: PageElement): string {
  const labels = [...(element.labels ?? [])].map((label) => clean(label.textContent))
  const own = [...labels, element.getAttribute("aria-label") ?? "", pointedAt(element, "aria-labelledby")]
  const text = clean(own.join(" "))
  return text === "" ? before(element) : text
}

function optionsOf(element: PageElement): ReadonlyArray<PageOption> {
  return [...(element.options ?? [])].slice(0, OPTIONS_MAX).map(({ value, text, disabled }) => ({
    value: value.slice(0, TEXT_MAX),
    text: clean(text),
    disabled
  }))
}

function number(element: PageElement): number {
  return known.push(element) - 1
}

function factOf(element: PageElement, form: number): Fact {
  const attribute = (name: string): string => clean(element.getAttribute(name))
  sentTo.set(element, targetsOf(element))
  return {
    n: number(element),
    form,
    tag: element.tagName.toLowerCase(),
    type: attribute("type").toLowerCase(),
    autocomplete: attribute("autocomplete").toLowerCase(),
    name: attribute("name"),
    id: attribute("id"),
    label: labelOf(element),
    hint: clean(`${attribute("placeholder")} ${attribute("title")} ${pointedAt(element, "aria-describedby")}`),
    mode: attribute("inputmode"),
    max: element.maxLength ?? -1,
    min: element.minLength ?? -1,
    pattern: attribute("pattern"),
    rules: attribute("passwordrules"),
    full: (element.value ?? "") !== "",
    required: element.matches(":required, [aria-required=true]"),
    options: optionsOf(element)
  }
}

export function isField(element: PageElement): boolean {
  if (element.matches("select, textarea")) return true
  return element.matches("input") && TYPES.includes((element.getAttribute("type") ?? "").toLowerCase())
}

export function isButton(element: PageElement): boolean {
  return element.matches('button, [role="button"], input[type="submit"], input[type="button"], input[type="image"]')
}

function buttonOf(element: PageElement, form: number): ButtonFact {
  const slots = [...element.querySelectorAll("slot")].flatMap((slot) => slot.assignedNodes?.() ?? [])
  const shown = [element, ...slots].map(({ textContent }) => textContent)
  const words = [...shown, element.getAttribute("value"), element.getAttribute("aria-label")]
  const type = element.type ?? ""
  return {
    n: number(element),
    form,
    text: clean([...words, element.getAttribute("title")].map((word) => word ?? "").join(" ")),
    submits: ["submit", "image"].includes(type)
  }
}

const TARGETS_MAX = 20

/** The addresses that a form can be sent to, by its own attribute or by its buttons. */
function addressesOf(form: PageElement): ReadonlyArray<URL> {
  if (!form.matches("form")) return []
  const own = [form.getAttribute("action")]
  const buttons = [...form.querySelectorAll("[formaction]")].map((button) => button.getAttribute("formaction"))
  const given = [...own, ...buttons].flatMap((one) => (one === null || one.trim() === "" ? [] : [one]))
  return given
    .slice(0, TARGETS_MAX)
    .flatMap((one) => (URL.canParse(one, window.location.href) ? [new URL(one, window.location.href)] : []))
    .filter(({ protocol }) => protocol !== "javascript:")
}

/** Numbers the forms. A field outside of a form belongs to the surrounding dialog, or to the page. */
function grouping(): { readonly of: (element: PageElement) => number; readonly told: () => ReadonlyArray<FormFact> } {
  const groups: Array<PageElement> = []
  const of = (element: PageElement): number => {
    const group = element.form ?? nearest(element, GROUPS)
    if (group === null) return -1
    const at = groups.indexOf(group)
    return at === -1 ? groups.push(group) - 1 : at
  }
  const told = (): ReadonlyArray<FormFact> =>
    groups.map((group, form) => {
      const addresses = addressesOf(group)
      return {
        form,
        insecure: addresses.some(({ protocol }) => protocol !== "https:"),
        targets: [...new Set(addresses.map(({ origin }) => origin))]
      }
    })
  return { of, told }
}

function signOf(element: PageElement): ReadonlyArray<string> {
  return ["name", "id", "autocomplete", "aria-label", "placeholder"].map((name) => element.getAttribute(name) ?? "")
}

export function isAlike(one: PageElement, other: PageElement): boolean {
  return one.tagName === other.tagName && one.type === other.type && signOf(one).join("\n") === signOf(other).join("\n")
}

/**
 * Finds the field by which a page replaced one that is gone: some frameworks render again after each letter. It must be
 * a new field of the same kind. It is found by an attribute that only the two share, or by its position among the
 * missing ones. A field that existed before, or that nobody could type into, is never taken for it.
 */
export function heirOf(gone: PageElement, before: ReadonlyArray<PageElement>): PageElement | null {
  const isKind = (one: PageElement): boolean => isField(one) && one.tagName === gone.tagName && one.type === gone.type
  const fresh = everything(document).filter(
    (one) => isKind(one) && !before.includes(one) && isOpen(one) && isReachable(one)
  )
  for (const [at, value] of signOf(gone).entries()) {
    const same = value === "" ? [] : fresh.filter((one) => signOf(one)[at] === value)
    if (same.length === 1) return same[0] ?? null
  }
  const lost = before.filter((one) => isKind(one) && !one.isConnected)
  return fresh.length === lost.length ? (fresh[lost.indexOf(gone)] ?? null) : null
}

const targetsOf = (element: PageElement): ReadonlyArray<string> => {
  const group = element.form ?? nearest(element, GROUPS)
  return group === null ? [] : addressesOf(group).map(({ origin }) => origin)
}

/**
 * The element with this number, or the field that replaced it. A field that is sent to another address does not count
 * as its replacement.
 */
export function elementAt(n: number): PageElement | undefined {
  const element = known[n]
  if (element === undefined || element.isConnected || !isField(element)) return element
  const heir = heirOf(element, known)
  const before = sentTo.get(element) ?? []
  if (heir === null || !targetsOf(heir).every((target) => before.includes(target))) return element
  sentTo.set(heir, before)
  known[n] = heir
  return heir
}

export function scan(): Scan {
  known.length = 0
  const { scrollX: left, scrollY: top } = window
  const all = everything(document)
  const groups = grouping()
  // Some fields are editable only while they have the focus. That is checked when they get it.
  const useful = (element: PageElement): boolean =>
    isOpen(element, isField(element) && (element.value ?? "") === "") && isReachable(element)
  const fields = all.filter(isField).slice(0, FIELDS_MAX).filter(useful)
  const buttons = all.filter(isButton).slice(0, BUTTONS_MAX).filter(useful)
  const found = {
    origin: window.origin,
    fields: fields.map((field) => factOf(field, groups.of(field))),
    buttons: buttons.map((button) => buttonOf(button, groups.of(button)))
  }
  window.scrollTo({ left, top, behavior: "instant" })
  return { ...found, forms: groups.told() }
}
