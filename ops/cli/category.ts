/** `hub category …`: the forum's categories. */
import type { Command } from "./command.ts"

const DEFAULT_POSITION = 1000

export const categoryCommands: ReadonlyArray<Command> = [
  {
    usage: ["category list"],
    run: ({ db }) => db.selectFrom("categories").selectAll().orderBy("position").orderBy("slug").execute()
  },
  {
    usage: ["category define <slug> --name <text> [--description <text>] [--position <n>]"],
    run: (service, { positionals: [slug = ""], values: { name = "", description = "", position } }) =>
      service.command("category.define", slug, {
        name,
        description,
        position: position === undefined ? DEFAULT_POSITION : Number(position)
      })
  },
  {
    usage: ["category remove <slug>"],
    run: (service, { positionals: [slug = ""] }) => service.command("category.remove", slug, null)
  }
]
