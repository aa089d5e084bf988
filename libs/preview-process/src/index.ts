import { setPriority } from 'node:os';
import sharp, { type Sharp } from 'sharp';
import { lettersPicture, type LettersJob } from './letters-picture';
import type { Drawn } from './drawn';
import { textPicture } from './text-picture';

/** Program of the process that makes previews. It reads uploads of strangers, knows no secrets, and ends with its parent. */

interface ImageJob {
  readonly kind: 'image';
  readonly input: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly fit: 'cover' | 'inside';
  readonly enlarges: boolean;
  readonly part?: {
    readonly left: number;
    readonly top: number;
    readonly width: number;
    readonly height: number;
  };
  readonly format?: 'png' | 'jpeg';
}

interface TextJob {
  readonly kind: 'text';
  readonly input: Uint8Array;
  readonly width: number;
  readonly height: number;
}

type Job = { readonly id: number } & (ImageJob | TextJob | LettersJob);

/** Maximum size of an input picture in pixels: a larger one takes too much memory when it is decoded. */
const MAX_PIXELS = 50_000_000;
const MAX_SECONDS = 15;
const MAX_MEMORY_BYTES = 640 * 1024 * 1024;
const CHECK_EVERY_MS = 100;
const LOW_PRIORITY = 10;

const LOADERS = ['JpegBuffer', 'PngBuffer', 'WebpBuffer', 'NsgifBuffer'].map(
  (format) => `VipsForeignLoad${format}`,
);

sharp.cache(false);
sharp.concurrency(1);
// Loaders that few pictures need, such as those for SVG, PDF and TIFF, are blocked.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: LOADERS });
setPriority(LOW_PRIORITY);

setInterval(() => {
  if (process.memoryUsage.rss() > MAX_MEMORY_BYTES) process.exit(1);
}, CHECK_EVERY_MS).unref();
process.on('disconnect', () => process.exit());
process.on('message', (job: Job) => {
  void work(job).then(
    ({ data, info: { format, width, height } }) =>
      process.send!({ id: job.id, type: `image/${format}`, data, width, height }),
    () => process.send!({ id: job.id }),
  );
});

function work(job: Job): Promise<Drawn> {
  switch (job.kind) {
    case 'image':
      return pictureOf(job);
    case 'text':
      return textPicture(job);
    case 'letters':
      return lettersPicture(job);
  }
}

async function pictureOf({ input, width, height, fit, enlarges, part, format }: ImageJob): Promise<Drawn> {
  const picture = sharp(input, { limitInputPixels: MAX_PIXELS, sequentialRead: true })
    .timeout({ seconds: MAX_SECONDS })
    .autoOrient();
  if (part) picture.extract(part);
  picture.resize({ width, height, fit, withoutEnlargement: !enlarges });
  const wanted = format ?? (await sharp(input, { limitInputPixels: MAX_PIXELS }).metadata()).format;
  return written(picture, wanted === 'jpeg').toBuffer({ resolveWithObject: true });
}

const written = (picture: Sharp, isPhoto: boolean): Sharp =>
  isPhoto ? picture.flatten({ background: 'white' }).jpeg({ quality: 80 }) : picture.png();
