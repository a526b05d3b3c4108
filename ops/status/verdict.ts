/** The verdict on a cluster: one word, its exit status, and the problems, worst first. Pure. */
import { SHARD_COUNT, streams } from "../../schemas/subjects.ts"
import { type Cluster, placeOf } from "./cluster.ts"

const STATUSES = ["healthy", "degraded", "down"] as const
export type Status = (typeof STATUSES)[number]

export interface Problem {
  /** `down` if the edges, the actor nodes, the shards or the log cannot serve at all. Other problems are `degraded`. */
  readonly status: Exclude<Status, "healthy">
  readonly says: string
}

export interface Verdict {
  readonly status: Status
  /** Worst first. */
  readonly problems: ReadonlyArray<Problem>
}

const down = (says: string): Problem => ({ status: "down", says })
const degraded = (says: string): Problem => ({ status: "degraded", says })

/** Formats numbers such as `3 5-7`. */
export const ranges = (numbers: ReadonlyArray<number>): string => {
  const parts: Array<string> = []
  for (let index = 0; index < numbers.length;) {
    let end = index
    while (numbers[end + 1] === (numbers[end] ?? 0) + 1) end++
    parts.push(end === index ? `${numbers[index]}` : `${numbers[index]}-${numbers[end]}`)
    index = end + 1
  }
  return parts.join(" ")
}

const nodeProblems = ({ nodes, unowned_shards: unowned }: Cluster): ReadonlyArray<Problem> => {
  const frozen = nodes.filter(({ answers }) => !answers)
  if (frozen.length === nodes.length)
    return [down(nodes.length === 0 ? "no actor node runs" : "no actor node answers: they are frozen or cut off")]
  const shards =
    unowned.length === 0
      ? []
      : [
          (unowned.length === SHARD_COUNT ? down : degraded)(
            `${unowned.length === 1 ? "a shard has" : `${unowned.length} shards have`} no owner: ${ranges(unowned)}`
          )
        ]
  return [
    ...shards,
    ...frozen.map((node) =>
      degraded(
        `actor node ${node.session} ${placeOf(node)} does not answer; it holds ${node.shards.length} of ${SHARD_COUNT} shards`
      )
    )
  ]
}

const streamProblems = ({ streams: all }: Cluster): ReadonlyArray<Problem> => {
  const silent = all.filter(({ messages }) => messages === null).map(({ name }) => name)
  const leaderless = all.filter(({ messages, replicas, leader }) => messages !== null && (replicas ?? 1) > 1 && !leader)
  const offline = [...new Set(all.flatMap((stream) => stream.offline))].toSorted()
  const lagging = all.filter((stream) => stream.lagging.length > 0)
  return [
    ...(silent.includes(streams.events) ? [down(`the log (${streams.events}) does not answer`)] : []),
    ...silent.filter((name) => name !== streams.events).map((name) => degraded(`the stream ${name} does not answer`)),
    ...leaderless.map(({ name }) => (name === streams.events ? down : degraded)(`the stream ${name} has no leader`)),
    ...offline.map((server) => {
      const of = all.filter((stream) => stream.offline.includes(server)).length
      return degraded(`nats-server ${server} is offline: ${of} of ${all.length} streams lack a replica`)
    }),
    ...lagging.map(({ name, lagging: servers }) =>
      degraded(`the replicas of ${name} at ${servers.join(", ")} are not current`)
    )
  ]
}

/** A number with its noun, or `?` if it is not known. */
export const counted = (count: number | null, one: string, many = `${one}s`): string =>
  `${count ?? "?"} ${count === 1 ? one : many}`

const readerProblems = ({
  read_models: models,
  reactions,
  paused_webhooks: paused
}: Cluster): ReadonlyArray<Problem> => {
  const passed = (models ?? []).filter(({ faults }) => faults > 0)
  const unseen = [
    ...reactions.filter(({ watermark, lag, parked, faults }) => [watermark, lag, parked, faults].includes(null)),
    ...(models ?? []).filter(({ lag }) => lag === null)
  ]
  return [
    ...(models === null
      ? [degraded("Postgres does not answer: lists, searches and score histories are refused")]
      : passed.map(({ name, faults }) =>
          degraded(`the read model ${name} passed over ${counted(faults, "commit")}: hub verify names them`)
        )),
    ...reactions.flatMap(({ name, parked, faults }) => [
      ...(parked ? [degraded(`${name}: ${counted(parked, "reaction waits", "reactions wait")} for an actor`)] : []),
      ...(faults ? [degraded(`${name}: ${counted(faults, "reaction")} passed over: hub reactions list ${name}`)] : [])
    ]),
    ...(models !== null && paused === null ? [degraded("not seen: which webhooks are paused")] : []),
    ...(unseen.length === 0 ? [] : [degraded(`not seen: how far ${unseen.map(({ name }) => name).join(", ")} are`)])
  ]
}

const serviceProblems = ({ services, nodes, checks }: Cluster): ReadonlyArray<Problem> => {
  const failing = Object.entries(checks ?? {}).filter(([, { status }]) => status !== "pass")
  return [
    ...(services === null
      ? [degraded("not seen: which processes answer")]
      : services.some(({ name }) => name === "hub-edge")
        ? []
        : [down("no edge answers")]),
    ...(checks === null && nodes.some(({ answers }) => answers) ? [degraded("no process answers queries")] : []),
    ...failing.map(([name, { message }]) => degraded(`check ${name}: ${message ?? "it does not pass"}`))
  ]
}

export const verdictOf = (cluster: Cluster): Verdict => {
  const found = [
    ...nodeProblems(cluster),
    ...streamProblems(cluster),
    ...readerProblems(cluster),
    ...serviceProblems(cluster)
  ]
  const problems = [
    ...found.filter(({ status }) => status === "down"),
    ...found.filter(({ status }) => status === "degraded")
  ]
  return { status: problems[0]?.status ?? "healthy", problems }
}

export const exitStatusOf = (status: Status): number => STATUSES.indexOf(status)
