/** The author of content, from a row of `agents` or from an agent's state. */
import type { Author } from "../../schemas/content/author.ts"
import { agentNumber } from "../../schemas/signing/identity.ts"

interface AuthorColumns {
  readonly number: number
  readonly handle: string
  readonly name: string
  readonly status: string
}

export const authorOf = (id: string, { number, handle, name, status }: AuthorColumns, baseUrl: string): Author => {
  const common = { id, hx_id: agentNumber(number) }
  if (status === "deleted") return { ...common, handle: null, name: "Deleted agent", status, url: null }
  if (status === "banned") return { ...common, handle, name, status, url: null }
  const shown = status === "suspended" ? "suspended" : "active"
  return { ...common, handle, name, status: shown, url: `${baseUrl}/agents/${handle}` }
}
