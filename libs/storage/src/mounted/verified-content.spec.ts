import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TreeFailure } from '../tree/tree-failure';
import { VerifiedContent } from './verified-content';

const PIECES = ['one ', 'two ', 'three'];
const SHA1 = createHash('sha1').update(PIECES.join('')).digest('hex');

async function passed(content: VerifiedContent): Promise<{ text: string; failure: unknown }> {
  let text = '';
  try {
    await pipeline(Readable.from(PIECES.map((piece) => Buffer.from(piece))), content, async (pieces) => {
      for await (const piece of pieces as AsyncIterable<Buffer>) text += piece.toString();
    });
    return { text, failure: undefined };
  } catch (failure) {
    return { text, failure };
  }
}

describe('content on its way to a partner', () => {
  it.each([{}, { announcedSize: 13 }, { checksum: { algorithm: 'sha1', digest: SHA1 } as const }])(
    'that matches its announcement (%j) arrives completely',
    async (announced) => {
      const content = new VerifiedContent(announced);
      expect(await passed(content)).toEqual({ text: 'one two three', failure: undefined });
      expect(content.size).toBe(13);
    },
  );

  it.each([{ announcedSize: 14 }, { checksum: { algorithm: 'sha1', digest: '0'.repeat(40) } as const }])(
    'that differs from its announcement (%j) arrives without its end',
    async (announced) => {
      const { text, failure } = await passed(new VerifiedContent(announced));
      expect('one two '.startsWith(text)).toBe(true);
      expect(failure).toBeInstanceOf(TreeFailure);
      expect(failure).toMatchObject({ code: 'content-mismatch' });
    },
  );

  it('that is empty is empty', async () => {
    const content = new VerifiedContent({ announcedSize: 0 });
    await pipeline(Readable.from([]), content, async (pieces) => {
      for await (const piece of pieces as AsyncIterable<Buffer>) throw new Error(`got ${String(piece)}`);
    });
    expect(content.size).toBe(0);
  });
});
