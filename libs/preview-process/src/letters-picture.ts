import sharp from 'sharp';
import type { Drawn } from './drawn';
import { escapeMarkup } from './escape-markup';

export interface LettersJob {
  readonly kind: 'letters';
  readonly input: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly ground: string;
  readonly ink: string;
  readonly format: 'png' | 'jpeg';
}

/** Large enough for every size, which is scaled from it. */
const SIDE = 512;
const LETTERS_WIDTH = 300;
const LETTERS_HEIGHT = 220;

/** A few letters on a background of one colour; only the background on a machine without fonts. */
export async function lettersPicture({
  input,
  width,
  height,
  ground,
  ink,
  format,
}: LettersJob): Promise<Drawn> {
  const page = sharp({ create: { width: SIDE, height: SIDE, channels: 3, background: ground } });
  const letters = await lettersOf(new TextDecoder().decode(input), ink).catch(() => undefined);
  if (letters) page.composite([{ input: letters, gravity: 'centre' }]);
  // Layers are combined after the resize, so the resize of the result needs a second step.
  const drawn = await page.png().toBuffer();
  return sharp(drawn)
    .resize({ width, height, fit: 'cover' })
    .toFormat(format)
    .toBuffer({ resolveWithObject: true });
}

function lettersOf(text: string, ink: string): Promise<Buffer> {
  const marked = `<span foreground="${ink}">${escapeMarkup(text)}</span>`;
  return sharp({
    text: { text: marked, font: 'sans', width: LETTERS_WIDTH, height: LETTERS_HEIGHT, rgba: true },
  })
    .png()
    .toBuffer();
}
