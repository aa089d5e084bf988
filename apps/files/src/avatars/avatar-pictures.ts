import { Injectable } from '@nestjs/common';
import { AvatarRepository, type AvatarPicture, type KeptAvatar } from '#persistence';
import type { ImageJob, Preview, RenderedPicture } from '#previews';
import type { Person } from '#sharing';
import { RenderedPictures } from '../previews/rendered-pictures';
import { coloursOf, initialsOf } from './initials';

/** Maximum side of stored pictures, which are squares, in pixels. */
const KEPT_PIXELS = 1024;

export type AvatarFormat = 'png' | 'jpeg';

/** A square of an uploaded picture, in pixels. */
export interface Square {
  readonly left: number;
  readonly top: number;
  readonly side: number;
}

/** A picture in the requested size. */
export interface ShownAvatar {
  /** Identifies the picture and its form; not quoted. */
  readonly etag: string;
  /** Makes the picture, or reads it from the cache; undefined if it cannot be made. */
  readonly picture: () => Promise<Preview | undefined>;
}

/** Pictures of accounts: uploaded ones, and others made of initials. */
@Injectable()
export class AvatarPictures {
  constructor(
    private readonly avatars: AvatarRepository,
    private readonly pictures: RenderedPictures,
  ) {}

  /**
   * The uploaded picture of a person; undefined if there is none.
   * @param size in pixels of each side
   * @param format default: that of the upload
   */
  async uploaded({ uid }: Person, size: number, format?: AvatarFormat): Promise<ShownAvatar | undefined> {
    const kept = await this.avatars.find(uid);
    return kept && this.shown(uid, kept, size, format);
  }

  private shown(
    uid: string,
    { digest, mimetype }: KeptAvatar,
    size: number,
    format?: AvatarFormat,
  ): ShownAvatar {
    const written = format ?? (mimetype === 'image/jpeg' ? 'jpeg' : 'png');
    const etag = `${digest}-${size}-${written}`;
    const job = async (): Promise<ImageJob | undefined> => {
      const found = await this.avatars.read(uid, 'shown');
      // The picture was replaced; the next request names the new one.
      if (found?.digest !== digest) return undefined;
      const { picture: input } = found;
      return {
        kind: 'image',
        input,
        width: size,
        height: size,
        fit: 'cover',
        enlarges: true,
        format: written,
      };
    };
    return { etag, picture: () => this.pictures.get(`avatar ${etag}`, `avatar ${uid}`, job) };
  }

  /** A picture with the initials of a person, in their colour. */
  initials({ uid, displayName }: Person, size: number, isDark: boolean): ShownAvatar {
    const letters = initialsOf(displayName);
    const { ground, ink } = coloursOf(uid, isDark);
    const etag = Buffer.from(`${letters} ${ground} ${ink} ${size}`).toString('base64url');
    const job = {
      kind: 'letters',
      input: Buffer.from(letters),
      width: size,
      height: size,
      ground,
      ink,
    } as const;
    const read = (): Promise<typeof job & { format: 'png' }> => Promise.resolve({ ...job, format: 'png' });
    return { etag, picture: () => this.pictures.get(`letters ${etag}`, `letters ${uid}`, read) };
  }

  /**
   * Stores an uploaded picture: a square is shown from now on; another picture waits to be cut.
   * @param read reads the JPEG or PNG when it is needed
   * @returns undefined for an invalid picture
   */
  async take(uid: string, read: () => Promise<Buffer>): Promise<'shown' | RenderedPicture | undefined> {
    const picture = await this.pictures.make(`avatar ${uid}`, async () => whole(await read()));
    if (!picture) return undefined;
    const isSquare = picture.width === picture.height;
    await this.avatars.keep(uid, isSquare ? 'shown' : 'draft', picture.data, picture.type);
    return isSquare ? 'shown' : picture;
  }

  /** The picture that waits to be cut; kept for two hours. */
  draft(uid: string): Promise<AvatarPicture | undefined> {
    return this.avatars.read(uid, 'draft');
  }

  /** Shows a square of the waiting picture. @returns false if the square is not inside of it */
  async cut(uid: string, draft: AvatarPicture, { left, top, side }: Square): Promise<boolean> {
    const part = { left, top, width: side, height: side };
    const job: ImageJob = { ...whole(draft.picture), fit: 'cover', part };
    const picture = await this.pictures.make(`avatar ${uid}`, () => Promise.resolve(job));
    if (!picture) return false;
    await this.avatars.keep(uid, 'shown', picture.data, picture.type);
    return true;
  }

  remove(uid: string): Promise<void> {
    return this.avatars.remove(uid);
  }
}

const whole = (input: Buffer): ImageJob => ({
  ...{ kind: 'image', input, width: KEPT_PIXELS, height: KEPT_PIXELS },
  ...{ fit: 'inside', enlarges: false },
});
