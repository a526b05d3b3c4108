/**
 * Systems that outlive a test file: a worker lends what one file gave back to the next that wants the same. One at a
 * time has it, so that a file may restart nodes as it likes, as long as all of them run when it gives back.
 *
 * At most one of each kind lies idle: one that is used by many files, and one of another kind, since an idle system takes
 * processor time too. All of them end with the worker (`environment.ts`).
 */
const REGISTRY = Symbol.for("hub.tests.lent")

/** The kind that most files want. */
export const MOST_USED = "shared"

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
  await endAllBut(MOST_USED)
  return found === undefined ? start() : (found as A)
}

export async function giveBack(it: Idle): Promise<void> {
  const other = idle.get(it.kind)
  idle.set(it.kind, it)
  await other?.stop()
}

async function endAllBut(kept: string | null): Promise<void> {
  const ended = [...idle.values()].filter(({ kind }) => kind !== kept)
  for (const { kind } of ended) idle.delete(kind)
  await Promise.all(ended.map((one) => one.stop()))
}

export const endIdle = (): Promise<void> => endAllBut(null)
