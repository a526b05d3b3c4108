/** The folder of a backup is hostile input: nothing but plain files of the stated length, and consumers of the service's own. */
import { execFile } from "node:child_process"
import { appendFile, mkdir, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import { checkedManifest } from "../../ops/backup/files.ts"
import {
  type ConsumerPart,
  FORMAT,
  MANIFEST,
  type Manifest,
  manifestText,
  readManifest,
  sha256Of,
  snapshotFile,
  type StreamPart,
  tailFile
} from "../../ops/backup/manifest.ts"
import { consumers, restoreMark, streams, subjects } from "../../schemas/subjects.ts"
import { testFolder } from "../harness/index.ts"

const TEXT = "what a stream holds"
const written = { bytes: TEXT.length, sha256: sha256Of(TEXT) }

const streamOf = (name: string): StreamPart => ({
  name,
  config: { name, subjects: ["hub.one"] } as unknown as StreamPart["config"],
  state: { first_seq: 1, last_seq: 0, messages: 0, bytes: 0 },
  snapshot: written,
  tail: { ...written, messages: 0 }
})

const TIMERS = {
  stream: streams.timers,
  name: consumers.timers,
  floor: 0,
  config: {
    durable_name: consumers.timers,
    filter_subject: subjects.timerFires,
    ack_policy: "explicit",
    deliver_policy: "all",
    replay_policy: "instant",
    max_deliver: -1,
    ack_wait: 1,
    max_ack_pending: 2,
    max_waiting: 512,
    num_replicas: 0
  } as unknown as ConsumerPart["config"]
} satisfies ConsumerPart

const manifestWith = (changed: Partial<Manifest>): Manifest => ({
  format: FORMAT,
  product: "1",
  server: "2.15.0",
  at: 1,
  service_key: "key",
  streams: Object.values(streams).map(streamOf),
  consumers: [TIMERS],
  ...changed
})

const made = async (): Promise<string> => {
  const folder = join(await testFolder("folder"), "backup")
  await mkdir(folder)
  for (const name of Object.values(streams))
    for (const file of [snapshotFile(name), tailFile(name)]) await writeFile(join(folder, file), TEXT)
  await writeFile(join(folder, MANIFEST), manifestText(manifestWith({})))
  return folder
}

const checked = (folder: string) => checkedManifest(folder, new AbortController().signal)

describe("a backup's folder", () => {
  test("is taken as it was written", async () => {
    expect(await checked(await made())).toEqual(manifestWith({}))
  })

  test.each<[string, string, (file: string) => Promise<unknown>, RegExp]>([
    ["a stream without end", snapshotFile(streams.events), (file) => symlink("/dev/zero", file), /ELOOP$/],
    ["a manifest without end", MANIFEST, (file) => symlink("/dev/zero", file), /ELOOP\)$/],
    ["a link to a file", tailFile(streams.seen), (file) => symlink("/etc/hostname", file), /ELOOP$/],
    ["a pipe", snapshotFile(streams.mail), (file) => promisify(execFile)("mkfifo", [file]), /is no file$/],
    ["a folder", snapshotFile(streams.mail), (file) => mkdir(file), /is no file$/],
    [
      "a longer file",
      snapshotFile(streams.blobs),
      (file) => appendFile(file, `${TEXT} and more`),
      /has more than the 19 bytes that the manifest says: the backup is damaged$/
    ]
  ])("is refused with %s", async (_what, name, put, message) => {
    const folder = await made()
    await rm(join(folder, name))
    await put(join(folder, name))
    await expect(checked(folder)).rejects.toThrow(message)
  })
})

describe("a manifest", () => {
  const problem = (changed: Partial<Manifest>): string | null => {
    const read = readManifest(manifestText(manifestWith(changed)))
    return read.ok ? null : read.problem
  }
  const consumer = (config: object, more: object = {}): string | null =>
    problem({ consumers: [{ ...TIMERS, ...more, config: { ...TIMERS.config, ...config } }] })

  test("has consumers of the service's own alone, as the service makes them", () => {
    expect(consumer({ ack_wait: 5, max_ack_pending: 9 })).toBeNull()
    expect(consumer({ deliver_subject: "hub.evil" })).toBe(
      "has deliver_subject in the configuration of its consumer timers"
    )
    for (const key of ["deliver_group", "inactive_threshold", "backoff", "headers_only", "mem_storage"])
      expect(consumer({ [key]: 1 })).toBe(`has ${key} in the configuration of its consumer timers`)
    expect(consumer({ filter_subject: "hub.>" })).toBe("has filter_subject in the configuration of its consumer timers")
    expect(consumer({ ack_policy: "none" })).toBe("has ack_policy in the configuration of its consumer timers")
    expect(consumer({}, { name: "evil" })).toBe("has a consumer evil of HUB_TIMERS, which the service does not have")
    expect(consumer({}, { stream: streams.events })).toBe(
      "has a consumer timers of HUB_EVENTS, which the service does not have"
    )
  })

  test("does not hold the mark of a restore", () => {
    expect(problem({ streams: [...manifestWith({}).streams, streamOf(restoreMark)] })).toContain(
      "is no manifest of a backup"
    )
  })
})
