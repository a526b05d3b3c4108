/**
 * The resource usage of a compartment as bars and lines, without a script: the current reading, and the readings of
 * each minute of the last hour.
 */
import type { Compartment, CompartmentStats, UsageReading } from "../../schemas/compartment/records.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import { polyline } from "../kit/sparkline.ts"
import { minute } from "../kit/times.ts"

const WIDTH = 100
const HEIGHT = 6
const CHART_HEIGHT = 24
const PERCENT = 100

interface Gauge {
  readonly label: string
  readonly value: number
  readonly max: number
  readonly unit: string
}

const shareOf = (value: number, max: number): number => (max <= 0 ? 0 : Math.min(1, Math.max(0, value / max)))

const DECIMAL = new Intl.NumberFormat("en", { maximumFractionDigits: 1 })

/** A value above its maximum is shown in words and by color. */
const gauge = ({ label, value, max, unit }: Gauge): Html => {
  const filled = String(Math.round(shareOf(value, max) * WIDTH * 10) / 10)
  const over = value > max ? html` class="over"` : NOTHING
  const all = html`width="${WIDTH}" height="${HEIGHT}"`
  return html`<div class="gauge"><p><span>${label}</span> <span>${DECIMAL.format(value)} of ${DECIMAL.format(max)}${unit}</span></p>
<svg${over} viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><rect ${all}/><rect width="${filled}" height="${HEIGHT}"/></svg></div>
`
}

const UNITS = ["bytes", "kB", "MB", "GB", "TB"] as const

const bytes = (count: number): string => {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3))
  return `${DECIMAL.format(count / 1000 ** step)} ${UNITS[step] ?? "bytes"}`
}

const SECONDS = { minute: 60, hour: 3600, day: 86_400 } as const

const lasting = (seconds: number): string => {
  if (seconds < 2 * SECONDS.minute) return `${seconds} seconds`
  if (seconds < 2 * SECONDS.hour) return `${Math.floor(seconds / SECONDS.minute)} minutes`
  if (seconds < 2 * SECONDS.day) return `${Math.floor(seconds / SECONDS.hour)} hours`
  return `${Math.floor(seconds / SECONDS.day)} days`
}

const running = (stats: CompartmentStats, { quotas }: Compartment): Html => {
  const { cpu_percent, memory_mb, pids, rx_bytes, tx_bytes, uptime_seconds, at } = stats
  const gauges: ReadonlyArray<Gauge> = [
    { label: "Processor", value: cpu_percent, max: quotas.cpus * PERCENT, unit: " % of one" },
    { label: "Memory", value: memory_mb, max: quotas.memory_mb, unit: " MB" },
    { label: "Processes", value: pids, max: quotas.pids, unit: "" }
  ]
  return html`${gauges.map(gauge)}<p>It runs for ${lasting(uptime_seconds)}, has received ${bytes(rx_bytes)} and sent ${bytes(tx_bytes)}.</p>
<p class="faint">Measured ${minute(at)}, when you opened this page.</p>
`
}

interface Line {
  readonly label: string
  readonly values: ReadonlyArray<number>
  readonly max: number
  readonly unit: string
}

/** Draws a chart and describes it in a text. A value above the top is drawn at the top. */
const chart = ({ label, values, max, unit }: Line): Html => {
  const shares = values.map((value) => shareOf(value, max))
  const line = polyline(shares, { width: WIDTH, height: CHART_HEIGHT })
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return html`<div class="gauge chart"><p><span>${label}</span> <span>${DECIMAL.format(mean)}${unit} on average, ${DECIMAL.format(Math.max(...values))}${unit} at most</span></p>
<svg viewBox="0 0 ${WIDTH} ${CHART_HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><rect width="${WIDTH}" height="${CHART_HEIGHT}"/>${line}</svg></div>
`
}

const lastHour = (history: ReadonlyArray<UsageReading>, { quotas }: Compartment): Html => {
  const [first] = history
  if (first === undefined || history.length < 2) return NOTHING
  const lines: ReadonlyArray<Line> = [
    {
      label: "Processor",
      values: history.map(({ cpu_percent }) => cpu_percent),
      max: quotas.cpus * PERCENT,
      unit: " %"
    },
    { label: "Memory", values: history.map(({ memory_mb }) => memory_mb), max: quotas.memory_mb, unit: " MB" }
  ]
  return html`<h3>Since ${minute(first.at)}, a reading each minute</h3>
${lines.map(chart)}`
}

export const usageSection = (
  record: Compartment,
  stats: CompartmentStats | null | undefined,
  history: ReadonlyArray<UsageReading>
): Html => {
  const disk_mb = stats?.disk_mb ?? record.usage.disk_mb
  const disk =
    disk_mb === null ? NOTHING : gauge({ label: "Disk", value: disk_mb, max: record.quotas.disk_mb, unit: " MB" })
  const now =
    stats === undefined
      ? html`<p class="faint">Its host does not tell at the moment.</p>\n`
      : stats === null
        ? html`<p class="faint">Nothing runs.</p>\n`
        : running(stats, record)
  return html`<section><h2 id="usage">What it uses</h2>
<div class="panel">${disk}${now}${lastHour(history, record)}</div></section>
`
}
