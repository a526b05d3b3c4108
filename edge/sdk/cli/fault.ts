/** An error that the user can correct, reported in one line. Any other error is a fault of the program. */
export class Fault extends Error {
  readonly code: string
  readonly status: number
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: string, message: string, status = 1, details: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.code = code
    this.status = status
    this.details = details
  }
}

export const usage = (message: string): Fault => new Fault("usage", message, 2)

export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined
