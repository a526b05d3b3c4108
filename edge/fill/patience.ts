/** Bounds the time of a fill. Waiting for a page is limited, but a person may take as long as the service allows. */
import { unreachable } from "./cdp.ts"

/** A fill that takes longer is ended. */
const FILL_MAX_MS = 60_000

export interface Patience {
  /** The time in which a person is asked does not count. */
  readonly whileAsking: <A>(work: () => Promise<A>) => Promise<A>
  /** Aborts when the caller of the fill has disconnected. */
  readonly signal: AbortSignal
}

/**
 * Calls `close` when the time is over. Work that is still under way then finds a closed connection and types no more.
 */
export const bounded = async <A>(
  work: (patience: Patience) => Promise<A>,
  { close, signal }: { readonly close: () => void; readonly signal: AbortSignal }
): Promise<A> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const end = (): void => {
    close()
    reject(unreachable("The page takes too long."))
  }
  let left = FILL_MAX_MS
  let since = Date.now()
  let timer = setTimeout(end, left)
  const whileAsking = async <B>(asking: () => Promise<B>): Promise<B> => {
    clearTimeout(timer)
    left -= Date.now() - since
    try {
      return await asking()
    } finally {
      since = Date.now()
      timer = setTimeout(end, Math.max(left, 0))
    }
  }
  try {
    return await Promise.race([work({ whileAsking, signal }), late])
  } finally {
    clearTimeout(timer)
  }
}
