/**
 * HTTP message signatures (RFC 9421) as far as identities need them. This parses the two headers, and builds the
 * signature base of a message of which only the covered parts are known. Pure.
 *
 * Headers come from strangers, so the work is linear in their length for any content. A field is unfolded once and
 * parsed as a dictionary once, however many components name it.
 */
import {
  type Dictionary,
  type InnerList,
  parseDictionary,
  parseItem,
  type Parameters,
  serializeInnerList,
  serializeItem
} from "structured-headers"

/** Longer headers are not read. */
export const SIGNATURE_HEADER_MAX_CHARS = 4096
const COMPONENTS_MAX = 32

/** The parts of a message that a signature may cover. For a response, `request` has the parts of its request. */
export interface CoveredMessage {
  readonly status?: number
  readonly method?: string
  /** The host line as `normaliseHost` makes it. */
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

export const holdsOneSignature = (signatureInput: string, signature: string): boolean => {
  try {
    return parseDictionary(signatureInput).size === 1 && parseDictionary(signature).size === 1
  } catch {
    return false
  }
}

/** The signatures of the two headers, combined by label; `null` if they cannot be parsed. */
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

/** True if the signature covers the component of this name; with `ofRequest`, that of the request (parameter `req`). */
export const covers = (input: SignatureInput, name: string, ofRequest = false): boolean =>
  input.covered[0].some(
    ([component, parameters]) => component === name && parameters.get("req") === (ofRequest ? true : undefined)
  )

/** The signature base of RFC 9421 2.5; `null` if a covered component is not known, or is named twice. */
export const signatureBase = (covered: InnerList, message: CoveredMessage): string | null => {
  const lines: Array<string> = []
  const seen = new Set<string>()
  const sides = { own: new Side(message), request: message.request === undefined ? null : new Side(message.request) }
  for (const [name, parameters] of covered[0]) {
    if (typeof name !== "string") return null
    const identifier = serializeItem(name, parameters)
    const value = componentValue(name, parameters, sides)
    if (value === null || seen.has(identifier)) return null
    seen.add(identifier)
    lines.push(`${identifier}: ${value}`)
  }
  lines.push(`"@signature-params": ${serializeInnerList(covered)}`)
  return lines.join("\n")
}

interface Sides {
  readonly own: Side
  readonly request: Side | null
}

const componentValue = (name: string, parameters: Parameters, sides: Sides): string | null => {
  // RFC 9421 2.4: `req` is a flag. With other values, one field would have several names.
  if (parameters.has("req") && parameters.get("req") !== true) return null
  const side = parameters.has("req") ? sides.request : sides.own
  if (side === null) return null
  const others = [...parameters.keys()].filter((parameter) => parameter !== "req")
  if (name.startsWith("@")) return others.length === 0 ? derived(name, side.message) : null
  if (others.length === 0) return side.field(name)
  const key = parameters.get("key")
  return others.length === 1 && typeof key === "string" ? side.member(name, key) : null
}

/** The message itself, or its request. A field is parsed when it is first named. */
class Side {
  readonly message: CoveredMessage
  private readonly unfolded = new Map<string, string | null>()
  private readonly dictionaries = new Map<string, Dictionary | null>()

  constructor(message: CoveredMessage) {
    this.message = message
  }

  field(name: string): string | null {
    return remembered(this.unfolded, name, () => {
      const value = this.message.fields?.get(name)
      return value === undefined ? null : unfold(value)
    })
  }

  member(name: string, key: string): string | null {
    const dictionary = remembered(this.dictionaries, name, () => dictionaryOf(this.message.fields?.get(name)))
    const member = dictionary?.get(key)
    if (member === undefined) return null
    try {
      return isInnerList(member) ? serializeInnerList(member) : serializeItem(member)
    } catch {
      return null
    }
  }
}

const remembered = <T>(known: Map<string, T>, name: string, make: () => T): T => {
  const found = known.get(name)
  if (found !== undefined) return found
  const made = make()
  known.set(name, made)
  return made
}

const dictionaryOf = (text: string | undefined): Dictionary | null => {
  if (text === undefined) return null
  try {
    return parseDictionary(text)
  } catch {
    return null
  }
}

/**
 * Replaces each line break and the blanks around it by one blank (RFC 9421 2.1). `null` if a line break is no folding,
 * because the next line would be another header.
 */
const unfold = (value: string): string | null => {
  const [first = "", ...more] = value.trim().split("\n")
  if (!more.every((line) => line.startsWith(" ") || line.startsWith("\t"))) return null
  const text = [first, ...more].map((line) => line.trim()).join(" ")
  return text.includes("\r") ? null : text
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
      return scheme === undefined || authority === undefined || target === undefined
        ? null
        : `${scheme}://${authority}${target}`
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
  /** The member's key in the dictionary; `null` in the older form, which is a single string. */
  readonly key: string | null
}

/** The `Signature-Agent` for a label's signature. A header in the older form has one for all labels. */
export const signatureAgentsOf = (header: string): ((label: string) => SignatureAgent | null) => {
  const dictionary = dictionaryOf(header)
  if (dictionary === null) {
    const agent = olderAgentOf(header)
    return () => agent
  }
  return (label) => {
    const member = dictionary.get(label)
    return member !== undefined && typeof member[0] === "string" ? { address: member[0], key: label } : null
  }
}

const olderAgentOf = (header: string): SignatureAgent | null => {
  try {
    const [value] = parseItem(header)
    return typeof value === "string" ? { address: value, key: null } : null
  } catch {
    return null
  }
}
