/** Differences that a report names, each in words; further ones are only counted. Of one table, or of one part of a report. */
export const NAMED_MAX = 100
