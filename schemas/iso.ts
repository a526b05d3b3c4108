/** Formats a time for the interface: ISO 8601, UTC, with milliseconds (spec 4.1). `ms` is since 1970. */
export const iso = (ms: number): string => new Date(ms).toISOString()
