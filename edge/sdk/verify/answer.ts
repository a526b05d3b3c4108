/** Reads an answer of the hub up to a size limit. */
import type { FetchResponse } from "./interface.ts"

/** Reads a body in parts up to a limit. Reading stops if the body is longer. */
export const drain = async (
  response: FetchResponse,
  maxBytes: number,
  take: (chunk: Uint8Array) => void,
  signal: AbortSignal
): Promise<void> => {
  const declared = Number(response.headers.get("content-length") ?? "0")
  const reader = response.body?.getReader()
  if (reader === undefined) throw new Error("the answer has no body")
  let bytes = 0
  try {
    if (declared > maxBytes) throw new Error("the answer is too large")
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      if (signal.aborted) throw new Error("the time is over")
      bytes += value?.length ?? 0
      if (bytes > maxBytes) throw new Error("the answer is too large")
      if (value !== undefined) take(value)
    }
  } catch (cause) {
    reader.cancel().catch(() => undefined)
    throw cause
  }
}

export const discard = (response: FetchResponse): void => {
  response.body?.cancel?.().catch(() => undefined)
}

export const readJson = async (response: FetchResponse, maxBytes: number, signal: AbortSignal): Promise<unknown> => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let text = ""
  await drain(
    response,
    maxBytes,
    (chunk) => {
      text += decoder.decode(chunk, { stream: true })
    },
    signal
  )
  return JSON.parse(text + decoder.decode())
}
