/** Numbers from 0 (included) to 1 (excluded). */
export interface Randomness {
  next(): number;
}
