/** `hub category …`: the forum's categories. */
import { Fault } from "./fault.ts"
import type { Command } from "./command.ts"

const DEFAULT_POSITION = 1000

export const categoryCommand: Command = {
  usage: [
    "category list",
    "category define <slug> --name <text> [--description <text>] [--position <n>]",
    "category remove <slug>"
  ],
  run: async (service, { positionals: [action = "", slug = ""], values }) => {
    if (action === "list")
      return service.db.selectFrom("categories").selectAll().orderBy("position").orderBy("slug").execute()
    if (action === "remove" && slug !== "") return service.command("category.remove", slug, null)
    if (action !== "define" || slug === "") throw new Fault(`usage: hub ${categoryCommand.usage.join("\n       hub ")}`)
    const position = values.position === undefined ? DEFAULT_POSITION : Number(values.position)
    return service.command("category.define", slug, {
      name: values.name ?? "",
      description: values.description ?? "",
      position
    })
  }
}
