/** Metrics of the pruner: removed rows, and failures. */
import type { Meter } from "../../../schemas/runtime/metrics/meter.ts"
import type { Pruner } from "../../projections/pruning.ts"

export const prunerMetrics = (meter: Meter, pruner: Pruner): void => {
  for (const table of pruner.removed.keys())
    meter.counter(
      "hub_pruner_rows_total",
      "Rows of the read models that were removed after their time.",
      () => pruner.removed.get(table) ?? 0,
      { table }
    )
  meter.counter(
    "hub_pruner_failures_total",
    "Sweeps over the rows of a read model that failed; the next one comes to them again.",
    () => pruner.failures
  )
}
