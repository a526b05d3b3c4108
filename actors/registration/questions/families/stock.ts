import type { Family } from "../family.ts";
import { count, counted, only } from "../prose.ts";

/** `outer` containers of `inner` packs of `dozens` dozen pieces each, `loose` single pieces, `gone` pieces taken away. */
export interface StockFacts {
  readonly outer: number;
  readonly inner: number;
  readonly dozens: number;
  readonly loose: number;
  readonly gone: number;
}

export const stock: Family<StockFacts> = {
  name: "stock",
  reasoning: true,
  kind: "number",
  format: null,
  build: (random) => ({
    outer: random.int(2, 7),
    inner: random.int(3, 8),
    dozens: random.int(1, 4),
    loose: random.int(3, 19),
    gone: random.int(21, 33),
  }),
  answer: ({ outer, inner, dozens, loose, gone }) => String(outer * inner * dozens * 12 + loose - gone),
  candidates: null,
  phrasings: [
    ({ outer, inner, dozens, loose, gone }, r) =>
      `A farm shop has ${count(r, outer)} crates. Each crate holds ${count(r, inner)} trays, and each tray ${count(r, dozens)} dozen eggs. Besides, ${count(r, loose)} single eggs lie on the counter. If ${count(r, gone)} eggs break, how many whole eggs are left? ${only.number(r)}`,
    ({ outer, inner, dozens, loose, gone }, r) =>
      `How many buttons can the tailor still use? Of all that were delivered, ${count(r, gone)} turned out to be cracked. The delivery: ${count(r, outer)} cartons with ${count(r, inner)} bags apiece, ${count(r, dozens)} dozen buttons to a bag, and an envelope with ${count(r, loose)} more. ${only.number(r)}`,
    ({ outer, inner, dozens, loose, gone }, r) =>
      `Pencils are sold by the dozen. A school buys for ${count(r, outer)} classes; every class gets ${count(r, inner)} packets, and a packet contains ${count(r, dozens)} dozen. The janitor adds ${count(r, loose)} old pencils, and ${count(r, gone)} go missing over the year. Find how many pencils the school has then. ${only.number(r)}`,
    ({ outer, inner, dozens, loose, gone }, r) =>
      `On board: ${counted(r, loose, "orange")} in the galley, and in the hold ${count(r, outer)} chests. Open a chest and you count ${count(r, inner)} nets; open a net and you count ${count(r, dozens)} dozen oranges. The crew eats ${count(r, gone)}. How many oranges does the ship land with? ${only.number(r)}`,
    ({ outer, inner, dozens, loose, gone }, r) =>
      `After a sale of ${count(r, gone)} bulbs, a nursery takes stock of what it had before the sale: ${count(r, dozens)} dozen bulbs in every box, ${count(r, inner)} boxes on every shelf, ${count(r, outer)} shelves, all full, plus a bowl holding ${count(r, loose)}. What number of bulbs remains unsold? ${only.number(r)}`,
    ({ outer, inner, dozens, loose, gone }, r) =>
      `Imagine ${count(r, outer)} drawers. Inside each of them are ${count(r, inner)} tins, and inside each tin ${count(r, dozens)} dozen screws. Somebody removes ${count(r, gone)} screws and somebody else throws in ${count(r, loose)}. Tell how many screws the drawers contain now. ${only.number(r)}`,
    ({ outer, inner, dozens, loose, gone }, r) =>
      `The bakery's order book for one morning reads: "${outer} vans, ${inner} baskets in each van, ${dozens} dozen rolls in each basket; ${loose} rolls extra for the driver's aunt." However, ${count(r, gone)} rolls were burnt and not replaced. How many rolls went out altogether? ${only.number(r)}`,
    ({ outer, inner, dozens, loose, gone }, r) =>
      `Marbles were shared out in a game so that ${count(r, outer)} teams of ${count(r, inner)} players had ${count(r, dozens)} dozen for each single player. The referee kept ${count(r, loose)}. By the end ${count(r, gone)} marbles had rolled down a drain. Counting players and referee together, how many marbles were not lost? ${only.number(r)}`,
  ],
};
