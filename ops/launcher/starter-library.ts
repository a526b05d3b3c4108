/**
 * The library of a service that is new: what lies in ops/library/, brought in at the first start. The actor takes it once
 * in its life, so that what operators have changed or removed stays so.
 */
import { join } from "node:path"
import { LIBRARY_ID } from "../../schemas/library/operations.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { messageOf } from "./fault.ts"
import { projectRoot } from "./paths.ts"

export const STARTER_LIBRARY = join(projectRoot, "ops", "library")

const LOOK_TIMEOUT_MS = 5_000

/** The part of a stack that is used here. */
export interface Serving {
  readonly edges: ReadonlyArray<{ readonly url: string }>
  readonly actors: ReadonlyArray<unknown>
  readonly nats: { readonly operatorUrl: string }
  readonly postgres: { readonly url: string }
  /** `HUB_ARCHIVE` of its nodes. */
  readonly archive?: string | undefined
}

/** The number of entries that an edge shows. */
const entriesAt = async (edge: string): Promise<number> => {
  const answer = await fetch(`${edge}${API_PREFIX}/library?per_page=1`, {
    signal: AbortSignal.timeout(LOOK_TIMEOUT_MS)
  })
  const { meta }: { readonly meta?: { readonly total: number } } = JSON.parse(await answer.text())
  if (meta === undefined) throw new Error(`the library answers ${answer.status}`)
  return meta.total
}

const seed = async ({ nats, postgres, archive }: Serving): Promise<number> => {
  // Only a first start has to load what talks to the bus.
  const [{ openService }, { entriesIn }] = await Promise.all([
    import("../cli/connection.ts"),
    import("../cli/library-folder.ts")
  ])
  const entries = await entriesIn(STARTER_LIBRARY)
  const service = await openService({
    HUB_NATS_URL: nats.operatorUrl,
    HUB_DATABASE_URL: postgres.url,
    HUB_ARCHIVE: archive
  })
  try {
    return (await service.command("library.seed", LIBRARY_ID, { entries })).added
  } finally {
    await service.close()
  }
}

/** If the library cannot be filled, the service runs nevertheless and the operator is told. */
export const fillLibrary = async (stack: Serving, say: (line: string) => void): Promise<void> => {
  const [edge] = stack.edges
  // Without an edge, or without an actor, this is a part of a service.
  if (edge === undefined || stack.actors.length === 0) return
  try {
    if ((await entriesAt(edge.url)) > 0) return
    const added = await seed(stack)
    if (added > 0) say(`the library has ${added} entries now`)
  } catch (cause) {
    say(`the library could not be filled: ${messageOf(cause)}; do it by npm run hub -- library import ops/library`)
  }
}
