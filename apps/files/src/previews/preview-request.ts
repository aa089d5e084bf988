import { DavFailure } from '#storage';

/** Requested size of a preview. */
export interface PreviewRequest {
  readonly width: number;
  readonly height: number;
  /** Whether the whole picture is fitted into that size; otherwise it is cut to the size. */
  readonly keepsAspect: boolean;
  /** Whether a smaller picture is enlarged. */
  readonly enlarges: boolean;
}

const DEFAULT_PIXELS = 32;

type Query = Readonly<Record<string, unknown>>;

/** Reads the parameters of deployed servers. @throws DavFailure `bad-request` for sizes below 1 */
export function previewRequestIn(
  query: Query,
  { maxWidth, maxHeight }: { maxWidth: number; maxHeight: number },
): PreviewRequest {
  return {
    width: Math.min(pixels(query.x, 'width'), maxWidth),
    height: Math.min(pixels(query.y, 'height'), maxHeight),
    keepsAspect: isOn(query.a),
    enlarges: query.scalingup === undefined || isOn(query.scalingup),
  };
}

/** The texts of deployed servers. */
function pixels(value: unknown, side: 'width' | 'height'): number {
  if (value === undefined) return DEFAULT_PIXELS;
  const wanted = typeof value === 'string' ? Number.parseInt(value, 10) : 0;
  if (!(wanted >= 1)) throw new DavFailure('bad-request', `Cannot set ${side} of 0 or smaller!`);
  return wanted;
}

const isOn = (value: unknown): boolean => value === '1' || value === 'true';
