/** Terms of the hosted runtime: each version stays as it was accepted. */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { afterAll, beforeAll, expect, it } from "vitest"
import { RUNTIME_TERMS_VERSION, RUNTIME_TERMS_VERSIONS } from "../../schemas/compartment/records.ts"
import { openWorld, type World } from "./edge.ts"

const FOLDER = new URL("../../edge/docs/terms/", import.meta.url)
const ADDRESS = "/api/v1/docs/runtime-terms"

/** sha256 of each text. A changed text needs a new version, and a new line here. */
const ACCEPTED: Readonly<Record<string, string>> = {
  "2026-11-25": "935dd1c42862e12f8e32cd7bfd1df04b9c14fee877175287a371c1f41dc46ac9",
  "2026-11-27": "7cd2b29865063e39e8812ee463e9f797d3395e6f12848e55767061db00950817"
}

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

it("have a file for each version, whose text is the one that was accepted", () => {
  const found = readdirSync(FOLDER).map((file) => [
    file.replace(".md", ""),
    createHash("sha256")
      .update(readFileSync(new URL(file, FOLDER)))
      .digest("hex")
  ])
  expect(Object.fromEntries(found)).toEqual(ACCEPTED)
  expect(RUNTIME_TERMS_VERSIONS.toSorted()).toEqual(Object.keys(ACCEPTED).toSorted())
})

it("are served in the newest version, and in each earlier one by its name", async () => {
  expect(RUNTIME_TERMS_VERSION).toBe(RUNTIME_TERMS_VERSIONS.toSorted().at(-1))
  const newest = await world.edge.call(ADDRESS)
  for (const version of RUNTIME_TERMS_VERSIONS) {
    const { status, text } = await world.edge.call(`${ADDRESS}?version=${version}`)
    expect([status, text.includes(`Version ${version}. `), text === newest.text]).toEqual([
      200,
      true,
      version === RUNTIME_TERMS_VERSION
    ])
  }
  const unknown = await world.edge.call(`${ADDRESS}?version=1`)
  expect([unknown.status, unknown.json.error.details["field"]]).toEqual([422, "version"])
})
