/** Keys of the pages of moderation: j and k move between items, o opens one, u goes back, d leads to the decision. */
const items = [...document.querySelectorAll("[data-item] a")]

const move = (step) => {
  if (items.length === 0) return
  const at = items.indexOf(document.activeElement)
  const next = at === -1 ? (step > 0 ? 0 : items.length - 1) : Math.min(items.length - 1, Math.max(0, at + step))
  items[next].focus()
}

const KEYS = {
  j: () => move(1),
  k: () => move(-1),
  o: () => items.includes(document.activeElement) && document.activeElement.click(),
  u: () => document.querySelector("[data-back]")?.click(),
  d: () => document.querySelector("[data-decide] select")?.focus()
}

/** Letters that somebody writes into a field are none of these. */
const writes = (target) => target instanceof Element && target.closest("input, select, textarea") !== null

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || writes(event.target)) return
  const act = KEYS[event.key]
  if (act === undefined) return
  event.preventDefault()
  act()
})
