/** The plots of the last hour: drawn anew where points have come, where the width changes, and where colours do. */
import uPlot from "uplot"
import { write } from "./text.js"

const HOUR_S = 3600
/** Of a console that has just begun. */
const SHORT_S = 600
const HEIGHT = 150
const CODES = 6
/** Points further apart have nothing between them. */
const GAP_S = 25
const UNKNOWN = "Nothing is known yet."

const dark = matchMedia("(prefers-color-scheme: dark)")
const LIGHT_COLOURS = ["#1b4f94", "#9c2f52", "#23653a", "#8a4b08", "#7a2f8f", "#186670", "#5d5b66"]
const DARK_COLOURS = ["#93bcf8", "#f5a19b", "#6fbf8f", "#eebd84", "#d3a6e8", "#7fd0d8", "#a5a3ae"]
const colours = () => (dark.matches ? DARK_COLOURS : LIGHT_COLOURS)
const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

const number = (value) =>
  value === null || value === undefined ? "–" : value.toLocaleString("en-GB", { maximumSignificantDigits: 3 })

const drawn = new Map()

const spanOf = (times) => {
  const now = times.at(-1) ?? Math.floor(Date.now() / 1000)
  return [Math.max(now - HOUR_S, Math.min(times[0] ?? now, now - SHORT_S)), now]
}

const optionsOf = (names, width, moving) => {
  const axis = { stroke: variable("--faint"), font: "12px system-ui, sans-serif", ticks: { show: false } }
  const grid = { stroke: variable("--line"), width: 1 }
  return {
    width,
    height: HEIGHT,
    cursor: { y: false, drag: { x: false, y: false } },
    scales: {
      x: { range: () => moving.span },
      y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.15 : 1] }
    },
    axes: [
      { ...axis, grid: { show: false }, space: 70, size: 26, values: "{HH}:{mm}" },
      { ...axis, grid, size: 44, values: (_plot, ticks) => ticks.map(number) }
    ],
    series: [
      { value: "{HH}:{mm}:{ss}" },
      ...names.map((label, place) => ({
        label,
        stroke: colours()[place % LIGHT_COLOURS.length],
        width: 2,
        points: { show: false },
        fill: names.length === 1 ? `${colours()[0]}22` : undefined,
        value: (_plot, value) => number(value)
      }))
    ]
  }
}

/** `columns`: by their names, beside the times. Says in words what the curves show. */
const draw = (id, times, columns, says) => {
  const at = document.getElementById(`plot-${id}`)
  write(document.getElementById(`plot-${id}-says`), says)
  const width = Math.floor(at.clientWidth)
  if (width === 0) return
  const names = Object.keys(columns)
  const key = [names.join(" "), width, dark.matches].join(" ")
  const data = [times, ...names.map((name) => columns[name])]
  const known = drawn.get(id)
  if (known?.key === key) {
    known.moving.span = spanOf(times)
    known.plot.setData(data)
  } else {
    known?.plot.destroy()
    const moving = { span: spanOf(times) }
    drawn.set(id, { key, moving, plot: new uPlot(optionsOf(names, width, moving), data, at) })
  }
  // Until somebody points at a moment, the legend tells the newest.
  const { plot } = drawn.get(id)
  if (plot.cursor.left < 0 && times.length > 0) plot.setLegend({ idx: times.length - 1 }, false)
}

/** Times with an empty place in each gap, so that no line crosses it. */
const spread = (points) => {
  const times = Object.keys(points)
    .map(Number)
    .toSorted((left, right) => left - right)
  const rows = []
  let before = null
  for (const time of times) {
    if (before !== null && time - before > GAP_S) rows.push([before + 1, [null, null, null, null, null]])
    rows.push([time, points[time]])
    before = time
  }
  return rows
}

/** Codes that refused most within the hour, the rest together. */
const refusalsOf = (rows) => {
  const sums = new Map()
  for (const [, point] of rows)
    for (const [code, rate] of Object.entries(point[4] ?? {})) sums.set(code, (sums.get(code) ?? 0) + rate)
  const codes = [...sums.keys()].toSorted((left, right) => sums.get(right) - sums.get(left))
  const named = codes.slice(0, CODES)
  const rest = codes.slice(CODES)
  const at = (point, code) => (point[4] === null || point[0] === null ? null : (point[4][code] ?? 0))
  const columns = Object.fromEntries(named.map((code) => [code, rows.map(([, point]) => at(point, code))]))
  if (rest.length > 0)
    columns["other codes"] = rows.map(([, point]) => rest.reduce((sum, code) => sum + (at(point, code) ?? 0), 0))
  return { columns, codes }
}

const nowAndMost = (values, unit) => {
  const told = values.filter((value) => value !== null)
  if (told.length === 0) return UNKNOWN
  return `Now ${number(told.at(-1))}${unit}, at most ${number(Math.max(...told))}${unit}.`
}

let last = {}

export const showPlots = (points) => {
  last = points
  const rows = spread(points)
  const times = rows.map(([time]) => time)
  const column = (place) => rows.map(([, point]) => point[place])
  draw("requests", times, { requests: column(0) }, nowAndMost(column(0), ""))
  draw("commits", times, { commits: column(1) }, nowAndMost(column(1), ""))
  draw("latency", times, { median: column(2), "99th percentile": column(3) }, nowAndMost(column(3), " ms"))
  const { columns, codes } = refusalsOf(rows)
  draw(
    "refusals",
    times,
    codes.length === 0 ? { none: column(0).map((value) => (value === null ? null : 0)) } : columns,
    codes.length === 0
      ? column(0).every((value) => value === null)
        ? UNKNOWN
        : "No request was refused."
      : `Most often ${codes[0]}.`
  )
}

let waiting = null
const again = () => {
  clearTimeout(waiting)
  waiting = setTimeout(() => showPlots(last), 150)
}
new ResizeObserver(again).observe(document.querySelector(".plots"))
dark.addEventListener("change", again)
