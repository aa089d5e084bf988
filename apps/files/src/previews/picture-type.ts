/** The type of a JPEG, PNG, GIF or WebP by its first bytes, regardless of its name; undefined for any other content. */
export function pictureTypeOf(head: Buffer): string | undefined {
  const text = head.toString('latin1', 0, HEAD_BYTES);
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (text.startsWith('\x89PNG')) return 'image/png';
  if (text.startsWith('GIF8')) return 'image/gif';
  return text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP' ? 'image/webp' : undefined;
}

/** Number of bytes that the check needs. */
export const HEAD_BYTES = 16;
