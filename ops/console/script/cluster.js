/** The cluster's page: writes each state into the tables and the map, as text alone. */
import { follow } from "./live.js"
import { showPlots } from "./plots.js"
import { count, element, megabytes, percent, several, shown, since, write } from "./text.js"

const COLOURS = 8

const by = (id) => document.getElementById(id)

/** Rows of cells; a row with `bad` is marked. The first cell is the row's head. */
const fill = (id, rows) => {
  const table = by(id)
  const isNumber = [...table.tHead.rows[0].cells].map((cell) => cell.classList.contains("number"))
  const made = rows.map(({ cells, bad }) => {
    const row = element("tr", bad ? "bad" : "", "")
    cells.forEach((cell, place) => {
      const one = element(place === 0 ? "th" : "td", isNumber[place] ? "number" : "", "")
      if (cell instanceof Node) one.append(cell)
      else one.textContent = isNumber[place] ? count(cell) : shown(cell)
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

/** Bad rows first, otherwise in their order. */
const sorted = (rows) => [...rows.filter(({ bad }) => bad), ...rows.filter(({ bad }) => !bad)]

const wasBad = new Map()

/** A part with its line. It opens where a row has become bad, and is left to whoever closes it. */
const showPart = (id, rows, line) => {
  const part = by(`${id}-part`)
  const bad = rows.some((row) => row.bad)
  fill(id, sorted(rows))
  write(by(`${id}-line`), line)
  part.classList.toggle("bad", bad)
  if (bad && wasBad.get(id) !== true) part.open = true
  wasBad.set(id, bad)
}

const UNSEEN = "not seen yet"

/** `none`: what is said where no row is bad. */
const lineOf = (rows, one, many, none, isBad) => {
  const bad = rows.filter((row) => row.bad).length
  return `${several(rows.length, one, many)}, ${bad === 0 ? none : `${bad} ${isBad}`}`
}

const showNodes = ({ nodes }) =>
  fill(
    "nodes",
    nodes.map((node) => ({
      cells: [
        node.session,
        node.place,
        node.roles.join(", "),
        node.version,
        since(node.started_at),
        percent(node.cpu),
        megabytes(node.memory_bytes),
        node.resident,
        node.shards,
        node.answers ? "yes" : "no"
      ],
      bad: !node.answers
    }))
  )

const showStreams = ({ streams }) => {
  const rows = (streams ?? []).map((stream) => ({
    cells: [
      stream.name,
      stream.messages,
      megabytes(stream.bytes),
      stream.last_seq,
      stream.replicas,
      stream.leader ?? "",
      stream.offline.join(", "),
      stream.lagging.join(", ")
    ],
    bad: stream.messages === null || stream.offline.length > 0 || stream.lagging.length > 0
  }))
  showPart(
    "streams",
    rows,
    streams === null ? UNSEEN : lineOf(rows, "stream", "streams", "all complete", "not as they should be")
  )
  const consumers = (streams ?? []).flatMap(({ name, consumers: all }) =>
    all.map((one) => ({ cells: [name, one.name, one.pending, one.unacknowledged] }))
  )
  const pending = (streams ?? []).flatMap((stream) => stream.consumers).reduce((sum, one) => sum + one.pending, 0)
  showPart(
    "consumers",
    consumers,
    streams === null ? UNSEEN : `${several(consumers.length, "consumer")}, ${count(pending)} pending`
  )
}

const showReaders = ({ read_models: models, reactions }) => {
  const ofModels = (models ?? []).map((model) => ({
    cells: [model.name, model.version, model.watermark, model.lag, model.faults, model.rebuilt_to ?? ""],
    bad: model.lag === null || model.faults > 0
  }))
  const behind = (all) => all.filter(({ lag }) => lag > 0).length
  const of = (rows, all, one, many) =>
    lineOf(rows, one, many, behind(all) === 0 ? "none behind" : `${behind(all)} catching up`, "bad")
  showPart("models", ofModels, models === null ? "not seen" : of(ofModels, models, "read model", "read models"))
  const ofReactions = (reactions ?? []).map((one) => ({
    cells: [one.name, one.watermark, one.lag, one.parked, one.faults],
    bad: one.lag === null || one.parked > 0 || one.faults > 0
  }))
  showPart("reactions", ofReactions, reactions === null ? UNSEEN : of(ofReactions, reactions, "reaction", "reactions"))
}

const showProcesses = ({ services, checks }) => {
  const rows = (services ?? []).map((one) => ({
    cells: [
      one.name,
      one.roles,
      `${one.host}, pid ${one.pid}`,
      one.version,
      since(one.started),
      percent(one.cpu),
      megabytes(one.memory_bytes),
      one.requests,
      one.errors,
      one.average_ms
    ]
  }))
  const errors = (services ?? []).reduce((sum, one) => sum + one.errors, 0)
  showPart(
    "services",
    rows,
    services === null
      ? "not seen"
      : `${several(rows.length, "role")} in processes, ${several(errors, "error")} since they began`
  )
  const ofChecks = Object.entries(checks ?? {}).map(([name, check]) => ({
    cells: [name, check.status, check.observed, check.unit ?? "", check.message ?? ""],
    bad: check.status !== "pass"
  }))
  showPart(
    "checks",
    ofChecks,
    checks === null ? "not seen" : lineOf(ofChecks, "check", "checks", "all pass", "do not pass")
  )
}

const tile = (id, value, unit, beside, bad = false) => {
  const at = by(`tile-${id}`)
  write(at.querySelector(".value"), value)
  write(at.querySelector(".unit"), unit)
  write(at.lastElementChild, beside)
  at.classList.toggle("bad", bad)
}

const rate = (value) =>
  value === null || value === undefined ? "–" : value.toLocaleString("en-GB", { maximumSignificantDigits: 3 })

const showTiles = ({ nodes, shards, services, streams, read_models: models, points }) => {
  const silent = nodes.filter(({ answers }) => !answers).length
  const unowned = shards.filter((owner) => owner === null).length
  tile(
    "nodes",
    count(nodes.length),
    "",
    silent > 0 ? `${silent} frozen or cut off` : unowned > 0 ? `${unowned} shards without an owner` : "all answer",
    nodes.length === 0 || silent > 0 || unowned > 0
  )
  const edges = services?.filter(({ name }) => name === "hub-edge") ?? null
  tile(
    "edges",
    shown(edges?.length),
    "",
    edges === null ? "not seen" : edges.length === 0 ? "none answers" : "answer",
    edges?.length === 0
  )
  const newest = Math.max(...Object.keys(points).map(Number))
  const [requests, commits, median, p99, refused] = points[newest] ?? []
  tile(
    "requests",
    rate(requests),
    "/s",
    requests === null || requests === undefined ? "known in a moment" : "all edges"
  )
  tile("commits", rate(commits), "/s", commits === null || commits === undefined ? "known in a moment" : "all nodes")
  tile(
    "p99",
    rate(p99),
    "ms",
    median === null || median === undefined ? "no request lately" : `half within ${rate(median)} ms`
  )
  const most = Object.entries(refused ?? {}).toSorted(([, left], [, right]) => right - left)
  tile(
    "refusals",
    requests === null || requests === undefined ? "–" : rate(most.reduce((sum, [, one]) => sum + one, 0)),
    "/s",
    most[0]?.[0] ?? (requests === null || requests === undefined ? "known in a moment" : "none")
  )
  const behind = (models ?? []).filter(({ lag, faults }) => lag === null || lag > 0 || faults > 0).length
  tile(
    "models",
    models === null ? "?" : count(behind),
    "behind",
    models === null ? "not seen" : `of ${models.length}`,
    (models ?? []).some(({ lag, faults }) => lag === null || faults > 0)
  )
  const log = streams?.find(({ name }) => name === "HUB_EVENTS")
  tile(
    "log",
    megabytes(log?.bytes),
    "MB",
    log === undefined ? "not seen" : several(log.messages, "commit"),
    log?.messages === null
  )
}

const STATUSES = { runs: "under way", done: "done", failed: "not as it should be" }
let jobsShown = ""

const showJobs = ({ jobs }) => {
  const text = JSON.stringify(jobs)
  if (text === jobsShown) return
  jobsShown = text
  by("jobs").replaceChildren(
    ...jobs.map(({ what, by: who, why, began, status, says }) => {
      const item = element("li", status, "")
      const line = element("p", "", "")
      line.append(element("strong", "", what), ` by ${who}, `, since(began, " ago"), `: ${STATUSES[status]}`)
      item.append(line, element("p", "faint", `Reason: ${why}`))
      if (says !== "") item.append(element("pre", "words", says))
      return item
    })
  )
}

let pointsShown = ""

const showHour = ({ points }) => {
  const text = Object.keys(points).at(-1) ?? "none"
  if (text === pointsShown) return
  pointsShown = text
  showPlots(points)
}

follow(
  "/",
  (state) => {
    showVerdict(state)
    showTiles(state)
    showHour(state)
    showMap(state)
    showNodes(state)
    showStreams(state)
    showReaders(state)
    showProcesses(state)
    showJobs(state)
    by("seen").replaceChildren(
      ...(state.seen_at === null ? [] : ["Last look: ", since(state.seen_at, " ago"), ". The map is live."])
    )
  },
  () => write(by("seen"), "The console does not answer at the moment. This page tries again.")
)
