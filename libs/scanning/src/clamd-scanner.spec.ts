import { Readable } from 'node:stream';
import { describeWith } from '../../../test/clients/programs';
import { EICAR, EICAR_FINDING, startClamd, type TestClamd } from '../../testing/src/rigs/clamd';
import { readConfig } from '#platform';
import { scannerOf } from './open-scanner';
import { ScanQueue } from './scan-queue';
import { ScannerFailure, type ScannedContent, type Scanner } from './scanner';

const MEGABYTE = 1024 * 1024;
const contentOf =
  (...parts: string[]) =>
  (): Promise<ScannedContent> =>
    Promise.resolve({ body: Readable.from(parts.map((part) => Buffer.from(part))), size: 0, name: 'name' });

describeWith(['clamd'], 'clamd', () => {
  let clamd: TestClamd;
  beforeAll(async () => {
    clamd = await startClamd('StreamMaxLength 2M', 'MaxFileSize 1M', 'MaxScanSize 1M', 'AlertExceedsMax yes');
  });
  afterAll(() => clamd?.stop());

  const scanner = (address = clamd.address, timeout = '30s'): Scanner =>
    scannerOf(readConfig({ SCANNER: address, SCANNER_TIMEOUT: timeout }))!;

  it.each(['address', 'socketAddress'] as const)('answers at its %s', async (where) => {
    const at = scanner(clamd[where]);
    expect(await at.describe()).toMatch(/^ClamAV \d/);
    expect(await at.scan(contentOf('nothing ', 'in it'))).toEqual({ kind: 'clean' });
    // The content crosses the borders of chunks.
    expect(await at.scan(contentOf('x', EICAR.slice(0, 30), EICAR.slice(30)))).toEqual({
      kind: 'finding',
      name: EICAR_FINDING,
    });
  });

  it('reports a content that is too large for its limits', async () => {
    const part = 'x'.repeat(64 * 1024);
    const ofMegabytes = (count: number) =>
      contentOf(...Array<string>((count * MEGABYTE) / part.length).fill(part));
    // It accepts this stream without checking it.
    expect(await scanner().scan(ofMegabytes(1.5))).toEqual({ kind: 'too-large' });
    // It does not accept this stream.
    const queue = new ScanQueue(scanner(), { atOnce: 1, waitMs: 30_000 });
    expect(await queue.scan(ofMegabytes(40))).toEqual({ kind: 'too-large' });
  });

  it('distinguishes an unreadable content from an unreachable scanner', async () => {
    const broken = (): Promise<ScannedContent> => Promise.reject(new Error('the store is gone'));
    await expect(scanner().scan(broken)).rejects.toThrow('the store is gone');
    const breaks = contentOf('one');
    const breaking = async (): Promise<ScannedContent> => {
      const content = await breaks();
      return { ...content, body: content.body.destroy(new Error('broken off')) };
    };
    await expect(scanner().scan(breaking)).rejects.toThrow('broken off');
  });

  it('is given up if it does not answer in time, or if nothing listens', async () => {
    clamd.freeze();
    try {
      await expect(scanner(clamd.address, '1s').scan(contentOf('x'))).rejects.toThrow(ScannerFailure);
    } finally {
      clamd.thaw();
    }
    await expect(scanner('clamd://127.0.0.1:1').describe()).rejects.toThrow(ScannerFailure);
    await expect(scanner('clamd:/nowhere/clamd.ctl').scan(contentOf('x'))).rejects.toThrow(ScannerFailure);
    await expect(scanner('clamd://no-such-host.invalid').describe()).rejects.toThrow(ScannerFailure);
  });
});
