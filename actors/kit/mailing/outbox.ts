import { join } from "node:path"

/** The folder for letters that are written to files, inside the data folder of `npm start`. */
export const outboxOf = (data: string): string => join(data, "outbox")
