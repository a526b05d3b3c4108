/** The alert rules: every metric that they name is in a real scrape, every runbook in the operator's page. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { API_PREFIX } from "../../schemas/version.ts"
import { textOf } from "../contract/tracked.ts"
import { AgentClient } from "../support/client.ts"
import { type Exposition, scrape } from "../support/exposition.ts"
import { register } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

const rules = textOf("ops/deploy/prometheus/alerts.yml")
const all = (field: string): ReadonlyArray<string> =>
  [...rules.matchAll(new RegExp(`^ +(?:- )?${field}: (.+)$`, "gm"))].map((match) => match[1] ?? "")
const METRIC = /\b(?:hub|process|nodejs)_[a-z0-9_]+/g
const SELECTED = /\b((?:hub|process|nodejs)_[a-z0-9_]+)\{([^}]*)\}/g

let service: TestService
let scrapes: ReadonlyArray<Exposition>

beforeAll(async () => {
  service = await sharedService({ processes: true })
  const edge = service.edges[0] ?? ""
  await register(new AgentClient({ edge: () => edge }), { edge })
  await fetch(`${edge}${API_PREFIX}/agents`)
  scrapes = await Promise.all([...service.system.edges, ...service.system.actors].map(({ metrics }) => scrape(metrics)))
})
afterAll(async () => {
  await service?.stop()
})

const seriesOf = (name: string) => scrapes.flatMap(({ series }) => series.filter((one) => one.name === name))

test("each rule has an expression, a severity, a summary and a runbook", () => {
  const alerts = all("alert")
  expect(alerts.length).toBeGreaterThan(5)
  expect(new Set(alerts).size).toBe(alerts.length)
  for (const field of ["expr", "labels", "summary", "runbook"]) expect(all(field), field).toHaveLength(alerts.length)
  expect(all("labels").every((labels) => /^\{ severity: (page|ticket) \}$/.test(labels))).toBe(true)
})

test("every metric of the rules is in a scrape, with the labels that they select by", () => {
  const expressions = all("expr").join("\n")
  const names = new Set(expressions.match(METRIC))
  expect(names.size).toBeGreaterThan(8)
  for (const name of names) expect(seriesOf(name).length, name).toBeGreaterThan(0)
  for (const [, name = "", selector = ""] of expressions.matchAll(SELECTED)) {
    for (const [, label = ""] of selector.matchAll(/(\w+)(?:=~|!~|!=|=)"/g))
      expect(
        seriesOf(name).every(({ labels }) => Object.hasOwn(labels, label)),
        `${name}{${label}}`
      ).toBe(true)
    // What is selected by an exact value is told from the start, or the rule could never see it rise.
    for (const [, label = "", value = ""] of selector.matchAll(/(\w+)="([^"]*)"/g))
      expect(
        seriesOf(name).some(({ labels }) => labels[label] === value),
        `${name}{${label}="${value}"}`
      ).toBe(true)
  }
})

test("every runbook is a part of the operator's page", () => {
  const page = textOf("ops/docs/run-a-cluster.md")
  for (const runbook of all("runbook")) {
    const [, part = "", file] = /^See "([^"]+)" in (\S+)\.$/.exec(runbook) ?? []
    expect([file, page.includes(`**${part}.**`)], runbook).toEqual(["ops/docs/run-a-cluster.md", true])
  }
})
