import type { FileContents, VisibleNode } from '#storage';

/** A file with more bytes than its size says. */
export class TooLarge extends Error {}

/** The first bytes of a file, at most `limit`. @throws BlobMissing, TooLarge, TreeFailure */
export async function startOf(contents: FileContents, node: VisibleNode, limit: number): Promise<Buffer> {
  const range = { start: 0, end: Math.min(limit, node.row.size) - 1 };
  const { body } = await contents.open(node, range);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new TooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
