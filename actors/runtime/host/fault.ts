/** The reason why the host cannot carry out an order, in one line without secrets. */
export class HostFault extends Error {
  override readonly name = "HostFault"
}

/** Trying again does not help, because the host got a wrong input. */
export class LastingFault extends HostFault {}

const LINE_MAX_CHARS = 300

/** Makes one line without control characters, because the text may come from a program that is not ours. */
export function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, LINE_MAX_CHARS)
}

export function messageOf(cause: unknown): string {
  return oneLine(cause instanceof Error ? cause.message : String(cause))
}
