/** Metrics of a process's connection to the bus, and of its asks of actors. */
import type { Asker, AskObserver } from "../bus/asker.ts"
import { Calls } from "./calls.ts"
import type { Meter } from "./meter.ts"

export interface LineState {
  readonly up: boolean
  readonly reconnects: number
}

export const lineMetrics = (meter: Meter, line: LineState): void => {
  meter.gauge("hub_bus_connected", "Is 1 if the process has its connection to NATS, else 0.", () => (line.up ? 1 : 0))
  meter.counter("hub_bus_reconnects_total", "Renewals of the connection to NATS.", () => line.reconnects)
}

/** Observes the asks of one asker. It must be made before the asker. */
export const askCalls = (meter: Meter): Calls & AskObserver =>
  new Calls(meter, {
    total: "hub_bus_asks_total",
    seconds: "hub_bus_ask_duration_seconds",
    what: "Asks of actors by this process, with all their tries",
    label: "op"
  })

export const askerMetrics = (meter: Meter, asker: Asker): void => {
  meter.gauge("hub_bus_asks_in_flight", "Asks of actors that wait for their answer.", () => asker.inFlight)
  meter.gauge(
    "hub_bus_asks_in_flight_max",
    "How many asks may wait; one more is refused as overloaded.",
    () => asker.maxInFlight
  )
  meter.counter(
    "hub_bus_ask_retries_total",
    "Asks that were sent again: no answer in time, no owner, or a new one.",
    () => asker.retries
  )
  meter.counter(
    "hub_bus_asks_overloaded_total",
    "Asks that were refused unsent, because too many waited.",
    () => asker.overloaded
  )
}
