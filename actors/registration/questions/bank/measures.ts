/** Counts that everybody knows, for phrases that follow "there are". */
import { pairs } from "./bank.ts"
import type { Measure } from "./bank.ts"

export const MEASURES: ReadonlyArray<Measure> = pairs(`
  2=ears on a cat; 2=wheels on a bicycle; 2=eyes in a human face; 2=wings on a swan; 2=humps on a Bactrian camel;
  2=people in a duet; 2=halves in a football match; 2=twins in a pair; 2=poles on the Earth;
  3=wheels on a tricycle; 3=sides to a triangle; 3=people in a trio; 3=horns on a triceratops;
  3=months in a quarter of a year; 3=feet in a yard; 3=colours in a traffic light;
  4=legs on a horse; 4=sides to a square; 4=seasons in a year; 4=people in a quartet; 4=wheels on an ordinary car;
  4=strings on a violin; 4=suits in a pack of cards; 4=points on a simple compass rose; 4=quarters in an hour;
  4=aces in a pack of cards;
  5=fingers on one hand; 5=toes on one foot; 5=sides to a pentagon; 5=rings on the Olympic flag;
  5=vowels among a, e, i, o and u; 5=players of one basketball team on the court;
  6=legs on an ant; 6=faces on a cube; 6=sides to a hexagon; 6=strings on an ordinary guitar; 6=legs on a bee;
  6=months in half a year; 6=legs on a beetle; 6=eggs in half a dozen;
  7=days in a week; 7=dwarfs with Snow White; 7=sides to a heptagon; 7=notes from do to ti;
  8=legs on a spider; 8=arms on an octopus; 8=sides to an octagon;
  8=pawns for one player at the start of a chess game; 8=bits in a byte; 8=squares along one edge of a chessboard;
  9=squares on a noughts-and-crosses board; 9=digits from 1 to 9; 9=months in three quarters of a year;
  9=planets and the sun counted together;
  10=fingers on two hands; 10=years in a decade; 10=toes on two feet; 10=pins in a bowling lane at the start;
  10=millimetres in a centimetre; 10=digits from 0 to 9;
  11=players in a football team on the pitch; 12=months in a year; 12=signs in the zodiac;
  12=hours on an ordinary clock face; 12=edges on a cube; 12=eggs in a dozen; 12=stars on the European flag;
  13=cards of each suit in a full pack; 14=days in a fortnight; 15=minutes in a quarter of an hour;
  16=pieces of one player at the start of a chess game; 18=months in a year and a half;
  20=fingers and toes on a person; 20=years in two decades;
  24=hours in a day; 26=letters in the English alphabet; 28=days in four weeks; 30=minutes in half an hour;
  32=pieces on a chessboard at the start; 40=minutes in two thirds of an hour; 50=years in half a century;
  52=weeks in a year; 60=seconds in a minute; 64=squares on a chessboard; 90=degrees in a right angle;
  100=centimetres in a metre
`).map(([n, phrase]) => ({ n: Number(n), phrase }))
