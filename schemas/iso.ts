/** A time in the form of the interface: ISO 8601, UTC, with milliseconds (spec 4.1). `ms`: since 1970. */
export const iso = (ms: number): string => new Date(ms).toISOString()
