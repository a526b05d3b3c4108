/** The alert rules: every metric that they name is in a real scrape, every runbook in the operator's page. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { textOf } from "../contract/tracked.ts"
import { metricsIn, observe, type Observed, strangersIn } from "./observed.ts"

const rules = textOf("ops/deploy/prometheus/alerts.yml")
const all = (field: string): ReadonlyArray<string> =>
  [...rules.matchAll(new RegExp(`^ +(?:- )?${field}: (.+)$`, "gm"))].map((match) => match[1] ?? "")

let observed: Observed
beforeAll(async () => {
  observed = await observe()
})
afterAll(() => observed?.stop())

test("each rule has an expression, a severity, a summary and a runbook", () => {
  const alerts = all("alert")
  expect(alerts.length).toBeGreaterThan(5)
  expect(new Set(alerts).size).toBe(alerts.length)
  for (const field of ["expr", "labels", "summary", "runbook"]) expect(all(field), field).toHaveLength(alerts.length)
  expect(all("labels").every((labels) => /^\{ severity: (page|ticket) \}$/.test(labels))).toBe(true)
})

test("every metric of the rules is in a scrape, with the labels that they select by", () => {
  expect(metricsIn(all("expr").join("\n")).length).toBeGreaterThan(8)
  expect(all("expr").flatMap((expression) => strangersIn(expression, observed))).toEqual([])
})

test("every metric that the operator's page names is in a scrape", () => {
  const table = /\n### Metrics\n[\s\S]*?\n### /.exec(textOf("ops/docs/run-a-cluster.md"))?.[0] ?? ""
  // A histogram shows as its parts.
  const shows = (name: string): boolean =>
    [name, `${name}_count`].some((series) => observed.seriesOf(series).length > 0)
  expect(metricsIn(table).length).toBeGreaterThan(30)
  expect(metricsIn(table).filter((name) => !shows(name))).toEqual([])
})

test("every runbook is a part of the operator's page", () => {
  const page = textOf("ops/docs/run-a-cluster.md")
  for (const runbook of all("runbook")) {
    const [, part = "", file] = /^See "([^"]+)" in (\S+)\.$/.exec(runbook) ?? []
    expect([file, page.includes(`**${part}.**`)], runbook).toEqual(["ops/docs/run-a-cluster.md", true])
  }
})
