/** The reason why the host cannot carry out an order, in one line without secrets. */
export class HostFault extends Error {
  override readonly name = "HostFault"
}

/** As often as it is tried: what is wrong is what the host was given. */
export class LastingFault extends HostFault {}

const LINE_MAX_CHARS = 300

/** One line, without control characters: it may come from a program that is not ours. */
export function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, LINE_MAX_CHARS)
}

export function messageOf(cause: unknown): string {
  return oneLine(cause instanceof Error ? cause.message : String(cause))
}
