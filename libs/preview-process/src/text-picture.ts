import sharp from 'sharp';
import type { Drawn } from './drawn';
import { escapeMarkup } from './escape-markup';

interface Wanted {
  readonly input: Uint8Array;
  readonly width: number;
  readonly height: number;
}

const PAGE_WIDTH = 400;
const MAX_PAGE_HEIGHT = 1600;
const MARGIN = 10;
const MAX_CHARACTERS = 2000;
/** Control characters except line ends. */
const CONTROLS = /(?!\n)\p{Cc}/gu;

/** The start of a text, black on white, in the requested size. */
export async function textPicture({ input, width, height }: Wanted): Promise<Drawn> {
  const pageHeight = Math.min(
    Math.max(Math.round((PAGE_WIDTH * height) / width), 2 * MARGIN + 1),
    MAX_PAGE_HEIGHT,
  );
  const page = sharp({
    create: { width: PAGE_WIDTH, height: pageHeight, channels: 3, background: 'white' },
  });
  const text = await lettersOf(input, pageHeight - 2 * MARGIN);
  if (text) page.composite([{ input: text, left: MARGIN, top: MARGIN }]);
  // Layers are combined after the resize, so the resize of the result needs a second step.
  const drawn = await page.png().toBuffer();
  return sharp(drawn).resize({ width, height, fit: 'fill' }).png().toBuffer({ resolveWithObject: true });
}

/** undefined for a text without letters. */
async function lettersOf(input: Uint8Array, height: number): Promise<Buffer | undefined> {
  const text = new TextDecoder().decode(input).slice(0, MAX_CHARACTERS).toWellFormed().replace(CONTROLS, ' ');
  if (text.trim() === '') return undefined;
  const width = PAGE_WIDTH - 2 * MARGIN;
  const letters = sharp({
    text: { text: escapeMarkup(text), font: 'monospace 10', width, wrap: 'word-char', dpi: 96, rgba: true },
  });
  const { data, info } = await letters.png().toBuffer({ resolveWithObject: true });
  const seen = { left: 0, top: 0, width: Math.min(info.width, width), height: Math.min(info.height, height) };
  return sharp(data).extract(seen).png().toBuffer();
}
