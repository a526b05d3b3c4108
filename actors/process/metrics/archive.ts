/** Metrics of the archive: how far the log is archived, the delay, and failed runs. */
import type { Meter } from "../../../schemas/runtime/metrics/meter.ts"
import type { Archiving } from "../archiving.ts"

export const archiveMetrics = (meter: Meter, archiving: Archiving): void => {
  meter.gauge("hub_archive_sequence", "Last sequence of the log that lies in the archive.", () => archiving.through)
  meter.gauge(
    "hub_archive_late_seconds",
    "Seconds since the oldest commit of the log should have been archived.",
    () => archiving.lateness.seconds
  )
  meter.counter(
    "hub_archive_failures_total",
    "Runs of the archive that failed. The next one goes on where they ended.",
    () => archiving.failures
  )
}
