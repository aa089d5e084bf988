import { Injectable } from '@nestjs/common';
import { ContactRepository, type ContactRow } from '#persistence';
import { InvitationRefused } from './invitation-refused';

const PAGE = 1000;

/** Users' contacts by invitations. */
@Injectable()
export class UserContacts {
  constructor(private readonly contacts: ContactRepository) {}

  list(uid: string, after: number): Promise<ContactRow[]> {
    return this.contacts.list(uid, after, PAGE);
  }

  /** The other side gets no message, as in all products. @throws InvitationRefused nothing-there */
  async remove(uid: string, id: number): Promise<void> {
    if (!(await this.contacts.remove(uid, id))) throw new InvitationRefused('nothing-there');
  }
}
