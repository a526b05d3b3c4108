/**
 * Entries that wait for an answer, each under the number that is sent with the question.
 *
 * Why not a `Map`: if entries are added and removed all the time, V8 rebuilds the map again and again, and each old
 * table points to the next one. Once one of these tables is in the old generation, all later ones survive young
 * collections with their content, and collections under load become full ones. Here a place is emptied when its entry
 * leaves.
 *
 * Invariants
 *  - A number is in use once at a time and given out again only after all others (2^32 - 1 of them).
 *  - Numbers map to places of a ring, which is at least twice as large as the number of entries. A number whose place
 *    is taken is skipped.
 */
const FIRST_PLACES = 64
const NUMBER_MAX = 0xffffffff

export class Slots<T> {
  private entries: Array<T | undefined> = emptyPlaces(FIRST_PLACES)
  /** The number of the entry in the same place; 0 if it is empty. */
  private numbers = new Uint32Array(FIRST_PLACES)
  private next: number
  private held = 0

  /** `first` is the first number that is given out. */
  constructor(first = 1) {
    this.next = first
  }

  get size(): number {
    return this.held
  }

  /** Adds an entry. Returns its number: an integer from 1 to 2^32 - 1. */
  add(entry: T): number {
    if (this.held * 2 >= this.numbers.length) this.grow()
    let number = this.next
    while (this.numbers[this.placeOf(number)] !== 0) number = after(number)
    this.put(number, entry)
    this.held++
    this.next = after(number)
    return number
  }

  get(number: number): T | undefined {
    const place = this.placeOf(number)
    return number !== 0 && this.numbers[place] === number ? this.entries[place] : undefined
  }

  take(number: number): T | undefined {
    const entry = this.get(number)
    if (entry === undefined) return undefined
    const place = this.placeOf(number)
    this.numbers[place] = 0
    this.entries[place] = undefined
    this.held--
    return entry
  }

  /**
   * Visits all entries that wait when it is called. Entries that leave meanwhile are skipped, and new ones are not
   * visited.
   */
  forEach(visit: (entry: T, number: number) => void): void {
    if (this.held === 0) return
    for (const number of this.numbers.filter((it) => it !== 0)) {
      const entry = this.get(number)
      if (entry !== undefined) visit(entry, number)
    }
  }

  private placeOf(number: number): number {
    return number & (this.numbers.length - 1)
  }

  private put(number: number, entry: T): void {
    const place = this.placeOf(number)
    this.numbers[place] = number
    this.entries[place] = entry
  }

  /** Doubles the ring. Two numbers with different places still have different places. */
  private grow(): void {
    const { entries, numbers } = this
    this.entries = emptyPlaces(numbers.length * 2)
    this.numbers = new Uint32Array(numbers.length * 2)
    numbers.forEach((number, place) => {
      const entry = entries[place]
      if (entry !== undefined) this.put(number, entry)
    })
  }
}

const after = (number: number): number => (number >= NUMBER_MAX ? 1 : number + 1)

const emptyPlaces = <T>(count: number): Array<T | undefined> => Array.from({ length: count }, () => undefined)
