import { MESSAGES } from '#federation/exchange';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CURRENT_FORMS } from '.';

/** Members of payloads with the same names as facts of the audit log. */
const ALSO_AUDITED = ['name', 'note', 'owner', 'path', 'permissions', 'reason', 'sender'];

const KINDS = Object.keys(MESSAGES);
const MEMBERS = [
  ...new Set(
    Object.values(MESSAGES).flatMap(({ payload }) =>
      payload instanceof z.ZodObject ? Object.keys(payload.shape) : [],
    ),
  ),
].filter((member) => !ALSO_AUDITED.includes(member));
/** Upper-case words of the dialects, such as `SHARE_ACCEPTED`. */
const WIRE_WORD = /'[A-Z]+(_[A-Z]+)+'/;

/** Patterns of rules that belong in TypeScript only, in case a function repeats them. */
const REPEATED: Readonly<Record<string, RegExp>> = {
  'a lifetime or pause': /\binterval\s+'/i,
  'a notification': /\b(INSERT\s+INTO|UPDATE)\s+notification\b/i,
  'a text for people': /\bformat\(/i,
  'a message to a partner': /\b(INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+outbox_message\b/i,
  'a kind of message': new RegExp(`'(${KINDS.join('|')})`),
  'a member of a payload': new RegExp(`'(${MEMBERS.join('|')})'`),
  'a word of a dialect': WIRE_WORD,
};

/**
 * Tables that each function writes, with the reason (ADR 0121): `record` of an event, `count` and `mirror` derive rows
 * from others, `key` replaces a foreign key that Postgres cannot express, `access` ends an access in the transaction
 * that ended its base.
 */
const WRITTEN: Readonly<Record<string, 'record' | 'count' | 'mirror' | 'key' | 'access'>> = {
  'add_news writes push_news': 'record',
  'audit writes audit_event': 'record',
  'audit_refusal writes audit_event': 'record',
  'record_content_change writes content_change': 'record',
  'note_share_event writes share_event': 'record',
  'record_end_by_recipient writes ended_share': 'record',
  'note_group_share_due writes group_share_due': 'record',
  'keep_end_of_group_recipient writes group_recipient': 'record',
  'note_group_share writes share': 'access',
  'note_group_share writes group_recipient': 'record',
  'count_added_nodes writes storage': 'count',
  'count_removed_nodes writes storage': 'count',
  'count_moved_nodes writes storage': 'count',
  'enter_peer_host writes peer': 'mirror',
  'follow_renamed_hosts writes peer': 'mirror',
  'mount_received_share writes node': 'mirror',
  'mount_received_share writes storage': 'mirror',
  'remove_notifications_of_share writes notification': 'key',
  'remove_reminder_of_received_share writes notification': 'key',
  'remove_reminder_of_recipient writes notification': 'key',
  'lower_share writes share': 'access',
  'unsettle_former_owner writes group_member': 'mirror',
  'keep_conditions writes share': 'access',
  'keep_conditions_of_trashed_offers writes trashed_offer': 'access',
  'link_narrows_saved writes trashed_offer': 'access',
  'settle_reshares writes share': 'access',
  'link_narrows_saved writes share': 'access',
};

const FUNCTION = /CREATE OR REPLACE FUNCTION (\w+)\(.*?\$\$;/gs;
const WRITE = /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO|TRUNCATE)\s+(?!SET\b|OF\b)([a-z_]+)/g;

/** The tables that functions write, such as `audit writes audit_event`. */
function writtenIn(sql: string): string[] {
  const found = [...sql.matchAll(FUNCTION)].flatMap(([body, name]) =>
    [...body.matchAll(WRITE)].map(([, table]) => `${name} writes ${table}`),
  );
  return [...new Set(found)];
}

const repeatedIn = (sql: string): string[] =>
  Object.entries(REPEATED)
    .filter(([, pattern]) => pattern.test(sql))
    .map(([rule]) => rule);

describe('functions and triggers', () => {
  it.each(CURRENT_FORMS.map((form) => [form.subject, form] as const))(
    'of %s write no message and no notification',
    (_subject, { functions, triggers }) => {
      expect([functions, ...triggers.map(({ sql }) => sql)].flatMap(repeatedIn)).toEqual([]);
    },
  );

  it('write only the tables that are listed with a reason', () => {
    const written = CURRENT_FORMS.flatMap(({ functions }) => writtenIn(functions));
    expect(written.toSorted()).toEqual(Object.keys(WRITTEN).toSorted());
  });

  it('would be found if they wrote another table', () => {
    const sql =
      'CREATE OR REPLACE FUNCTION f() RETURNS trigger AS $$ BEGIN UPDATE share SET name = 1; END $$;';
    expect(writtenIn(sql)).toEqual(['f writes share']);
  });

  it('are all checked: every file of SQL is among the subjects', () => {
    const files = readdirSync(__dirname).filter((name) =>
      readFileSync(join(__dirname, name), 'utf8').includes('CREATE OR REPLACE FUNCTION'),
    );
    const sources = files.filter((name) => !name.endsWith('.spec.ts'));
    expect(sources.map((name) => name.replace('.ts', '')).sort()).toEqual(
      CURRENT_FORMS.map(({ subject }) => subject).sort(),
    );
  });

  it.each([
    ['a lifetime or pause', `deadline_at = now() + interval '7 days'`],
    ['a notification', 'INSERT INTO notification (uid) VALUES (OLD.owner_uid)'],
    ['a text for people', `format('%s left', OLD.recipient)`],
    ['a message to a partner', 'INSERT INTO outbox_message (kind) VALUES (said)'],
    ['a kind of message', `PERFORM tell(OLD, 'share-unshare')`],
    ['a kind of message', `said := 'reshare-undo:share/' || OLD.id`],
    ['a member of a payload', `jsonb_build_object('providerId', OLD.id)`],
    ['a word of a dialect', `notify('SHARE_UNSHARED')`],
  ])('would be found if they contained %s', (rule, sql) => {
    expect(repeatedIn(sql)).toContain(rule);
  });
});
