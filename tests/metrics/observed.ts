/** Scrapes of a running service in which everything that rules and dashboards name has happened, and what they name. */
import { API_PREFIX } from "../../schemas/version.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { type Exposition, type Series, scrape } from "../support/exposition.ts"
import { register } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

export interface Observed {
  readonly seriesOf: (name: string) => ReadonlyArray<Series>
  readonly stop: () => Promise<void>
}

/** A process tells of garbage once it has collected some. */
const COLLECTED = "nodejs_gc_duration_seconds_sum"

const scrapesOf = ({ system }: TestService): Promise<ReadonlyArray<Exposition>> =>
  Promise.all([...system.edges, ...system.actors].map(({ metrics }) => scrape(metrics)))

export async function observe(): Promise<Observed> {
  const service = await sharedService({ processes: true })
  const edge = service.edges[0] ?? ""
  await register(new AgentClient({ edge: () => edge }), { edge })
  await fetch(`${edge}${API_PREFIX}/agents/nobody-of-this-name`)
  const scrapes = await waitFor(
    async () => {
      await fetch(`${edge}${API_PREFIX}/agents`)
      const found = await scrapesOf(service)
      return found.some(({ series }) => series.some(({ name }) => name === COLLECTED)) ? found : null
    },
    { describe: "a process that has collected garbage" }
  )
  return {
    seriesOf: (name) => scrapes.flatMap(({ series }) => series.filter((one) => one.name === name)),
    stop: service.stop
  }
}

const METRIC = /\b(?:hub|process|nodejs)_[a-z0-9_]+/g
const SELECTED = /\b((?:hub|process|nodejs)_[a-z0-9_]+)\{([^}]*)\}/g
const GROUPED = /\b(?:by|on|without|ignoring|group_left|group_right)\s*\(([^)]*)\)/g

export const metricsIn = (text: string): ReadonlyArray<string> => [...new Set(text.match(METRIC))]

export const groupedIn = (expression: string): ReadonlyArray<string> =>
  [...expression.matchAll(GROUPED)].flatMap(([, labels = ""]) => labels.split(",").map((label) => label.trim()))

/** Labels that Prometheus gives to whatever it scrapes. */
export const GIVEN: ReadonlySet<string> = new Set(["instance", "job"])

/**
 * Lists the metrics and labels of an expression that no scrape has. A series that is selected by an exact value must be
 * there from the start, or nobody would see it rise.
 */
export const strangersIn = (expression: string, { seriesOf }: Observed): ReadonlyArray<string> => {
  const names = metricsIn(expression)
  const lacks = (name: string, label: string): boolean =>
    !GIVEN.has(label) && !seriesOf(name).every(({ labels }) => Object.hasOwn(labels, label))
  const absent = names.filter((name) => seriesOf(name).length === 0)
  const ungrouped = groupedIn(expression).flatMap((label) =>
    names.filter((name) => lacks(name, label)).map((name) => `${name} by ${label}`)
  )
  const unselected = [...expression.matchAll(SELECTED)].flatMap(([, name = "", selector = ""]) => [
    ...[...selector.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].flatMap(([, label = ""]) =>
      lacks(name, label) ? [`${name}{${label}}`] : []
    ),
    ...[...selector.matchAll(/(\w+)="([^"]*)"/g)].flatMap(([, label = "", value = ""]) =>
      seriesOf(name).some(({ labels }) => labels[label] === value) ? [] : [`${name}{${label}="${value}"}`]
    )
  ])
  return [...absent, ...ungrouped, ...unselected]
}
