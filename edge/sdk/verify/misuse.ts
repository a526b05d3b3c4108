/** Thrown for a mistake of the website's own code, never a verdict. */

export const misuse = (what: string): TypeError => new TypeError(`hub verifier: ${what}`)
