/**
 * Fills the library of a new service with the entries of ops/library/ at the first start. The actor accepts them once
 * in its life, so later changes and removals by operators stay.
 */
import { join } from "node:path"
import { LIBRARY_ID } from "../../schemas/library/operations.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { messageOf } from "./fault.ts"
import { projectRoot } from "./paths.ts"

export const STARTER_LIBRARY = join(projectRoot, "ops", "library")

const LOOK_TIMEOUT_MS = 5_000

export interface Serving {
  readonly edges: ReadonlyArray<{ readonly url: string }>
  readonly actors: ReadonlyArray<unknown>
  readonly nats: { readonly operatorUrl: string }
  readonly postgres: { readonly url: string }
  /** The nodes' value of `HUB_ARCHIVE`. */
  readonly archive?: string | undefined
}

const entriesAt = async (edge: string): Promise<number> => {
  const answer = await fetch(`${edge}${API_PREFIX}/library?per_page=1`, {
    signal: AbortSignal.timeout(LOOK_TIMEOUT_MS)
  })
  const { meta }: { readonly meta?: { readonly total: number } } = JSON.parse(await answer.text())
  if (meta === undefined) throw new Error(`the library answers ${answer.status}`)
  return meta.total
}

const seed = async ({ nats, postgres, archive }: Serving): Promise<number> => {
  // Modules that talk to the bus are loaded only if the library is empty.
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

/** Fills an empty library. If that fails, the service runs nevertheless and the operator gets a line about it. */
export const fillLibrary = async (stack: Serving, say: (line: string) => void): Promise<void> => {
  const [edge] = stack.edges
  // A stack without an edge or without an actor is only a part of a service, so it is left alone.
  if (edge === undefined || stack.actors.length === 0) return
  try {
    if ((await entriesAt(edge.url)) > 0) return
    const added = await seed(stack)
    if (added > 0) say(`the library has ${added} entries now`)
  } catch (cause) {
    say(`the library could not be filled: ${messageOf(cause)}; do it by npm run hub -- library import ops/library`)
  }
}
