/**
 * HTTP message signatures (RFC 9421) as far as identities need them: reading the two headers, and the signature base of a
 * message of which only the covered parts are known. Pure.
 */
import { type InnerList, parseDictionary, parseItem, type Parameters, serializeInnerList, serializeItem } from "structured-headers"

/** Longer headers are not looked at. */
export const SIGNATURE_HEADER_MAX_CHARS = 4096
/** Components that one signature may cover. */
const COMPONENTS_MAX = 32

/** What may be covered. A message that is a response tells of its request under `request`. */
export interface CoveredMessage {
  readonly status?: number
  readonly method?: string
  /** Host line, see `normaliseHost`. */
  readonly authority?: string
  readonly scheme?: string
  /** Path and query as sent. */
  readonly target?: string
  /** Field values by lower-case name. */
  readonly fields?: ReadonlyMap<string, string>
  readonly request?: CoveredMessage
}

export interface SignatureInput {
  readonly label: string
  /** Covered components and parameters, as parsed. */
  readonly covered: InnerList
  /** Standard base64 of the signature's bytes. */
  readonly signature: string
}

/** Whether both headers hold one member each. */
export const holdsOneSignature = (signatureInput: string, signature: string): boolean => {
  try {
    return parseDictionary(signatureInput).size === 1 && parseDictionary(signature).size === 1
  } catch {
    return false
  }
}

/** The signatures of two headers that belong together; `null` where they cannot be read. */
export const readSignatures = (signatureInput: string, signature: string): ReadonlyArray<SignatureInput> | null => {
  if (signatureInput.length > SIGNATURE_HEADER_MAX_CHARS || signature.length > SIGNATURE_HEADER_MAX_CHARS) return null
  try {
    const signatures = parseDictionary(signature)
    return [...parseDictionary(signatureInput)].flatMap(([label, covered]) => {
      const bytes = signatures.get(label)?.[0]
      return bytes instanceof ArrayBuffer && isInnerList(covered) && covered[0].length <= COMPONENTS_MAX
        ? [{ label, covered, signature: Buffer.from(bytes).toString("base64") }]
        : []
    })
  } catch {
    return null
  }
}

const isInnerList = (value: unknown): value is InnerList => Array.isArray(value) && Array.isArray(value[0])

export const textParameter = (input: SignatureInput, name: string): string | null => {
  const value = input.covered[1].get(name)
  return typeof value === "string" ? value : null
}

export const integerParameter = (input: SignatureInput, name: string): number | null => {
  const value = input.covered[1].get(name)
  return typeof value === "number" && Number.isSafeInteger(value) ? value : null
}

/** Names of the covered components, with the parameter `req` where they are the request's. */
export const covers = (input: SignatureInput, name: string, ofRequest = false): boolean =>
  input.covered[0].some(([component, parameters]) => component === name && (parameters.get("req") === true) === ofRequest)

/** RFC 9421 2.5; `null` where a covered component is not known, or is named twice. */
export const signatureBase = (covered: InnerList, message: CoveredMessage): string | null => {
  const lines: Array<string> = []
  const seen = new Set<string>()
  for (const [name, parameters] of covered[0]) {
    if (typeof name !== "string") return null
    const identifier = serializeItem(name, parameters)
    const value = componentValue(name, parameters, message)
    if (value === null || seen.has(identifier)) return null
    seen.add(identifier)
    lines.push(`${identifier}: ${value}`)
  }
  lines.push(`"@signature-params": ${serializeInnerList(covered)}`)
  return lines.join("\n")
}

const componentValue = (name: string, parameters: Parameters, message: CoveredMessage): string | null => {
  const source = parameters.get("req") === true ? message.request : message
  if (source === undefined) return null
  const others = [...parameters.keys()].filter((parameter) => parameter !== "req")
  if (name.startsWith("@")) return others.length === 0 ? derived(name, source) : null
  const value = source.fields?.get(name)
  if (value === undefined) return null
  if (others.length === 0) return value.replace(/[ \t]*\r?\n[ \t]+/g, " ").trim()
  const key = parameters.get("key")
  return others.length === 1 && typeof key === "string" ? memberOf(value, key) : null
}

const memberOf = (value: string, key: string): string | null => {
  try {
    const member = parseDictionary(value).get(key)
    if (member === undefined) return null
    return isInnerList(member) ? serializeInnerList(member) : serializeItem(member)
  } catch {
    return null
  }
}

const derived = (name: string, { status, method, authority, scheme, target }: CoveredMessage): string | null => {
  const query = target?.indexOf("?") ?? -1
  switch (name) {
    case "@status":
      return status === undefined ? null : String(status)
    case "@method":
      return method?.toUpperCase() ?? null
    case "@authority":
      return authority ?? null
    case "@scheme":
      return scheme ?? null
    case "@request-target":
      return target ?? null
    case "@target-uri":
      return scheme === undefined || authority === undefined || target === undefined ? null : `${scheme}://${authority}${target}`
    case "@path":
      return target === undefined ? null : query === -1 ? target : target.slice(0, query)
    case "@query":
      return target === undefined ? null : query === -1 ? "?" : target.slice(query)
    default:
      return null
  }
}

export interface SignatureAgent {
  readonly address: string
  /** The member of the dictionary; `null` in the older form, a string alone. */
  readonly key: string | null
}

/** What a `Signature-Agent` header names for the signature of a label. */
export const signatureAgentOf = (header: string, label: string): SignatureAgent | null => {
  try {
    const member = parseDictionary(header).get(label)
    return member !== undefined && typeof member[0] === "string" ? { address: member[0], key: label } : null
  } catch {
    // Not a dictionary: the older form.
  }
  try {
    const [value] = parseItem(header)
    return typeof value === "string" ? { address: value, key: null } : null
  } catch {
    return null
  }
}
