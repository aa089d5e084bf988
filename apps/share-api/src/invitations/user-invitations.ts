import { Injectable } from '@nestjs/common';
import { INVITATION_VALID_MS, invitationLink, invitationText } from '#federation/protocol';
import { MailWorker } from '#mail';
import { InvitationMailRepository, InvitationRepository, type InvitationRow } from '#persistence';
import { PublicAddress, randomToken, SecretBox } from '#platform';
import { CachedPolicy } from '#settings';
import { InvitationRefused } from './invitation-refused';

/** A new invitation with its token, which is shown only once, to its maker. */
export interface MadeInvitation {
  readonly row: InvitationRow;
  readonly token: string;
  /** Token and host in one text. */
  readonly text: string;
  /** Address of the page that sends its holder on to their server. */
  readonly link: string;
}

const TOKEN_LENGTH = 32;
const MAX_DESCRIPTION = 255;
const MOST_OPEN = 100;
const PAGE = 1000;
const ADDRESS = /^[^\s@<>",;]+@[^\s@<>",;]+$/;
const MAX_ADDRESS = 254;

/** Invitations that users make. */
@Injectable()
export class UserInvitations {
  constructor(
    private readonly invitations: InvitationRepository,
    private readonly mails: InvitationMailRepository,
    private readonly mailWorker: MailWorker,
    private readonly policy: CachedPolicy,
    private readonly secrets: SecretBox,
    private readonly address: PublicAddress,
  ) {}

  /** @param address for the mail; undefined if the user delivers it themselves @throws InvitationRefused */
  async make(uid: string, description: string, address?: string): Promise<MadeInvitation> {
    const { federation, links } = await this.policy.current();
    if (!federation.incoming && !federation.outgoing) throw new InvitationRefused('off');
    if (description.length > MAX_DESCRIPTION) throw new InvitationRefused('description-too-long');
    if ((await this.invitations.countOpen(uid)) >= MOST_OPEN) throw new InvitationRefused('too-many');
    if (address !== undefined) this.assertMailable(address, links.mayMail);
    const token = randomToken(TOKEN_LENGTH);
    const tokenHmac = this.secrets.lookup(token);
    const row = await this.invitations.insert(uid, tokenHmac, description, INVITATION_VALID_MS);
    // It was removed at this moment.
    if (!row) throw new InvitationRefused('nothing-there');
    if (address !== undefined) {
      await this.mails.queue(row.id, address, token);
      this.mailWorker.wake();
    }
    const { url } = this.address;
    return { row, token, text: invitationText(token, url), link: invitationLink(token, url) };
  }

  private assertMailable(address: string, mayMail: boolean): void {
    if (!mayMail || !this.mailWorker.isConfigured) throw new InvitationRefused('mail-off');
    if (address.length > MAX_ADDRESS || !ADDRESS.test(address))
      throw new InvitationRefused('address-invalid');
  }

  /** Invitations that can still be accepted. */
  open(uid: string): Promise<InvitationRow[]> {
    return this.invitations.open(uid, 0, PAGE);
  }

  /** @throws InvitationRefused nothing-there */
  async takeBack(uid: string, id: number): Promise<void> {
    if (!(await this.invitations.remove(uid, id))) throw new InvitationRefused('nothing-there');
  }
}
