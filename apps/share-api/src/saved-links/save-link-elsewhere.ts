import { Injectable } from '@nestjs/common';
import { AccountDirectory } from '#identity';
import { PublicLinkRepository, sharedNodeOf } from '#persistence';
import { offerLink, SharingFailed } from '#sharing';
import {
  accessThrough,
  LinkAccess,
  LinkSignatures,
  NodeTree,
  parsePath,
  viewOf,
  type FoundLink,
} from '#storage';
import { ServerSharingPorts } from '../shares/sharing-adapters';

/** Maximum of accounts that can save one link, because each saving makes this server call another one. */
const MOST_SAVED = 100;

/** Values that a user sends to save a link. */
export interface ShownLink {
  readonly token: string;
  readonly password: string;
  /** Query parameters of a page that was opened with the password. */
  readonly signed: Readonly<Record<string, unknown>>;
  /** Address of the caller. */
  readonly address: string;
}

/** Saves public links of this server at others, for everybody who may open them. */
@Injectable()
export class SaveLinkElsewhere {
  constructor(
    private readonly links: LinkAccess,
    private readonly signatures: LinkSignatures,
    private readonly tree: NodeTree,
    private readonly accounts: AccountDirectory,
    private readonly ports: ServerSharingPorts,
    private readonly rows: PublicLinkRepository,
  ) {}

  /**
   * @param shareWith the cloud id of the account that saves it
   * @returns id of the offered share, also for a repetition
   * @throws LinkUnavailable, AuthenticationFailed, BudgetSpent, TreeFailure, SharingFailed
   */
  async save(shown: ShownLink, shareWith: string): Promise<number> {
    const link = await this.links.visit(shown.token, shown.address, undefined);
    if (this.signatures.read(link, shown.signed) === undefined)
      await this.links.unlock(link, shown.password, shown.address);
    const { shareId, initiatorUid, expiresOn } = link.row;
    const node = sharedNodeOf((await this.tree.stat(viewOf(link, false), parsePath(''))).row);
    const initiator = await this.accounts.find(initiatorUid);
    const recipient = this.ports.partners.recipient(shareWith)?.canonical ?? '';
    const saved = await this.rows.savedFor(shareId, recipient);
    if (saved !== undefined) return saved;
    if (!initiator || !showsContent(link) || (await this.rows.savedTimes(shareId)) >= MOST_SAVED)
      throw new SharingFailed('not-shareable', { path: node.name });
    const { permissions } = accessThrough(link);
    const { share } = await offerLink(this.ports, initiator, {
      linkId: shareId,
      node,
      permissions,
      expiresOn,
      shareWith,
    });
    return share.id;
  }
}

/** A folder that only accepts files cannot be shown at another server, and neither can a view-only one. */
function showsContent(link: FoundLink): boolean {
  const access = accessThrough(link);
  return access.may('list') && access.may('download');
}
