/** Limits the time of a wait. */

/** Rejects and aborts the work when the time is over or `outer` is aborted. */
export const within = async <A>(
  ms: number,
  work: (signal: AbortSignal) => Promise<A>,
  outer?: AbortSignal
): Promise<A> => {
  const controller = new AbortController()
  let end: () => void = () => undefined
  const over = new Promise<never>((_, reject) => {
    end = () => {
      reject(new Error("the time is over"))
      controller.abort()
    }
  })
  const timer = setTimeout(end, ms)
  outer?.addEventListener("abort", end)
  try {
    return await Promise.race([work(controller.signal), over])
  } finally {
    clearTimeout(timer)
    outer?.removeEventListener("abort", end)
  }
}
