import { Injectable } from '@nestjs/common';
import { AuthenticationFailed } from '#identity';
import { isOfferedWithSecondFactor, PartnerShareRepository, type PartnerShareRow } from '#persistence';
import { PRODUCT_NAME } from '#platform';
import { parentOf, pathBelow, ROOT, type NodePath } from '#storage';
import type { SharedAccess, SharedRequest } from '../dav/shared-access';
import { PartnerAdmission } from './partner-admission';

/** Credentials of a partner's server. */
export interface PresentedSecret {
  /** Lookup key of the share's secret. */
  readonly tokenHmac: Buffer;
  /** Whether it is an access token in exchange for the secret, and not the secret itself. */
  readonly isExchanged: boolean;
}

/** Admits partners' servers to the shares of their users. */
@Injectable()
export class PartnerTokenAccess {
  constructor(
    private readonly shares: PartnerShareRepository,
    private readonly admission: PartnerAdmission,
  ) {}

  /**
   * The first access proves that the share arrived and was accepted.
   * @returns undefined if there is no such share (any more), or the address names another one
   * @throws AccessSuspended, BudgetSpent; AuthenticationFailed if the secret has to be exchanged first
   */
  async authorize(request: SharedRequest, key: PresentedSecret): Promise<SharedAccess | undefined> {
    const share = await this.shares.find(key.tokenHmac);
    if (!share || !isNamedBy(request, share)) return undefined;
    const mask = await this.admission.admit(share);
    if (share.mustExchange && !key.isExchanged) throw new AuthenticationFailed('wrong');
    const path = pathIn(share, request);
    if (share.accessIsNews && !isProbeOfSameProduct(request)) await this.shares.noteAccess(share.shareId);
    if (share.isUnread && request.method === 'GET') await this.shares.noteRead(share.shareId);
    const view = {
      kind: 'shared-node',
      shareId: share.shareId,
      mask,
      showsFileInFolder: false,
      session: { signedIn: false, secondFactor: isOfferedWithSecondFactor(share) },
    } as const;
    return { view, path, linkProperties: undefined, isDrop: false };
  }

  /** Whether there is such a share. @throws AccessSuspended, BudgetSpent */
  async knows(tokenHmac: Buffer): Promise<boolean> {
    const share = await this.shares.find(tokenHmac);
    if (share) await this.admission.admit(share);
    return share !== undefined;
  }
}

function isNamedBy({ start: { tree } }: SharedRequest, { shareId }: PartnerShareRow): boolean {
  return tree.of !== 'federated' || tree.providerId === String(shareId);
}

/** Instances of this product read an offered share before it is accepted, and report the acceptance themselves. */
function isProbeOfSameProduct({ method, userAgent }: SharedRequest): boolean {
  return method === 'PROPFIND' && (userAgent ?? '').startsWith(`${PRODUCT_NAME}/`);
}

const ON_ONE_FILE = ['GET', 'HEAD', 'PROPFIND', 'OPTIONS', 'PUT', 'PROPPATCH'];

/**
 * OpenCloud reads and writes a single file as `<id>/<name>`, with its name when it was shared, and does not learn about later
 * names. There is nothing beside that file, so any name means it.
 */
function pathIn({ kind }: PartnerShareRow, { start, method }: SharedRequest): NodePath {
  const path = pathBelow(start);
  const namesFile = start.tree.of === 'federated' && kind === 'file' && parentOf(path) === ROOT;
  return namesFile && ON_ONE_FILE.includes(method) ? ROOT : path;
}
