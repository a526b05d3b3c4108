/** Requests of the content benchmarks whose cost is not measured. */
import { type BenchAgent, signedHeaders } from "../agents.ts"

/** Sends a request and returns the answer's data. Throws on any refusal. */
export const sent = async (url: string, init: RequestInit = {}): Promise<unknown> => {
  const answer = await fetch(url, init)
  const { ok, data } = (await answer.json()) as { readonly ok: boolean; readonly data?: unknown }
  if (!ok) throw new Error(`${url} answered ${answer.status}`)
  return data
}

export const write = async (
  baseUrl: string,
  agent: BenchAgent,
  path: string,
  body: object
): Promise<{ readonly id: number }> => {
  const text = JSON.stringify(body)
  const headers = {
    "content-type": "application/json",
    ...signedHeaders(agent, new URL(baseUrl).host, "POST", path, text)
  }
  return (await sent(baseUrl + path, { method: "POST", headers, body: text })) as { id: number }
}
