import type { Family } from "../family.ts";
import { count, counted, only } from "../prose.ts";

export interface MoneyFacts {
  /** How many of each of three goods, and the price of one. */
  readonly goods: readonly [Good, Good, Good];
  /** Taken off the sum once. */
  readonly voucher: number;
  readonly paid: number;
}

export interface Good {
  readonly amount: number;
  readonly price: number;
}

const NOTES = [100, 150, 200, 300, 400, 500];

const sum = (goods: ReadonlyArray<Good>): number => goods.reduce((total, { amount, price }) => total + amount * price, 0);

export const money: Family<MoneyFacts> = {
  name: "money",
  reasoning: true,
  kind: "number",
  format: null,
  build: (random) => {
    const good = (): Good => ({ amount: random.int(2, 6), price: random.int(4, 23) });
    const goods = [good(), good(), good()] as const;
    return { goods, voucher: random.int(3, 15), paid: NOTES.find((note) => note >= sum(goods)) ?? 500 };
  },
  answer: ({ goods, voucher, paid }) => String(paid - (sum(goods) - voucher)),
  candidates: null,
  phrasings: [
    ({ goods: [a, b, c], voucher, paid }, r) =>
      `At a market ${counted(r, a.amount, "melon")} at ${count(r, a.price)} coins each, ${counted(r, b.amount, "cheese")} at ${count(r, b.price)} each and ${count(r, c.amount)} jars of honey at ${count(r, c.price)} each are bought. A voucher takes ${count(r, voucher)} coins off the bill. The buyer hands over ${paid} coins; how many come back? ${only.number(r)}`,
    ({ goods: [a, b, c], voucher, paid }, r) =>
      `How much change is due, in crowns? The customer pays with notes worth ${paid} crowns and has a refund of ${count(r, voucher)} crowns to be set against the purchase. The purchase: ${count(r, a.amount)} lamps (${a.price} crowns apiece), ${count(r, b.amount)} rugs (${b.price} apiece), ${count(r, c.amount)} clocks (${c.price} apiece). ${only.number(r)}`,
    ({ goods: [a, b, c], voucher, paid }, r) =>
      `A class of pupils has ${paid} francs for an outing. Bus fares come to ${count(r, a.price)} francs for each of ${count(r, a.amount)} groups; ${count(r, b.amount)} boat trips are ${count(r, b.price)} francs apiece, and ${count(r, c.amount)} lunches cost ${count(r, c.price)} francs apiece. The school pays ${count(r, voucher)} francs of this from its own purse. How many francs does the class have left? ${only.number(r)}`,
    ({ goods: [a, b, c], voucher, paid }, r) =>
      `Starting with ${paid} points, a player of a board game buys ${count(r, a.amount)} towers for ${count(r, a.price)} points each, then ${count(r, b.amount)} gates for ${count(r, b.price)} each, then ${count(r, c.amount)} wells for ${count(r, c.price)} each. The bank pays the player a bonus of ${count(r, voucher)}. What is the score after that? ${only.number(r)}`,
    ({ goods: [a, b, c], voucher, paid }, r) =>
      `Price list: soup ${a.price}, pie ${b.price}, juice ${c.price} (all in tokens). A table orders juice ${c.amount} times, soup ${a.amount} times and pie ${b.amount} times, and is let off ${count(r, voucher)} tokens because the waiter spilt something. Someone puts down ${paid} tokens. Find the tokens to be returned. ${only.number(r)}`,
    ({ goods: [a, b, c], voucher, paid }, r) =>
      `The budget was ${paid} shillings. Out of it the gardener paid for ${count(r, c.amount)} spades, at ${count(r, c.price)} shillings the piece, and for ${count(r, a.amount)} sacks of soil, at ${count(r, a.price)} shillings the sack; and ${count(r, b.amount)} helpers were given ${count(r, b.price)} shillings each. Selling an old rake brought ${count(r, voucher)} shillings in. How many shillings are there now? ${only.number(r)}`,
    ({ goods: [a, b, c], voucher, paid }, r) =>
      `If one stamp costs ${count(r, a.price)} pesos, one envelope ${count(r, b.price)} and one card ${count(r, c.price)}, what is left of ${paid} pesos when you take ${count(r, a.amount)} stamps, ${count(r, b.amount)} envelopes and ${count(r, c.amount)} cards, and the clerk knocks ${count(r, voucher)} pesos off the total? ${only.number(r)}`,
    ({ goods: [a, b, c], voucher, paid }, r) =>
      `An account stood at ${paid}. There were ${count(r, b.amount)} withdrawals of ${count(r, b.price)}, ${count(r, a.amount)} withdrawals of ${count(r, a.price)}, and ${count(r, c.amount)} of ${count(r, c.price)}; there was also a single deposit of ${count(r, voucher)}. Nothing else happened. At how much does the account stand now? ${only.number(r)}`,
  ],
};
