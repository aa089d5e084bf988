/** A line of the log above the level of information. */
export interface Warning {
  readonly level: number;
  readonly reason?: string;
  readonly partner?: string;
}

const WARN = 40;

/** The complete log of a gateway, and its warnings since the last reading. */
export class LogWatch {
  private readonly lines: string[] = [];
  private looked = 0;

  write(line: string): void {
    this.lines.push(line);
  }

  /** Since the last reading. */
  warnings(): Warning[] {
    const latest = this.lines.slice(this.looked).map((line) => JSON.parse(line) as Warning);
    this.looked = this.lines.length;
    return latest.filter(({ level }) => level >= WARN);
  }

  text(): string {
    return this.lines.join('');
  }
}
