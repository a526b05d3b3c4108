/**
 * Ports at which the nodes of this machine serve metrics. A node keeps its port when it restarts, so that scrapers find
 * it again. It gets another one only if another program has taken a drawn port meanwhile.
 */
import { drawPort, portIsFree } from "./ports.ts"

export interface MetricsPorts {
  /** The port of a node by its place, edges first; 0 for none. Call it before each start of the node. */
  readonly portOf: (place: number) => Promise<number>
  readonly urlOf: (place: number) => string | null
}

export function metricsPorts(from: "free" | number | undefined): MetricsPorts {
  const drawn = new Map<number, number>()
  const free = async (place: number): Promise<number> => {
    const kept = drawn.get(place)
    if (kept !== undefined && (await portIsFree(kept))) return kept
    for (;;) {
      const port = await drawPort()
      if ([...drawn.values()].includes(port)) continue
      drawn.set(place, port)
      return port
    }
  }
  const portOf = (place: number): Promise<number> =>
    from === "free" ? free(place) : Promise.resolve(from === undefined ? 0 : from + place)
  const known = (place: number): number =>
    from === "free" ? (drawn.get(place) ?? 0) : from === undefined ? 0 : from + place
  return { portOf, urlOf: (place) => (known(place) === 0 ? null : `http://127.0.0.1:${known(place)}/metrics`) }
}
