import { Injectable } from '@nestjs/common';
import { AuthenticationFailed } from '#identity';
import { PartnerShareRepository, type PartnerShareRow } from '#persistence';
import { PRODUCT_NAME } from '#platform';
import { ALL, attributesFromText, demands, SECOND_FACTOR } from '#sharing';
import { parentOf, pathBelow, ROOT, type NodePath } from '#storage';
import type { SharedAccess, SharedRequest } from '../dav/shared-access';
import { PartnerAdmission } from './partner-admission';

/** Credentials that a partner's server presents. */
export interface PresentedSecret {
  /** Lookup key of the share's secret. */
  readonly tokenHmac: Buffer;
  /** Whether it is an access token that the secret was exchanged for, and not the secret itself. */
  readonly isExchanged: boolean;
}

/** Lets partners' servers in to the shares that their users were given. */
@Injectable()
export class PartnerTokenAccess {
  constructor(
    private readonly shares: PartnerShareRepository,
    private readonly admission: PartnerAdmission,
  ) {}

  /**
   * The first access tells that the share arrived and was accepted.
   * @returns undefined where there is no such share (any more), or the address names another one
   * @throws AccessSuspended, BudgetSpent; AuthenticationFailed where the secret has to be exchanged first
   */
  async authorize(request: SharedRequest, key: PresentedSecret): Promise<SharedAccess | undefined> {
    const share = await this.shares.find(key.tokenHmac);
    if (!share || !isNamedBy(request, share)) return undefined;
    await this.admission.admit(share);
    if (share.mustExchange && !key.isExchanged) throw new AuthenticationFailed('wrong');
    const path = pathIn(share, request);
    if (share.accessIsNews && !isProbeOfSameProduct(request)) await this.shares.noteAccess(share.shareId);
    if (share.isUnread && request.method === 'GET') await this.shares.noteRead(share.shareId);
    const view = {
      kind: 'shared-node',
      shareId: share.shareId,
      mask: ALL,
      showsFileInFolder: false,
      // Its server has promised to ask for it.
      session: { signedIn: false, secondFactor: demandsSecondFactor(share) },
    } as const;
    return { view, path, linkProperties: undefined, isDrop: false };
  }
}

const demandsSecondFactor = ({ attributes }: PartnerShareRow): boolean =>
  demands(attributesFromText(attributes), SECOND_FACTOR);

function isNamedBy({ start: { tree } }: SharedRequest, { shareId }: PartnerShareRow): boolean {
  return tree.of !== 'federated' || tree.providerId === String(shareId);
}

/** Instances like this one look at what they are offered before anybody accepts it, and say so when somebody does. */
function isProbeOfSameProduct({ method, userAgent }: SharedRequest): boolean {
  return method === 'PROPFIND' && (userAgent ?? '').startsWith(`${PRODUCT_NAME}/`);
}

const ON_ONE_FILE = ['GET', 'HEAD', 'PROPFIND', 'OPTIONS', 'PUT', 'PROPPATCH'];

/**
 * OpenCloud reads and writes a single file as `<id>/<name>`, with the name that it had when it was shared, and is never told of
 * another one. Beside that file there is nothing, so that any name means it.
 */
function pathIn({ kind }: PartnerShareRow, { start, method }: SharedRequest): NodePath {
  const path = pathBelow(start);
  const namesFile = start.tree.of === 'federated' && kind === 'file' && parentOf(path) === ROOT;
  return namesFile && ON_ONE_FILE.includes(method) ? ROOT : path;
}
