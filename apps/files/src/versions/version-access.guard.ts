import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { pathOfTarget } from '#platform';
import {
  DavFailure,
  FileVersions,
  isSameUser,
  parseVersionAddress,
  type VersionAddress,
  type VisibleNode,
} from '#storage';
import { RequestNote } from '../dav/request-note';
import { SignedInGuard } from '../dav/signed-in.guard';

/** A request about the versions of a file that the caller may read. */
export interface VersionCall {
  readonly uid: string;
  readonly address: VersionAddress;
  /** The file, at its place in the caller's tree. */
  readonly node: VisibleNode;
}

const CALLS = new RequestNote<VersionCall>('VersionAccessGuard');

/** Admits users to the versions of files that they may read. Other files get the same answer as missing ones. */
@Injectable()
export class VersionAccessGuard implements CanActivate {
  constructor(
    private readonly signedIn: SignedInGuard,
    private readonly versions: FileVersions,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const { request, uid } = await this.signedIn.admit(context);
    const address = parseVersionAddress(pathOfTarget(request.url));
    if (address.uid !== undefined && !isSameUser(address.uid, uid))
      throw new DavFailure('not-found', 'There is no such file');
    CALLS.set(request, { uid, address, node: await this.versions.nodeOf(uid, address.fileId) });
    return true;
  }
}

/** The parsed request; only to be called behind VersionAccessGuard. */
export const versionCallOf = (request: FastifyRequest): VersionCall => CALLS.of(request);
