/**
 * The output of a process's log: one of its standard streams.
 *
 * Invariants
 *  - Writers never wait for the reader of the stream. The backlog of a slow reader is bounded (WAITING_MAX). Lines
 *    without room are dropped and counted.
 *  - A reader that has gone, or a full disk, does not end the process.
 */

/** Characters that may wait for the reader. */
export const WAITING_MAX = 1_048_576

export interface SinkStream {
  readonly writableLength: number
  write(text: string): unknown
  on(event: "error", hear: () => void): unknown
}

export class Sink {
  private lost = 0
  private readonly stream: SinkStream
  private readonly tellLost: (lines: number) => void

  /** `tellLost` is called with the number of dropped lines once there is room again. */
  constructor(stream: SinkStream, tellLost: (lines: number) => void) {
    this.stream = stream
    this.tellLost = tellLost
    stream.on("error", () => undefined)
  }

  readonly write = (text: string): void => {
    if (this.stream.writableLength > WAITING_MAX) {
      this.lost += text.split("\n").length - 1
      return
    }
    const { lost } = this
    this.lost = 0
    this.stream.write(text)
    if (lost > 0) this.tellLost(lost)
  }
}
