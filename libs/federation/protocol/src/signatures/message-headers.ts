import { SignatureRefused } from './signature-refused';

// oxlint-disable-next-line no-control-regex -- the expression looks for control characters
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;

/** All headers of a message in their original form. */
export class MessageHeaders {
  private readonly values = new Map<string, string>();

  /** @param raw alternating names and values, as node:http has them in `rawHeaders` */
  constructor(raw: readonly string[]) {
    const lines = new Map<string, string[]>();
    for (let at = 0; at + 1 < raw.length; at += 2) {
      const [name, value] = [raw[at]!.toLowerCase(), raw[at + 1]!.trim()];
      const known = lines.get(name);
      if (known) known.push(value);
      else lines.set(name, [value]);
    }
    for (const [name, values] of lines) this.values.set(name, values.join(', '));
  }

  /**
   * The value of a header; several lines are joined by a comma and a space (RFC 9421, 2.1).
   * @param name in lower case
   * @throws SignatureRefused for a value that would break out of its line in the signed text
   */
  get(name: string): string | undefined {
    const value = this.values.get(name);
    if (value !== undefined && CONTROL.test(value)) throw new SignatureRefused('malformed', name);
    return value;
  }

  /** @throws SignatureRefused `malformed` if the header is missing: it was signed, and is gone */
  require(name: string): string {
    const value = this.get(name);
    if (value === undefined) throw new SignatureRefused('malformed', name);
    return value;
  }
}
