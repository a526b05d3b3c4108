/** An end for what should have one of its own. */
export class Overdue extends Error {}

/** What comes of the work, or `Overdue`: nobody waits for it any longer. */
export const within = <T>(ms: number, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const over = setTimeout(() => reject(new Overdue()), ms)
    void work.then(resolve, reject).finally(() => clearTimeout(over))
  })
