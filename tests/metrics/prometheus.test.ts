/** The shipped configuration, rules and dashboards, in a real Prometheus beside a running service. */
import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { textOf } from "../contract/tracked.ts"
import { testFolder, waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { register } from "../support/register.ts"
import { testService, type TestService } from "../support/service.ts"
import { CONFIG, promtool, type Prometheus, RULES, startPrometheus } from "./prometheus.ts"

let service: TestService
let prometheus: Prometheus
let targets: ReadonlyArray<string>
let traffic: NodeJS.Timeout | undefined
beforeAll(async () => {
  service = await testService({ processes: true, metrics: true, keeper: true })
  const { edges, actors, keeper } = service.system
  targets = [...edges, ...actors, ...(keeper === undefined ? [] : [keeper])].map(({ metrics }) => new URL(metrics).host)
  prometheus = await startPrometheus(targets)
  const edge = service.edges[0] ?? ""
  const client = new AgentClient({ edge: () => edge })
  await register(client, { edge })
  // Rates and quantiles are of what happens while they are looked at.
  let turn = 0
  traffic = setInterval(() => {
    void client.call("PATCH", "/api/v1/me", { body: { name: `Name ${turn++}` } }).catch(() => undefined)
    void fetch(`${edge}${API_PREFIX}/agents/nobody-of-this-name`).catch(() => undefined)
  }, 500)
})
afterAll(async () => {
  clearInterval(traffic)
  await prometheus?.stop()
  await service?.stop()
})

test("promtool finds no fault with the configuration and the rules", async () => {
  expect(await promtool("check", "config", "--syntax-only", join(projectRoot, CONFIG))).toContain("SUCCESS")
  expect(await promtool("check", "rules", RULES)).toMatch(/SUCCESS: \d+ rules found/)
})

test("every process is scraped, and is up", async () => {
  interface Target {
    readonly scrapeUrl: string
    readonly health: string
    readonly lastError: string
  }
  const up = await waitFor(
    async () => {
      const { activeTargets } = await prometheus.api<{ activeTargets: ReadonlyArray<Target> }>("targets?state=active")
      const wrong = activeTargets.filter(({ health }) => health !== "up")
      if (wrong.length > 0) throw new Error(JSON.stringify(wrong))
      return activeTargets.length === 0 ? null : activeTargets
    },
    { describe: "all targets to be up" }
  )
  expect(up.map(({ scrapeUrl }) => new URL(scrapeUrl).host).toSorted()).toEqual(targets.toSorted())
})

test("every rule is loaded, and evaluates", async () => {
  interface Rule {
    readonly name: string
    readonly health: string
    readonly lastError?: string
  }
  const rules = await waitFor(
    async () => {
      const { groups } = await prometheus.api<{ groups: ReadonlyArray<{ rules: ReadonlyArray<Rule> }> }>("rules")
      const found = groups.flatMap((group) => group.rules)
      return found.length > 0 && found.every(({ health }) => health !== "unknown") ? found : null
    },
    { describe: "the rules to be evaluated" }
  )
  const names = [...textOf("ops/deploy/prometheus/alerts.yml").matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name)
  expect(rules.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
  expect(rules.filter(({ health }) => health !== "ok")).toEqual([])
})

/** Series over minutes, as promtool writes them: the alert that follows, by name, or none. */
const STORIES: ReadonlyArray<{ readonly alert: string; readonly series: Readonly<Record<string, string>> }> = [
  {
    alert: "HubEdgeFaults",
    series: {
      'hub_edge_requests_total{status="200"}': "0+100x20",
      'hub_edge_requests_total{status="503"}': "0+10x20"
    }
  },
  { alert: "HubBusAway", series: { 'hub_bus_connected{instance="actors-1"}': "0x20" } },
  {
    alert: "HubShardsWithoutOwner",
    series: { 'hub_shards_owned{instance="a"}': "32x20", 'hub_shards_owned{instance="b"}': "31x20" }
  },
  { alert: "HubReplicaLost", series: { hub_log_replicas_current: "2x20", hub_log_replicas: "3x20" } },
  { alert: "HubReadModelsBehind", series: { 'hub_projector_lag_seconds{projection="agent"}': "31x20" } }
]

/** What promtool says of the rules over the series, if no alert is expected by then. */
const silent = async (
  series: Readonly<Record<string, string>>,
  alertname: string,
  eval_time: string
): Promise<string> => {
  const folder = await testFolder("promtool")
  try {
    const file = join(folder, "story.yml")
    const input_series = Object.entries(series).map(([name, values]) => ({ series: name, values }))
    const story = { interval: "1m", input_series, alert_rule_test: [{ eval_time, alertname, exp_alerts: [] }] }
    await writeFile(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: "15s", tests: [story] }))
    return await promtool("test", "rules", file).catch(
      (error: unknown) => (error as { stdout: string }).stdout + (error as { stderr: string }).stderr
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

test.each(STORIES)("$alert fires after its time, and not before, by promtool", async ({ alert, series }) => {
  expect(await silent(series, alert, "0m")).toContain("SUCCESS")
  const said = await silent(series, alert, "19m")
  expect(said).toContain("FAILED")
  expect(said).toContain(`alertname="${alert}"`)
})

interface Dashboard {
  readonly title: string
  readonly panels: ReadonlyArray<{
    readonly title: string
    readonly targets?: ReadonlyArray<{ readonly expr: string }>
  }>
}

const dashboards = ["cluster", "service"].map(
  (name) => JSON.parse(textOf(`ops/deploy/grafana/dashboards/${name}.json`)) as Dashboard
)
const expressions = dashboards.flatMap(({ title, panels }) =>
  panels.flatMap((panel) =>
    (panel.targets ?? []).map(
      ({ expr }) => [`${title}: ${panel.title}`, expr.replaceAll("$__rate_interval", "1m")] as const
    )
  )
)

/** Expressions that select what is wrong. They have no series as long as all is well. */
const OF_WRONGS = ["Hub: service: Faults by route", "Hub: cluster: Reactions parked or passed over"]

test("Prometheus answers every expression of the dashboards, with a series where all is well", async () => {
  expect(expressions.length).toBeGreaterThan(50)
  const empty = async (): Promise<ReadonlyArray<string>> => {
    const counts = await Promise.all(
      expressions.map(
        async ([title, expression]) => [title, expression, await prometheus.seriesOf(expression)] as const
      )
    )
    return counts.flatMap(([title, expression, count]) =>
      count > 0 || OF_WRONGS.includes(title) ? [] : [`${title}: ${expression}`]
    )
  }
  await waitFor(
    async () => {
      const without = await empty()
      if (without.length > 0) throw new Error(without.join("\n"))
      return true
    },
    { describe: "a series of each expression" }
  )
})
