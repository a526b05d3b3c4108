/**
 * A disk that can lose its power. It is a file system on a loop device: what was flushed is in the image, what only the
 * kernel has is not. A cut keeps a copy of the image; the disk goes on from that copy.
 */
import { execFile } from "node:child_process"
import { mkdir, open, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { unmountBelow } from "../../ops/runtime/mounts.ts"
import { waitFor } from "../harness/index.ts"

const run = promisify(execFile)
const IMAGE_BYTES = 402_653_184
/** `e2fsck` by its exit status: nothing to do, or mended. */
const MENDED: ReadonlyArray<unknown> = [0, 1]

export class PowerDisk {
  readonly mount: string
  private readonly image: string
  private readonly kept: string

  private constructor(folder: string) {
    this.mount = join(folder, "mount")
    this.image = join(folder, "image")
    this.kept = join(folder, "kept")
  }

  static async make(folder: string): Promise<PowerDisk> {
    const disk = new PowerDisk(folder)
    await mkdir(disk.mount, { recursive: true })
    const file = await open(disk.image, "w", 0o600)
    await file.truncate(IMAGE_BYTES).finally(() => file.close())
    await run("mkfs.ext4", ["-q", "-F", disk.image])
    await disk.attach()
    return disk
  }

  /** As the kernel does by itself within a minute. */
  async flush(): Promise<void> {
    await run("sync", ["-f", this.mount])
  }

  /** Writers must be frozen. Writes that are under way in the kernel are waited for. */
  async cut(): Promise<void> {
    await waitFor(
      async () => {
        await run("cp", ["--sparse=always", this.image, this.kept])
        return run("cmp", ["--silent", this.image, this.kept]).then(
          () => true,
          () => false
        )
      },
      { describe: "an image that stands still" }
    )
  }

  /** All that had files open must be gone. */
  async powerUp(): Promise<void> {
    await unmountBelow(this.mount)
    await rename(this.kept, this.image)
    const status = await run("e2fsck", ["-p", this.image]).then(
      () => 0,
      (failed: { readonly code?: unknown }) => failed.code
    )
    if (!MENDED.includes(status)) throw new Error(`the disk cannot be mended: e2fsck ended with ${String(status)}`)
    await this.attach()
  }

  async close(): Promise<void> {
    await unmountBelow(this.mount)
    await Promise.all([this.image, this.kept].map((file) => rm(file, { force: true })))
  }

  private async attach(): Promise<void> {
    await run("mount", ["-t", "ext4", "-o", "loop,noatime", this.image, this.mount])
  }
}
