import { Injectable } from '@nestjs/common';
import {
  admitDownload,
  BlobMissing,
  DavFailure,
  FileContents,
  NodeTree,
  parsePath,
  TreeFailure,
  userView,
} from '#storage';
import { pictureTypeOf } from '../previews/picture-type';
import { startOf, TooLarge } from '../previews/start-of-file';
import { MAX_PICTURE_BYTES, type PictureForm } from './avatar-form';
import { AvatarRefused } from './avatar-refused';

const TAKEN: ReadonlySet<string | undefined> = new Set(['image/jpeg', 'image/png']);

/** Pictures that people choose for their account. */
@Injectable()
export class AvatarFiles {
  constructor(
    private readonly tree: NodeTree,
    private readonly contents: FileContents,
  ) {}

  /** Reads a JPEG or PNG, recognised by its content. @throws AvatarRefused */
  async pictureIn(form: PictureForm, uid: string): Promise<Buffer> {
    const picture =
      'path' in form
        ? await this.ownFile(uid, form.path).catch(refuse)
        : Buffer.from(await form.picture.arrayBuffer());
    const type = pictureTypeOf(picture);
    if (type === undefined) throw new AvatarRefused(200, 'Invalid image');
    if (!TAKEN.has(type)) throw new AvatarRefused(200, 'Unknown filetype');
    return picture;
  }

  private async ownFile(uid: string, given: string): Promise<Buffer> {
    const view = userView(uid);
    const node = await this.tree.stat(view, await this.tree.spell(view, parsePath(given)));
    if (node.row.kind === 'folder') throw new AvatarRefused(200, 'Please select a file.');
    admitDownload(node);
    if (node.row.size > MAX_PICTURE_BYTES) throw new AvatarRefused(400, 'File is too big');
    return node.row.size === 0 ? Buffer.alloc(0) : startOf(this.contents, node, MAX_PICTURE_BYTES);
  }
}

/** Hides the difference between files that do not exist and files that the caller may not read. */
function refuse(error: unknown): never {
  if (error instanceof TreeFailure && error.code === 'unavailable') throw error;
  const isRefused = [TreeFailure, DavFailure, BlobMissing, TooLarge].some((kind) => error instanceof kind);
  throw isRefused ? new AvatarRefused(404, 'The selected file cannot be read.') : error;
}
