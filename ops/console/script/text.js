/** Values as people read them, and elements that hold them as text alone. */

/** Writes only where something differs, so that screen readers hear changes alone. */
export const write = (element, text) => {
  if (element.textContent !== text) element.textContent = text
}

export const element = (name, className, text) => {
  const made = document.createElement(name)
  if (className !== "") made.className = className
  made.textContent = text
  return made
}

export const shown = (value) => (value === null || value === undefined ? "?" : String(value))
export const count = (value) => (typeof value === "number" ? value.toLocaleString("en-GB") : shown(value))

const MB = 1_000_000
export const megabytes = (bytes) =>
  typeof bytes === "number"
    ? (bytes / MB).toLocaleString("en-GB", { maximumFractionDigits: bytes < 10 * MB ? 1 : 0 })
    : "?"

/** Of one core. */
export const percent = (part) => (typeof part === "number" ? String(Math.round(part * 100)) : "?")

export const several = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`

const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1]
]

/** `3 minutes`; `null` where it is no time. */
const sinceOf = (iso) => {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(iso)) / 1000))
  if (Number.isNaN(seconds)) return null
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? UNITS[3]
  return several(Math.floor(seconds / size), unit)
}

const isNow = (iso) => Date.now() - Date.parse(iso) < 3000

/** A span of time until now, with its exact beginning where it is pointed at. `after`: such as " ago". */
export const since = (iso, after = "") => {
  const text = sinceOf(iso)
  if (text === null) return element("span", "", shown(iso))
  const made = element("time", "", after !== "" && isNow(iso) ? "just now" : text + after)
  made.dateTime = iso
  made.title = iso
  return made
}
