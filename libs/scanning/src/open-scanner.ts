import type { Config } from '#platform';
import { ClamdScanner } from './clamd-scanner';
import { IcapScanner } from './icap-scanner';
import { ScanQueue } from './scan-queue';
import type { Scanner } from './scanner';

/** Configuration of the scanner. */
export type ScannerConfig = Pick<Config, 'SCANNER' | 'SCANNER_TIMEOUT' | 'SCANNER_CONCURRENCY'>;

/** The configured scanner; undefined for none. */
export function scannerOf({ SCANNER: place, SCANNER_TIMEOUT }: ScannerConfig): Scanner | undefined {
  if (!place) return undefined;
  return place.speaks === 'clamd'
    ? new ClamdScanner(place.at, SCANNER_TIMEOUT)
    : new IcapScanner(place.at, place.address, SCANNER_TIMEOUT);
}

/** The same with the limits of one process. */
export function scanQueueOf(config: ScannerConfig): ScanQueue | undefined {
  const scanner = scannerOf(config);
  const limits = { atOnce: config.SCANNER_CONCURRENCY, waitMs: config.SCANNER_TIMEOUT };
  return scanner && new ScanQueue(scanner, limits);
}
