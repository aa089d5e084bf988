import { Readable } from 'node:stream';
import { scannerOf, ScannerFailure, TEST_CONTENT } from '#scanning';
import { failed, ok, warning, type Check, type Finding } from './finding';

const LIMIT_MS = 15_000;

/** Checks whether the scanner of uploads answers, and finds the standard test content. */
export const SCANNER_CHECK: Check = {
  name: 'scanner',
  look: async ({ config }) => {
    const scanner = scannerOf({ ...config, SCANNER_TIMEOUT: Math.min(config.SCANNER_TIMEOUT, LIMIT_MS) });
    if (!scanner) return [ok('SCANNER', 'none: uploads are not scanned')];
    try {
      const described = ok('SCANNER', await scanner.describe());
      const [clean, infected] = [
        await scanner.scan(contentOf('a clean content')),
        await scanner.scan(contentOf(TEST_CONTENT)),
      ];
      if (clean.kind !== 'clean') return [described, findsAll()];
      return [
        described,
        infected.kind === 'finding' ? ok('test content', `found as ${infected.name}`) : findsNothing(),
      ];
    } catch (error) {
      if (!(error instanceof ScannerFailure)) throw error;
      const advice =
        'Start it, or correct SCANNER: uploads are refused or not scanned meanwhile, by files_antivirus/unreachable.';
      return [failed('SCANNER', `gives no answer (${error.message})`, advice)];
    }
  },
};

const contentOf = (text: string) => () =>
  Promise.resolve({ body: Readable.from([Buffer.from(text)]), size: text.length, name: 'doctor.txt' });

const findsNothing = (): Finding =>
  failed('test content', 'not found', 'Bring its database up to date: it lets malware pass.');
const findsAll = (): Finding =>
  warning('clean content', 'refused', 'Look at the rules of the scanner: it refuses what has nothing in it.');
