/** The list of campaigns: tests that are too long for `npm test`, and tests that are repeated in many rounds. */

export interface Campaign {
  /** The description in the list of campaigns. */
  readonly what: string
  readonly files: ReadonlyArray<string>
  /** If given, only tests of these files whose names contain this text are run. */
  readonly only?: string
  /** True if the log is archived every second meanwhile (tests/harness/archive.ts). */
  readonly archived?: boolean
  /** The number of rounds, if the command names none. */
  readonly rounds: number
  /** True if each round is a run of the tests with its own seed. Otherwise the tests get the number of rounds. */
  readonly repeats: boolean
}

export const CAMPAIGNS: Readonly<Record<string, Campaign>> = {
  cluster: {
    what: "the cluster of containers under load, each of its servers restarted in turn",
    files: ["tests/deploy/cluster.test.ts"],
    rounds: 1,
    repeats: true
  },
  archive: {
    what: "every endpoint over a log that is archived from second to second",
    files: ["tests/api", "tests/actors/content", "tests/ops/verify.test.ts", "tests/ops/replay.test.ts"],
    archived: true,
    rounds: 1,
    repeats: true
  },
  backups: {
    what: "backups that are cut, one by one",
    files: ["tests/campaign/backup-copy.test.ts"],
    rounds: 1,
    repeats: true
  },
  cuts: {
    what: "backups under as many writes as the servers take, until some are cut inside a batch",
    files: ["tests/campaign/backup-copy.test.ts"],
    only: "a cut under writes",
    rounds: 25,
    repeats: false
  },
  deliveries: {
    what: "workers, nodes and servers killed under deliveries",
    files: ["tests/campaign/kill.test.ts"],
    only: "rounds of kills",
    rounds: 40,
    repeats: false
  },
  faults: {
    what: "every fault of tests/chaos, each time another victim at another moment",
    files: [
      ...["actor-freeze", "actor-kill"].map((name) => `tests/chaos/${name}.test.ts`),
      ...["bus", "lines", "notification-stream", "postgres"].map((name) => `tests/campaign/${name}.test.ts`)
    ],
    rounds: 5,
    repeats: true
  },
  flows: {
    what: "what takes many steps, such as a captcha that waits for a person, under kills; and tables made anew",
    files: [
      "captcha-waits",
      "chat-waits",
      "content",
      "letters",
      "mail",
      "mail-send",
      "notification-stream",
      "owner-waits",
      "rebuild",
      "vault-rotation"
    ].map((name) => `tests/campaign/${name}.test.ts`),
    rounds: 3,
    repeats: true
  },
  fleet: {
    what: "hosts of compartments that die, come back, are given up and drained; a round is a host with twenty compartments",
    files: ["tests/campaign/fleet.test.ts"],
    rounds: 50,
    repeats: false
  },
  logins: {
    what: "whether the time of a login's answer tells of its address; a round is a try",
    files: ["tests/campaign/login-timing.test.ts"],
    rounds: 500,
    repeats: false
  },
  paces: {
    what: "how fast a compartment sends and receives, measured at the receiver; the machine must be quiet",
    files: ["tests/campaign/network-pace.test.ts"],
    rounds: 1,
    repeats: true
  },
  pages: {
    what: "whether every page keeps nobody out, in each colour and width, by keyboard alone",
    files: ["tests/campaign/accessible.test.ts"],
    rounds: 1,
    repeats: true
  },
  million: {
    what: "a million agents in the log: lists, search, directory, verifier and memory; a round is a thousand agents",
    files: ["tests/campaign/million.test.ts"],
    rounds: 1000,
    repeats: false
  },
  power: {
    what: "the machine loses its power under writes; a round is a cut",
    files: ["tests/chaos/power.test.ts", "tests/chaos/power-log.test.ts"],
    rounds: 100,
    repeats: false
  },
  malformed: {
    what: "requests that are wrong in every way; a round is a thousand of them",
    files: ["tests/api/malformed.test.ts"],
    rounds: 100,
    repeats: false
  },
  year: {
    what: "the log of a year, most of it archived: starts, activation, lists, writes, verify, rebuild, backup, restore",
    files: ["tests/campaign/year.test.ts"],
    rounds: 100,
    repeats: false
  },
  scanners: {
    what: "what Debian's own clamd and Rspamd say of mail",
    files: ["tests/campaign/mail-scanners.test.ts"],
    rounds: 1,
    repeats: true
  },
  registrations: {
    what: "actors and edges killed during the third step",
    files: ["tests/campaign/registration.test.ts"],
    rounds: 40,
    repeats: false
  }
}
