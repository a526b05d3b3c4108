/** The reason why a directory is refused. */

export const malformed = (what: string): Error => new Error(`malformed directory: ${what}`)
