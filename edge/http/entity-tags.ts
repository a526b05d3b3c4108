/** Lists of entity tags in conditions (RFC 9110, 8.8.3 and 13.1). */

/** A tag may hold commas and stars: within its quotes they are part of it. */
const TAG = /(?:W\/)?"[^"]*(?:"|$)|[^\s,"]+/g

/** Tags as they are written, with their quotes, `W/` of weak ones, and `*`. */
export const tagsIn = (condition: string): ReadonlyArray<string> => condition.match(TAG) ?? []
