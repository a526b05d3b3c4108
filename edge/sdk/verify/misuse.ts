/** What is thrown, and never a verdict: a mistake of the website's own code. */

export const misuse = (what: string): TypeError => new TypeError(`hub verifier: ${what}`)
