import type { FastifyRequest } from 'fastify';
import type { Square } from './avatar-pictures';
import { AvatarRefused } from './avatar-refused';

/** The same limit as in deployed servers. */
export const MAX_PICTURE_BYTES = 20 * 1024 * 1024;
/** Room for fields and boundaries around the picture. */
const MAX_FORM_BYTES = MAX_PICTURE_BYTES + 64 * 1024;
const MOST_PIXELS = 100_000;

/** A picture in a form: an uploaded one, or the path of one of the caller's own files. */
export type PictureForm = { readonly picture: File } | { readonly path: string };

/** The fields of a form in the body of a request. @throws AvatarRefused for a body that is too large or invalid */
export async function readForm(request: FastifyRequest): Promise<FormData> {
  const type = request.headers['content-type'] ?? '';
  try {
    const body = await readBytes(request);
    return await new Response(body, { headers: { 'content-type': type } }).formData();
  } catch (error) {
    if (error instanceof AvatarRefused) throw error;
    // The body is no form, or the client disconnected.
    return new FormData();
  }
}

async function readBytes({ raw, headers }: FastifyRequest): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(headers['content-length'] ?? 0) > MAX_FORM_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_FORM_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** @throws AvatarRefused */
export function pictureFormOf(form: FormData): PictureForm {
  const path = form.get('path');
  if (typeof path === 'string') return { path };
  const picture = form.get('files[]') ?? form.get('files');
  if (picture === null) throw new AvatarRefused(400, 'No image or file provided');
  if (typeof picture === 'string') throw new AvatarRefused(400, 'Invalid file provided');
  if (picture.size > MAX_PICTURE_BYTES) throw tooLarge();
  return { picture };
}

/** The square `crop[x]`, `crop[y]`, `crop[w]` and `crop[h]`, in pixels of the waiting picture. @throws AvatarRefused */
export function squareIn(form: FormData): Square {
  const fields = ['x', 'y', 'w', 'h'].map((name) => form.get(`crop[${name}]`));
  if (fields.every((field) => field === null)) throw new AvatarRefused(400, 'No crop data provided');
  const [left = -1, top = -1, width = -1, height = -1] = fields.map(pixelsOf);
  if (left < 0 || top < 0 || width < 1 || height < 1)
    throw new AvatarRefused(400, 'No valid crop data provided');
  if (width !== height) throw new AvatarRefused(400, 'Crop is not square');
  return { left, top, side: width };
}

/** Pages send fractions of pixels; -1 for an invalid number. */
function pixelsOf(field: string | File | null): number {
  const value = typeof field === 'string' && field.trim() !== '' ? Math.round(Number(field)) : -1;
  return value >= 0 && value <= MOST_PIXELS ? value : -1;
}

const tooLarge = (): AvatarRefused => new AvatarRefused(400, 'File is too big');
