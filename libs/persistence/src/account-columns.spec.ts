import { getMetadataArgsStorage } from 'typeorm';
import { ENTITIES } from './entities';
import { UserAccountEntity } from './entities/accounts/user-account.entity';
import { ERASURES } from './repositories/accounts/account-trace-statements';

/**
 * Treatment of a column when its account ends:
 * - `goes`: its row is deleted with the account, by a foreign key or by an earlier batch;
 * - `erased`: the name is removed from rows of other accounts;
 * - `pseudonym`: it is replaced in the audit log;
 * - `passes`: its row is needed until partners and people got their messages, and is deleted at most some days later;
 * - `cleared`: its row stays without the name, because partners have to be told of its end;
 * - `other`: it names somebody else, such as a person at a partner.
 */
type Treatment = 'goes' | 'erased' | 'pseudonym' | 'passes' | 'cleared' | 'other';

/** Every column that can contain the name of an account. A new column needs an entry here, and a treatment. */
const TREATMENTS: Readonly<Record<string, Treatment>> = {
  'account_end.successorUid': 'goes',
  'account_end.uid': 'goes',
  'app_password.uid': 'goes',
  'audit_event.actor': 'pseudonym',
  'audit_event.actorKind': 'other',
  'audit_event.detail': 'pseudonym',
  'audit_event.objectId': 'pseudonym',
  'background_move.uid': 'goes',
  'browser_session.uid': 'goes',
  'browser_session.userAgent': 'goes',
  'contact.remoteUser': 'other',
  'contact.uid': 'goes',
  'dead_property.name': 'erased',
  'ended_share.initiatorUid': 'goes',
  'ended_share.ownerUid': 'goes',
  'ended_share.recipient': 'other',
  'external_identity.uid': 'goes',
  'external_membership.uid': 'goes',
  'file_version.author': 'erased',
  'file_version.authorKind': 'erased',
  'foreign_link.uid': 'goes',
  'group_member.uid': 'goes',
  'group_recipient.recipient': 'other',
  'group_share_due.actor': 'passes',
  'group_subadmin.uid': 'goes',
  'invitation.uid': 'goes',
  'invitation_acceptance.uid': 'goes',
  'login_flow.uid': 'goes',
  'mail_outbox.recipientUid': 'goes',
  'mail_outbox.senderUid': 'goes',
  'node.author': 'erased',
  'node.authorKind': 'erased',
  'node.ownerUid': 'goes',
  'node_lock.ownerXml': 'goes',
  'node_lock.uid': 'goes',
  'notification.uid': 'goes',
  'notification_mail.uid': 'goes',
  'offer_block.uid': 'goes',
  'offer_report.reporterUid': 'goes',
  'offer_report.owner': 'other',
  'offer_report.sender': 'other',
  'partner_rename.uid': 'goes',
  'address_card.uid': 'cleared',
  'passkey.uid': 'goes',
  'private_value.uid': 'goes',
  'quarantined_content.author': 'erased',
  'quarantined_content.authorKind': 'erased',
  'quarantined_content.ownerUid': 'goes',
  'recovery_code.uid': 'goes',
  'received_share.owner': 'other',
  'received_share.ownerDisplayName': 'other',
  'received_share.recipientUid': 'goes',
  'received_share.sender': 'other',
  'received_share.senderDisplayName': 'other',
  'scim_resource.uid': 'goes',
  'sent_share_request.owner': 'other',
  'sent_share_request.uid': 'goes',
  'share.initiatorUid': 'goes',
  'share.ownerUid': 'goes',
  'share.recipient': 'goes',
  'share.recipientCanonical': 'goes',
  'share.recipientIsGroup': 'other',
  'share.remoteOwner': 'other',
  'share.viaOwner': 'other',
  'share_event.actor': 'passes',
  'share_event.subject': 'passes',
  'share_notice_dismissed.uid': 'goes',
  'share_recipient.uid': 'goes',
  'storage.ownerUid': 'goes',
  'stored_write.writerUid': 'goes',
  'trashed_node.actor': 'erased',
  'trashed_node.actorKind': 'erased',
  'totp.uid': 'goes',
  'trashed_node.ownerUid': 'goes',
  'trashed_offer.initiatorUid': 'goes',
  'trashed_offer.recipient': 'other',
  'trashed_offer.recipientCanonical': 'other',
  'trashed_offer.recipientIsGroup': 'other',
  'upload.uid': 'goes',
  'user_account.uid': 'goes',
  'user_avatar.uid': 'goes',
  'user_preference.uid': 'goes',
};

/** Columns that contain names of accounts, although their own names do not say so. */
const HIDDEN = ['audit_event.objectId', 'audit_event.detail', 'share_event.subject', 'dead_property.name'];
const NAMING = /uid|user|owner|author|actor|initiator|recipient|sender/i;

const storage = getMetadataArgsStorage();
const tableOf = (target: unknown): string => storage.tables.find((one) => one.target === target)!.name!;

const columns = storage.columns
  .filter(({ target }) => ENTITIES.includes(target as (typeof ENTITIES)[number]))
  .map(({ target, propertyName }) => ({ target, name: `${tableOf(target)}.${propertyName}`, propertyName }));

describe('columns that can name an account', () => {
  it('each have a treatment for the end of the account', () => {
    const naming = columns.filter(
      ({ name, propertyName }) => NAMING.test(propertyName) || HIDDEN.includes(name),
    );
    expect(naming.map(({ name }) => name).toSorted()).toEqual(Object.keys(TREATMENTS).toSorted());
  });

  it('are removed with the account by a foreign key, or erased by a statement for their table', () => {
    const erased = Object.entries(TREATMENTS).filter(([, treatment]) => treatment === 'erased');
    expect(new Set(erased.map(([name]) => name.split('.')[0]))).toEqual(new Set(ERASURES.keys()));
  });

  it('include every reference to an account that the database cascades', () => {
    const references = storage.relations.filter(
      ({ type }) => (type as () => unknown)() === UserAccountEntity,
    );
    expect(references.length).toBeGreaterThan(20);
    for (const { target, propertyName, options } of references) {
      const joined = storage.joinColumns.find(
        (one) => one.target === target && one.propertyName === propertyName,
      )!;
      const column = joined.name!.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
      const expected = options.onDelete === 'SET NULL' ? 'cleared' : 'goes';
      expect([tableOf(target), column, options.onDelete]).toEqual([
        ...[tableOf(target), column],
        expected === 'cleared' ? 'SET NULL' : 'CASCADE',
      ]);
      expect(TREATMENTS[`${tableOf(target)}.${column}`]).toBe(expected);
    }
  });
});
