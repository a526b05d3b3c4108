/** The metrics of a process with the role `queries`. */
import { Calls } from "../../../schemas/runtime/metrics/calls.ts"
import { queueGroups, subjects } from "../../../schemas/subjects.ts"
import type { QueryObserver } from "../../queries/serve.ts"
import type { ProcessMetrics } from "../../kit/process-metrics.ts"

export const queryCalls = ({ meter, discovered }: ProcessMetrics): QueryObserver => {
  const calls = new Calls(meter, {
    total: "hub_queries_total",
    seconds: "hub_query_duration_seconds",
    what: "Queries of the read models that were answered here",
    label: "view"
  })
  const observer: QueryObserver = {
    underWay: 0,
    serves: (view) => calls.expect(view),
    settled: (view, refused, seconds) => calls.settled(view, refused, seconds)
  }
  meter.gauge("hub_queries_in_flight", "Queries of the read models that are under way.", () => observer.underWay)
  discovered({
    name: "hub-queries",
    description: "Answers lists and searches from the read models in Postgres.",
    endpoints: () =>
      calls
        .stats()
        .map((stats) => ({ name: stats.name, subject: subjects.query(stats.name), queue: queueGroups.queries, stats })),
    data: () => ({ in_flight: observer.underWay })
  })
  return observer
}
