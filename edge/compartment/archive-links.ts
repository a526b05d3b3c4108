/**
 * Checks the links of an archive and their targets.
 *
 * Invariants
 *  - A link's target is resolved as the system will resolve it: through the other links of the archive. All links must
 *    be known first, since a later link may change the target of an earlier one.
 *  - A hard link to a symbolic link is a second symbolic link. It is resolved from the folder of the hard link.
 *  - The number of characters examined is bounded. The process does other work between two parts of them.
 */
import { posix } from "node:path"
import { setImmediate as turn } from "node:timers/promises"
import { Broken } from "./archive-rules.ts"

const PATH_MAX_BYTES = 1024
const PARTS_MAX = 100
const PART_MAX_BYTES = 255
/** The system follows at most this many links. */
const HOPS_MAX = 40
const WORK_MAX_CHARS = 50_000_000
const TURN_CHARS = 500_000

const partsOf = (path: string): Array<string> => path.split("/").filter((part) => part !== "" && part !== ".")

/** A relative path without dots and empty parts; "" for the folder itself. */
export const pathOf = (name: string): string => {
  if (name.startsWith("/")) throw new Broken("absolute_path", { entry: name })
  if (Buffer.byteLength(name) > PATH_MAX_BYTES) throw new Broken("name", { entry: name, max: PATH_MAX_BYTES })
  const parts = partsOf(name)
  if (parts.includes("..")) throw new Broken("dot_dot", { entry: name })
  if (parts.length > PARTS_MAX) throw new Broken("name", { entry: name, max: PARTS_MAX })
  // Refuses control characters, which terminals may execute, and characters that no file system accepts.
  if (/\p{Cc}|\ufffd/u.test(name)) throw new Broken("name", { entry: name })
  if (parts.some((part) => Buffer.byteLength(part) > PART_MAX_BYTES))
    throw new Broken("name", { entry: name, max: PART_MAX_BYTES })
  return parts.join("/")
}

interface Link {
  readonly name: string
  readonly target: string
}

const targetOf = (linkname: string | null | undefined, entry: string): string => {
  const target = linkname ?? ""
  if (target === "" || target.startsWith("/") || target.includes("\0")) throw new Broken("link_outside", { entry })
  if (Buffer.byteLength(target) > PATH_MAX_BYTES) throw new Broken("name", { entry, max: PATH_MAX_BYTES })
  if (partsOf(target).length > PARTS_MAX) throw new Broken("name", { entry, max: PARTS_MAX })
  return target
}

export class Links {
  readonly #links = new Map<string, Link>()

  isBehind(path: string): boolean {
    if (this.#links.size === 0) return false
    for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1))
      if (this.#links.has(path.slice(0, end))) return true
    return false
  }

  /** Forgets a link that another entry replaces. */
  drop(path: string): void {
    this.#links.delete(path)
  }

  symbolic(path: string, name: string, linkname: string | null | undefined): void {
    const target = targetOf(linkname, name)
    // A link that is wrong by itself is reported at once. The others are checked when all links are known.
    const to = posix.normalize(posix.join(posix.dirname(path), target))
    if (to === ".." || to.startsWith("../")) throw new Broken("link_outside", { entry: name })
    this.#links.set(path, { name, target })
  }

  /** Adds a hard link. Its target is a path of the archive. */
  hard(path: string, name: string, linkname: string | null | undefined): void {
    const parts = partsOf(targetOf(linkname, name))
    const target = parts.join("/")
    if (parts.includes("..")) throw new Broken("link_outside", { entry: name })
    if (this.isBehind(target)) throw new Broken("through_link", { entry: name })
    const link = this.#links.get(target)
    if (link === undefined) this.drop(path)
    else this.symbolic(path, name, link.target)
  }

  async check(): Promise<void> {
    let [work, turned] = [0, 0]
    for (const [path, link] of this.#links) {
      work += this.#follow(path, link, WORK_MAX_CHARS - work)
      if (work - turned < TURN_CHARS) continue
      turned = work
      await turn()
    }
  }

  /** Returns the cost of following the link. */
  #follow(path: string, { name, target }: Link, max: number): number {
    // No entry can be below a link, so no part of the folder's path is a link.
    const at = partsOf(posix.dirname(path))
    const ahead = partsOf(target).toReversed()
    let work = 0
    for (let hops = 0; ;) {
      const part = ahead.pop()
      if (part === undefined) return work
      work++
      if (part === "..") {
        if (at.pop() === undefined) throw new Broken("link_outside", { entry: name })
        continue
      }
      at.push(part)
      const reached = at.join("/")
      work += reached.length
      if (work > max || reached.length > PATH_MAX_BYTES) throw new Broken("links_work", { entry: name })
      const link = this.#links.get(reached)
      if (link === undefined) continue
      if (++hops > HOPS_MAX) return work
      at.pop()
      ahead.push(...partsOf(link.target).toReversed())
    }
  }
}
