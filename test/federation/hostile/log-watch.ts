/** A line of the log that is more than information. */
export interface Warning {
  readonly level: number;
  readonly reason?: string;
  readonly partner?: string;
}

const WARN = 40;

/** The log of a gateway, all of it, and what it warned of from one look to the next. */
export class LogWatch {
  private readonly lines: string[] = [];
  private looked = 0;

  write(line: string): void {
    this.lines.push(line);
  }

  /** Since the last look. */
  warnings(): Warning[] {
    const latest = this.lines.slice(this.looked).map((line) => JSON.parse(line) as Warning);
    this.looked = this.lines.length;
    return latest.filter(({ level }) => level >= WARN);
  }

  text(): string {
    return this.lines.join('');
  }
}
