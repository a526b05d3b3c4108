/**
 * Systems that outlive a test file. A worker gives the system of one file to the next file that asks for the same kind.
 * Only one file uses it at a time, so a file may restart nodes, as long as all of them run when it returns the system.
 *
 * At most two systems are idle: one of the kind that most files use, and one of another kind. An idle system takes
 * processor time too, so it ends after a while. Files of one kind therefore follow each other (sequencer.ts). All
 * systems end with the worker (`environment.ts`).
 */
const REGISTRY = Symbol.for("hub.tests.lent")

/** The kind that most files ask for. */
export const MOST_USED = "shared"

/** Longer than it takes to load the next file and to start the other parts that it needs. */
const IDLE_MAX_MS = 15_000

interface Idle {
  readonly kind: string
  readonly stop: () => Promise<void>
}

interface Registry {
  readonly idle: Map<string, { readonly it: Idle; readonly end: NodeJS.Timeout }>
  readonly ending: Set<Promise<void>>
}

/**
 * The environment's module is loaded separately from the tests' modules. Both find the registry in the global object.
 */
const held = globalThis as { [REGISTRY]?: Registry }
const { idle, ending } = (held[REGISTRY] ??= { idle: new Map(), ending: new Set() })

const taken = (kind: string): Idle | undefined => {
  const found = idle.get(kind)
  clearTimeout(found?.end)
  idle.delete(kind)
  return found?.it
}

const ended = (it: Idle): Promise<void> => {
  const stopped = it.stop().finally(() => ending.delete(stopped))
  ending.add(stopped)
  return stopped
}

export async function lend<A extends Idle>(kind: string, start: () => Promise<A>): Promise<A> {
  const found = taken(kind)
  await endAllBut(MOST_USED)
  return found === undefined ? start() : (found as A)
}

export async function giveBack(it: Idle): Promise<void> {
  const other = taken(it.kind)
  const end = setTimeout(() => {
    taken(it.kind)
    void ended(it)
  }, IDLE_MAX_MS)
  idle.set(it.kind, { it, end: end.unref() })
  if (other !== undefined) await ended(other)
}

async function endAllBut(kept: string | null): Promise<void> {
  const unwanted = [...idle.keys()].filter((kind) => kind !== kept).flatMap((kind) => taken(kind) ?? [])
  await Promise.all(unwanted.map(ended))
}

export async function endIdle(): Promise<void> {
  await endAllBut(null)
  await Promise.all(ending)
}
