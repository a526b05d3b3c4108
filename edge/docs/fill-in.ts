/** `{{name}}` in a document becomes a value of the running configuration; a name that is not known is a fault. */
import type { EdgeConfig } from "../config.ts"

type Tree = { readonly [key: string]: number | string | Tree }

export const filledIn = (markdown: string, config: EdgeConfig): string => {
  const { hub } = config
  const values: Tree = {
    base_url: hub.baseUrl,
    name: hub.name,
    host: hub.hosts[0] ?? "",
    server_public_key: config.serverPublicKey,
    ...hub.limits
  }
  return markdown.replace(/\{\{([a-z0-9_.]+)\}\}/g, (_, path: string) => String(valueAt(values, path)))
}

const valueAt = (tree: Tree, path: string): number | string => {
  let node: number | string | Tree | undefined = tree
  for (const part of path.split(".")) node = typeof node === "object" && Object.hasOwn(node, part) ? node[part] : undefined
  if (node === undefined || typeof node === "object") throw new Error(`The document names {{${path}}}, which is no figure of the configuration`)
  return node
}
