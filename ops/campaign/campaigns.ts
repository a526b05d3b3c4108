/** The campaigns that there are. Each runs tests of the project as they stand, longer than `npm test` does. */

export interface Campaign {
  /** What it looks for, in the list of campaigns. */
  readonly what: string
  readonly files: ReadonlyArray<string>
  /** Of these files only the tests whose names hold this. */
  readonly only?: string
  /** Where they are not named. */
  readonly rounds: number
  /** A round is a run of the tests with a seed of its own; else they are told how many rounds to make. */
  readonly repeats: boolean
}

export const CAMPAIGNS: Readonly<Record<string, Campaign>> = {
  cluster: {
    what: "the cluster of containers under load, each of its servers restarted in turn",
    files: ["tests/deploy/cluster.test.ts"],
    rounds: 1,
    repeats: true
  },
  cuts: {
    what: "backups under as many writes as the servers take, until some are cut inside a batch",
    files: ["tests/ops/backup-copy.test.ts"],
    only: "a cut under writes",
    rounds: 25,
    repeats: false
  },
  deliveries: {
    what: "workers, nodes and servers killed under deliveries",
    files: ["tests/fanout/kill.test.ts"],
    only: "rounds of kills",
    rounds: 40,
    repeats: false
  },
  faults: {
    what: "every fault of tests/chaos, each time another victim at another moment",
    files: [
      ...["actor-freeze", "actor-kill", "bus", "lines", "postgres"].map((name) => `tests/chaos/${name}.test.ts`),
      "tests/campaign/notification-stream.test.ts"
    ],
    rounds: 5,
    repeats: true
  },
  flows: {
    what: "what takes many steps, such as a captcha that waits for a person, under kills; and tables made anew",
    files: [
      "captcha-waits",
      "chat-waits",
      "letters",
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
    files: ["tests/chaos/fleet.test.ts"],
    rounds: 50,
    repeats: false
  },
  malformed: {
    what: "requests that are wrong in every way; a round is a thousand of them",
    files: ["tests/api/malformed.test.ts"],
    rounds: 100,
    repeats: false
  },
  registrations: {
    what: "actors and edges killed during the third step",
    files: ["tests/chaos/registration.test.ts"],
    rounds: 40,
    repeats: false
  }
}
