/** Random decisions; the same seed gives the same ones (mulberry32). */
export class Dice {
  constructor(private state: number) {}

  /** From 0 to `sides` - 1. */
  below(sides: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  }

  oneIn(sides: number): boolean {
    return this.below(sides) === 0;
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }
}
