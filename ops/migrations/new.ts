/** `npm run migration <name>`: makes an empty migration with the next free number, and prints its path. */
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const NAME = /^[a-z][a-z0-9_]*$/
const NUMBER = /^\d{4}/

const TEXT = `import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql\`\`.execute(db)
}
`

const folder = import.meta.dirname
const [name = ""] = process.argv.slice(2)
if (!NAME.test(name)) {
  process.stderr.write("npm run migration <name>, in lower case with underscores: npm run migration notes\n")
  process.exit(2)
}
const numbers = readdirSync(folder).map((file) => Number(NUMBER.exec(file)?.[0] ?? 0))
const file = `${String(Math.max(...numbers) + 1).padStart(4, "0")}_${name}.ts`
writeFileSync(join(folder, file), TEXT, { flag: "wx" })
process.stdout.write(`ops/migrations/${file}\n`)
