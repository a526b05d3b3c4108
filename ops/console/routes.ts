/** Finds the page of a path, and the action of a name. */
import type { ConsoleAction, ConsolePage } from "./page.ts"

interface Match {
  readonly page: ConsolePage
  readonly params: Readonly<Record<string, string>>
}

/** `null` if an escape is broken. */
const unescaped = (segment: string): string | null => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}

const paramsOf = (pattern: string, path: string): Readonly<Record<string, string>> | null => {
  const [parts, segments] = [pattern.split("/"), path.split("/")]
  if (parts.length !== segments.length) return null
  const params: Record<string, string> = {}
  for (const [index, part] of parts.entries()) {
    const segment = segments[index] ?? ""
    const value = part.startsWith(":") ? unescaped(segment) : null
    if (value !== null && value !== "") params[part.slice(1)] = value
    else if (part !== segment) return null
  }
  return params
}

export const pageAt = (pages: ReadonlyArray<ConsolePage>, path: string): Match | null => {
  for (const page of pages) {
    const params = paramsOf(page.path, path)
    if (params !== null) return { page, params }
  }
  return null
}

export const actionNamed = (
  pages: ReadonlyArray<ConsolePage>,
  name: string
): { readonly page: ConsolePage; readonly action: ConsoleAction } | null => {
  for (const page of pages) for (const action of page.actions ?? []) if (action.name === name) return { page, action }
  return null
}
