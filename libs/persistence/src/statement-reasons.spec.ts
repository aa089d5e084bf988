import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const REPOSITORIES = join(__dirname, 'repositories');
/** Subjects in which rare calls use repositories of entities (ADR 0058). */
const SUBJECTS = ['accounts', 'audit', 'operation', 'partners', 'trust'];

type Reason = 'hot' | 'set' | 'lock' | 'decision' | 'server';

/** Repositories whose statements all have the same reason. */
const WHOLE: Readonly<Record<string, Reason>> = {
  account_trace: 'set',
  account_transfer: 'set',
  access_token: 'hot',
  avatar: 'hot',
  backup_times: 'server',
  browser_session: 'hot',
  call_budget: 'hot',
  found_by_mail: 'hot',
  instance_health: 'server',
  notice_partner: 'hot',
  notices: 'set',
  operation_sample: 'set',
  partner_gate: 'hot',
  partner_keys: 'hot',
  peer: 'hot',
  peer_rename: 'set',
  scim_client: 'hot',
  seen_signature: 'hot',
  sharee: 'hot',
  throttle: 'hot',
  unsigned_offers: 'set',
};

/** Statements in subjects with entities, each with its reason. */
const SINGLE: Readonly<Record<string, Reason>> = {
  'account_end.preview': 'set',
  'account_end.request': 'decision',
  'account_end.undo': 'decision',
  'account_end.claim': 'lock',
  'account_end.end_shares': 'set',
  'account_end.leave_received': 'set',
  'account_end.leaves': 'set',
  'account.one': 'hot',
  'account.many': 'hot',
  'account.touch_login': 'hot',
  'account.join_groups': 'set',
  'account.remove_received': 'set',
  'account.used_bytes': 'set',
  'account.first_admin_lock': 'lock',
  'account_state.lock': 'lock',
  'account_state.read': 'lock',
  'administrator.lock': 'lock',
  'administrator.is_last': 'lock',
  'app_password.find': 'hot',
  'app_password.note_use': 'hot',
  'app_password.still_live': 'hot',
  'app_password.create': 'decision',
  'passkey.use': 'decision',
  'second_factor.use_step': 'decision',
  'second_factor.use_recovery_code': 'decision',
  'mail_lookup.forget_expired': 'decision',
  'mail_lookup.begin': 'decision',
  'mail_lookup.forget': 'set',
  'notification_mail.take_next': 'lock',
  'notification_mail.forget': 'lock',
  'remote_member.add': 'set',
  'remote_member.enter_peers': 'set',
  'remote_member.remove': 'set',
  'sent_share_request.add': 'decision',
  'sent_share_request.list': 'set',
  'sent_share_request.withdraw': 'set',
  'sent_share_request.is_open': 'hot',
  'sent_share_request.forget': 'lock',
  'audit.record': 'decision',
  'audit.record_refusal': 'decision',
  'audit.forget': 'lock',
  'contact.standing': 'hot',
  'contact.knows_one_of': 'hot',
  'contact.behind_shares': 'hot',
  'contact.keep': 'decision',
  'offer_parties.find': 'hot',
  'offer_block.add': 'decision',
  'offer_report.add': 'decision',
  'external_group.gone': 'decision',
  'external_group.lock': 'lock',
  'external_group.give': 'set',
  'external_group.take': 'set',
  'external_identity.read': 'set',
  'foreign_link.forget_one': 'set',
  'foreign_link.begin': 'decision',
  'foreign_link.announce': 'server',
  'foreign_link.lock_asked': 'lock',
  'partner_rename.begin': 'decision',
  'foreign_link.offered': 'set',
  'foreign_link.settled': 'hot',
  'foreign_link.forget': 'set',
  'group.exists': 'hot',
  'group.people': 'hot',
  'group.remove_shares': 'set',
  'group.end_memberships': 'set',
  'group.forget_personal_rows': 'set',
  'address_card.lock': 'lock',
  'address_card.refresh': 'set',
  'address_card.after': 'hot',
  'address_card.latest': 'hot',
  'address_card.one': 'hot',
  'partner_address_book.remove_ended': 'set',
  'partner_address_book.enter': 'set',
  'partner_address_book.claim': 'lock',
  'handshake.lock': 'lock',
  'handshake.claim': 'lock',
  'handshake.partner_with_secret': 'hot',
  'invitation.find': 'hot',
  'invitation.lock': 'lock',
  'invitation.forget': 'set',
  'invitation_acceptance.forget': 'set',
  'invitation_mail.take_next': 'lock',
  'invitation_mail.give_up': 'set',
  'issuer_sign_out.end': 'set',
  'login_flow.begin': 'set',
  'login_flow.take': 'decision',
  'mail_outbox.queue_share_notices': 'set',
  'mail_outbox.queue_link_notices': 'set',
  'mail_outbox.mark_sent': 'set',
  'mail_outbox.take_next': 'lock',
  'mail_outbox.sent': 'set',
  'mail_outbox.give_up': 'set',
  'notification.pending_shares': 'hot',
  'notification.dismiss_share': 'set',
  'notification.stored': 'hot',
  'peer_administration.list': 'set',
  'peer_administration.find': 'set',
  'peer_administration.resume': 'decision',
  'peer_administration.resume_shares': 'set',
  'peer_administration.choose_signatures': 'decision',
  'peer_administration.pull_forward': 'set',
  'peer_administration.pull_writes_forward': 'set',
  'peer_administration.wake_relays': 'server',
  'private_value.keep': 'decision',
  'signing_key.insert_first': 'decision',
};

describe('statements of subjects that prefer entities', () => {
  const files = globSync(`{${SUBJECTS.join(',')}}/*.ts`, { cwd: REPOSITORIES }).filter(
    (file) => !file.endsWith('.spec.ts'),
  );
  const declared = files.flatMap((file) =>
    [...readFileSync(join(REPOSITORIES, file), 'utf8').matchAll(/\bname: '([a-z_]+)\.([a-z_]+)'/g)].map(
      ([, prefix, name]) => ({ prefix: prefix!, name: `${prefix}.${name}` }),
    ),
  );

  it('have a reason, or are calls of entities', () => {
    const single = declared.filter(({ prefix }) => !(prefix in WHOLE)).map(({ name }) => name);
    expect(single.toSorted()).toEqual(Object.keys(SINGLE).toSorted());
  });

  it('keep no unnecessary reason', () => {
    const prefixes = new Set(declared.map(({ prefix }) => prefix));
    expect(Object.keys(WHOLE).filter((prefix) => !prefixes.has(prefix))).toEqual([]);
  });
});
