/**
 * Reads a compartment's output from its FIFO at a bounded rate. A program that writes faster waits, and delays no
 * other. It ends when the last process that has the FIFO open for writing is gone.
 */
import { constants, openSync } from "node:fs"
import { Socket } from "node:net"

/** Bytes that pass without a pause after a quiet time. */
export const BURST_BYTES = 4 * 1024 * 1024
export const RATE_BYTES_PER_SECOND = 256 * 1024
/** The minimum pause in milliseconds, so that a flood wakes this process only a few times a second. */
const PAUSE_MS = 100
const CHUNK_BYTES = 64 * 1024

/** The bytes that one compartment may still write. Both of its streams share them. */
export class Allowance {
  private bytes = BURST_BYTES
  private at = performance.now()
  private unbounded = false

  /** Counts the bytes read. Returns the ms for which to pause. */
  take(bytes: number): number {
    const now = performance.now()
    this.bytes = Math.min(BURST_BYTES, this.bytes + ((now - this.at) / 1000) * RATE_BYTES_PER_SECOND) - bytes
    this.at = now
    if (this.bytes >= 0 || this.unbounded) return 0
    return Math.max(PAUSE_MS, (-this.bytes / RATE_BYTES_PER_SECOND) * 1000)
  }

  /** Ends all delays: the program has ended, and only the content of the FIFOs is left. */
  lift(): void {
    this.unbounded = true
  }
}

export class Pump {
  /** Resolves when the FIFO is empty and has no writer any more, or when the pump is closed. */
  readonly ended: Promise<void>
  private readonly socket: Socket
  private timer: NodeJS.Timeout | null = null

  /**
   * Reads into its own buffer, because data that a paused socket had read ahead would only be in this process's memory.
   */
  private constructor(fd: number, allowance: Allowance, onChunk: (chunk: Uint8Array) => void) {
    const callback = (bytes: number, buffer: Uint8Array): boolean => {
      onChunk(buffer.subarray(0, bytes))
      const pause = allowance.take(bytes)
      if (pause > 0) this.hold(pause)
      return pause === 0
    }
    const onread = { buffer: Buffer.alloc(CHUNK_BYTES), callback }
    this.socket = new Socket({ fd, readable: true, writable: false, onread })
    this.ended = new Promise((resolve) => {
      this.socket.once("close", () => resolve())
    })
    this.socket.on("error", () => this.socket.destroy())
    this.socket.on("end", () => this.socket.destroy())
    this.socket.resume()
  }

  /** Opens the reading end. A FIFO that had no writer yet has not ended. */
  static open(path: string, allowance: Allowance, onChunk: (chunk: Uint8Array) => void): Pump {
    return new Pump(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), allowance, onChunk)
  }

  get closed(): boolean {
    return this.socket.destroyed
  }

  private hold(ms: number): void {
    this.socket.pause()
    this.timer = setTimeout(() => this.go(), ms)
  }

  /** Continues reading without the rest of the pause. */
  go(): void {
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = null
    if (!this.closed) this.socket.resume()
  }

  /** The content of the FIFO remains for the next reader. */
  close(): void {
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = null
    this.socket.destroy()
  }
}
