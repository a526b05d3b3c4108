/**
 * The metrics of reactors. Only the node that carries reactions out knows their position, so other nodes leave that
 * out.
 */
import type { Meter } from "../../../schemas/runtime/metrics/meter.ts"
import type { Reactor } from "../reacting.ts"

export const reactorMetrics = (meter: Meter, reactors: ReadonlyArray<Reactor>): void => {
  for (const reactor of reactors) {
    const labels = { reactions: reactor.name }
    let pending: number | null = null
    meter.collect(async () => {
      pending = null
      pending = (await reactor.running?.pending().catch(() => null)) ?? null
    })
    meter.gauge(
      "hub_reactor_watermark",
      "Sequence of the log up to which all that follows is done.",
      () => reactor.running?.watermark() ?? null,
      labels
    )
    meter.gauge("hub_reactor_lag_messages", "Commits whose consequences are not done yet.", () => pending, labels)
    meter.gauge(
      "hub_reactor_parked",
      "Commands whose actors cannot be had, and those behind them.",
      () => reactor.running?.parked() ?? null,
      labels
    )
    meter.counter("hub_reactor_commits_total", "Commits that were read.", () => reactor.counts.commits, labels)
    meter.counter("hub_reactor_commands_total", "Commands that followed.", () => reactor.counts.commands, labels)
    meter.counter(
      "hub_reactor_refused_total",
      "Commands that followed and were refused by their actors.",
      () => reactor.counts.refused,
      labels
    )
    meter.counter("hub_reactor_failures_total", "Runs that ended and were begun anew.", () => reactor.failures, labels)
    meter.counter(
      "hub_reactor_faults_total",
      "Commits that were noted as faults and passed over.",
      () => reactor.counts.faults,
      labels
    )
  }
}
