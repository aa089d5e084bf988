import { Readable, type PassThrough } from 'node:stream';

/**
 * Passes a content on and writes the same bytes into `copy`, at the pace of the slower reader. A destroyed copy does
 * not delay the reader. The copy ends with the content, and is destroyed if the content fails or is not read to its
 * end.
 */
export function teedContent(content: Readable, copy: PassThrough): Readable {
  // The content may fail or be released before its reader has begun.
  content.on('error', () => undefined);
  const passed = Readable.from(passedOn(content, copy), { objectMode: false });
  return passed.once('close', () => {
    content.destroy();
    if (!copy.writableEnded) copy.destroy(new Error('the content was not read to its end'));
  });
}

async function* passedOn(content: Readable, copy: PassThrough): AsyncGenerator<Buffer> {
  for await (const chunk of content as AsyncIterable<Buffer>) {
    if (!copy.destroyed && !copy.write(chunk)) await drained(copy);
    yield chunk;
  }
  copy.end();
}

function drained(copy: PassThrough): Promise<void> {
  return new Promise((resolve) => {
    const goOn = (): void => {
      copy.off('drain', goOn).off('close', goOn);
      resolve();
    };
    copy.on('drain', goOn).on('close', goOn);
  });
}
