/** A release's data in one file: a tar of the backup's files and of what lies beside them, packed by brotli. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib"
import { extract, pack } from "tar-stream"
import type { Expected } from "./expected.ts"

const FIXTURES = join(import.meta.dirname, "fixtures")
/** Fixtures stay in the project's history for good. */
const PACKED_MAX_BYTES = 3_145_728
const UNPACKED_MAX_BYTES = 268_435_456
const WINDOW_BITS = 24

const dataOf = (release: string): string => join(FIXTURES, `${release}.tar.br`)
const expectedOf = (release: string): string => join(FIXTURES, `${release}.json`)

export const releases = async (): Promise<ReadonlyArray<string>> =>
  (await readdir(FIXTURES))
    .flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -".json".length)] : []))
    .toSorted()

/** Every file of the folder. Resolves to the bytes that it takes. */
export const packed = async (release: string, folder: string, expected: Expected): Promise<number> => {
  const tar = pack()
  for (const name of (await readdir(folder)).toSorted())
    tar.entry({ name, mtime: new Date(0), mode: 0o600 }, await readFile(join(folder, name)))
  tar.finalize()
  const bytes = brotliCompressSync(await buffer(tar), {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS
    }
  })
  if (bytes.length > PACKED_MAX_BYTES)
    throw new Error(`the fixture takes ${bytes.length} bytes, of ${PACKED_MAX_BYTES}`)
  await mkdir(FIXTURES, { recursive: true })
  await writeFile(dataOf(release), bytes)
  await writeFile(expectedOf(release), `${JSON.stringify(expected, null, 2)}\n`)
  return bytes.length
}

/** Writes the files into the folder, which is made. */
export const unpacked = async (release: string, folder: string): Promise<Expected> => {
  await mkdir(folder, { mode: 0o700 })
  const bytes = brotliDecompressSync(await readFile(dataOf(release)), { maxOutputLength: UNPACKED_MAX_BYTES })
  const tar = extract()
  tar.end(bytes)
  for await (const entry of tar) {
    await writeFile(join(folder, entry.header.name), await buffer(entry))
  }
  return JSON.parse(await readFile(expectedOf(release), "utf8")) as Expected
}
