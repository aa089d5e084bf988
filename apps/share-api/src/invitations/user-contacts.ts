import { Injectable } from '@nestjs/common';
import { ContactRepository, type ContactRow } from '#persistence';
import { InvitationRefused } from './invitation-refused';

const PAGE = 1000;

/** The contacts that users have by invitations. */
@Injectable()
export class UserContacts {
  constructor(private readonly contacts: ContactRepository) {}

  list(uid: string, after: number): Promise<ContactRow[]> {
    return this.contacts.list(uid, after, PAGE);
  }

  /** The other side is not told, as everywhere. @throws InvitationRefused nothing-there */
  async remove(uid: string, id: number): Promise<void> {
    if (!(await this.contacts.remove(uid, id))) throw new InvitationRefused('nothing-there');
  }
}
