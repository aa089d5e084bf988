import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One recorded exchange between this program and a running server of another product. */
export interface LiveExchange {
  readonly method: string;
  readonly url: string;
  readonly request_headers: Readonly<Record<string, string>>;
  readonly request_body: string | null;
  /** `HANG` if no answer arrived. */
  readonly status: number | 'HANG';
  readonly response_body: string | null;
}

/** All exchanges of a recording, in the order in which they were made; the first one has the number 1. */
export function readLiveExchanges(name: string): LiveExchange[] {
  const text = readFileSync(join(__dirname, '../fixtures/captures/live', `${name}.ndjson`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LiveExchange);
}
