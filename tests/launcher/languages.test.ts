/** What the tests of sealed entries need of the machine. */
import { expect, test } from "vitest"
import { findLanguages } from "../../ops/launcher/languages.ts"

test("a machine without it is told what to install, in one line", async () => {
  const lines: Array<string> = []
  const found = findLanguages({ env: { PATH: "" }, progress: (line) => lines.push(line), mayInstall: false })
  await expect(found).rejects.toThrow(
    /^the tests of sealed entries need (Python with PyNaCl|Go with x\/crypto), which only root can install; install .*apt-get install [\w -]+\)$/
  )
  expect(lines).toEqual([])
})
