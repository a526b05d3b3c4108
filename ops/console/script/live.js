/** Follows a page's stream: a snapshot, then JSON patches of it (RFC 6902). */

const partsOf = (path) =>
  path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))

/** Changes the value in place; returns it, or what replaces it whole. */
export const patched = (whole, operations) => {
  let root = whole
  for (const { op, path, value } of operations) {
    const parts = partsOf(path)
    const last = parts.pop()
    if (last === undefined) {
      root = value
      continue
    }
    const holder = parts.reduce((inner, part) => inner[part], root)
    if (!Array.isArray(holder)) {
      if (op === "remove") delete holder[last]
      else holder[last] = value
    } else if (op === "remove") holder.splice(Number(last), 1)
    else if (op === "add" && last === "-") holder.push(value)
    else holder[last] = value
  }
  return root
}

const LOST_MS = 3000

/** `show` gets each state; `lost` is called while there is no connection. */
export const follow = (page, show, lost) => {
  let state = null
  const open = () => {
    const source = new EventSource(`/events?page=${encodeURIComponent(page)}`)
    source.addEventListener("snapshot", ({ data }) => {
      state = JSON.parse(data)
      show(state)
    })
    source.addEventListener("patch", ({ data }) => {
      state = patched(state, JSON.parse(data))
      show(state)
    })
    source.addEventListener("error", () => {
      lost()
      // Refused: the browser does not try again by itself.
      if (source.readyState === EventSource.CLOSED) setTimeout(open, LOST_MS)
    })
  }
  open()
}
