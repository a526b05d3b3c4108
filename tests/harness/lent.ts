/**
 * Systems that outlive a test file: a worker lends what one file gave back to the next that wants the same. One at a
 * time has it, so that a file may kill and restart nodes as it likes, as long as all of them run when it gives back.
 *
 * What lies idle ends with the worker (`environment.ts`), or as soon as a system of another kind is asked for.
 */
const REGISTRY = Symbol.for("hub.tests.lent")

interface Idle {
  readonly kind: string
  readonly stop: () => Promise<void>
}

/** The environment's module is loaded apart from the tests' modules: they meet at the global object. */
const held = globalThis as { [REGISTRY]?: Idle | undefined }

const take = (): Idle | undefined => {
  const idle = held[REGISTRY]
  held[REGISTRY] = undefined
  return idle
}

export async function lend<A extends Idle>(kind: string, start: () => Promise<A>): Promise<A> {
  const idle = take()
  if (idle?.kind === kind) return idle as A
  await idle?.stop()
  return start()
}

export async function giveBack(it: Idle): Promise<void> {
  const idle = take()
  held[REGISTRY] = it
  await idle?.stop()
}

export async function endIdle(): Promise<void> {
  await take()?.stop()
}
