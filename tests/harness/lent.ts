/**
 * Systems that outlive a test file: a worker lends what one file gave back to the next that wants the same. One at a
 * time has it, so that a file may restart nodes as it likes, as long as all of them run when it gives back.
 *
 * At most one of each kind lies idle. All of them end with the worker (`environment.ts`).
 */
const REGISTRY = Symbol.for("hub.tests.lent")

interface Idle {
  readonly kind: string
  readonly stop: () => Promise<void>
}

/** The environment's module is loaded apart from the tests' modules: they meet at the global object. */
const held = globalThis as { [REGISTRY]?: Map<string, Idle> }
const idle = (held[REGISTRY] ??= new Map())

export async function lend<A extends Idle>(kind: string, start: () => Promise<A>): Promise<A> {
  const found = idle.get(kind)
  idle.delete(kind)
  return found === undefined ? start() : (found as A)
}

export async function giveBack(it: Idle): Promise<void> {
  const other = idle.get(it.kind)
  idle.set(it.kind, it)
  await other?.stop()
}

export async function endIdle(): Promise<void> {
  const all = [...idle.values()]
  idle.clear()
  await Promise.all(all.map((one) => one.stop()))
}
