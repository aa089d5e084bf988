import { Injectable } from '@nestjs/common';
import { CachedPolicy } from '#settings';
import { holdsShareFolder } from '#sharing';
import { DavFailure } from '#storage';
import type { DavCall } from './dav-call';

/** Protects the default folder for received shares in users' trees. */
@Injectable()
export class ShareFolder {
  constructor(private readonly policy: CachedPolicy) {}

  /**
   * Without this check, one DELETE would decline all shares in the folder.
   * @throws DavFailure `forbidden` for the folder and its parents
   */
  async refuseRemoval({ uid, path }: DavCall): Promise<void> {
    if (uid !== undefined && holdsShareFolder(await this.policy.current(), path))
      throw new DavFailure('forbidden', 'The folder for received shares cannot be removed');
  }
}
