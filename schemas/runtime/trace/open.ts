/** The tracing of one process. */
import type { Clock } from "effect"
import { Exporter } from "./exporter.ts"
import { logNow } from "../log/log.ts"
import type { TraceSettings } from "../../trace-settings.ts"
import { randomHex } from "./span.ts"
import { NO_TRACING, type Tracing, tracingInto } from "./tracing.ts"

export interface OpenTracing {
  readonly tracing: Tracing
  /** Sends the collected spans within a time limit (exporter.ts). Never rejects. */
  readonly stop: () => Promise<void>
}

const logWarning = (line: string): void => logNow("warn", "traces", { error: line })

const OFF: OpenTracing = { tracing: NO_TRACING, stop: () => Promise.resolve() }

/** `name` is the service's name if the settings give none. */
export const openTracing = (clock: Clock.Clock, settings: TraceSettings | null, name: string): OpenTracing => {
  if (settings === null) return OFF
  const service = { name: settings.service ?? name, instance: randomHex(16) }
  const exporter = new Exporter(clock, settings, service, logWarning)
  return { tracing: tracingInto(exporter, settings.ratio), stop: () => exporter.stop() }
}
