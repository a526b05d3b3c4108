/** The cluster's page: writes each state into the tables and the map, as text alone. */
import { follow } from "./live.js"

const COLOURS = 8

const by = (id) => document.getElementById(id)

/** Writes only where something differs, so that screen readers hear changes alone. */
const write = (element, text) => {
  if (element.textContent !== text) element.textContent = text
}

const element = (name, className, text) => {
  const made = document.createElement(name)
  if (className !== "") made.className = className
  made.textContent = text
  return made
}

const shown = (value) => (value === null || value === undefined ? "?" : String(value))
const count = (value) => (typeof value === "number" ? value.toLocaleString("en-GB") : shown(value))

/** Rows of cells; a row with `bad` is marked. The first cell is the row's head. */
const fill = (id, rows) => {
  const table = by(id)
  const isNumber = [...table.tHead.rows[0].cells].map((cell) => cell.classList.contains("number"))
  const made = rows.map(({ cells, bad }) => {
    const row = element("tr", bad ? "bad" : "", "")
    cells.forEach((cell, place) => {
      const one = element(
        place === 0 ? "th" : "td",
        isNumber[place] ? "number" : "",
        isNumber[place] ? count(cell) : shown(cell)
      )
      if (place === 0) one.scope = "row"
      row.append(one)
    })
    return row
  })
  if (made.length === 0) {
    const none = element("td", "faint", "None")
    none.colSpan = isNumber.length
    const row = element("tr", "", "")
    row.append(none)
    made.push(row)
  }
  table.tBodies[0].replaceChildren(...made)
}

/** Letters and colours stay with a session for as long as it lasts. */
const places = new Map()
const placeOf = (session, live) => {
  for (const known of places.keys()) if (!live.has(known)) places.delete(known)
  if (!places.has(session)) {
    const taken = new Set(places.values())
    let place = 0
    while (taken.has(place)) place++
    places.set(session, place)
  }
  return places.get(session)
}
const letterOf = (place) => String.fromCharCode(65 + (place % 26))

const ranges = (numbers) => {
  const parts = []
  for (let index = 0; index < numbers.length;) {
    let end = index
    while (numbers[end + 1] === numbers[end] + 1) end++
    parts.push(end === index ? `${numbers[index]}` : `${numbers[index]}-${numbers[end]}`)
    index = end + 1
  }
  return parts.join(" ")
}

const cellOf = (place) =>
  place === null ? element("span", "cell none", "–") : element("span", `cell owner-${place % COLOURS}`, letterOf(place))

const showMap = ({ shards, nodes }) => {
  const live = new Set(nodes.map(({ session }) => session))
  const owners = nodes.map(({ session }) => ({
    session,
    place: placeOf(session, live),
    owned: shards.flatMap((owner, shard) => (owner === session ? [shard] : []))
  }))
  const nobody = shards.flatMap((owner, shard) => (owner === null ? [shard] : []))
  const places = new Map(owners.map(({ session, place }) => [session, place]))
  by("map").replaceChildren(...shards.map((owner) => cellOf(places.get(owner) ?? null)))
  by("legend").replaceChildren(
    ...[...owners, ...(nobody.length === 0 ? [] : [{ session: "no owner", place: null, owned: nobody }])].map(
      ({ session, place, owned }) => {
        const item = element("li", "", "")
        item.append(cellOf(place), element("span", "", `${session}: ${owned.length}`))
        return item
      }
    )
  )
  const told = owners.map(({ session, owned }) => `${owned.length} by ${session}`)
  const summary = `${shards.length} shards: ${[...told, `${nobody.length} without an owner`].join(", ")}`
  by("map").setAttribute("aria-label", summary)
  fill("leases", [
    ...owners.map(({ session, owned }) => ({ cells: [session, owned.length, ranges(owned)] })),
    ...(nobody.length === 0 ? [] : [{ cells: ["no owner", nobody.length, ranges(nobody)], bad: true }])
  ])
}

const showVerdict = ({ verdict }) => {
  if (verdict === null) return
  const line = by("verdict")
  line.className = `verdict ${verdict.status}`
  write(line.children[0], verdict.status)
  const [first] = verdict.problems
  write(line.children[1], first === undefined ? "Nothing is wrong that could be seen." : first.says)
  const says = verdict.problems.slice(1).map((problem) => problem.says)
  const list = by("problems")
  if ([...list.children].map((item) => item.textContent).join("\n") === says.join("\n")) return
  list.replaceChildren(...says.map((text) => element("li", "", text)))
}

const showTables = ({ nodes, streams, read_models: models, reactions, services, checks }) => {
  fill(
    "nodes",
    nodes.map((node) => ({
      cells: [
        node.session,
        node.place,
        node.roles.join(", "),
        node.version,
        node.started_at,
        node.resident,
        node.shards,
        node.answers ? "yes" : "no"
      ],
      bad: !node.answers
    }))
  )
  fill(
    "streams",
    (streams ?? []).map((stream) => ({
      cells: [
        stream.name,
        stream.messages,
        stream.bytes,
        stream.last_seq,
        stream.replicas,
        stream.leader ?? "",
        stream.offline.join(", "),
        stream.lagging.join(", ")
      ],
      bad: stream.messages === null || stream.offline.length > 0
    }))
  )
  fill(
    "consumers",
    (streams ?? []).flatMap(({ name, consumers }) =>
      consumers.map((one) => ({ cells: [name, one.name, one.pending, one.unacknowledged] }))
    )
  )
  fill(
    "models",
    (models ?? []).map((model) => ({
      cells: [model.name, model.version, model.watermark, model.lag, model.faults, model.rebuilt_to ?? ""],
      bad: model.lag === null || model.faults > 0
    }))
  )
  fill(
    "reactions",
    (reactions ?? []).map((one) => ({
      cells: [one.name, one.watermark, one.lag, one.parked, one.faults],
      bad: one.lag === null || one.parked > 0 || one.faults > 0
    }))
  )
  fill(
    "services",
    (services ?? []).map((one) => ({
      cells: [
        one.name,
        one.roles,
        `${one.host}, pid ${one.pid}`,
        one.version,
        one.started,
        one.requests,
        one.errors,
        one.average_ms
      ]
    }))
  )
  fill(
    "checks",
    Object.entries(checks ?? {}).map(([name, check]) => ({
      cells: [name, check.status, check.observed, check.unit ?? "", check.message ?? ""],
      bad: check.status !== "pass"
    }))
  )
}

follow(
  "/",
  (state) => {
    showVerdict(state)
    showMap(state)
    showTables(state)
    write(by("seen"), state.seen_at === null ? "" : `Last look: ${state.seen_at}. The map is live.`)
  },
  () => write(by("seen"), "The console does not answer at the moment. This page tries again.")
)
