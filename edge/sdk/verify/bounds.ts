/**
 * Every limit that is not an option.
 *
 * Invariants
 *  - Everything that grows has a bound: bytes, agents, keys, nonces, records, waiting checks, and the time of each
 *    wait.
 */
import { NUMBER_DIGITS_MAX, USER_AGENT_MAX } from "../../../schemas/signing/identity.ts"

/** The first eight are set by the protocol. */
export const BOUNDS = {
  windowSeconds: 300,
  nonceMemorySeconds: 600,
  attemptIntervalSeconds: 60,
  directoryMaxAgeSeconds: 300,
  lookupsPerMinute: 30,
  recordMaxAgeSeconds: 300,
  timestampDigitsMax: 11,
  numberDigitsMax: NUMBER_DIGITS_MAX,
  hosts: 8,
  retiredKeysPerAgent: 15,
  /** From this age on the directory is renewed in the background, so that no check has to wait for it. */
  renewAheadSeconds: 240,
  retryAfterMaxSeconds: 3600,
  /**
   * The most answers with changes that are read before the whole directory is read again. The whole is also read if
   * more agents than `changedAgents` have changed since, or if it is a day old.
   */
  changesPages: 12,
  changedAgents: 20_000,
  wholeReadSeconds: 86_400,
  /** A number unknown to the hub is looked up again after this long. */
  unknownRecordMaxAgeSeconds: 60,
  records: 1000,
  recordBytes: 1_048_576,
  verdictBytes: 65_536,
  waitingChecks: 1000,
  targetChars: 65_536,
  methodChars: 64,
  userAgentChars: USER_AGENT_MAX,
  etagChars: 256,
  urlChars: 2048,
  nameChars: 400,
  jsonDepth: 32,
  clockToleranceMs: 2000,
  /** An answer that took longer is not used to set the clock. */
  clockRoundTripMs: 4000,
  /** Seconds by which a directory may be older than the current one: the time for which a shared cache may keep it. */
  rollbackSeconds: 300,
  /** The largest share of the memory for nonces that one agent may use. */
  nonceShare: 1 / 8
} as const
