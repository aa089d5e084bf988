import { Injectable } from '@nestjs/common';
import { AuthenticationFailed, readBasic } from '#identity';
import {
  accessThrough,
  DavFailure,
  LinkAccess,
  LinkSignatures,
  LinkUnavailable,
  pathBelow,
  viewOf,
  type FoundLink,
  type LinkProperties,
} from '#storage';
import type { ShareSecret } from '../dav/share-secret';
import type { SharedAccess, SharedRequest } from '../dav/shared-access';
import { PartnerGuests } from '../webapps/partner-guests';

/** Methods with which the page of a link uploads files and makes folders. */
const UPLOADING: ReadonlySet<string> = new Set(['POST', 'PATCH', 'HEAD', 'MKCOL']);

/** Admits WebDAV requests to the nodes of public links. */
@Injectable()
export class LinkTokenAccess {
  constructor(
    private readonly links: LinkAccess,
    private readonly guests: PartnerGuests,
    private readonly signatures: LinkSignatures,
  ) {}

  /**
   * `public.php`: the token is the user name.
   * @returns undefined if there is no link with this token
   * @throws AuthenticationFailed for its password; DavFailure `not-found` if its node is not available
   */
  async authorizeByCredentials(
    request: SharedRequest,
    secret: ShareSecret,
  ): Promise<SharedAccess | undefined> {
    if (secret.isBearer) return undefined;
    if (!request.isByScript && !(await this.links.mayBeMounted())) throw new AuthenticationFailed('wrong');
    const link = await known(this.links.find(secret.token, request.cookies));
    if (!link) return undefined;
    await this.links.unlock(link, secret.password, request.address);
    const path = pathBelow(request.start);
    return { view: viewOf(link, false), path, linkProperties: undefined, isDrop: accessThrough(link).isDrop };
  }

  /**
   * `public-files/<token>`: anonymous, with user name `public` and the password, or with a signed address.
   * @throws AuthenticationFailed for its password; DavFailure `not-found`
   */
  async authorizeByPath(request: SharedRequest, token: string): Promise<SharedAccess> {
    const link = await known(this.guests.visit(token, request.address, request.cookies));
    if (!link) throw gone();
    if (!this.isSigned(request, link)) {
      const credentials = readBasic(request.authorization);
      const password = credentials?.uid === 'public' ? credentials.password : '';
      await this.links.unlock(link, password, request.address);
    }
    return {
      view: viewOf(link, true),
      path: pathBelow(request.start),
      linkProperties: propertiesOf(link),
      isDrop: accessThrough(link).isDrop,
    };
  }

  /** Whether there is a link with this token. @throws DavFailure `not-found` */
  async knows(token: string): Promise<boolean> {
    return (await known(this.links.find(token, undefined))) !== undefined;
  }

  private isSigned(request: SharedRequest, link: FoundLink): boolean {
    const { method, query, uploadSignature, continuesUpload } = request;
    const reads = method === 'GET' || method === 'HEAD';
    if (reads && this.signatures.read(link, query) !== undefined) return true;
    if (uploadSignature === undefined || !UPLOADING.has(method)) return false;
    const given = Object.fromEntries(new URLSearchParams(uploadSignature));
    const signature = continuesUpload
      ? this.signatures.readExpired(link, given, 'upload')
      : this.signatures.read(link, given, 'upload');
    return signature !== undefined;
  }
}

/** @returns undefined if there is no such link @throws DavFailure `not-found` if its node is not available */
function known(link: Promise<FoundLink>): Promise<FoundLink | undefined> {
  return link.catch((error: unknown) => {
    if (!(error instanceof LinkUnavailable)) throw error;
    if (error.reason === 'unknown') return undefined;
    throw gone();
  });
}

const gone = (): DavFailure => new DavFailure('not-found', 'There is nothing behind this link (any more)');

function propertiesOf(link: FoundLink): LinkProperties {
  const { kind, expiresOn, createdAt, ownerUid } = link.row;
  return { itemType: kind, permissions: accessThrough(link).permissions, expiresOn, createdAt, ownerUid };
}
