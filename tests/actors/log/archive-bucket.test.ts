/** The archive's objects in a bucket: whole, by ranges, over faults of the wire. */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { bucketOf } from "../../../actors/log/archive/bucket.ts"
import type { Objects } from "../../../actors/log/archive/objects.ts"
import { readArchiveSettings } from "../../../schemas/archive/settings.ts"
import { type Bucket, openBucket } from "../../support/bucket.ts"

let bucket: Bucket
let objects: Objects

beforeAll(async () => {
  bucket = await openBucket()
  vi.stubEnv("AWS_ENDPOINT_URL_S3", bucket.url)
  vi.stubEnv("AWS_ACCESS_KEY_ID", "key")
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret")
  const read = readArchiveSettings({ HUB_ARCHIVE: "s3://hub-archive/one/log", HUB_ARCHIVE_REGION: "eu-central-1" })
  if (!read.ok || read.settings?.type !== "bucket") throw new Error("no bucket")
  objects = bucketOf(read.settings)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await bucket.stop()
})

test("an object is stored whole and read by ranges", async () => {
  const bytes = randomBytes(300_000)
  await objects.put("1-2-ab.zst", bytes)
  expect([...bucket.objects.keys()]).toEqual(["/hub-archive/one/log/1-2-ab.zst"])
  const object = await objects.open("1-2-ab.zst")
  expect(object.bytes).toBe(bytes.length)
  expect((await object.read(0, object.bytes)).equals(bytes)).toBe(true)
  expect((await object.read(1000, 17)).equals(bytes.subarray(1000, 1017))).toBe(true)
  expect((await object.read(bytes.length - 5, 100)).equals(bytes.subarray(-5))).toBe(true)
})

test("one that is not there is an error, and a place that fails is asked again", async () => {
  await expect(objects.open("3-4-cd.zst")).rejects.toThrow()
  bucket.faults.push(503, "cut")
  await objects.put("3-4-cd.zst", Buffer.from("text"))
  bucket.faults.push(500)
  const object = await objects.open("3-4-cd.zst")
  bucket.faults.push("cut", 503)
  expect((await object.read(0, 4)).toString()).toBe("text")
})

test("objects are listed in order by the beginning of their names, and removed, also twice", async () => {
  const names = ["until-2", "until-10", "0-1-ab.zst", "until-1"]
  for (const name of names) await objects.put(name, Buffer.from(name))
  expect(await objects.list("until-")).toEqual(["until-1", "until-10", "until-2"])
  for (let round = 0; round < 2; round++) await objects.remove("until-10")
  expect(await objects.list("until-")).toEqual(["until-1", "until-2"])
  expect(await objects.list("nothing-")).toEqual([])
  await expect(objects.open("until-10")).rejects.toThrow()
  expect((await objects.open("0-1-ab.zst")).bytes).toBe(10)
})

test("settings that name no bucket or folder are refused by name", () => {
  const problemOf = (place: string, region = "eu-central-1") => {
    const read = readArchiveSettings({ HUB_ARCHIVE: place, HUB_ARCHIVE_REGION: region })
    return read.ok ? null : read.problem
  }
  expect(problemOf("/srv/hub/archive", "")).toBeNull()
  expect(problemOf("s3://hub-archive")).toBeNull()
  for (const place of ["archive", "./archive", "s3://", "s3://B", "s3://bucket/../x", "s3://bucket//x", "/a\nb"])
    expect(problemOf(place), place).toMatch(/^HUB_ARCHIVE must be/)
  expect(problemOf("s3://hub-archive", "")).toMatch(/^HUB_ARCHIVE_REGION is required/)
  expect(problemOf("s3://hub-archive", "nowhere")).toMatch(/^HUB_ARCHIVE_REGION must be/)
})
