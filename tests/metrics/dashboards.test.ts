/** The dashboards for Grafana: each metric and label of theirs is in a real scrape, and each panel can be read by a stranger. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { textOf, trackedFiles } from "../contract/tracked.ts"
import { GIVEN, groupedIn, metricsIn, observe, type Observed, strangersIn } from "./observed.ts"

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly description?: string
  readonly datasource?: { readonly type: string; readonly uid: string }
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number }
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } }
  readonly targets?: ReadonlyArray<{ readonly expr: string; readonly legendFormat: string; readonly refId: string }>
}

interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly editable: boolean
  readonly schemaVersion: number
  readonly templating: { readonly list: ReadonlyArray<{ readonly name: string; readonly type: string }> }
  readonly links: ReadonlyArray<{ readonly url: string }>
  readonly panels: ReadonlyArray<Panel>
}

const FILES = trackedFiles().filter((file) => /^ops\/deploy\/grafana\/dashboards\/[a-z]+\.json$/.test(file))
const dashboards = FILES.map((file) => JSON.parse(textOf(file)) as Dashboard)

const targetsOf = ({ panels }: Dashboard) =>
  panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })))

/** Panels of version 11; a row has no query. */
const KINDS = ["row", "stat", "timeseries"]
const COLUMNS = 24
const SCHEMA_VERSION = 39

let observed: Observed
beforeAll(async () => {
  observed = await observe()
})
afterAll(() => observed?.stop())

test("there are two, and each leads to the other", () => {
  expect(dashboards.map(({ uid }) => uid).toSorted()).toEqual(["hub-cluster", "hub-service"])
  for (const { uid, links } of dashboards)
    expect(links.map(({ url }) => url)).toEqual(
      dashboards.filter((other) => other.uid !== uid).map((other) => `/d/${other.uid}`)
    )
})

describe.each(dashboards.map((dashboard) => [dashboard.title, dashboard] as const))("%s", (_title, dashboard) => {
  test("is as Grafana takes it: panels that say what they show, in places of their own, from the data source that is picked", () => {
    const { panels, schemaVersion, editable, templating } = dashboard
    expect([schemaVersion, editable]).toEqual([SCHEMA_VERSION, false])
    expect(templating.list).toMatchObject([{ name: "datasource", type: "datasource" }])
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const taken = new Set<string>()
    for (const { title, type, description, datasource, gridPos, fieldConfig, targets } of panels) {
      expect(KINDS, title).toContain(type)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x} ${y}`), title).toBe(false)
          taken.add(`${x} ${y}`)
        }
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(COLUMNS)
      if (type === "row") continue
      expect(description, title).toMatch(/^[A-Za-z0-9].*\.$/)
      expect(datasource, title).toEqual({ type: "prometheus", uid: "${datasource}" })
      expect(fieldConfig?.defaults.unit, title).toMatch(/^[a-z]+$/)
      expect(targets?.length, title).toBeGreaterThan(0)
      expect(new Set(targets?.map(({ refId }) => refId)).size, title).toBe(targets?.length)
    }
  })

  test("names metrics and labels that are in a scrape", () => {
    const targets = targetsOf(dashboard)
    expect(metricsIn(targets.map(({ expr }) => expr).join("\n")).length).toBeGreaterThan(15)
    expect(
      targets.flatMap(({ title, expr }) => strangersIn(expr, observed).map((stranger) => `${title}: ${stranger}`))
    ).toEqual([])
  })

  test("has legends of labels that the query keeps", () => {
    const strange = targetsOf(dashboard).flatMap(({ title, expr, legendFormat }) => {
      const grouped = groupedIn(expr)
      const isAggregated = /\b(?:sum|min|max|count|avg)\b/.test(expr)
      const own = metricsIn(expr).flatMap((name) => Object.keys(observed.seriesOf(name)[0]?.labels ?? {}))
      const kept = new Set(isAggregated ? grouped : [...own, ...GIVEN])
      return [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].flatMap(([, label = ""]) =>
        kept.has(label) ? [] : [`${title}: ${label}`]
      )
    })
    expect(strange).toEqual([])
  })
})

test("a rate is taken of counters alone, and a quantile of buckets", () => {
  for (const { title, expr } of dashboards.flatMap(targetsOf)) {
    for (const [, name = ""] of expr.matchAll(/\b(?:rate|increase)\((\w+)/g))
      expect(name, title).toMatch(/_(?:total|sum|count|bucket)$/)
    for (const name of metricsIn(expr)) {
      if (name.endsWith("_total")) expect(expr, title).toMatch(new RegExp(`\\b(?:rate|increase)\\(${name}\\b`))
      if (name.endsWith("_bucket")) expect(expr, title).toMatch(/histogram_quantile\([\d.]+, sum by \(le\b/)
    }
  }
})
