/** Lists of entity tags in conditions (RFC 9110, 8.8.3 and 13.1). */

/** Commas and stars inside the quotes of a tag are part of it. */
const TAG = /(?:W\/)?"[^"]*(?:"|$)|[^\s,"]+/g

/** Returns the tags as they are written: with quotes, with the `W/` of weak ones, and `*`. */
export const tagsIn = (condition: string): ReadonlyArray<string> => condition.match(TAG) ?? []
