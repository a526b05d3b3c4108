/** Takes one screenshot of a page, of a fixed size, as a PNG with few colors. */
import { writeFile } from "node:fs/promises"
import sharp from "sharp"
import type { Visit } from "../../tests/support/browser.ts"

export const SIZE = { width: 1200, height: 800 } as const
const BYTES_MAX = 120_000
/** If the picture is too large, it is written again with the next number of colors. */
const COLORS = [256, 128, 64, 32] as const

const drawn = async (picture: Buffer): Promise<Buffer> => {
  for (const colours of COLORS) {
    const png = await sharp(picture)
      .png({ palette: true, colours, dither: 0, effort: 10, compressionLevel: 9 })
      .toBuffer()
    if (png.length <= BYTES_MAX) return png
  }
  throw new Error(`a picture has more than ${BYTES_MAX} bytes, whatever its colors`)
}

/** Returns the number of bytes that were written. */
export const takePicture = async ({ page }: Visit, file: string): Promise<number> => {
  // A blinking caret would make each picture different.
  const picture = await page.screenshot({ caret: "hide", animations: "disabled" })
  const png = await drawn(picture)
  await writeFile(file, png)
  return png.length
}
