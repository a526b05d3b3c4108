/** Why a directory is not taken. */

export const malformed = (what: string): Error => new Error(`malformed directory: ${what}`)
