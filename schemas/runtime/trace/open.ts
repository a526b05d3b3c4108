/** The tracing of one process. */
import { Exporter } from "./exporter.ts"
import type { TraceSettings } from "../../trace-settings.ts"
import { randomHex } from "./span.ts"
import { NO_TRACING, type Tracing, tracingInto } from "./tracing.ts"

export interface OpenTracing {
  readonly tracing: Tracing
  /** Sends what has gathered, within a bound of its own (exporter.ts); never rejects. */
  readonly stop: () => Promise<void>
}

const OFF: OpenTracing = { tracing: NO_TRACING, stop: () => Promise.resolve() }

/** `name`: what the process is called where the settings do not say. `say`: hears of a collector that fails. */
export const openTracing = (settings: TraceSettings | null, name: string, say: (line: string) => void): OpenTracing => {
  if (settings === null) return OFF
  const exporter = new Exporter(settings, { name: settings.service ?? name, instance: randomHex(16) }, say)
  return { tracing: tracingInto(exporter, settings.ratio), stop: () => exporter.stop() }
}
